/* model.h - the APIs of model providers: requests are written, streamed replies are read.
 *
 * One table of wires (anthropic, openai, openai_responses, gemini); everything is pure.
 * A runner does, for each try of a turn:
 *
 *	model_request_write(&body, wire, &request, why);     JSON of the request
 *	url = model_url(wire, provider's url or none, model, &arena);
 *	headers = model_headers(wire, key, &arena);
 *	r = model_reader_new(&(struct model_setup){ wire, fn, ctx, unique });
 *	call (net/fetch.h) with   take:  return model_reader_feed(r, status, bytes)
 *	model_reader_end(r, &end, &reply);                   reply lives as long as r
 *	model_reader_free(r);
 *
 * The neutral form of a message is the contract's `content`, a JSON array of parts:
 *	{"type":"text","text":"…"}            {"type":"thought","text":"…"}
 *	{"type":"tool_call","id":"…","name":"…","arguments":{…}}
 *	{"type":"tool_result","id":"…","name":"…","content":"text","is_error":true?}
 *	{"type":"image","media_type":"image/png","data":"base64"}
 * `id` of a call is the provider's own (or one made here), unique in a session; a result
 * repeats it. Members that are not named here are ignored, so more may be added. A call
 * whose arguments are no JSON object has "arguments":{} and "unreadable":"why".
 *
 * `kept` is what a provider wants back untouched (signatures, encrypted reasoning), for
 * each part of the content in turn. It is sent only over the wire and to the model it
 * came from; so the number and order of a kept message's parts must stay. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/arena.h"
#include "base/fault.h"
#include "core/run/effort.h"
#include "core/run/provider.h"
#include "core/run/run.h"
#include "core/run/usage.h"

/* ---- requests ---- */

enum model_role { MODEL_USER, MODEL_ASSISTANT, MODEL_TOOL };

/* What not every model of a wire takes. */
enum model_option {
	OPTION_EFFORT = 1,
	OPTION_SUMMARY = 2, /* of what it reasoned */
	OPTION_SEALED = 4,  /* its reasoning, to be sent back */
	OPTION_CACHE_KEY = 8,
	OPTION_OUTPUT =
		16, /* the schema of its answer; without it, that is in the prompt */
};

/* Those of this request that its refusal names; 0: none. */
unsigned model_options_refused(struct str body, struct str message);

struct model_tool {
	struct str name, description;
	struct str schema; /* a JSON Schema of its arguments; an object */
};

/* A message as a wire has it, kept by whoever sends it again with the next request. Zeroed at
 * first; its bytes are to be freed. */
struct model_written {
	bool ready;
	enum model_wire wire;
	/* A hash of its name: what was kept goes back to the same model only. */
	uint64_t model;
	struct buf bytes;
};

struct model_message {
	enum model_role role;
	struct str content;	       /* the JSON array */
	struct str kept;	       /* as a reply gave it; or none */
	struct str kept_model;	       /* the model that reply came from */
	struct model_written *written; /* or NULL: nothing is kept of it */
};

struct model_request {
	struct str model, system;
	struct str session; /* its id: requests of one session share their prompt cache */
	enum effort effort;
	const struct json *output_schema; /* that its last words must fit; or NULL */
	int64_t output_max; /* tokens; 0: as the model's row says, else what the wire has */
	unsigned without;   /* options that are left out: bits of enum model_option */
	bool output_twice; /* twice what the wire has, where output_max says nothing */
	const struct model_tool *tools;
	size_t tools_len;
	const struct model_message *messages;
	size_t messages_len;
};

/* The body. Prompt caches are marked where the wire has marks for them: behind the system
 * prompt and behind the two last messages that are not the model's. ERR_INTERNAL: a
 * content that is no JSON array. */
enum err model_request_write(struct buf *out, enum model_wire,
	const struct model_request *, struct fault *why);
/* Where it goes. `base` is the provider's `url`; none: the vendor's. */
const char *model_url(enum model_wire, struct str base, struct str model, struct arena *);
/* "name: value" lines up to NULL, the key among them; an empty key is left out. */
const char *const *model_headers(enum model_wire, struct str key, struct arena *);

/* ---- replies ---- */

enum model_delta_type { DELTA_TEXT, DELTA_THOUGHT, DELTA_TOOL };

/* Something that came, to be shown while the rest is awaited. Borrowed for the call. */
struct model_delta {
	enum model_delta_type type;
	struct str text; /* a tool's: its name, once, when the call of it begins */
};

typedef void model_delta_fn(void *ctx, const struct model_delta *);

struct model_setup {
	enum model_wire wire;
	model_delta_fn *fn; /* may be NULL */
	void *ctx;
	struct str unique; /* makes ids of calls that came without: a run's id and turn */
	struct str secret; /* the key: masked in messages that repeat it */
};

/* How the HTTP exchange ended, as net/fetch.h tells. */
struct model_end {
	int status;		/* 0: no reply came */
	bool whole;		/* the reply came to its proper end */
	const char *error;	/* else: why not; may be NULL */
	struct str leads_to;	/* of a redirect: the host; or empty */
	int64_t retry_after_ms; /* as the headers ask; -1: nothing said */
	bool no_retry;		/* x-should-retry: false */
};

enum model_stop {
	STOP_END,   /* the model is done */
	STOP_CALLS, /* it wants results of tools (there is a call in the content) */
	STOP_PAUSE, /* call again with this message as the last: it goes on */
};

struct model_reply {
	/* NONE: a whole reply. CUT, DECLINED, EMPTY (it came to nothing, the provider says):
	 * with what was said up to then. Else: nothing of the reply counts, and content is
	 * "[]". */
	enum trouble trouble;
	char message[256]; /* what is wrong, in the provider's words */
	bool retry;	   /* the same request may succeed when tried again */
	/* TOO_LONG: the tokens that the model takes, and that it was sent; 0: nothing said. */
	int64_t context, counted;
	bool gone; /* the provider has nothing at this address, or no such model */
	int64_t retry_after_ms; /* not before that; -1: nothing said */

	struct str content; /* JSON array of parts */
	struct str kept;    /* or none */
	enum model_stop stop;
	size_t calls; /* tool_call parts in content */
	/* CUT: the name of the call in which it was cut, which is not in the content; or
	 * empty. */
	struct str cut_call;
	struct usage usage;
	int64_t cost; /* nanodollars told by the provider; COST_UNKNOWN: use its prices */
};

struct model_reader;

struct model_reader *model_reader_new(const struct model_setup *); /* NULL: no memory */
struct model_reader *model_reader_free(struct model_reader *);
/* Bytes of the reply as they come, cut anywhere. True: something in it counts as a sign of
 * life; comments and pings do not. */
bool model_reader_feed(struct model_reader *, int status, struct str bytes);
/* Once, behind the last byte. Borrowed members of `out` live as long as the reader. */
void model_reader_end(
	struct model_reader *, const struct model_end *, struct model_reply *out);

/* ---- a provider that answers from a script ---- */

struct model_played {
	int64_t delay_ms; /* before it comes */
	int status;
	struct str bytes; /* of the body, for model_reader_feed */
};

struct script_scene;

/* What the script in the provider's body says to a request. The scene has agent, turn and attempt; the
 * rest of it is found in the request. In the arena. */
void model_script_play(struct str provider, struct str request, struct script_scene *,
	struct arena *, struct model_played *out);

/* ---- the models a provider says it has ---- */

/* Where the list is; a GET with model_headers. */
const char *model_list_url(enum model_wire, struct str base, struct arena *);
/* Such a list from the reply, to be kept (core/run/model_list.h). False: it is none, or too long; nothing was
 * written. */
bool model_list_read(struct json_writer *, enum model_wire, struct str reply);

#endif
