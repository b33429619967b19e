/* resources.h - resources of the API with a table of their own, a row each. From the row come its record
 * with columns, statements and table (store/record.c), the names of its use cases (desk/desk.h) and its
 * routes (serve/routes.c); the use cases are in a file of desk.
 *
 * Every resource has ws, id, created_ms and version beside the columns of its own: their type (TEXT a
 * struct str, INT an int64_t, BOOL a bool), the struct, the name, flags (enum column_flags of
 * store/record.h), and `.since` if a later step of the schema added it. */
#ifndef CORE_RESOURCES_H
#define CORE_RESOURCES_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define TEAM_COLUMNS(COLUMN)                                                             \
	/* unique in its workspace */                                                    \
	COLUMN(TEXT, team, name, CHANGES)                                                \
	/* JSON array of {"user", "lead"} */                                             \
	COLUMN(TEXT, team, members, CHANGES)                                             \
	/* usr_…, one of the members */                                                \
	COLUMN(TEXT, team, on_call, CHANGES)                                             \
	/* JSON array of patterns; * is any text, ? one character */                     \
	COLUMN(TEXT, team, projects, CHANGES)

#define AGENT_COLUMNS(COLUMN)                                                            \
	COLUMN(TEXT, agent_record, name, 0)                                              \
	/* JSON, as agent_read wrote it; what a run keeps as its `config` */             \
	COLUMN(TEXT, agent_record, body, CHANGES)                                        \
	COLUMN(INT, agent_record, changed_ms, CHANGES)

#define PROVIDER_COLUMNS(COLUMN)                                                         \
	COLUMN(TEXT, provider_record, name, 0)                                           \
	/* JSON, as provider_read wrote it: kind, url, models, at_once */                \
	COLUMN(TEXT, provider_record, body, CHANGES)                                     \
	/* the key as base/seal has it, base64; empty: none */                           \
	COLUMN(TEXT, provider_record, sealed, CHANGES)                                   \
	/* of the key; empty for keys too short to show any of */                        \
	COLUMN(TEXT, provider_record, last4, CHANGES)                                    \
	COLUMN(INT, provider_record, changed_ms, CHANGES)

#define TOOL_COLUMNS(COLUMN)                                                             \
	COLUMN(TEXT, tool_record, name, 0)                                               \
	/* JSON, as own_tool_read wrote it */                                            \
	COLUMN(TEXT, tool_record, body, CHANGES | PACKED)                                \
	/* as a provider's */                                                            \
	COLUMN(TEXT, tool_record, sealed, CHANGES)                                       \
	COLUMN(TEXT, tool_record, last4, CHANGES)                                        \
	COLUMN(INT, tool_record, changed_ms, CHANGES)

#define MCP_SERVER_COLUMNS(COLUMN)                                                       \
	COLUMN(TEXT, mcp_server_record, name, 0)                                         \
	/* JSON, as mcp_server_read wrote it */                                          \
	COLUMN(TEXT, mcp_server_record, body, CHANGES)                                   \
	/* JSON {header: value}, as base/seal has it, base64; empty: none */             \
	COLUMN(TEXT, mcp_server_record, sealed, CHANGES)                                 \
	/* JSON {header: its last four, or ""} */                                        \
	COLUMN(TEXT, mcp_server_record, last4, CHANGES)                                  \
	/* JSON: who made it, and accepts its first list */                              \
	COLUMN(TEXT, mcp_server_record, made_by, 0)                                      \
	COLUMN(INT, mcp_server_record, changed_ms, CHANGES)

#define PREFERENCE_COLUMNS(COLUMN)                                                       \
	/* usr_…, whose own it is; empty: the workspace's, or the project's */         \
	COLUMN(TEXT, preference, owner, 0)                                               \
	COLUMN(TEXT, preference, project, 0)                                             \
	/* the key or the text of the questions that it is for */                        \
	COLUMN(TEXT, preference, question, 0)                                            \
	/* JSON, as an answer says it */                                                 \
	COLUMN(TEXT, preference, value, CHANGES)                                         \
	/* JSON object, as answered_by: who said so last */                              \
	COLUMN(TEXT, preference, made_by, CHANGES)

/* The constant of the record, its table, its struct, the word of its use cases, the
 * step of the schema that makes the table (0: written out in store/migrate.c), its columns, its path behind /v1/. */
#define RESOURCES(RESOURCE)                                                              \
	RESOURCE(TEAMS, teams, team, team, 0, TEAM_COLUMNS, "teams")                     \
	RESOURCE(AGENTS, agents, agent_record, agent, 0, AGENT_COLUMNS, "agents")        \
	RESOURCE(PROVIDERS, providers, provider_record, provider, 0, PROVIDER_COLUMNS,   \
		"providers")                                                             \
	RESOURCE(TOOLS, tools, tool_record, tool, 10, TOOL_COLUMNS, "tools")             \
	RESOURCE(MCP_SERVERS, mcp_servers, mcp_server_record, mcp_server, 12,            \
		MCP_SERVER_COLUMNS, "mcp-servers")                                       \
	RESOURCE(PREFERENCES, preferences, preference, preference, 14,                   \
		PREFERENCE_COLUMNS, "preferences")

/* The members of its struct, which stands here unless core has a header for it. */
#define RESOURCE_MEMBERS(COLUMNS)                                                        \
	int64_t ws;                                                                      \
	struct str id;                                                                   \
	COLUMNS(RESOURCE_MEMBER)                                                         \
	int64_t created_ms, version;
#define RESOURCE_MEMBER(type, tag, name, ...) RESOURCE_##type name;
#define RESOURCE_TEXT			      struct str
#define RESOURCE_INT			      int64_t
#define RESOURCE_BOOL			      bool

#endif
