/* bridge.h - an MCP client at a pipe, the server at /mcp. Owns the messages under way.
 *
 * A line in is a message, which becomes a POST of its own, so that a call that is held
 * holds no other; what the server says goes out, a line each. Nothing outlives the pipe:
 * the server knows everything that matters.
 *
 * A client of the older revisions (it says `initialize`) gets its session id and the
 * server's stream; in the current one every message speaks for itself. */
#ifndef CLIENT_BRIDGE_H
#define CLIENT_BRIDGE_H

#include "client/client.h"

/* Copied. */
struct bridge_setup {
	/* The way to the server, yours to free; NULL: why. Asked for again after the
	 * server was not found, as it may have come back elsewhere. */
	struct client *(*open)(void *ctx, struct fault *why);
	void *ctx;
	struct str path; /* "/mcp", with its query */
	struct str host; /* the session of a hosted agent, which may have one question
			    open; empty: none */
	bool gate; /* the path is another server's, behind the gateway: nothing is said in its place, and what it may
		      have run is not sent again */
	struct str session; /* that its calls belong to; empty: as the server has it */
	char *const *
		command; /* of a server that is started here, behind the gateway; NULL: it is the desk's */
	int in_fd, out_fd;
	int stop_fd; /* of the clients, too; -1: none */
};

enum bridged {
	BRIDGED_ENDED,	      /* the client has closed its end */
	BRIDGED_STOPPED,      /* stop_fd is readable */
	BRIDGED_SERVER_ENDED, /* the server that was started here: *why */
};
enum bridged bridge_run(const struct bridge_setup *, struct fault *why);

#endif
