/* mcp_link.h - an MCP server spoken to, on a thread that may wait. */
#ifndef AGENT_MCP_LINK_H
#define AGENT_MCP_LINK_H

#include "mcp/relay.h"

struct fetcher;

/* Reads the list of its tools. `stop_fd`: readable, it is given up. False: there was no memory for it. */
bool mcp_link_list(struct fetcher *, int stop_fd, const struct mcp_access *,
	struct arena *, struct mcp_found *out);
/* The same, and calls one of them if `call` ({"name", "arguments"}) is given: access.said is
 * that tool. False: there was no memory for it. */
bool mcp_link_try(const struct mcp_access *, const struct json *call, struct arena *,
	struct mcp_found *out);

/* Passes a message on and fills what was found, all but RELAY_LIST. `session`, `revision` and `known` are those of
 * the session it goes by, which is begun when none is known. */
void mcp_link_pass(struct fetcher *, struct relay *);

#endif
