/* tools.h - the tools that agents see. What a model reads of them is in tools.json; how
 * they are served is in serve. All but request_approval have an output schema: a client
 * that uses it as its permission prompt wants a text alone, and one that saw a schema
 * would want more. */
#ifndef MCP_TOOLS_H
#define MCP_TOOLS_H

#include "mcp/revision.h"

struct tool_text {
	const char *name;
	const char *members; /* of the tool's object in tools/list */
	const char *output;  /* the schema of its results; NULL: a text alone */
};
extern const struct tool_text tool_texts[]; /* ends with a NULL name */

/* What MCP's conformance suite wants to find, as JSON. */
extern const char fixtures_text[];

enum tool_action {
	ACTION_ASK, /* its arguments are a request in `dialect` */
	ACTION_GET_ANSWER,
	ACTION_CANCEL,
	ACTION_LIST,
	ACTION_PROGRESS,
};

struct tool {
	const char *name;
	enum tool_action action;
	const char *dialect; /* ACTION_ASK */
	bool forms; /* the client may show its question itself, if its token says so */
};

const struct tool *tool_find(struct str name); /* NULL: there is none */
/* `allowed`: a JSON array of names, as a token has it; empty: all. */
bool tool_allowed(const char *name, struct str allowed);
/* The allowed ones, as items of an array that is open. */
void tools_write(struct json_writer *, struct str allowed, enum revision, bool strict);

#endif
