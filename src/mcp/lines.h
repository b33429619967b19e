/* lines.h - messages of a server that is a program beside us: a line each. Pure. Prefix: mcp_lines_. */
#ifndef MCP_LINES_H
#define MCP_LINES_H

#include "base/buf.h"

struct mcp_lines {
	struct buf line; /* as much of one as came */
	size_t foreign;	 /* those that are no messages: counted by whoever takes them */
	bool over;	 /* one was too long */
};

/* Hands out every whole line that is not blank. What is wrong with them, in words; NULL: nothing yet. */
const char *mcp_lines_take(struct mcp_lines *, struct str bytes,
	void (*take)(void *ctx, struct str line), void *ctx);

#endif
