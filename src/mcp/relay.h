/* relay.h - a message that is passed on to an MCP server, and what came back: between who has the client's connection
 * and the thread that speaks to the server. Prefix: relay_. */
#ifndef MCP_RELAY_H
#define MCP_RELAY_H

#include "core/run/mcp_server.h"
#include "mcp/remote.h"

enum relay_kind {
	RELAY_LIST,  /* the tools are read: `found` */
	RELAY_GREET, /* a session is begun: `session`, `revision`, `greeted` */
	RELAY_PASS,  /* a message */
	RELAY_LISTEN, /* what the server says beside calls, until it is given up: `other` */
	RELAY_END,    /* the session is ended */
};

/* Everything borrowed lives until `done` is called. */
struct relay {
	struct relay *next;
	enum relay_kind kind;
	const struct mcp_access *access;
	struct str agent; /* whose session it is, where the client has none of its own */
	/* The client's own session at the server, and the revision it is of; or "". Of
	 * RELAY_GREET: found. */
	char session[256];
	enum revision revision;
	bool known;
	enum revision client;
	unsigned can;	     /* enum ability: of the client */
	struct str greeting; /* params of the client's `initialize`; or empty */
	/* The message: method, params and id of the client; or, of a response, `body`. */
	struct str method, params, id, body;
	const struct json *arguments; /* of a call; or NULL */
	int64_t timeout_ms;
	bool lasts;  /* a subscription: until it is given up */
	int stop_fd; /* readable: it is given up; -1: it is not */
	/* On the thread that speaks. Something else than the reply came: true when it is for the client. */
	bool (*other)(struct relay *, const struct rpc *, struct str message);
	/* The server wants to know something of its client, who is of the other family: waits for *answer, a JSON
	 * object in the arena. False: it is not offered, or nobody answered. Or NULL. */
	bool (*ask)(struct relay *, struct str method, const struct json *params,
		struct str *answer);
	/* It is connected: may it be sent? It may wait; NULL: yes. */
	bool (*may_send)(struct relay *);
	void (*done)(struct relay *);
	/* Found. */
	struct arena arena;
	struct mcp_found found;
	const struct json *greeted; /* the result of initialize or server/discover */
	const struct json *reply;   /* the message that answers; NULL: `wrong` */
	struct remote_said said;
	struct str wrong;
	int status;   /* of HTTP; 0: none */
	bool sent;    /* something may have been sent */
	bool unknown; /* it was, and nobody knows what came of it */
	bool over;    /* it ran, and its result is larger than is read */
	bool list_changed;
	int64_t took_ms;	  /* that a request took */
	struct server_load *load; /* of who speaks to servers */
	void *ctx;		  /* the same */
};

/* Whoever speaks to servers. */
struct relay_server {
	void *ctx;
	void (*pass)(void *ctx, struct relay *);
	/* A held call was approved, and somebody waits for it. */
	void (*run)(void *ctx, int64_t ws, struct str server, struct str call);
	/* One is not wanted any more: if it runs here, its server is told. */
	void (*cancel)(void *ctx, int64_t ws, struct str call);
	/* One could not be begun, because its server was not reached: told on any thread. */
	void (*listen)(void *ctx,
		void (*unreached)(void *of, struct str call, struct str why), void *of);
};

#endif
