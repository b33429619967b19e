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
};

extern const struct tool own_tools[]; /* ends with a NULL name, as all such tables */

const struct tool *tool_find(const struct tool *, struct str name); /* NULL: none */
/* `allowed`: a JSON array of names, as a token has it; empty: all. */
bool tool_allowed(const char *name, struct str allowed);
/* The allowed ones, as items of an array that is open. */
void tools_write(struct json_writer *, const struct tool *, struct str allowed,
	enum revision, bool strict);

#endif
