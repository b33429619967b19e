/* token.c - token create, list, revoke. */
#include <stdio.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/keep.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "tui/words.h"

/* A number is sent as one; anything else as text, which the server refuses. */
static void time_put(
	struct cli *cli, struct json_writer *w, const char *flag, const char *member)
{
	struct str text = cli_arg(cli, flag);
	int64_t seconds;

	if (!text.at) return;
	if (str_to_int(text, 0, INT64_MAX, &seconds))
		jw_put_int(w, member, seconds);
	else
		jw_put_str(w, member, text);
}

static struct str create_body(struct cli *cli)
{
	struct str tools = cli_arg(cli, "tools"), one;
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	jw_put_str(&w, "role", cli_arg(cli, "role"));
	jw_put_str(&w, "name", cli_arg(cli, "name"));
	jw_put_some(&w, "agent", cli_arg(cli, "agent"));
	if (tools.len) {
		jw_put_array(&w, "tools");
		while (str_cut(&tools, ',', &one))
			jw_str(&w, str_trim(one));
		jw_array_end(&w);
	}
	time_put(cli, &w, "mcp-wait", "mcp_wait");
	time_put(cli, &w, "again", "again");
	time_put(cli, &w, "expires", "expires");
	if (cli_has(cli, "local")) jw_put_bool(&w, "local", true);
	if (cli_has(cli, "runs")) jw_put_bool(&w, "runs", true);
	if (cli_has(cli, "project")) {
		jw_put_array(&w, "projects");
		for (size_t i = 0; args_next(&cli->args, "project", &i, &one);)
			jw_str(&w, one);
		jw_array_end(&w);
	}
	jw_object_end(&w);
	return buf_keep_done(&b, &cli->arena);
}

static int create_run(struct cli *cli)
{
	const struct json *token;
	int status;

	if (!cli_has(cli, "role") || !cli_has(cli, "name"))
		return CLI_USAGE(cli, "cli.token.needs");
	status = cli_call(cli, "POST", STR("/v1/tokens"), create_body(cli), &token);
	if (!status && !as_json(cli))
		printf("%.*s\n", STR_ARGS(json_text_of(token, "token")));
	return reply_done(cli, status, token);
}

static struct str time_cell(struct cli *cli, const struct json *token, const char *member)
{
	int64_t ms = ask_time(token, member);

	return ms ? time_local(ms, clock_now_ms(), &cli->arena) : STR("-");
}

static struct str used_cell(struct cli *cli, const struct json *token)
{
	return time_cell(cli, token, "last_used_at");
}

static struct str expires_cell(struct cli *cli, const struct json *token)
{
	return time_cell(cli, token, "expires_at");
}

static struct str ends_cell(struct cli *cli, const struct json *token)
{
	return arena_print(&cli->arena, "…%.*s", STR_ARGS(json_text_of(token, "last4")));
}

static struct str projects_cell(struct cli *cli, const struct json *token)
{
	return reply_texts(cli, json_get(token, "projects"), " ");
}

static const struct table_column columns[] = { { "cli.list.id", 30, "id" },
	{ "cli.list.role", 6, "role" }, { "cli.list.ends", 5, .cell = ends_cell },
	{ "cli.list.name", 20, "name" }, { "cli.list.agent", 20, "agent" },
	{ "cli.list.used", 16, .cell = used_cell },
	{ "cli.list.expires", 16, .cell = expires_cell },
	{ "cli.team.projects", 0, .cell = projects_cell }, { 0 } };

static const struct resource tokens = { "/v1/tokens", .columns = columns };

/* By id, or by a name that only one token has. */
static int revoke_run(struct cli *cli)
{
	struct str who = cli_word(cli, 0), id = who;
	struct json all = { 0 };
	size_t named = 0;
	int status = id_valid(who, "tok") ? EXIT_YES
					  : cli_call_all(cli, STR("/v1/tokens"), &all);

	for (const struct json *item = NULL; json_each(&all, &item);)
		if (str_eq(json_text_of(item, "name"), who)) {
			id = json_text_of(item, "id");
			named++;
		}
	if (status) return status;
	if (named > 1) return CLI_USAGE(cli, "cli.token.many", { "name", who });
	return resource_delete(cli, &tokens, id);
}

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
		"TOKEN=$(parley token create --role member --name ann)" },
	{ "token list", resource_list, NULL, 0, 0, admin_flags, STORE, "0 2 3",
		"parley token list", .of = &tokens },
	{ "token revoke", revoke_run, "ID|NAME", 1, 1, admin_flags, STORE, "0 2 3 5",
		"parley token revoke build-bot" },
	{ 0 },
};
