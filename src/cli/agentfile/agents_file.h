/* agents_file.h - agents, providers, tools and MCP servers of the configuration file and of the environment. */
#ifndef CLI_AGENTFILE_AGENTS_FILE_H
#define CLI_AGENTFILE_AGENTS_FILE_H

#include "cli/settings.h"
#include "core/run/agent.h"
#include "core/run/mcp_server.h"
#include "core/run/own_tool.h"
#include "core/run/provider.h"

/* Everything lives in the arena that was given. */
struct agents_file {
	struct provider_record *providers;
	size_t providers_len;
	struct agent_record *agents;
	size_t agents_len;
	struct tool_record *tools;
	size_t tools_len;
	struct mcp_server_record *mcp_servers;
	size_t mcp_servers_len;
};

/* The sections of the settings, then providers whose usual variables are set, and an agent
 * `assistant` when no section defines one. ERR_INVALID: one line that names file and line. A
 * key that is missing is no error: provider_key_wrong tells of it. */
enum err agents_file_read(const struct settings *, struct arena *,
	struct agents_file *out, struct fault *why);

#endif
