/* mcp_config.c - configuration of MCP clients that points at this program. */
#include "cli/mcp_config.h"

#include <unistd.h>

#include "base/json.h"

/* Gemini CLI reads the same. */
static const char claude_local[] = "{\n"
				   "  \"mcpServers\": {\n"
				   "    \"parley\": {\n"
				   "      \"command\": {command},\n"
				   "      \"args\": [\"mcp\"],\n"
				   "      \"timeout\": 600000\n"
				   "    }\n"
				   "  }\n"
				   "}\n";

/* Times are what a client allows one call: longer than any wait that is asked of the
 * server (`mcp_wait`), so that it is the server that ends a call. Those without a setting
 * wait long enough, or as long as progress is told. */
const struct mcp_config mcp_configs[] = {
	{ .client = "claude",
		.file = ".mcp.json",
		.local = claude_local,
		.remote = "{\n"
			  "  \"mcpServers\": {\n"
			  "    \"parley\": {\n"
			  "      \"type\": \"http\",\n"
			  "      \"url\": {url},\n"
			  "      \"headers\": { \"Authorization\": \"Bearer "
			  "${PARLEY_TOKEN}\" },\n"
			  "      \"timeout\": 600000\n"
			  "    }\n"
			  "  }\n"
			  "}\n" },
	{ .client = "codex",
		.file = "~/.codex/config.toml",
		.local = "[mcp_servers.parley]\n"
			 "command = {command}\n"
			 "args = [\"mcp\"]\n"
			 "tool_timeout_sec = 600\n",
		.remote = "[mcp_servers.parley]\n"
			  "url = {url}\n"
			  "bearer_token_env_var = \"PARLEY_TOKEN\"\n"
			  "tool_timeout_sec = 600\n" },
	{ .client = "gemini",
		.file = "~/.gemini/settings.json",
		.local = claude_local,
		.remote = "{\n"
			  "  \"mcpServers\": {\n"
			  "    \"parley\": {\n"
			  "      \"httpUrl\": {url},\n"
			  "      \"headers\": { \"Authorization\": \"Bearer "
			  "$PARLEY_TOKEN\" },\n"
			  "      \"timeout\": 600000\n"
			  "    }\n"
			  "  }\n"
			  "}\n" },
	{ .client = "opencode",
		.file = "opencode.json",
		.local = "{\n"
			 "  \"mcp\": {\n"
			 "    \"parley\": {\n"
			 "      \"type\": \"local\",\n"
			 "      \"command\": [{command}, \"mcp\"],\n"
			 "      \"enabled\": true,\n"
			 "      \"timeout\": 600000\n"
			 "    }\n"
			 "  }\n"
			 "}\n",
		.remote = "{\n"
			  "  \"mcp\": {\n"
			  "    \"parley\": {\n"
			  "      \"type\": \"remote\",\n"
			  "      \"url\": {url},\n"
			  "      \"headers\": { \"Authorization\": \"Bearer "
			  "{env:PARLEY_TOKEN}\" },\n"
			  "      \"oauth\": false,\n"
			  "      \"enabled\": true,\n"
			  "      \"timeout\": 600000\n"
			  "    }\n"
			  "  }\n"
			  "}\n" },
	{ .client = "cursor",
		.file = ".cursor/mcp.json",
		.local = "{\n"
			 "  \"mcpServers\": {\n"
			 "    \"parley\": {\n"
			 "      \"command\": {command},\n"
			 "      \"args\": [\"mcp\"]\n"
			 "    }\n"
			 "  }\n"
			 "}\n",
		.remote = "{\n"
			  "  \"mcpServers\": {\n"
			  "    \"parley\": {\n"
			  "      \"url\": {url},\n"
			  "      \"headers\": { \"Authorization\": \"Bearer "
			  "${env:PARLEY_TOKEN}\" }\n"
			  "    }\n"
			  "  }\n"
			  "}\n" },
	{ .client = "vscode",
		.file = ".vscode/mcp.json",
		.local = "{\n"
			 "  \"servers\": {\n"
			 "    \"parley\": {\n"
			 "      \"type\": \"stdio\",\n"
			 "      \"command\": {command},\n"
			 "      \"args\": [\"mcp\"]\n"
			 "    }\n"
			 "  }\n"
			 "}\n",
		.remote = "{\n"
			  "  \"servers\": {\n"
			  "    \"parley\": {\n"
			  "      \"type\": \"http\",\n"
			  "      \"url\": {url},\n"
			  "      \"headers\": { \"Authorization\": \"Bearer "
			  "${env:PARLEY_TOKEN}\" }\n"
			  "    }\n"
			  "  }\n"
			  "}\n" },
	{ 0 },
};

struct str own_path(struct arena *arena)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof path);

	return len > 0 ? arena_str(arena, str_make(path, (size_t)len)) : STR("parley");
}

const struct mcp_config *mcp_config_find(struct str client)
{
	for (const struct mcp_config *c = mcp_configs; c->client; c++)
		if (str_is(client, c->client)) return c;
	return NULL;
}

void mcp_config_names(struct buf *out)
{
	for (const struct mcp_config *c = mcp_configs; c->client; c++) {
		if (c != mcp_configs) buf_add_text(out, ", ");
		buf_add_text(out, c->client);
	}
}

void mcp_config_write(const struct mcp_config *config, struct str command, struct str url,
	struct buf *out)
{
	bool remote = url.len > 0;
	struct str rest = str_of(remote ? config->remote : config->local);
	struct str mark = remote ? STR("{url}") : STR("{command}");
	struct buf value = { .max = 8192 };

	while (url.len > 0 && url.at[url.len - 1] == '/')
		url.len--;
	buf_add(&value, remote ? url : command);
	if (remote) buf_add_text(&value, "/mcp");
	int at = str_find(rest, mark);
	buf_add(out, str_first(rest, (size_t)at));
	json_write_str(out, buf_str(&value));
	buf_add(out, str_from(rest, (size_t)at + mark.len));
	out->failed |= value.failed;
	buf_done(&value);
}
