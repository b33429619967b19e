/* token.c - token create, list, revoke. */
#include "base/id.h"
#include "cli/id_start.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"

static const struct request_member create_members[] = { { "role", .type = REQUEST_TEXT },
	{ "name", .type = REQUEST_TEXT }, { "agent" }, { "tools", .type = REQUEST_LIST },
	{ "mcp_wait", "mcp-wait", REQUEST_NUMBER }, { "again", .type = REQUEST_NUMBER },
	{ "expires", .type = REQUEST_NUMBER }, { "local", .type = REQUEST_SWITCH },
	{ "runs", .type = REQUEST_SWITCH }, { "projects", "project", REQUEST_MANY },
	{ 0 } };
static const struct cli_request create = { "POST", "/v1/tokens", create_members,
	.prints = "token" };

static int create_run(struct cli *cli)
{
	if (!cli_has(cli, "role") || !cli_has(cli, "name"))
		return CLI_USAGE(cli, "cli.token.needs");
	return request_run(cli);
}

static struct str ends_cell(struct cli *cli, const struct json *token)
{
	return arena_print(&cli->arena, "…%.*s", STR_ARGS(json_text_of(token, "last4")));
}

static const struct table_column columns[] = { { "cli.list.id", 30, "id",
						       .kind = CELL_ID },
	{ "cli.list.role", 6, "role", .words = "cli.role" },
	{ "cli.list.ends", 5, .cell = ends_cell }, { "cli.list.name", 20, "name" },
	{ "cli.list.agent", 20, "agent" },
	{ "cli.list.used", 16, "last_used_at", .kind = CELL_TIME },
	{ "cli.list.expires", 16, "expires_at", .kind = CELL_TIME },
	{ "cli.team.projects", 0, "projects", .kind = CELL_TEXTS }, { 0 } };

/* By id, or by a name that only one token has. */
static struct str token_find(struct cli *cli, struct str who)
{
	struct json all = { 0 };
	struct str id = who;
	size_t named = 0;

	if (!id_valid(who, "tok")) all = cli_call_all(cli, STR("/v1/tokens"));
	for (const struct json *item = NULL; json_each(&all, &item);)
		if (str_eq(json_text_of(item, "name"), who)) {
			id = json_text_of(item, "id");
			named++;
		}
	if (!named && id_start_is(who, "tok")) return id_start_among(cli, &all, who);
	if (named > 1) CLI_REFUSE(cli, "cli.token.many", { "name", who });
	return id;
}

static const struct resource tokens = { "/v1/tokens", .columns = columns,
	.find = token_find };

static const struct flag create_flags[] = {
	{ "role", "ROLE", "agent member admin viewer owner" }, { "name", "NAME" },
	{ "agent", "AGENT" }, { "tools", "LIST" }, { "mcp-wait", "SECONDS" },
	{ "again", "TIME" }, { "expires", "TIME" }, { "local" }, { "runs" },
	{ "project", "PATTERN", .many = true }, { "workspace", "NAME" }, { "json" }, { 0 }
};

const struct command token_verbs[] = {
	{ "token create", create_run, NULL, 0, 0, create_flags, STORE | MAKES_STORE,
		"0 1 2 3",
		"parley token create --role agent --name build-bot\n"
		"TOKEN=$(parley token create --role member --name ann)",
		.does = &create },
	{ "token list", resource_list, NULL, 0, 0, admin_flags, STORE, "0 2 3",
		"parley token list", .of = &tokens },
	{ "token revoke", resource_remove, "ID|NAME", 1, 1, admin_flags, STORE, "0 2 3 5",
		"parley token revoke build-bot", .of = &tokens },
	{ 0 },
};
