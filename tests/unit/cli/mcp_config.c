/* What other programs are told of this MCP server. */
#include "cli/mcp_config.h"

#include "base/json.h"

#include "unit.h"

static struct arena arena;

static int clean(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static struct str written(
	const struct mcp_config *c, const char *command, const char *url)
{
	struct buf out = { 0 };

	mcp_config_write(c, str_of(command), str_of(url), &out);
	CHECK(!out.failed);
	struct str kept = arena_str(&arena, buf_str(&out));
	buf_done(&out);
	return kept;
}

static void every_client_gets_a_whole_text(void **state)
{
	const struct json *json;

	(void)state;
	for (const struct mcp_config *c = mcp_configs; c->client; c++) {
		struct str local = written(c, "/opt/a \"b\"/parley", NULL);
		struct str remote = written(c, "", "https://p.org/");

		CHECK(mcp_config_find(str_of(c->client)) == c);
		CHECK(str_find(local, STR("\"/opt/a \\\"b\\\"/parley\"")) > 0);
		CHECK(str_find(remote, STR("\"https://p.org/mcp\"")) > 0);
		CHECK(str_find(remote, STR("PARLEY_TOKEN")) > 0);
		if (str_ends(str_of(c->file), ".toml")) continue;
		CHECK_INT(json_read(local, NULL, &arena, &json, NULL), OK);
		CHECK_INT(json_read(remote, NULL, &arena, &json, NULL), OK);
	}
}

static void the_clients_have_names(void **state)
{
	struct buf names = { 0 };

	(void)state;
	mcp_config_names(&names);
	CHECK_STR(buf_str(&names), "claude, codex, gemini, opencode, cursor, vscode");
	buf_done(&names);
	CHECK(!mcp_config_find(STR("emacs")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(every_client_gets_a_whole_text, clean),
		cmocka_unit_test_teardown(the_clients_have_names, clean),
	};

	return RUN(tests);
}
