/* mcp_servers.h - MCP servers as whoever reads or calls them tells the desk, and as runs see their tools.
 * Prefix: mcp_. */
#ifndef DESK_MCP_SERVERS_H
#define DESK_MCP_SERVERS_H

#include "core/run/mcp_server.h"
#include "store/rows.h"

struct desk;

/* use_mcp_keep, in task.checked: a server was read, or could not be. */
struct mcp_listing {
	int64_t ws;
	struct str server; /* its name */
	struct str agent;  /* of a local one; else empty */
	const struct mcp_found *found;
	bool shown; /* the reply is the server */
};

/* A server with its tools. In the rows' arena. */
struct mcp_known {
	const struct mcp_server_record *record;
	const struct mcp_list_record *list; /* NULL: it was never read */
	struct mcp_server parts;
	struct mcp_pins pins;
};
/* By name or id. `record` is NULL: there is none. */
enum err mcp_known_find(struct desk *, struct rows *, int64_t ws, struct str which,
	struct mcp_known *out, struct fault *why);
/* What a call of its tool needs; `tool` empty: what a list of them needs. In the arena. */
enum err mcp_access_make(struct desk *, struct rows *, const struct mcp_known *,
	struct str tool, struct arena *, struct mcp_access *out, struct fault *why);
/* All headers that servers of the workspace are sent: secrets. Adds to `keys` while there is room. */
enum err mcp_secrets(struct desk *, struct rows *, int64_t ws, struct str *keys,
	size_t room, size_t *len, struct fault *why);

#endif
