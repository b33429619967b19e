/* mcp.h - what the files of the MCP endpoint share. Private to serve.
 *
 * A message arrives at route_mcp, the desk checks who sent it (use_mcp_enter), its method
 * runs, and is answered by exactly one of mcp_send, mcp_refuse, mcp_hold or
 * mcp_accept, which free the request. */
#ifndef SERVE_MCP_H
#define SERVE_MCP_H

#include "mcp/elicit.h"
#include "mcp/result.h"
#include "mcp/ticket.h"
#include "serve/inner.h"

/* One message under way; in the arena of its request, whose ctx it is. */
struct mcp {
	struct rpc rpc;
	struct mcp_client client;
	struct str nonce; /* of its session; empty: it has none */
	struct str owner; /* the agent whose session it is; empty: anyone's */
	struct str token; /* tok_… */
	struct str tools; /* the names it may call, as JSON; empty: all */
	int64_t wait_ms;  /* the budget of a call */
	bool local;	  /* the client may show forms for us */
	bool streams;	  /* the client takes text/event-stream */
	bool task_result; /* it is tasks/result: the result names its task */
	bool prompt;	  /* the client asks before it runs a tool of its own */
	bool fixtures;	  /* no caller is known: the conformance suite */
	const struct tool *tool;
	size_t at;	     /* which of several lists */
	struct str key;	     /* Idempotency-Key, or empty */
	struct str progress; /* the token for progress, as JSON; empty: none wanted */
	struct buf out;	     /* the reply being written */
	struct json_writer w;
	struct str headers;	 /* beside the usual */
	struct str last_event;	 /* GET: where a stream was cut */
	struct mcp_batch *batch; /* it is one of several; NULL: alone */
};

static inline struct mcp *mcp_of(struct request *r)
{
	return r->ctx;
}

/* The result's object, left open for its members; mcp_send closes and sends it. */
struct json_writer *mcp_result(struct request *, const char *type);
void mcp_send(struct request *);
/* The same at the end of a stream of these events; with none, as it is. */
void mcp_send_after(struct request *, struct str events);
void mcp_send_events(struct request *, struct str events); /* and nothing else */
void mcp_refuse(struct request *, const struct rpc_fault *);
void mcp_refuse_params(struct request *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void mcp_refuse_uri(struct request *, struct str uri); /* no such resource */
void mcp_accept(struct request *);		       /* 202, to what needs no answer */
/* An error of the desk, as an error of the protocol. */
void mcp_trouble(struct request *);
/* The task's JSON, read; NULL when there is no memory for it. */
const struct json *mcp_out(struct request *);
const struct json *mcp_param(struct request *, const char *name); /* NULL: absent */
/* A new task to the desk for the same caller. */
struct task *mcp_task(struct request *);
/* JSON text as a body. */
void mcp_body(struct request *, struct str json);

/* mcp_hold.c: a call that waits. False: it cannot, and is still to be answered. */
/* `first`: a message to send at once, or NULL. */
bool mcp_hold(struct request *, struct str ask, int64_t wait_ms, const struct str *first);
void mcp_forget(struct serve *, struct str nonce, struct str id); /* it was cancelled */
/* One event of a stream. `id`: with its line end, or empty. */
void sse_write(struct buf *, struct str id, struct str message);
/* The event without data that a stream begins with, to come back to: clients before
 * 2025-11-25 would take it for a message, so theirs has no data line at all. */
void sse_first_write(struct buf *, struct str id, enum revision);
/* The call that a stream's last event names goes on. */
void mcp_resume(struct request *);

/* mcp_listen.c: streams that tell what changes. */
void mcp_listen(struct request *);	  /* subscriptions/listen */
void mcp_listen_legacy(struct request *); /* GET */

/* The methods, a function each. */
typedef void mcp_fn(struct request *);
mcp_fn mcp_initialize, mcp_discover, mcp_ping, mcp_tools_list, mcp_tools_call,
	mcp_resources_list, mcp_templates_list, mcp_resources_read, mcp_prompts_list,
	mcp_prompts_get, mcp_complete, mcp_task_get, mcp_task_result, mcp_task_list,
	mcp_task_cancel, mcp_task_update;
/* Since 2026-07-28 who did not declare the extension has no tasks, and is told so. */
bool mcp_task_known(struct request *);
/* mcp_form.c: an answer that came from a form of the client's own. */
mcp_fn mcp_form_retry, mcp_form_response;
/* The id of the request that asks for the form, as JSON. */
void form_id(struct buf *, struct serve *, struct str ask);
/* Asks for the form: true, and the request is answered. */
bool mcp_form_ask(struct request *, const struct json *ask);
/* The reply to a call whose ask the task has just read or made: its result, a task, a
 * form or a wait. */
void mcp_answer(struct request *);
/* The result of the ask as it is. */
void mcp_answer_now(struct request *, const struct json *ask);

/* mcp_fixtures.c: true when it was for the conformance suite, and was served. */
bool mcp_fixture(struct request *);
bool fixture_resume(struct request *); /* the same of a stream that was cut */
void fixture_capabilities(struct request *, struct json_writer *);
const struct json *fixture_find(
	struct request *, const char *list, const char *member, struct str name);
/* The members of its result, filled in with what the request brings. */
void fixture_result_write(struct json_writer *, struct request *, const struct json *);
/* mcp_fixture_tasks.c: the tool's call becomes a task; false: it is not for that. */
bool fixture_task_begin(struct request *, const struct json *fixture);
bool fixture_task(struct request *); /* tasks/…; true: served */

#endif
