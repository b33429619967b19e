/* inner.h - what the wires share. Private to src/model. */
#ifndef MODEL_INNER_H
#define MODEL_INNER_H

#include "base/json_pattern.h"
#include "base/sse.h"
#include "model/model.h"

enum part_type { PART_TEXT, PART_THOUGHT, PART_CALL, PART_RESULT, PART_IMAGE, PARTS };

/* ---- what was said, for the writers ---- */

struct utterance_part {
	enum part_type type;
	struct str text; /* text, thought; a result's content; an image's data */
	struct str id, name;
	const struct json *arguments; /* an object */
	bool is_error;
	struct str media_type;
	/* What was kept with it, when the request goes where it came from. */
	struct str as, seal, seal_id;
};

struct utterance {
	enum model_role role;
	struct str model; /* that it goes to */
	bool cache;	  /* a prompt cache may end behind this message */
	struct utterance_part *parts;
	size_t len;
	/* As its wire has it: JSON values with commas between; or empty. */
	struct str items;
};

struct wire {
	const char *path;	/* behind the url; "%" stands for the model */
	const char *key_header; /* "x-api-key: " */
	const char *header;	/* one more; may be NULL */
	/* What one message is there: values of an array, or nothing. */
	void (*message)(struct json_writer *, const struct utterance *, struct arena *);
	/* The whole, with the items of each message. */
	void (*write)(struct json_writer *, const struct model_request *,
		const struct utterance *);
	/* One data line of a reply; type is the event's. */
	void (*take)(struct model_reader *, struct str type, const struct json *);
};

extern const struct wire wire_anthropic, wire_openai, wire_responses, wire_gemini,
	wire_script;
const struct wire *wire_of(enum model_wire);

/* An id that every wire takes, the same for the same text: letters, digits, '-', '_', 40
 * at most. */
struct str wire_id(struct str id, struct arena *);
/* All texts of a message in one, a blank line between them. */
struct str utterance_text(const struct utterance *, struct arena *);
struct str utterance_data_url(const struct utterance_part *, struct arena *);

/* ---- output.c: the schema of an answer ---- */

/* Where the wire does not take it, it goes behind the system prompt, and is none any more. */
void output_place(enum model_wire, struct model_request *, struct arena *);
/* Its member, less what the vendor does not take. */
void output_schema_write(
	struct json_writer *, enum model_wire, const struct json *schema);
bool output_strict(const struct json *schema); /* can OpenAI keep a model to it? */

/* ---- the reply as it comes, for the readers ---- */

struct model_part {
	enum part_type type;
	int64_t index;	 /* the wire's own number of it; -1: none */
	struct buf text; /* text, thought or a call's arguments */
	struct buf id, name;
	struct buf as, seal, seal_id; /* to be kept */
};

enum {
	ARGUMENTS_DEPTH = 48,
	REPLY_PARTS_MAX = 512,
	REPLY_TEXT_MAX = 16 << 20,
	ERROR_BODY_MAX = 64 << 10
};

struct model_reader {
	struct model_setup setup;
	const struct wire *wire;
	struct sse sse;
	struct arena frame; /* of the data line that is being read */
	struct buf body;    /* of a reply that is no stream */
	struct buf content, kept, cut_call;
	struct model_part *parts;
	size_t parts_len, parts_cap;
	size_t size;   /* bytes of all parts */
	bool counted;  /* a data line came in this feed */
	bool finished; /* the reply said why it ends */
	bool failed;   /* out of memory, or too long */
	enum model_stop stop;
	enum trouble trouble;
	char message[256];
	bool retry;
	int64_t retry_after_ms;
	int64_t told_context, told_sent; /* of what is too long */
	struct usage usage;
	int64_t cost;
};

/* A new part. NULL: too many, or no memory; the reader has failed then. */
struct model_part *part_new(struct model_reader *, enum part_type, int64_t index);
struct model_part *part_last(struct model_reader *); /* NULL: none yet */
/* The newest part of this index; NULL: none. */
struct model_part *part_find(struct model_reader *, int64_t index);
void part_add(struct model_reader *, struct model_part *, struct buf *, struct str);
/* More of a text or thought: joins the last part when it is of that type and not sealed.
 * Tells the listener. Returns the part; NULL when there is nothing to say. */
struct model_part *part_say(struct model_reader *, enum part_type, struct str);
/* More text of this part, told to the listener unless they are arguments of a call. */
void part_more(struct model_reader *, struct model_part *, struct str);
/* A call begins. NULL: as part_new. */
struct model_part *part_call(
	struct model_reader *, int64_t index, struct str id, struct str name);
void part_tell(struct model_reader *, enum part_type, struct str);

/* Reasons for which a reply ends otherwise than well, up to NULL. */
struct model_ending {
	const char *reason;
	enum trouble trouble;
	bool retry;
	const char *message;
};
/* The reply says why it ends; empty: not yet. */
void reader_finish(struct model_reader *, struct str reason, const struct model_ending *);
#define MODEL_CUT      "the answer reached the most tokens it may have"
#define MODEL_DECLINED "the model declined to answer"
#define MODEL_FILTERED "the provider's filter declined"
/* What it used; `prompt` is all that was sent, from the caches or not. */
void reader_usage(struct model_reader *, struct usage, int64_t prompt);
/* The reply ends in trouble; the first word counts. */
void reader_trouble(struct model_reader *, enum trouble, bool retry, struct str message);
/* An error as a provider tells it, in a body or in the stream (status 200 there): the
 * object with its words, or what holds it under "error". */
void reader_error(struct model_reader *, int status, const struct json *);

/* A whole number from 0 on; otherwise 0. */
int64_t number_of(const struct json *object, const char *name);
/* A whole number; -1: there is none. */
int64_t reader_index(const struct json *object, const char *name);

#endif
