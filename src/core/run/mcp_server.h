/* mcp_server.h - an MCP server that agents use: what is configured of one, read, checked and shown; how it stood
 * when it was last read. Pure. Prefix: mcp_. */
#ifndef CORE_MCP_SERVER_H
#define CORE_MCP_SERVER_H

#include "core/run/mcp_tool.h"
#include "core/run/own_tool.h"

enum {
	MCP_SERVERS_MAX = 100, /* that admins made; and as many that agents start */
	MCP_OF_AGENT_MAX = 20, /* of those, made by one agent */
	MCP_HEADERS_MAX = 20,
	MCP_TIMEOUT_MS = 60 * 1000, /* unless it says otherwise */
};

/* What the server is called in tool calls that the desk itself does: memory, todo. */
#define MCP_OWN_SERVER "parley"

enum mcp_transport { MCP_HTTP, MCP_STDIO, MCP_LOCAL };
enum mcp_category { MCP_CATEGORY_MCP, MCP_CATEGORY_FILE_OPS, MCP_CATEGORY_DB_OPS };

/* As it is stored, and as the configuration file's are held in memory: those have version 0. It begins as an
 * agent's does. The id is mcp_…, from workspace and name. */
struct mcp_server_record {
	RESOURCE_MEMBERS(MCP_SERVER_COLUMNS)
	/* Of those of the configuration, never stored. */
	struct str headers; /* JSON object: {"Authorization": "Bearer …"}; or empty */
	struct str command; /* the program and its arguments, blanks between; or empty */
	struct str env;	    /* names of variables that it gets, commas between */
	enum key_source source; /* where its token is, or should be */
	struct str key_from;
};

/* A body taken apart. Lives in an arena. */
struct mcp_server {
	struct str name, url;
	enum mcp_transport transport;
	enum mcp_category category;
	bool trust, gateway;
	const struct json *agents; /* patterns; NULL: everybody */
	int64_t timeout_ms;
	struct str timeout_said; /* the same as a text; or empty */
	/* Of a body, never kept. */
	const struct json *headers; /* {name: value or null}; or NULL */
	bool has_headers, has_bearer;
	struct str bearer;
};

enum mcp_status {
	MCP_IDLE, /* never read */
	MCP_READY,
	MCP_UNAUTHORIZED,
	MCP_FAILED,
	MCP_STATUSES
};
extern const char *const mcp_status_names[MCP_STATUSES];

/* What was last read of it: a row for each server, and of a local one for each agent. */
struct mcp_list_record {
	int64_t ws;
	struct str server; /* its name */
	struct str agent;  /* of a local one, its agent; else empty */
	struct str tools;  /* JSON, as mcp_pins_write has it; or empty */
	struct str revision;
	int64_t status; /* enum mcp_status */
	struct str error;
	bool truncated;
	int64_t listed_ms; /* when a list came; 0: never */
	int64_t checked_ms;
	int64_t version;
};

void mcp_server_id(int64_t ws, struct str name, char out[32]);
void mcp_server_digest(const struct mcp_server_record *, char out[SHORT_DIGEST_SIZE]);
/* As agent_read. That its address may be reached is for the caller to see. */
enum err mcp_server_read(const struct json *body, struct str before,
	const struct members *, struct arena *, struct str *json, struct mcp_server *out,
	struct fault *why);
enum err mcp_server_parse(
	struct str json, struct arena *, struct mcp_server *out, struct fault *why);
/* May this agent use its gateway? */
bool mcp_server_admits(const struct mcp_server *, struct str agent);
/* One of its tools as runs know tools: named mcp__NAME__tool, with the risk, the class and the category that the
 * server's settings give it. In the arena. */
void mcp_server_tool(const struct mcp_server *, const struct mcp_tool *, struct arena *,
	struct own_tool *out);
/* A row of GET /v1/tools; `t` NULL: of the whole server. `wrong`: why it cannot be called. */
void mcp_server_tool_show(struct json_writer *, const struct mcp_server_record *,
	const struct mcp_server *, const struct mcp_tool *t, struct str wrong);
/* The headers that are sent, as a body changes them: JSON in and out; `last4` is what may be shown of each. */
bool mcp_headers_change(const struct mcp_server *body, struct str before, struct arena *,
	struct str *headers, struct str *last4);
/* `list` NULL: it was never read. */
void mcp_server_show(struct json_writer *, const struct mcp_server_record *,
	const struct mcp_server *, const struct mcp_list_record *list,
	const struct mcp_pins *, struct str error);

/* What was found when it was read. Texts live in an arena. */
struct mcp_found {
	enum mcp_status status;
	struct str error, revision;
	struct str tools; /* JSON array, as they came; of MCP_READY alone */
	bool truncated;
	bool called; /* a tool was called, too */
	struct tool_outcome came;
};

/* Everything that a call of a tool of it needs, beside struct tool_access. */
struct mcp_access {
	struct str name, url, command, env;
	struct str agent;	 /* who uses it; of a program each has one of their own */
	struct str headers;	 /* JSON object; or empty */
	struct str tool;	 /* its own name */
	const struct json *said; /* the tool as it was accepted; NULL: none is called */
	struct str reach;	 /* as core/address has it */
	struct str revision;	 /* that it spoke last; or empty */
	int64_t timeout_ms;
	int64_t result_max; /* bytes of a message at the gateway */
	int64_t ws;
	struct str wrong; /* why it cannot be reached; empty: it can */
};

#endif
