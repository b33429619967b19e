/* mcp.h - what the files of the MCP endpoint share. Private to serve, and to programs that
 * serve tables of their own.
 *
 * A message arrives at route_mcp and its method runs. The first task that it puts to the
 * desk also says who sent it (mcp_put). It is answered by exactly one of mcp_send,
 * mcp_refuse, mcp_hold or mcp_accept, which free the request. What becomes of a call that
 * asked is decided by mcp_become. */
#ifndef SERVE_MCP_H
#define SERVE_MCP_H

#include "mcp/result.h"
#include "mcp/ticket.h"
#include "serve/inner.h"
#include "serve/mcp_offer.h"

/* ---- one message ---- */

/* How far it is. Each goes on from the one before. */
enum mcp_state {
	MCP_READ,    /* who sent it is not known */
	MCP_ENTERED, /* its caller was let in: token, tools, wait_ms and local are set */
	MCP_FORM, /* the client itself was asked, and the call waits for either answer */
};

/* One message under way; in the arena of its request, whose ctx it is. */
struct mcp {
	struct rpc rpc;
	struct mcp_client client;
	struct str nonce; /* of its session; empty: it has none */
	struct str owner; /* the agent whose session it is; empty: anyone's */
	enum mcp_state state;
	struct str token;	/* tok_… */
	struct tools_for tools; /* that it may call */
	struct str bound;	/* the projects of its token, core/people/project.h */
	struct project_said
		project;	 /* of the request; _meta of a call says it before that */
	struct str trace;	 /* likewise */
	int64_t wait_ms;	 /* the budget of a call */
	bool local;		 /* the client may show forms for us */
	bool streams;		 /* the client takes text/event-stream */
	unsigned how;		 /* enum result_how: how the call's outcome is told */
	const struct tool *tool; /* of tools/call, once it was found */
	int64_t wait_max_ms;	 /* what the call itself says; -1: nothing */
	mcp_fn *then, *otherwise; /* after the task at the desk; when it failed */
	struct str key;		  /* Idempotency-Key, or empty */
	struct str progress; /* the token for progress, as JSON; empty: none wanted */
	struct buf out;	     /* the reply being written */
	struct json_writer w;
	struct buf said;	      /* messages that go before it, each an event */
	struct str headers;	      /* beside the usual */
	struct str last_event;	      /* GET: where a stream was cut */
	struct mcp_batch *batch;      /* it is one of several; NULL: alone */
	const struct ask_json *whole; /* the ask that was read last; or NULL */
	/* Of /mcp/NAME; see mcp_gateway.h. */
	struct str server;    /* NAME; empty: the desk itself */
	struct str session;   /* Parley-Session; or empty */
	struct str behind;    /* the client's session at the server; or empty */
	enum revision speaks; /* the revision of that */
	bool stdio;	      /* it comes by parley mcp-gateway */
	bool beside;	      /* by one that started the server itself */
	bool begun;	      /* the head of the stream that replies is out */
	struct gateway_task *gateway;
	struct passing
		*early; /* prepared to go ahead of the commit that allows it; or NULL */
	mcp_fn *cancelled; /* after a call there was withdrawn */
	bool kept;	   /* its reply does not end it: what it has is still in use */
	/* Of requestState that was passed on: what the server said, or the question that is answered; or empty. */
	struct ticket_call came;
	struct relay *relay; /* what came back from the server */
};

static inline struct mcp *mcp_of(struct request *r)
{
	return r->ctx;
}

static inline const struct mcp_offer *mcp_offer(const struct request *r)
{
	return r->serve->mcp;
}

/* The result's object, left open for its members; mcp_send closes and sends it, after what
 * was said before (mcp_say). */
struct json_writer *mcp_result(struct request *, const char *type);
void mcp_send(struct request *);
void mcp_send_as_is(struct request *, int status); /* the message is written whole */
/* Says a message to the client before the reply: a notification, or a request of ours. */
void mcp_say(struct request *, struct str message);
void mcp_refuse(struct request *, const struct rpc_fault *);
#define mcp_refuse_as(r, status, code, ...)                                              \
	do {                                                                             \
		struct rpc_fault refused_ = { 0 };                                       \
		rpc_fail(&refused_, (status), (code), __VA_ARGS__);                      \
		mcp_refuse((r), &refused_);                                              \
	} while (0)
#define mcp_refuse_params(r, ...) mcp_refuse_as((r), 200, RPC_INVALID_PARAMS, __VA_ARGS__)
void mcp_refuse_uri(struct request *, struct str uri); /* no such resource */
void mcp_accept(struct request *);		       /* 202, to what needs no answer */
/* An error of the desk, as an error of the protocol; in a call of a tool that the model can
 * mend, as the tool's result. */
mcp_fn mcp_trouble;
/* A mistake of the model's is told as the tool's result, so that it can mend it. */
void mcp_tool_error(struct request *, struct str text);
/* The ask that the task found (task.wants_record). An empty one when there is no memory for it,
 * and then no reply comes of it either. */
const struct ask_json *mcp_whole(struct request *);
const struct json *mcp_param(struct request *, const char *name); /* NULL: absent */

/* A new task to the desk for the same caller. */
struct task *mcp_task(struct request *);
/* JSON text as a body. */
void mcp_body(struct request *, struct str json);
/* A page of a list, by those of the parameters that say something. */
void mcp_page(struct request *, const struct use *, const struct param *, size_t len,
	mcp_fn *then);
/* To the desk, and then `then`. The first one of a message lets its caller in with the same
 * turn, or refuses them. An error goes to `otherwise`; NULL: to mcp_trouble. */
void mcp_put(struct request *, const struct use *, mcp_fn *then, mcp_fn *otherwise);
/* A new task about the record of this id, with this body unless it is empty. */
void mcp_do(struct request *, const struct use *, struct str id, struct str body,
	mcp_fn *then, mcp_fn *otherwise);
/* Before a reply without the desk: true: the caller is let in first, and then `again`. */
bool mcp_enter_first(struct request *, mcp_fn *again);
/* The end of a page of resources; `next`: the cursor of the same kind's next, or empty. */
void mcp_listed(struct request *, const struct mcp_resource *, struct str next);

/* ---- calls that become asks: mcp_call.c ---- */

/* Of Parley's own tools. */
void mcp_own_call(struct request *, const struct tool *, const struct json *arguments);
/* Once the caller of a tool is known, perhaps on a clerk's thread: which project and session
 * the task belongs to, and what makes it the same as another. */
enum err mcp_call_entered(struct request *, struct fault *why);
/* Asks at the desk what the task's body says, and answers with what becomes of it. */
void mcp_ask(struct request *, struct str session); /* empty: the default one */
/* What can become of an ask that is pending, in the order in which it is tried. */
enum become {
	BECOME_REPLY = 1, /* what its dialect says at once */
	BECOME_FORM = 2,  /* a question to the client itself */
	BECOME_TASK = 4,
	BECOME_WAIT = 8,
};
/* The ask that the task found is settled, or none of these ways is open: its result as it is. */
void mcp_become(struct request *, unsigned ways);
mcp_fn mcp_await; /* the result of the ask that was just read, once it is settled */
/* Reads the ask of the id, and then `then`. */
void mcp_read(struct request *, struct str ask, mcp_fn *then);
/* Since 2026-07-28 who did not declare the extension has no tasks, and is told so. */
bool mcp_task_known(struct request *);
/* The members of a task, in the words of the client's revision. */
void mcp_task_write(struct request *, struct json_writer *, const struct ask *);

/* mcp_form.c: what the client is asked itself. True: the request is answered. */
bool mcp_form_ask(struct request *);
/* What it is asked for the ask that was found; 0: nothing. */
size_t mcp_inputs(struct request *, struct mcp_input[MCP_INPUTS_MAX]);
void inputs_write(struct json_writer *, const struct mcp_input *, size_t len);
/* The responses that came with requestState; a response to a request of ours. */
mcp_fn mcp_form_retry, mcp_form_response;
/* Takes responses, by name, for the ask that was found, and then `then`, whatever the desk
 * said. */
void mcp_form_take(struct request *, const struct json *responses, mcp_fn *then);
/* The id of the request that asks for the form, as JSON. */
void form_id(struct buf *, struct serve *, struct str ask);

/* ---- calls that wait: mcp_hold.c. False: it cannot, and is still to be answered. ---- */

bool mcp_hold(struct request *, struct str ask, int64_t wait_ms);
void mcp_forget(struct serve *, struct str nonce, struct str id); /* it was cancelled */
/* One event of a stream. `id`: with its line end, or empty. */
void sse_write(struct buf *, struct str id, struct str message);
mcp_fn mcp_resume; /* the call that a stream's last event names goes on */

/* Of a call that is held at the gateway, likewise; `rounds`: how often requestState was given. */
bool mcp_hold_gated(struct request *, int64_t wait_ms, unsigned rounds);
struct gateway_task;
/* The result of a held call as it stands. */
struct gated_told {
	enum revision revision;
	struct str id;	  /* JSON-RPC's */
	struct str token; /* whose call it is */
	/* Since 2026-07-28 how often it was told to come again; GATED_RELATED: it is the result of a task, and names that. */
	unsigned rounds;
	struct str why; /* it was not reached; or empty */
	bool page; /* the client may show the ask's page, which decides nothing here */
};
/* Is that so: of a token made --local, and a client that can? */
bool gated_page(const struct mcp *);
enum { GATED_RELATED = 128 };
void gated_result(struct serve *, struct buf *, const struct gateway_task *,
	const struct gated_told *, struct arena *);
/* Its caller has the outcome. */
void gated_delivered(struct serve *, int64_t ws, const struct gateway_task *);
/* The call at the gateway with this id of JSON-RPC that waits in this session; empty: none. */
struct str mcp_waits_for(struct serve *, struct str nonce, struct str id);
/* Ends the waits for this call: its server was not reached. */
void mcp_unreached(struct serve *, struct str call, struct str why);
/* The wait for a call that a stream's last event names goes on. */
void gated_resume(struct request *, struct str call);
mcp_fn gated_stream; /* GET without a call to go on with */
mcp_fn gated_message, gated_end, mcp_ended;
/* A call of a tool of ours that works in the store, which is decided, held and told like those of a server. */
void gated_own(struct request *, const struct tool *, const struct json *arguments,
	struct str session);
/* The header Mcp-Session-Id of a session that begins. */
struct str mcp_session_header(struct request *, const struct ticket_session *behind);

/* ---- the methods ---- */

mcp_fn mcp_initialize, mcp_discover, mcp_ping, mcp_tools_list, mcp_tools_call,
	mcp_resources_list, mcp_templates_list, mcp_resources_read, mcp_prompts_list,
	mcp_prompts_get, mcp_complete, mcp_task_get, mcp_task_result, mcp_task_list,
	mcp_task_cancel, mcp_task_update;
mcp_fn mcp_listen;	  /* subscriptions/listen */
mcp_fn mcp_listen_legacy; /* GET */

#endif
