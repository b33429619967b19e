/* gateway.h - calls of an MCP server's tools that agents make through the desk: what is asked of the desk and what it
 * finds. Prefix: gateway_.
 *
 * A call that is allowed is passed on and leaves an event. One that a person must approve is a row (struct
 * tool_call without a run) from before its first byte until its outcome was delivered. Whoever waits for it may
 * have it started once it is approved: use_gateway_start uses the approval up and begins it in one commit.
 *
 * Tools of the desk's own that work in the store (memory, todo) take the same way. They are done in the commit that
 * allows them: that of the call, or that of the answer. */
#ifndef DESK_GATEWAY_H
#define DESK_GATEWAY_H

#include "core/run/mcp_server.h"

enum gateway_what {
	GATEWAY_PASS,	 /* it may be passed on */
	GATEWAY_DENIED,	 /* `text` says by whom and why */
	GATEWAY_REFUSED, /* `text` says why there is no such tool to call */
	GATEWAY_HELD,	 /* `call` waits or is under way */
	GATEWAY_ENDED,	 /* `call` has its outcome */
	GATEWAY_UNREAD,	 /* the list of its tools is to be read first */
};

/* A held call as its callers see it. Texts live in the job's arena. */
struct gateway_call {
	struct str id, ask, server, tool;
	enum call_status status;
	int64_t sent;
	bool ready;	   /* approved: it may be started */
	struct str result; /* the server's, as JSON; or empty */
	struct str error;  /* text; or empty */
	struct str
		edited; /* the arguments that a person put in place of its own; or empty */
	bool task;	/* its caller has it as a task */
	bool erred;	/* its result says that it is an error */
	int64_t created_ms, updated_ms;
};

/* Is a held call to be a task of its caller? */
enum gateway_as { GATEWAY_PLAIN, GATEWAY_TASK_IF_ALLOWED, GATEWAY_TASK };

/* use_gateway_open, use_gateway_call, use_gateway_look, use_gateway_cancel, in task.checked. */
struct gateway_task {
	/* Asked. */
	struct str server;
	struct str tool;   /* of a call; empty: `reads` */
	bool store;	   /* a tool of the desk's own, which works in the store */
	const char *reads; /* "resources.read", "prompts.get": never held */
	const struct json *arguments;
	struct str client, via; /* what the client calls itself; http, stdio */
	struct str behind;	/* its session at the server; or empty */
	struct str revision;	/* that the server speaks in it; or empty */
	struct str key;		/* Idempotency-Key; or empty */
	struct str same;	/* the id of the call that it is; or empty */
	enum gateway_as as;
	bool local;  /* the server runs on the agent's side, behind its gateway */
	bool listed; /* the list was just read */
	bool counts; /* found: what allows it counts, and is to be kept before it is passed on */
	/* Found. */
	enum gateway_what what;
	struct str text;
	struct gateway_call call;
	struct mcp_access access;
	struct str
		tools; /* of use_gateway_open: JSON array of those that may be called */
};

/* use_gateway_start, in task.checked: the connection to its server stands, and nothing was sent. */
struct gateway_start {
	int64_t ws;
	struct str call, owner;
	bool again; /* it is not known whether this was committed */
	/* Found. */
	bool started; /* false: it is not to be run, or not by us */
};

enum gateway_how { GATEWAY_DONE, GATEWAY_FAILED, GATEWAY_CANCELLED, GATEWAY_UNKNOWN };

/* use_gateway_end: what came of it. */
struct gateway_end {
	int64_t ws;
	struct str call;
	enum gateway_how how;
	struct str text; /* the result as JSON; why it failed; why it is unknown */
};

/* Of a gateway on the agent's side, in task.checked. */
struct gateway_local {
	struct str server;
	/* use_gateway_tools: what it read; NULL: it only asks whether the name is free for it. */
	const struct mcp_found *found;
	/* use_gateway_begin, use_gateway_report; use_gateway_alive has the owner alone. */
	struct gateway_start start;
	struct gateway_end end;
	/* Found. */
	struct str tools;     /* JSON array of those that may be called */
	struct str arguments; /* JSON, as approved, of what was begun */
};

/* use_gateway_load: what a held call needs to be run. */
struct gateway_load {
	int64_t ws;
	struct str call;
	/* Found. */
	bool ready;
	struct mcp_access access;
	struct str arguments; /* JSON, as approved */
	struct str behind, revision;
	struct str agent;
};

/* How long a started call is whose process has not said that it lives. */
enum { GATEWAY_LEASE_MS = 30 * 1000 };

/* use_gateway_due, a read: what is to be done though nobody asks for it. In the task's arena. */
struct gateway_due {
	struct str owner;
	/* Found. */
	struct gateway_due_call {
		int64_t ws;
		struct str server, call;
	} * calls; /* tasks that may be run */
	size_t len;
	bool tend; /* use_gateway_cut has something to do */
	bool more; /* some call is started, or waits to be run */
};

/* use_gateway_cut: of calls that were begun and did not end, those that this process runs are kept; those whose
 * process has gone are told as interrupted, or may begin again. */
struct gateway_cut {
	struct str owner;
	/* Does it run here? NULL: nothing does yet. */
	bool (*runs)(void *ctx, int64_t ws, struct str call);
	void *ctx;
};

struct desk;
/* Called on the thread that commits: a held call may be run. NULL: no longer. */
void gateway_on_held(struct desk *, void (*woken)(void *ctx), void *ctx);

#endif
