/* mcp_link.h - an MCP server spoken to, on a thread that may wait. */
#ifndef AGENT_MCP_LINK_H
#define AGENT_MCP_LINK_H

#include "core/run/mcp_server.h"

/* Reads the list of its tools, and calls one of them if `call` ({"name", "arguments"}) is given: access.said is
 * that tool. False: there was no memory for it. */
bool mcp_link_try(const struct mcp_access *, const struct json *call, struct arena *,
	struct mcp_found *out);

#endif
