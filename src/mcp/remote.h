/* remote.h - MCP as a client speaks it: requests to another's server and what comes back, in both families of
 * revisions. Since 2026-07-28 every request says all about us; before, `initialize` does, once. */
#ifndef MCP_REMOTE_H
#define MCP_REMOTE_H

#include "base/sse.h"
#include "core/ask/ask.h"
#include "core/run/mcp_tool.h"
#include "mcp/revision.h"

enum { REMOTE_MESSAGE_MAX = 8 * 1024 * 1024 }; /* bytes of what comes back */

/* What is sent. */
struct remote_call {
	enum revision revision;
	int64_t id; /* 0: a notification */
	const char *method;
	struct str params; /* a JSON object; or empty */
	bool progress;	   /* we want to hear of it */
	struct str can;	   /* what the client can do, as JSON; empty: nothing */
	struct str
		said_id; /* of a message that is passed on: as JSON, in place of id; or empty */
	bool raw;	 /* its params have all that is to be said */
	struct str meta; /* more members of _meta; or empty */
	/* Of a call of a tool: as the server says it, and the arguments; or NULL. */
	const struct json *tool, *arguments;
};

void remote_message(struct buf *, const struct remote_call *);
/* "name: value", up to NULL, in the arena; NULL: it has failed. `own` is an object of more; or NULL. */
const char **remote_headers(const struct remote_call *, struct str session,
	const struct json *own, struct arena *);
/* The params of `initialize`. */
struct str remote_greeting(enum revision, struct str can, struct arena *);
/* What is said to a request of the server that we do not serve; `ping` is answered. `answer`: the result; or empty. */
void remote_answer(struct buf *, const struct rpc *, struct str answer);

/* Reads a reply as it comes: one JSON message, or a stream of them. { .id, .arena } is ready. */
struct remote_reader {
	int64_t id; /* of the request */
	struct arena *arena;
	/* A request of the server, and how far ours is; or NULL. */
	void (*asked)(void *ctx, const struct rpc *);
	void (*progressed)(void *ctx, struct str text, int64_t percent); /* -1: unknown */
	/* Before these: is the message taken? Or NULL. */
	bool (*other)(void *ctx, const struct rpc *, struct str message);
	struct str said_id; /* of the request, as JSON, in place of id; or empty */
	void *ctx;
	const struct json *reply; /* found: the message that answers ours */
	bool done;		  /* it is found, or nothing more is read */
	size_t max;		  /* bytes of a message; 0: REMOTE_MESSAGE_MAX */
	bool over;		  /* it is longer than that */
	bool list_changed;	  /* the server says that its tools are others */
	size_t foreign;		  /* messages that are none */
	size_t bytes;		  /* that came, in all */
	enum { REMOTE_UNKNOWN, REMOTE_JSON, REMOTE_STREAM } form;
	struct sse sse;
	struct buf whole;
};

void remote_feed(struct remote_reader *, struct str bytes);
void remote_end(struct remote_reader *); /* no more comes */
void remote_done(struct remote_reader *);
/* One whole message, as of a line. */
void remote_take(struct remote_reader *, struct str text);

/* What a reply says. */
struct remote_said {
	const struct json *result; /* NULL: an error */
	int64_t code;
	struct str message;
};
void remote_said(const struct json *reply, struct remote_said *out);
/* The revision to go on with, from a result of server/discover, of initialize, or the error -32022. False: we
 * share none. *said: its name for it. */
bool remote_revision(const struct json *reply, enum revision *out, struct str *said);
/* Is it no result yet, but what the server wants to know first? *out: JSON {"state", "asks": [{"key", "body",
 * "foreign"}]}, each the body of an ask; or *wrong says why it cannot be asked. */
bool remote_inputs(
	const struct json *result, struct arena *, struct str *out, struct str *wrong);
/* The same of one request of a server: the body of an ask, and what it keeps of the request, as JSON. */
bool remote_input(struct str method, const struct json *params, struct arena *,
	struct str *body, struct str *foreign, struct str *wrong);
/* What such an ask came to, as the server reads it. Empty: no memory. */
struct str remote_elicited(const struct ask *, const struct ask_view *, struct arena *);
/* The result of a call as a model reads it. */
struct str remote_text(const struct json *result, struct arena *, bool *failed);

#endif
