/* gateway.h - calls of an MCP server's tools that agents make through the desk: what is asked of the desk and what it
 * finds. Prefix: gateway_.
 *
 * A call that is allowed is passed on and leaves an event. One that a person must approve is a row (struct
 * tool_call without a run) from before its first byte until its outcome was delivered. Whoever waits for it may
 * have it started once it is approved: use_gateway_start uses the approval up and begins it in one commit. */
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
};

/* use_gateway_open, use_gateway_call, use_gateway_look, use_gateway_cancel, in task.checked. */
struct gateway_task {
	/* Asked. */
	struct str server;
	struct str tool;   /* of a call; empty: `reads` */
	const char *reads; /* "resources.read", "prompts.get": never held */
	const struct json *arguments;
	struct str client, via; /* what the client calls itself; http, stdio */
	struct str behind;	/* its session at the server; or empty */
	struct str revision;	/* that the server speaks in it; or empty */
	struct str key;		/* Idempotency-Key; or empty */
	struct str same;	/* the id of the call that it is; or empty */
	bool listed;		/* the list was just read */
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

/* use_gateway_end: what came of it. */
struct gateway_end {
	int64_t ws;
	struct str call;
	enum { GATEWAY_DONE, GATEWAY_FAILED, GATEWAY_UNKNOWN } how;
	struct str text; /* the result as JSON; why it failed; why it is unknown */
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

/* use_gateway_cut: calls that this process (and, where nobody else has the store, any other) began and did not end
 * are told as interrupted, or may begin again. */
struct gateway_cut {
	struct str owner;
};

#endif
