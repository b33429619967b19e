/* mcp_offer.h - what a server offers to MCP clients: its tools, prompts and resources, as
 * tables that it is given. Parley's own are in mcp_own.c. */
#ifndef SERVE_MCP_OFFER_H
#define SERVE_MCP_OFFER_H

#include "mcp/elicit.h"
#include "mcp/tools.h"

struct event;
struct request;

typedef void mcp_fn(struct request *);

struct mcp_method {
	const char *name;
	enum revision from, to;
	mcp_fn *run;
	bool asks_desk; /* its first step is mcp_put, which lets the caller in */
};

/* Resources of a kind: what their URIs begin with, and how they are read. */
struct mcp_resource {
	const char *prefix;
	const char *template; /* the members of its resource template */
	/* The result's resources, in an array that is open; then mcp_listed. */
	void (*list)(struct request *, struct str cursor);
	void (*read)(struct request *, struct str id); /* what follows the prefix */
	struct str (*changed)(const struct event *);   /* the id; empty: none; or NULL */
};

/* A list that may change: what a client subscribes to, what it is told, and the types of
 * events that change it, up to NULL. */
struct mcp_change {
	const char *wanted, *notice;
	const char *const *events;
};

struct mcp_prompt {
	const char *name;
	const char *members; /* of its object in prompts/list */
	mcp_fn *get;
};

/* Something that is asked of the client itself. */
struct mcp_input {
	struct str name;
	const char *method;
	struct str params; /* the members of its params */
};

enum { MCP_INPUTS_MAX = 4 };

/* All tables end with a NULL name. What an ask gives is made from the ask and from nothing
 * else, so that whoever comes back for it gets the same. */
struct mcp_offer {
	const struct tool *tools;
	const struct mcp_prompt *prompts;
	const struct mcp_resource *resources;
	const struct mcp_change *changes;
	const struct mcp_method *methods; /* beside those that every server has */
	int64_t poll_ms;		  /* how often a client should look at a task */
	capabilities_fn *capabilities;
	void (*call)(struct request *, const struct tool *, const struct json *arguments);
	mcp_fn *complete;
	/* The members of a call's result. */
	void (*result)(struct json_writer *, const struct ask_json *, unsigned how,
		struct arena *);
	/* The JSON-RPC error that its task ended with; empty: none; or NULL. */
	struct str (*failed)(const struct ask_json *, struct arena *);
	/* What the client itself is asked for this ask now; 0: nothing. */
	size_t (*inputs)(const struct ask_json *, const struct mcp_client *,
		struct arena *, struct mcp_input out[MCP_INPUTS_MAX]);
	/* What its responses, by name, mean for the ask. */
	enum elicited (*given)(const struct json *responses, const struct ask_json *,
		struct arena *, struct str *body);
	/* Who shows no token is an agent, with the token that this describes; NULL: is
	 * refused. For loopback only. */
	const char *guest;
};

extern const struct mcp_offer mcp_own; /* Parley's */

#endif
