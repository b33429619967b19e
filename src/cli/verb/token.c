/* token.c - token create, list, revoke. */
#include "base/clock.h"
#include "base/id.h"
#include "cli/administer.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"
#include "tui/words.h"

#include <stdio.h>

/* "a,b" → ["a","b"] */
static struct str tools_json(struct cli *cli, struct str list)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct str one, out;

	jw_array(&w);
	while (str_cut(&list, ',', &one))
		jw_str(&w, str_trim(one));
	jw_array_end(&w);
	out = arena_str(&cli->arena, buf_str(&b));
	buf_done(&b);
	return out;
}

/* A number as it is; what is none is the server's to refuse. */
static struct str wait_json(struct cli *cli, struct str text)
{
	struct buf b = { 0 };
	int64_t seconds;
	struct str out;

	if (str_to_int(text, 0, INT64_MAX, &seconds))
		buf_print(&b, "%lld", (long long)seconds);
	else
		json_write_str(&b, text);
	out = arena_str(&cli->arena, buf_str(&b));
	buf_done(&b);
	return out;
}

static struct str create_body(struct cli *cli)
{
	struct str agent = args_get(&cli->args, "agent"),
		   tools = args_get(&cli->args, "tools");
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct str out, project;

	jw_object(&w);
	jw_put_str(&w, "role", args_get(&cli->args, "role"));
	jw_put_str(&w, "name", args_get(&cli->args, "name"));
	jw_put_some(&w, "agent", agent);
	if (tools.len) jw_put_raw(&w, "tools", tools_json(cli, tools));
	if (args_have(&cli->args, "mcp-wait")) {
		jw_put_raw(
			&w, "mcp_wait", wait_json(cli, args_get(&cli->args, "mcp-wait")));
	}
	if (args_have(&cli->args, "again"))
		jw_put_raw(&w, "again", wait_json(cli, args_get(&cli->args, "again")));
	if (args_have(&cli->args, "expires")) {
		jw_put_raw(
			&w, "expires", wait_json(cli, args_get(&cli->args, "expires")));
	}
	if (args_have(&cli->args, "local")) jw_put_bool(&w, "local", true);
	if (args_have(&cli->args, "runs")) jw_put_bool(&w, "runs", true);
	if (args_have(&cli->args, "project")) {
		jw_put_array(&w, "projects");
		for (size_t i = 0; args_next(&cli->args, "project", &i, &project);)
			jw_str(&w, project);
		jw_array_end(&w);
	}
	jw_object_end(&w);
	out = arena_str(&cli->arena, buf_str(&b));
	buf_done(&b);
	return out;
}

static int create_run(struct cli *cli)
{
	const struct json *reply = NULL;
	int status;

	if (!args_have(&cli->args, "role") || !args_have(&cli->args, "name"))
		return CLI_USAGE(cli, "cli.token.needs");
	status = administer(cli, "POST", STR("/v1/tokens"), create_body(cli), &reply);
	if (status) return status;
	if (args_have(&cli->args, "json"))
		print_json(reply);
	else
		printf("%.*s\n", STR_ARGS(json_text(json_get(reply, "token"))));
	return EXIT_YES;
}

static struct str time_cell(struct cli *cli, const struct json *token, const char *member)
{
	int64_t ms = ask_time(token, member);

	return ms ? time_local(ms, clock_now_ms(), &cli->arena) : STR("-");
}

static int list_run(struct cli *cli)
{
	static const char *const heads[] = { "cli.list.id", "cli.list.role",
		"cli.list.ends", "cli.list.name", "cli.list.agent", "cli.list.used",
		"cli.list.expires", "cli.team.projects" };
	static const int widths[] = { 30, 6, 5, 20, 20, 16, 16, 0 };
	const struct json **tokens;
	size_t len;
	int status = administer_list(cli, STR("/v1/tokens?limit=200"), &tokens, &len);

	if (status) return status;
	if (args_have(&cli->args, "json")) return print_items(tokens, len), EXIT_YES;
	for (size_t i = 0; i < len; i++) {
		const struct json *t = tokens[i];
		struct str cells[] = { json_text(json_get(t, "id")),
			json_text(json_get(t, "role")),
			arena_print(&cli->arena, "…%.*s",
				STR_ARGS(json_text(json_get(t, "last4")))),
			safe_line(&cli->arena, json_text(json_get(t, "name"))),
			safe_line(&cli->arena, json_text(json_get(t, "agent"))),
			time_cell(cli, t, "last_used_at"),
			time_cell(cli, t, "expires_at"), project_names(cli, t) };

		print_cells(cli, i == 0 ? heads : NULL, widths, cells, 8);
	}
	return EXIT_YES;
}

/* By id, or by a name that only one token has. */
static int revoke_run(struct cli *cli)
{
	struct str who = args_word(&cli->args, 0), id = who;
	const struct json **tokens, *reply = NULL;
	size_t len, named = 0;
	int status = EXIT_YES;

	if (!id_valid(who, "tok")) {
		status = administer_list(cli, STR("/v1/tokens?limit=200"), &tokens, &len);
		for (size_t i = 0; status == EXIT_YES && i < len; i++)
			if (str_eq(json_text(json_get(tokens[i], "name")), who)) {
				id = json_text(json_get(tokens[i], "id"));
				named++;
			}
		if (status == EXIT_YES && named > 1)
			return CLI_USAGE(cli, "cli.token.many", { "name", who });
	}
	if (!status)
		status = administer(cli, "DELETE", path_with(cli, "/v1/tokens/", id),
			STR_NONE, &reply);
	return administer_done(cli, status, reply);
}

static const struct flag create_flags[] = {
	{ "role", "ROLE", "agent member admin viewer owner" }, { "name", "NAME" },
	{ "agent", "AGENT" }, { "tools", "LIST" }, { "mcp-wait", "SECONDS" },
	{ "again", "TIME" }, { "expires", "TIME" }, { "local" }, { "runs" },
	{ "project", "PATTERN", .many = true }, { "workspace", "NAME" }, { "json" }, { 0 }
};

const struct command token_verbs[] = {
	{ "token create", create_run, NULL, 0, 0, create_flags,
		SETTINGS_STORE | COMMAND_MAKES_STORE, "0 1 2 3",
		"parley token create --role agent --name build-bot\n"
		"TOKEN=$(parley token create --role member --name ann)" },
	{ "token list", list_run, NULL, 0, 0, admin_flags, SETTINGS_STORE, "0 2 3",
		"parley token list" },
	{ "token revoke", revoke_run, "ID|NAME", 1, 1, admin_flags, SETTINGS_STORE,
		"0 2 3 5", "parley token revoke build-bot" },
	{ 0 },
};
