/* tools.c - tool list, test: what agents that Parley runs can call. */
#include <stdio.h>

#include "base/json_pattern.h"
#include "cli/outcome.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"

static const struct table_column columns[] = { { "cli.list.name", 24, "name" },
	{ "cli.tools.kind", 10, "kind", .words = "cli.tools.kind" },
	{ "cli.tools.risk", 10, "risk", .words = "cli.risk" },
	{ "cli.tools.class", 8, "class" }, { "cli.tools.what", 0, "description" },
	{ 0 } };

static const struct resource tools = { "/v1/tools", NULL, "cli.tools.none", columns };

static int tools_test_run(struct cli *cli)
{
	const struct json *arguments, *reply;
	struct fault why = { 0 };
	struct str json = cli_word(cli, 1);

	if (!json.len) json = STR("{}");
	if (json_read(json, NULL, &cli->arena, &arguments, &why))
		return cli_fail(cli, &why);
	reply = cli_call(cli, "POST",
		arena_print(&cli->arena, "%s/%.*s/test", tools.path,
			STR_ARGS(cli_word(cli, 0))),
		JSON_TEXT(&cli->arena, "{'arguments':%j}", json));
	if (as_json(cli))
		json_print(reply);
	else
		printf("%.*s\n", STR_ARGS(json_text_of(reply, "result")));
	return json_is(json_get(reply, "ok"), JSON_TRUE) ? EXIT_YES : EXIT_NO;
}

const struct command tools_verbs[] = {
	{ "tool list", resource_list, NULL, 0, 0, admin_flags, EITHER | SERVED, "0 2 3 4",
		"parley tool list", .of = &tools },
	{ "tool test", tools_test_run, "NAME [JSON]", 1, 2, admin_flags, EITHER | SERVED,
		"0 1 2 3 4 5", "parley tool test weather '{\"city\": \"Lyon\"}'" },
	{ 0 },
};
