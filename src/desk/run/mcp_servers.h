/* mcp_servers.h - MCP servers as whoever reads or calls them tells the desk, and as runs see their tools.
 * Prefix: mcp_. */
#ifndef DESK_MCP_SERVERS_H
#define DESK_MCP_SERVERS_H

#include "core/run/mcp_server.h"
#include "store/rows.h"

struct agent_config;
struct desk;
struct task;

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
/* Of a local one, list and pins as this agent has them; of another they stay. */
enum err mcp_known_as(
	struct rows *, struct mcp_known *, struct str agent, struct fault *why);
/* What an agent's gateway read of the local server that it started, which is made if there is none yet. */
enum err mcp_local_keep(struct task *, struct rows *, const struct mcp_listing *,
	struct mcp_known *, struct fault *why);
/* What a call of its tool needs; `tool` empty: what a list of them needs. In the arena. */
enum err mcp_access_make(struct desk *, struct rows *, const struct mcp_known *,
	struct str tool, struct arena *, struct mcp_access *out, struct fault *why);
/* Those of the task's workspace. */
enum err mcp_known_all(
	struct task *, struct rows *, struct mcp_known **, size_t *len, struct fault *);

/* ---- mcp_tools.c: as runs use them ---- */

/* "mcp:NAME" or "mcp:NAME/tool" of an agent, which stands there: ERR_INVALID, there is no such server or tool. */
enum err mcp_chosen_admit(struct desk *, struct rows *, int64_t ws, struct str chosen,
	const char *pointer, struct fault *why);
/* The tools that it stands for and that may be called. In the rows' arena. */
enum err mcp_tools_chosen(struct desk *, struct rows *, int64_t ws, struct str chosen,
	struct own_tool **out, size_t *len, struct fault *why);
/* What a call of mcp__NAME__tool by this agent needs, as configured_tool. In the arena. */
enum err mcp_call_access(struct desk *, struct rows *, int64_t ws, struct str agent,
	struct str name, struct arena *, struct tool_access *out, struct fault *why);
/* Of the servers that the agent uses, those whose lists are to be read (again). In the arena. */
enum err mcp_lists_due(struct desk *, struct rows *, int64_t ws,
	const struct agent_config *, struct arena *, struct mcp_access **out, size_t *len,
	struct fault *why);
/* Rows of the tools that there are: those of all servers, and one by its name (NULL in *out: there is none). They
 * begin with a tool_record, whose name begins with "mcp:". */
enum err mcp_rows_all(
	struct task *, struct rows *, const void ***out, size_t *len, struct fault *why);
enum err mcp_row_find(struct desk *, struct rows *, int64_t ws, struct str which,
	const void **out, struct fault *why);
void mcp_row_show(
	struct task *, struct json_writer *, const void *record, struct arena *);

/* All headers that servers of the workspace are sent: secrets. Adds to `keys` while there is room. */
enum err mcp_secrets(struct desk *, struct rows *, int64_t ws, struct str *keys,
	size_t room, size_t *len, struct fault *why);

#endif
