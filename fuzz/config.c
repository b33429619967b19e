/* config.c - configuration files of other programs: a change that is made twice is made
 * once, and one that is undone leaves every byte as it was; so does the gateway before a server's command. The first
 * byte picks format and change. */
#include "cli/connect/config_edit.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
	enum config_format format;
	struct config_change change;
} tries[] = {
	{ CONFIG_JSON,
		{ "mcpServers/parley",
			STR("{\"command\":\"/usr/bin/parley\",\"args\":[\"mcp\"]}"),
			false, NULL } },
	{ CONFIG_JSON, { "permissions/allow", STR("\"mcp__parley\""), true, NULL } },
	{ CONFIG_JSON,
		{ "hooks/PreToolUse",
			STR("{\"matcher\":\"\",\"hooks\":[{\"command\":\"parley hook x\"}]}"),
			true, " hook x" } },
	{ CONFIG_TOML, { "mcp_servers/parley",
			       STR("{\"command\":\"/usr/bin/parley\",\"args\":[\"mcp\"],"
				   "\"env\":{\"A\":\"b\"}}"),
			       false, NULL } },
	{ CONFIG_YAML,
		{ "mcpServers",
			STR("{\"name\":\"parley\",\"command\":\"/usr/bin/parley\",\"args\":["
			    "\"mcp\"]}"),
			true, NULL } },
};

/* The gateway before the command of a server named "one". */
static void gate_try(enum config_format format, struct str text, struct arena *arena)
{
	const char *path = format == CONFIG_TOML ? "mcp_servers" : "mcpServers";
	struct str program = STR("/usr/bin/parley"), name = STR("one"), made, again;
	struct fault why = { 0 };

	if (config_gate(format, text, path, name, program, false, arena, &made, &why)) {
		assert(why.detail[0]);
		return;
	}
	assert(!config_gate(
		format, made, path, name, program, false, arena, &again, &why));
	assert(str_eq(again, made));
	assert(!config_gate(
		format, made, path, name, program, true, arena, &again, &why));
	assert(str_eq(made, text) || str_eq(again, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct fault why = { 0 };
	struct str text, made, again, undone;
	size_t n = size ? data[0] % (sizeof tries / sizeof *tries) : 0;
	enum config_format format = tries[n].format;
	const struct config_change *c = &tries[n].change;

	if (!size || size > 20000) return 0;
	text = arena_str(&arena, str_make((const char *)data + 1, size - 1));
	if (!text.at) text = STR("");
	gate_try(format, text, &arena);
	if (config_edit(format, text, c, false, &arena, &made, &why)) {
		assert(why.detail[0]);
		goto out;
	}
	assert(made.at);
	assert(!config_edit(format, made, c, false, &arena, &again, &why));
	assert(str_eq(made, again));
	assert(!config_edit(format, made, c, true, &arena, &undone, &why));
	if (undone.at && str_find(text, STR("parley")) < 0) {
		assert(!config_edit(format, undone, c, true, &arena, &again, &why));
		assert(str_eq(again, undone));
	}
	if (config_edit(format, text, c, true, &arena, &again, &why) == OK &&
		str_eq(again, text))
		assert(undone.at && str_eq(undone, text));
out:
	arena_done(&arena);
	return 0;
}
