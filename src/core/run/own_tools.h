/* own_tools.h - the tools of our own that agents call to ask, by the names that agents
 * give to tools of MCP servers. Asking is never put to approval. */
#ifndef CORE_OWN_TOOLS_H
#define CORE_OWN_TOOLS_H

#include "base/str.h"

/* "mcp__parley__get_answer", "parley-get_answer" and the like. */
bool own_tool(struct str name);
/* The same without a prefix, as a token names the tools it may call. */
bool own_tool_name(struct str name);

#endif
