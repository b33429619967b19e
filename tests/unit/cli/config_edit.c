/* Configuration files of many shapes keep every byte that is not ours. */
#include "cli/connect/config_edit.h"

#include "unit.h"

#define ENTRY                                                                            \
	STR("{\"command\":\"/opt/a \\\"b\\\"/parley\",\"args\":[\"mcp\"],"               \
	    "\"env\":{\"PARLEY_TOKEN\":\"$PARLEY_TOKEN\"}}")

static const struct config_change changes[] = {
	{ "mcpServers/parley", ENTRY, false, NULL },
	{ "permissions/allow", STR("\"mcp__parley\""), true, NULL },
	{ "hooks/PreToolUse",
		STR("{\"matcher\":\"\",\"hooks\":[{\"command\":\"parley hook x\"}]}"),
		true, " hook x" },
};
static const struct config_change table = { "mcp_servers/parley", ENTRY, false, NULL };
static const struct config_change item = { "mcpServers",
	STR("{\"name\":\"parley\",\"command\":\"/usr/bin/parley\",\"args\":[\"mcp\"]}"),
	true, NULL };

static struct arena arena;
static int shapes;

static int clean(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static struct str edited(enum config_format format, struct str text,
	const struct config_change *c, bool remove)
{
	struct fault why = { 0 };
	struct str out = STR_NONE;
	enum err e = config_edit(format, text, c, remove, &arena, &out, &why);

	if (e) print_error("%s\n%.*s\n", why.detail, STR_ARGS(text));
	CHECK_INT(e, OK);
	return out;
}

/* Made, made again, undone. */
static void survives(
	enum config_format format, struct str text, const struct config_change *c)
{
	struct str made = edited(format, text, c, false);
	struct str undone = edited(format, made, c, true);

	CHECK(!str_eq(made, text));
	CHECK(str_eq(edited(format, made, c, false), made));
	CHECK(str_eq(edited(format, text, c, true), text));
	if (!str_eq(undone, text))
		print_error("<<%.*s>>\nbecame <<%.*s>>\nand then <<%.*s>>\n",
			STR_ARGS(text), STR_ARGS(made), STR_ARGS(undone));
	CHECK(str_eq(undone, text));
	CHECK((undone.at == NULL) == (text.at == NULL));
	shapes++;
	arena_done(&arena);
}

static struct str with_crlf(struct str text)
{
	struct buf b = { 0 };
	struct str out;

	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == '\n') buf_add_char(&b, '\r');
		buf_add_char(&b, text.at[i]);
	}
	out = arena_str(&arena, buf_str(&b));
	buf_done(&b);
	return out;
}

/* As it is, with other line ends, without the last, with more of them, with a byte order
 * mark. */
static void survives_in_all_forms(
	enum config_format format, struct str text, const struct config_change *c)
{
	struct str cut = text;

	survives(format, text, c);
	if (str_find(text, STR("\n")) >= 0) survives(format, with_crlf(text), c);
	while (cut.len && cut.at[cut.len - 1] == '\n')
		cut.len--;
	if (cut.len != text.len) survives(format, cut, c);
	survives(format, arena_print(&arena, "%.*s\n\n", STR_ARGS(text)), c);
	survives(format, arena_print(&arena, "\xEF\xBB\xBF%.*s", STR_ARGS(text)), c);
}

static const char *const json_texts[] = {
	"",
	"\n",
	"// nothing yet\n",
	"/* a */ // b",
	"{}",
	"{}\n",
	"{ }\n",
	"{\n}\n",
	"{ // empty\n}\n",
	"{\"a\":1}",
	"{ \"a\": 1 }\n",
	"{\"a\":1,}\n",
	"{\n  \"a\": 1\n}\n",
	"{\n\t\"a\": 1\n}\n",
	"{\n    \"a\": {\n        \"b\": [1, 2]\n    }\n}\n",
	"{\n  \"a\": 1, // why\n  /* and */ \"b\": 2 // how\n  // the end\n}\n",
	"{\n  \"a\": 1,\n}\n",
	"{ \"a\": 1 // x\n}\n",
	"{\n  \"mcpServers\": {}\n}\n",
	"{\n  \"mcpServers\": {\n  }\n}\n",
	"{\"mcpServers\":{},\"permissions\":{\"allow\":[]},\"hooks\":{\"PreToolUse\":[]}}\n",
	"{\n  \"mcpServers\": {\n    \"git\": { \"command\": \"git-mcp\" } // mine\n  },\n"
	"  \"permissions\": { \"allow\": [\"Read\"], \"deny\": [] },\n"
	"  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [] },\n"
	"      // last\n    ],\n    \"Stop\": []\n  },\n  \"z\": null\n}\n",
	"{\n  \"permissions\": {\n    \"allow\": [\n      \"Read\",\n      \"Grep\"\n    ]\n  }\n}\n",
	"{\n  \"mcpServers\": {\n    \"git\": {\n      \"command\": \"x\",\n    },\n  },\n}\n",
};

static void json_keeps_what_is_there(void **state)
{
	(void)state;
	for (size_t c = 0; c < 3; c++) {
		survives(CONFIG_JSON, STR_NONE, &changes[c]);
		for (size_t i = 0; i < sizeof json_texts / sizeof *json_texts; i++)
			survives_in_all_forms(
				CONFIG_JSON, str_of(json_texts[i]), &changes[c]);
	}
}

static const char *const toml_texts[] = {
	"",
	"\n",
	"# mine\n",
	"model = \"x\" # c\n",
	"model = \"x\"\n\n[mcp_servers.git]\ncommand = 'git-mcp'\nargs = [\n  \"a\", # c\n  \"b\",\n]\n",
	"[mcp_servers]\ngit = { command = \"x\", args = [\"y\"] }\n",
	"mcp_servers.git.command = \"x\"\n",
	"[[list]]\na = 1\n[[list]]\nb = 2026-11-15 07:00:00Z\n",
	"text = \"\"\"\n[mcp_servers.parley]\n\"\"\"\n",
	"\"quo.ted\" = '''a\n'''\n[a.\"b c\".d]\n",
	"[mcp_servers.parley2]\ncommand = \"x\"\n",
};

static void toml_keeps_what_is_there(void **state)
{
	(void)state;
	survives(CONFIG_TOML, STR_NONE, &table);
	for (size_t i = 0; i < sizeof toml_texts / sizeof *toml_texts; i++)
		survives_in_all_forms(CONFIG_TOML, str_of(toml_texts[i]), &table);
}

static const char *const yaml_texts[] = {
	"",
	"\n",
	"# mine\n",
	"name: me\nversion: 0.0.1\nschema: v1\n",
	"---\nname: me\n",
	"mcpServers:\n",
	"mcpServers: # none\nname: me\n",
	"mcpServers: []\n",
	"mcpServers: [{\"name\": \"git\"}]\n",
	"name: me\nmcpServers:\n- name: git\n  command: x\n",
	"mcpServers:\n  - name: git\n    command: x # c\n    args:\n      - a\n\n# models\nmodels:\n  - name: y\n",
	"mcpServers:\n    -   command: x\n        name: git\n        text: |\n          name: parley\n",
	"text: \"\n  mcpServers:\n  \"\nb: {a: [1, 'x]']}\n",
	"rules:\n  - >-\n    mcpServers:\n",
	"\"mcpServers\":\n  - {name: git, command: x}\n",
	"{\"name\": \"me\"}\n",
};

static void yaml_keeps_what_is_there(void **state)
{
	(void)state;
	survives(CONFIG_YAML, STR_NONE, &item);
	for (size_t i = 0; i < sizeof yaml_texts / sizeof *yaml_texts; i++)
		survives_in_all_forms(CONFIG_YAML, str_of(yaml_texts[i]), &item);
	CHECK(shapes >= 200);
}

static void ours_is_brought_up_to_date(void **state)
{
	struct str json =
		STR("{\n  \"mcpServers\": {\n    \"parley\": { \"command\": \"old\" },\n"
		    "    \"x\": 1\n  }\n}\n");
	struct str toml = STR("[mcp_servers.parley]\ncommand = \"old\"\n\n"
			      "[mcp_servers.parley.tools.a]\nx = 1\n\n# b\n[b]\n");
	struct str yaml =
		STR("mcpServers:\n  - name: parley\n    command: old\n  - name: x\n");
	struct str out;

	(void)state;
	out = edited(CONFIG_JSON, json, &changes[0], false);
	CHECK(str_find(out, STR("\"command\": \"/opt/a \\\"b\\\"/parley\"")) > 0);
	CHECK(str_find(out, STR("old")) < 0 && str_find(out, STR("\"x\": 1")) > 0);
	CHECK_STR(edited(CONFIG_JSON, out, &changes[0], true),
		"{\n  \"mcpServers\": {\n    \"x\": 1\n  }\n}\n");
	out = edited(CONFIG_TOML, toml, &table, false);
	CHECK(str_starts(out, "[mcp_servers.parley]\ncommand = \"/opt"));
	CHECK(str_find(out, STR("tools")) < 0);
	CHECK(str_ends(out, " }\n\n# b\n[b]\n"));
	CHECK_STR(edited(CONFIG_TOML, toml, &table, true), "\n# b\n[b]\n");
	out = edited(CONFIG_YAML, yaml, &item, false);
	CHECK(str_find(out, STR("old")) < 0 && str_ends(out, "  - name: x\n"));
	CHECK_STR(edited(CONFIG_YAML, yaml, &item, true), "mcpServers:\n  - name: x\n");
	/* A hook of ours with rules that somebody added stays as it is. */
	json = STR(
		"{\"hooks\":{\"PreToolUse\":[{\"command\":\"parley hook x --deny Y\"}]}}");
	CHECK(str_eq(edited(CONFIG_JSON, json, &changes[2], false), json));
	CHECK_STR(edited(CONFIG_JSON, json, &changes[2], true),
		"{\"hooks\":{\"PreToolUse\":[]}}");
}

static const struct {
	enum config_format format;
	const char *text, *said;
} broken[] = {
	{ CONFIG_JSON, "{\n  \"a\": 1\n  \"b\": 2\n}",
		"line 3: a ',' is needed before this" },
	{ CONFIG_JSON, "{\n  \"a\": {\n}\n", "line 1: this '{' is not closed" },
	{ CONFIG_JSON, "{\n  a: 1 }", "line 2: a name in quotes is needed here" },
	{ CONFIG_JSON, "{}\n\n{}", "line 3: nothing may follow here" },
	{ CONFIG_JSON, "{ \"a\": \"x\n\" }", "line 1: a string is not closed" },
	{ CONFIG_JSON, "{\n\"a\": yes }", "line 2: a value is needed here" },
	{ CONFIG_JSON, "{}\n/* ", "line 2: a comment is not closed" },
	{ CONFIG_JSON, "[]", "line 1: this is not an object" },
	{ CONFIG_JSON, "{\n\"mcpServers\": []}",
		"line 2: \"mcpServers\" is not an object" },
	{ CONFIG_JSON, "{\n\"a\": \"\xFF\"}", "line 1: not UTF-8" },
	{ CONFIG_TOML, "a = 1\nb\n", "line 2: a '=' is needed here" },
	{ CONFIG_TOML, "a = 1\n[b\n", "line 2: this '[' is not closed" },
	{ CONFIG_TOML, "a = \"x\n", "line 1: a string is not closed" },
	{ CONFIG_TOML, "a = 1 b = 2\n", "line 1: the line should end here" },
	{ CONFIG_TOML, "a =\n", "line 1: a value is needed here" },
	{ CONFIG_TOML, "\na = [1, 2\n", "line 2: this '[' is not closed" },
	{ CONFIG_TOML, "mcp_servers = { x = { command = \"y\" } }\n",
		"line 1: mcp_servers is written inline; write it as tables" },
	{ CONFIG_TOML, "[[mcp_servers]]\n",
		"line 1: mcp_servers is a list; write it as tables" },
	{ CONFIG_YAML, "a: 1\n\tb: 2\n", "line 2: a tab may not indent" },
	{ CONFIG_YAML, "a: 1\nb\n", "line 2: a key with ':' is needed here" },
	{ CONFIG_YAML, "a: [1,\n b: 2\n", "line 1: this '[' is not closed" },
	{ CONFIG_YAML, "a: 1\nb: \"x\n", "line 2: a string is not closed" },
	{ CONFIG_YAML, "a: 1\n---\nb: 2\n", "line 2: a file of one document is needed" },
	{ CONFIG_YAML, "- a\n", "line 1: this is not a mapping" },
	{ CONFIG_YAML, "mcpServers:\n  a: 1\n", "line 2: mcpServers is not a list" },
	{ CONFIG_YAML, "x: 1\nmcpServers: *x\n",
		"line 2: mcpServers is not a list of lines" },
};

static void what_is_broken_is_refused_with_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		const struct config_change *c = broken[i].format == CONFIG_JSON
							? &changes[0]
						: broken[i].format == CONFIG_TOML ? &table
										  : &item;
		struct fault why = { 0 };
		struct str out = STR("untouched");

		CHECK_INT(config_edit(broken[i].format, str_of(broken[i].text), c, false,
				  &arena, &out, &why),
			ERR_INVALID);
		CHECK_STR(str_of(why.detail), broken[i].said);
		CHECK_STR(out, "untouched");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(json_keeps_what_is_there, clean),
		cmocka_unit_test_teardown(toml_keeps_what_is_there, clean),
		cmocka_unit_test_teardown(yaml_keeps_what_is_there, clean),
		cmocka_unit_test_teardown(ours_is_brought_up_to_date, clean),
		cmocka_unit_test_teardown(what_is_broken_is_refused_with_its_line, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
