/* mandate.c - parley mandate list, show, ask, revoke: approvals in advance, and what is used of them. */
#include <stdio.h>

#include "cli/facts.h"
#include "cli/outcome.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"
#include "tui/mandate.h"

/* "7 of 20", over all of its lines. */
static struct str used_cell(struct cli *cli, const struct json *mandate)
{
	int64_t used = 0, uses = 0;

	for (const struct json *line = NULL;
		json_each(json_get(mandate, "lines"), &line);) {
		const struct json *done = json_get(line, "used");
		const struct json *most = json_get(line, "uses");

		used += done && done->is_int ? done->integer : 0;
		uses += most && most->is_int ? most->integer : 0;
	}
	return MSG(&cli->arena, "cli.mandate.used_of",
		{ "used", arena_print(&cli->arena, "%lld", (long long)used) },
		{ "uses", arena_print(&cli->arena, "%lld", (long long)uses) });
}

static const struct table_column columns[] = { { "cli.list.id", 31, "id",
						       .kind = CELL_ID },
	{ "cli.mandate.agent", 16, "agent" },
	{ "cli.list.status", 8, "status", .words = "cli.mandate.status" },
	{ "cli.mandate.used", 12, .cell = used_cell },
	{ "cli.mandate.until", 0, "until", .kind = CELL_TIME },
	{ "cli.mandate.title", 0, "title" }, { 0 } };

static const struct resource mandates = { "/v1/mandates", "agent session status",
	"cli.mandate.none", columns };

/* A sentence for each line, on a terminal. */
static int mandate_show_run(struct cli *cli)
{
	const struct json *mandate = cli_call_get(
		cli, resource_path(cli, cli->command->of, cli_word(cli, 0), ""));
	struct arena *arena = &cli->arena;
	const struct json *rest = mandate;

	if (as_json(cli) || !cli->term.out_tty) return json_print(mandate), EXIT_YES;
	json_read(request_without(
			  arena, mandate, "lines", (const struct body_member[]){ { 0 } }),
		NULL, arena, &rest, NULL);
	facts_print(cli, rest);
	for (const struct json *line = NULL;
		json_each(json_get(mandate, "lines"), &line);)
		printf("  %s · %s\n",
			safe_line(arena, mandate_call_words(line, arena)).at,
			safe_line(arena, mandate_used_words(line, arena)).at);
	return EXIT_YES;
}

static int mandate_ask_run(struct cli *cli)
{
	struct str text, session = cli_arg(cli, "session");
	const struct json *body, *mandate;
	struct fault why = { 0 };

	if (!file_whole(cli, cli_word(cli, 0), &text, &why) ||
		json_read(text, NULL, &cli->arena, &body, &why))
		return cli_fail(cli, &why);
	if (session.len && json_is(body, JSON_OBJECT)) {
		const struct body_member more[] = { { "session", session }, { 0 } };

		text = request_without(&cli->arena, body, "session", more);
	}
	mandate = cli_call(cli, "POST", str_of(mandates.path), text);
	if (as_json(cli)) return reply_done(cli, mandate);
	printf("%.*s\n", STR_ARGS(json_text_of(mandate, "id")));
	return CLI_SAY(EXIT_YES, "cli.mandate.asked");
}

static const struct request_member revoke_members[] = {
	{ "reason", .type = REQUEST_SOME }, { 0 }
};
static const struct cli_request revoke = { "POST", "/revoke", revoke_members };

static const struct flag list_flags[] = { { "agent", "NAME" }, { "session", "ID" },
	{ "status", "STATUS", "asked live ended" }, { "json" }, { 0 } };
static const struct flag ask_flags[] = { { "session", "ID" }, { "json" }, { 0 } };

const struct command mandate_verbs[] = {
	{ "mandate list", resource_list, NULL, 0, 0, list_flags, CLIENT, "0 2 3 4",
		"parley mandate list --status live", .of = &mandates },
	{ "mandate show", mandate_show_run, "MANDATE", 1, 1, json_flags, CLIENT,
		"0 2 3 4 5", "parley mandate show man_01jc…", .of = &mandates },
	{ "mandate ask", mandate_ask_run, "FILE", 1, 1, ask_flags, CLIENT, "0 1 2 3 4 5",
		"parley mandate ask close-issues.json --session ses_01jc…" },
	{ "mandate revoke", request_run, "MANDATE", 1, 1, reason_flags, CLIENT,
		"0 1 2 3 4 5", "parley mandate revoke man_01jc… --reason Done",
		.of = &mandates, .does = &revoke },
	{ 0 },
};
