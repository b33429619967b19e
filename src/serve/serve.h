/* serve.h - the server's face: routes over HTTP, streams, waits, the page.
 *
 * Owns the loop's share of things: the feed, who waits and who follows. Everything in
 * this folder runs on the loop's thread, but for the two lines that hand work over from a
 * clerk. */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include "desk/desk.h"
#include "net/loop.h"

struct serve;
struct tls_context;
struct mcp_offer;
struct receiver;
struct tool_access;
struct tool_outcome;
struct mcp_access;
struct mcp_found;
struct relay_server;

struct serve_settings {
	const struct receiver *const *receivers; /* up to NULL; borrowed. NULL: none */
	struct str url;	     /* how people reach it, no trailing slash */
	struct settings set; /* its texts are borrowed */
	const uint8_t *key;  /* SERVER_KEY_SIZE bytes, for what is signed; copied */
	/* Borrowed; NULL: plain. Unix sockets are plain always. */
	struct tls_context *tls;
	const struct mcp_offer *mcp; /* what MCP clients are offered; borrowed */
	/* Calls a tool, on a thread that may wait. False: no memory. */
	bool (*tool_try)(const struct tool_access *, const struct json *arguments,
		struct arena *, struct tool_outcome *out);
	/* Reads an MCP server, and calls a tool of it; likewise. */
	bool (*mcp_try)(const struct mcp_access *, const struct json *call,
		struct arena *, struct mcp_found *out);
	/* Speaks to MCP servers for agents from elsewhere; borrowed. NULL: nobody does. */
	const struct relay_server *relay;
};

/* The use case of a route that needs no more than the desk, for administration without a server.
 * NULL: there is none. */
const struct use *serve_local_use(struct str method, struct str path, struct str *id);

struct serve *serve_new(
	struct loop *, struct desk *, const struct serve_settings *, struct fault *why);
/* Starts its receivers, once everything else is ready. */
void serve_start(struct serve *);
/* Adds a listener. local_admin: the local 0600 socket, where no token is asked for and
 * only administration is done. Returns the port (0 for a unix socket), or -1. */
int serve_listen(struct serve *, struct str address, bool local_admin, struct fault *why);
/* Lets what is in flight finish, then calls done on the loop. */
void serve_stop(struct serve *, int64_t grace_ms, void (*done)(void *), void *ctx);
struct serve *serve_free(struct serve *); /* after the loop has ended; returns NULL */
/* Where a login link leads, once the port is known. */
void serve_set_url(struct serve *, struct str url);
/* The token of MCP clients that show none, where the offer lets them in. */
void serve_set_guest(struct serve *, struct str token);

#endif
