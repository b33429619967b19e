/* mcp_link_inner.h - what the files of the MCP client share: requests and calls (mcp_link.c), tasks that are waited for
 * (mcp_await.c), streams that are read on (mcp_resume.c), messages that are passed on (mcp_pass.c). Prefix: link_. */
#ifndef AGENT_MCP_LINK_INNER_H
#define AGENT_MCP_LINK_INNER_H

#include "agent/inner.h"

#include "agent/mcp_link.h"
#include "core/shared/address.h"
#include "mcp/remote.h"

enum {
	NOTE_MS = 1000, /* for what is only told */
	PROGRESS_MS = 10 * 60 * 1000,
};

/* A server, while it is spoken to. */
struct mcp_link {
	struct fetcher *fetcher, *aside; /* aside: while a reply is being read */
	struct mcp_program *program;	 /* in their place; or NULL */
	const struct mcp_access *access;
	const struct mcp_call *call; /* of a run; or NULL */
	const struct json *headers;  /* its own; or NULL */
	struct url url;
	int stop_fd;
	int64_t until_ms; /* by the steady clock: the end of all of it; 0: each call's own */
	struct arena *arena;
	enum revision revision;
	char session[256];
	int64_t id; /* of the last request */
	bool alive; /* something came that says so */
	bool list_changed;
	int64_t told_ms; /* when it was last told how far it is */
	struct remote_reader *reading;
	struct relay *relay;	    /* what is passed on; or NULL */
	bool passes;		    /* the request under way is that */
	const struct json *greeted; /* what it said of itself when it was opened */
	struct str
		token; /* the client's for progress, where a program has one of ours; or empty */
};

/* What came of a request. */
struct mcp_answer {
	enum {
		ANSWER_SAID, /* a JSON-RPC message */
		ANSWER_NONE, /* something else: `wrong` */
		ANSWER_STOPPED
	} how;
	const struct json *reply;
	struct remote_said said;
	struct fetch_end end;
	bool over; /* it is longer than we read */
	size_t bytes;
	struct str wrong;
};

void link_call(
	struct mcp_link *, struct remote_call *, int64_t timeout_ms, struct mcp_answer *);
/* Told, with no answer to wait for. */
void link_post(struct mcp_link *, const struct remote_call *, struct str body,
	const char *method, struct fetcher *);
void link_note(struct mcp_link *, const char *method, struct str params);
/* `lists`: what it speaks is asked for anew. False: *out says why. */
bool link_open(struct mcp_link *, bool lists, struct mcp_found *out);
bool link_begin(struct mcp_link *);
void link_end(struct mcp_link *);

/* The stream of the session, from the last event that came. */
void link_stream(struct mcp_link *, const struct remote_call *, struct remote_reader *,
	struct fetch_end *);
/* With the line that says where to go on from; NULL: no memory, or it cannot be said. */
const char **link_headers_from(
	const char *const *headers, struct str event, struct arena *);
/* A stream that ended before the reply is read on (mcp_resume.c). */
void link_resume(struct mcp_link *, struct remote_reader *, const struct fetch_request *,
	struct fetch_end *);
/* Does a call of its tool have to be a task, as 2025-11-25 has them? */
bool link_wants_task(const struct mcp_link *);
/* An answer that is a task: waited for, and what came of it put in its place. */
void link_await(struct mcp_link *, struct mcp_answer *, int64_t timeout_ms);

#endif
