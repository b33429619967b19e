/* tools.h - the tools that agents see: a table made from tools.json. How they are served
 * is in serve. All but request_approval have an output schema: a client that uses it as its
 * permission prompt wants a text alone, and one that saw a schema would want more. */
#ifndef MCP_TOOLS_H
#define MCP_TOOLS_H

#include "mcp/revision.h"

struct tool {
	const char *name;
	const char *members; /* of the tool's object in tools/list */
	const char *output;  /* the schema of its results; NULL: a text alone */
	/* Its arguments are a request in this; NULL: it does not ask. */
	const char *dialect;
	bool forms; /* the client may show its question itself, if its token says so */
	bool runs; /* of agents that Parley runs (core/run/run_tool.h), for tokens that may run these */
};

/* What a client may see: of its token, and of the workspace. */
struct tools_for {
	struct str allowed;   /* a JSON array of names; empty: all */
	bool runs;	      /* it may run agents */
	struct str templates; /* names, with commas between; or empty */
};

extern const struct tool own_tools[]; /* ends with a NULL name, as all such tables */

const struct tool *tool_find(const struct tool *, struct str name); /* NULL: none */
bool tool_allowed(const struct tool *, const struct tools_for *);
/* The allowed ones, as items of an array that is open. */
void tools_write(struct json_writer *, const struct tool *, const struct tools_for *,
	enum revision, bool strict);

#endif
