/* agents.c - the table of agents. */
#include "cli/agents.h"
#include "base/shell.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- their files ---- */

static const struct agent_file claude_servers = { CONFIG_JSON, "CLAUDE_CONFIG_DIR", "",
	".claude.json", NULL, ".mcp.json" };
static const struct agent_file claude_settings = { CONFIG_JSON, "CLAUDE_CONFIG_DIR",
	".claude", "settings.json", NULL, ".claude/settings.json" };
static const struct agent_file codex_config = { CONFIG_TOML, "CODEX_HOME", ".codex",
	"config.toml", NULL, ".codex/config.toml" };
static const struct agent_file codex_hooks = { CONFIG_JSON, "CODEX_HOME", ".codex",
	"hooks.json", NULL, ".codex/hooks.json" };
static const struct agent_file gemini_settings = { CONFIG_JSON, NULL, ".gemini",
	"settings.json", NULL, ".gemini/settings.json" };
static const struct agent_file opencode_config = { CONFIG_JSON, "XDG_CONFIG_HOME",
	".config", "opencode/opencode.json", "opencode/opencode.jsonc", "opencode.json" };
static const struct agent_file copilot_servers = { CONFIG_JSON, "COPILOT_HOME",
	".copilot", "mcp-config.json", NULL, ".github/mcp.json" };
static const struct agent_file copilot_hooks = { CONFIG_JSON, "COPILOT_HOME", ".copilot",
	"hooks/parley.json", NULL, ".github/hooks/parley.json" };
static const struct agent_file qwen_settings = { CONFIG_JSON, NULL, ".qwen",
	"settings.json", NULL, ".qwen/settings.json" };
static const struct agent_file cline_servers = { CONFIG_JSON, NULL,
	".cline/data/settings", "cline_mcp_settings.json", NULL, NULL };
static const struct agent_file continue_config = { CONFIG_YAML, "CONTINUE_GLOBAL_DIR",
	".continue", "config.yaml", NULL, NULL };
static const struct agent_file kilo_config = { CONFIG_JSON, "XDG_CONFIG_HOME", ".config",
	"kilo/kilo.json", "kilo/kilo.jsonc", "kilo.json" };
static const struct agent_file droid_servers = { CONFIG_JSON, NULL, ".factory",
	"mcp.json", NULL, ".factory/mcp.json" };
static const struct agent_file droid_settings = { CONFIG_JSON, NULL, ".factory",
	"settings.json", NULL, ".factory/settings.json" };
static const struct agent_file cursor_servers = { CONFIG_JSON, NULL, ".cursor",
	"mcp.json", NULL, ".cursor/mcp.json" };
static const struct agent_file vscode_servers = { CONFIG_JSON, "XDG_CONFIG_HOME",
	".config", "Code/User/mcp.json", NULL, ".vscode/mcp.json" };

/* ---- what several of them take ---- */

/* A call may take as long as the server waits for a person (`mcp_wait`), so that it is the
 * server that ends it. Where there is no such setting, its default of 50 s fits. */
#define STDIO(more) "{\"command\":{command},\"args\":[{mcp}]" more "{env}}"
#define TYPED_STDIO(type, more)                                                          \
	"{\"type\":\"" type "\",\"command\":{command},\"args\":[{mcp}]" more "{env}}"

/* The hook of Claude Code, which others took over. Their time-outs are in seconds. */
#define HOOK_LINE "{\"type\":\"command\",\"command\":{hook},\"timeout\":660}"
#define HOOK_ALL  "{\"matcher\":\"*\",\"hooks\":[" HOOK_LINE "]}"

const struct agent agents[] = {
	{ .name = "claude",
		.title = "Claude Code",
		.program = "claude",
		.approve = "claude",
		.hook = "--allow 'Read,Glob,Grep,LS,TodoWrite,ToolSearch'",
		.run = "claude -p '…'",
		.changes = { { &claude_servers, "mcpServers/parley",
				     TYPED_STDIO("stdio", ",\"timeout\":600000") },
			{ &claude_settings, "permissions/allow", "\"mcp__parley\"",
				true } },
		.hooks = { { &claude_settings, "hooks/PreToolUse",
			"{\"matcher\":\"*\",\"hooks\":[{\"type\":\"command\",\"command\":"
			"{hook},\"timeout\":660,\"onFailure\":\"block\"}]}",
			true, " hook claude" } } },
	{ .name = "codex",
		.title = "Codex",
		.program = "codex",
		.approve = "codex",
		.env = ",\"env_vars\":[\"PARLEY_TOKEN\"]",
		.hook = "",
		.run = "codex exec '…'",
		.changes = { { &codex_config, "mcp_servers/parley",
			STDIO(",\"tool_timeout_sec\":600,"
			      "\"default_tools_approval_mode\":\"approve\"") } },
		.hooks = { { &codex_hooks, "hooks/PreToolUse",
				   "{\"matcher\":\".*\",\"hooks\":[" HOOK_LINE "]}", true,
				   " hook codex" },
			{ &codex_config, "hooks/state", "{}", .trusts = true } } },
	{ .name = "gemini",
		.title = "Gemini CLI",
		.program = "gemini",
		.approve = "gemini",
		.env = ",\"env\":{\"PARLEY_TOKEN\":\"$PARLEY_TOKEN\"}",
		.hook = "--allow 'read_file,read_many_files,list_directory,glob,"
			"search_file_content,grep_search'",
		.run = "gemini -p '…'",
		.changes = { { &gemini_settings, "mcpServers/parley",
			STDIO(",\"timeout\":600000,\"trust\":true") } },
		.hooks = { { &gemini_settings, "hooks/BeforeTool",
			"{\"matcher\":\".*\",\"hooks\":[{\"type\":\"command\",\"name\":"
			"\"parley\",\"command\":{hook},\"timeout\":660000}]}",
			true, " hook gemini" } } },
	{ .name = "opencode",
		.title = "opencode",
		.program = "opencode",
		.run = "opencode run '…'",
		.changes = { { &opencode_config, "mcp/parley",
				     "{\"type\":\"local\",\"command\":[{command},{mcp}],"
				     "\"enabled\":true,\"timeout\":600000{env}}" },
			{ &opencode_config, "permission/parley_*", "\"allow\"" } } },
	{ .name = "copilot",
		.title = "Copilot CLI",
		.program = "copilot",
		.approve = "copilot",
		.hook = "--allow 'view,glob,grep,report_intent'",
		.run = "copilot -p '…'",
		.changes = { { &copilot_servers, "mcpServers/parley",
			TYPED_STDIO("local", ",\"tools\":[\"*\"],\"timeout\":600000") } },
		.hooks = { { &copilot_hooks, "version", "1" },
			{ &copilot_hooks, "hooks/preToolUse",
				"{\"type\":\"command\",\"bash\":{hook},\"timeoutSec\":660}",
				true, " hook copilot" } } },
	{ .name = "qwen",
		.title = "Qwen Code",
		.program = "qwen",
		.approve = "qwen mcp approve parley",
		.env = ",\"env\":{\"PARLEY_TOKEN\":\"$PARLEY_TOKEN\"}",
		.hook = "--allow 'read_file,read_many_files,list_directory,glob,"
			"grep_search,todo_write,tool_search'",
		.run = "qwen -p '…'",
		.changes = { { &qwen_settings, "mcpServers/parley",
			STDIO(",\"timeout\":600000,\"trust\":true,"
			      "\"alwaysLoadTools\":true") } },
		.hooks = { { &qwen_settings, "hooks/PreToolUse",
			"{\"matcher\":\"*\",\"hooks\":[{\"type\":\"command\",\"command\":"
			"{hook},\"timeout\":660000}]}",
			true, " hook qwen" } } },
	{ .name = "cline",
		.title = "Cline",
		.program = "cline",
		.run = "cline --yolo '…'",
		.changes = { { &cline_servers, "mcpServers/parley",
			"{\"transport\":" TYPED_STDIO(
				"stdio", "") ",\"timeout\":600}" } } },
	{ .name = "continue",
		.title = "Continue",
		.program = "cn",
		.run = "cn -p '…'",
		.changes = { { &continue_config, "mcpServers",
			"{\"name\":\"parley\",\"command\":{command},\"args\":[{mcp}]{env}}",
			true } } },
	{ .name = "kilo",
		.title = "Kilo",
		.program = "kilo",
		.run = "kilo run '…'",
		.changes = { { &kilo_config, "mcp/parley",
				     "{\"type\":\"local\",\"command\":[{command},{mcp}],"
				     "\"enabled\":true,\"timeout\":600000{env}}" },
			{ &kilo_config, "permission/parley_*", "\"allow\"" } } },
	{ .name = "droid",
		.title = "Factory droid",
		.program = "droid",
		.hook = "--allow 'Read,LS,Grep,Glob,TodoWrite,ToolSearch'",
		.run = "droid exec '…'",
		.changes = { { &droid_servers, "mcpServers/parley",
			TYPED_STDIO("stdio", ",\"disabled\":false") } },
		.hooks = { { &droid_settings, "hooks/PreToolUse", HOOK_ALL, true,
			" hook droid" } } },
	{ .name = "cursor",
		.title = "Cursor",
		.program = "cursor",
		.changes = { { &cursor_servers, "mcpServers/parley", STDIO("") } } },
	{ .name = "vscode",
		.title = "VS Code",
		.program = "code",
		.changes = { { &vscode_servers, "servers/parley",
			TYPED_STDIO("stdio", "") } } },
	{ 0 },
};

const struct agent *agent_find(struct str name)
{
	for (const struct agent *a = agents; a->name; a++)
		if (str_is(name, a->name)) return a;
	return NULL;
}

void agents_write(struct buf *out)
{
	for (const struct agent *a = agents; a->name; a++) {
		if (a != agents) buf_add_text(out, ", ");
		buf_add_text(out, a->name);
	}
}

bool agent_installed(const struct agent *a, struct arena *arena)
{
	struct str path = str_of(getenv("PATH")), folder;

	while (a->program && str_cut(&path, ':', &folder)) {
		struct str file =
			arena_print(arena, "%.*s/%s", STR_ARGS(folder), a->program);

		if (file.at && access(file.at, X_OK) == 0) return true;
	}
	return false;
}

/* ---- written out ---- */

static void mcp_words_write(struct buf *out, const struct agent_entry *e)
{
	buf_add_text(out, "\"mcp\"");
	if (e->url.len) {
		buf_add_text(out, ",\"--url\",");
		json_write_str(out, e->url);
	}
	if (e->data.len) {
		buf_add_text(out, ",\"--data\",");
		json_write_str(out, e->data);
	}
}

static void hook_line_write(
	struct buf *out, const struct agent *a, const struct agent_entry *e)
{
	struct buf line = { .max = 65536 };

	shell_word_add(&line, e->program);
	buf_print(&line, " hook %s", a->name);
	if (e->url.len) {
		buf_add_text(&line, " --url");
		shell_word_add(&line, e->url);
	}
	if (e->data.len) {
		buf_add_text(&line, " --data");
		shell_word_add(&line, e->data);
	}
	buf_add_text(&line, " --wait 10m");
	if (a->hook && *a->hook) buf_print(&line, " %s", a->hook);
	json_write_str(out, buf_str(&line));
	out->failed |= line.failed;
	buf_done(&line);
}

/* The one mark that `rest` begins with, written; how long it is, or 0. */
static size_t mark_write(struct buf *out, struct str rest, const struct agent *a,
	const struct agent_entry *e)
{
	if (str_starts(rest, "{command}")) return json_write_str(out, e->program), 9;
	if (str_starts(rest, "{mcp}")) return mcp_words_write(out, e), 5;
	if (str_starts(rest, "{hook}")) return hook_line_write(out, a, e), 6;
	if (!str_starts(rest, "{env}")) return 0;
	if (e->token && a->env) buf_add_text(out, a->env);
	return 5;
}

struct str agent_value(const struct agent *a, const struct agent_change *c,
	const struct agent_entry *e, struct arena *arena)
{
	struct str rest = str_of(c->value);
	struct buf b = { .max = 65536 };
	struct str out;

	while (rest.len) {
		size_t mark = mark_write(&b, rest, a, e);

		if (!mark) buf_add_char(&b, rest.at[0]);
		rest = str_from(rest, mark ? mark : 1);
	}
	out = arena_str(arena, buf_str(&b));
	if (b.failed) arena->failed = true;
	buf_done(&b);
	return out;
}

const char *agent_path(const struct agent_file *f, enum scope scope, struct arena *arena)
{
	const char *home = getenv("HOME"), *own = f->env ? getenv(f->env) : NULL;
	struct str folder, other;

	if (scope == SCOPE_PROJECT) return f->project;
	if (own && *own)
		folder = str_of(own);
	else if (!home || !*home)
		return NULL;
	else
		folder = arena_print(
			arena, "%s%s%s", home, *f->folder ? "/" : "", f->folder);
	other = arena_print(arena, "%.*s/%s", STR_ARGS(folder), f->other ? f->other : "");
	if (f->other && other.at && access(other.at, F_OK) == 0) return other.at;
	return arena_print(arena, "%.*s/%s", STR_ARGS(folder), f->name).at;
}
