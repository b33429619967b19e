/* stop.c - parley pause, parley resume: stop everything that asks, say what is
 * stopped, and let it go on. */
#include <stdio.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"
#include "tui/words.h"

static struct str stop_body(struct cli *cli)
{
	return BODY(cli,
		{ "match", .raw = BODY(cli, { "agent", cli_arg(cli, "agent") },
				   { "project", cli_arg(cli, "project") },
				   { "session", cli_arg(cli, "session") }) },
		{ "reason", .text = str_trim(cli_words(cli)) },
		{ "until", moment_read(cli, "for", 1) });
}

/* ---- list ---- */

/* "agent ci-*, project web", or everything. */
static struct str stop_what(struct cli *cli, const struct json *match)
{
	static const char *const names[] = { "agent", "project", "session" };
	static const char *const ids[] = { "cli.stop.agent", "cli.stop.project",
		"cli.stop.session" };
	struct buf what = { .max = 4096 };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct str name = json_text_of(match, names[i]);

		if (!name.len) continue;
		if (what.len) buf_add_text(&what, ", ");
		buf_add(&what, MSG(&cli->arena, ids[i],
				       { "name", safe_line(&cli->arena, name) }));
	}
	if (!what.len) buf_add_text(&what, msg_text("cli.stop.everything"));
	return buf_keep_done(&what, &cli->arena);
}

static struct str what_cell(struct cli *cli, const struct json *stop)
{
	return stop_what(cli, json_get(stop, "match"));
}

static struct str until_cell(struct cli *cli, const struct json *stop)
{
	int64_t ms = 0;

	if (!time_read(json_text_of(stop, "until"), &ms))
		return MSG(&cli->arena, "cli.stop.endless");
	return time_local(ms, clock_now_ms(), &cli->arena);
}

static const struct table_column columns[] = { { "cli.list.id", 0, "id",
						       .kind = CELL_ID },
	{ "cli.stop.what", .cell = what_cell },
	{ "cli.list.since", 0, "created_at", .kind = CELL_TIME },
	{ "cli.stop.ends", .cell = until_cell }, { "cli.list.by", 0, "made_by/name" },
	{ "cli.stop.reason", 0, "reason" }, { 0 } };

/* "stp_…  agent ci-*  until 14:30  by ada  Wrong branch". */
static void stop_print(struct cli *cli, const struct json *stop)
{
	struct str until = until_cell(cli, stop);

	if (json_text_of(stop, "until").len)
		until = MSG(&cli->arena, "cli.stop.until", { "at", until });
	printf("%.*s  %.*s  %.*s  %.*s  %.*s\n", STR_ARGS(json_text_of(stop, "id")),
		STR_ARGS(what_cell(cli, stop)), STR_ARGS(until),
		STR_ARGS(MSG(&cli->arena, "cli.stop.by",
			{ "name", reply_text(cli, json_get(stop, "made_by"), "name") })),
		STR_ARGS(reply_text(cli, stop, "reason")));
}

static const struct resource stops = { "/v1/stops?limit=200", NULL, "cli.go.none",
	columns, stop_print, .list = LIST_PAGE };

/* Is it said what to stop, not only why? */
static bool stop_named(const struct cli *cli)
{
	static const char *const whats[] = { "agent", "project", "session", "for" };

	for (size_t i = 0; i < sizeof whats / sizeof *whats; i++)
		if (cli_has(cli, whats[i])) return true;
	return false;
}

/* ---- stop ---- */

/* One word alone is a slip of the pen, or a guess, more often than a reason to stop every
 * agent. Who may not stop anything hears that first. */
static int word_refuse(struct cli *cli)
{
	struct str word = cli_word(cli, 0),
		   role = json_text_of(cli_call_get(cli, STR("/v1/me")), "role");
	struct fault why = { 0 };

	if (!str_is(role, "agent"))
		return CLI_USAGE(cli, "cli.stop.word", { "word", word });
	fail(&why, ERR_FORBIDDEN, "the role %.*s may not do this", STR_ARGS(role));
	return cli_fail(cli, &why);
}

static int stop_run(struct cli *cli)
{
	const struct json *stop;
	struct str body, id;

	if (cli_word_looks(cli, "pause list")) return EXIT_USAGE;
	body = stop_body(cli);
	if (!stop_named(cli) && str_find(str_trim(cli_words(cli)), STR(" ")) < 0)
		return word_refuse(cli);
	stop = cli_call(cli, "POST", STR("/v1/stops"), body);
	if (as_json(cli)) return reply_done(cli, stop);
	id = json_text_of(stop, "id");
	printf("%.*s\n", STR_ARGS(id));
	return CLI_SAY(EXIT_YES, "cli.stop.set", { "id", id });
}

static const struct flag stop_flags[] = { { "agent", "NAME" }, { "project", "NAME" },
	{ "session", "ID" }, { "for", "TIME" }, { "json" }, { 0 } };

/* ---- go ---- */

static int go_run(struct cli *cli)
{
	struct str id = cli_word(cli, 0);
	const struct json *items;

	if (!id.len) {
		items = json_get(cli_call_get(cli, str_of(stops.path)), "items");
		if (!items || items->count != 1) {
			resource_print(cli, &stops, items);
			return items && items->count ? CLI_USAGE(cli, "cli.go.several")
						     : EXIT_YES;
		}
		id = json_text_of(&items->items[0], "id");
	}
	cli_call(cli, "DELETE", path_with(cli, "/v1/stops/", id, ""), STR_NONE);
	return CLI_SAY(EXIT_YES, "cli.go.done", { "id", id });
}

const struct command stop_verbs[] = {
	{ "pause list", resource_list, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley pause list", .of = &stops, .alias = "stop list|stops|pauses" },
	{ "pause", stop_run, "REASON…", 1, WORDS_MANY, stop_flags, CLIENT, "0 2 3 4",
		"parley pause 'Production is down'\n"
		"parley pause --agent 'ci-*' --for 30m 'Wrong branch'",
		.alias = "stop" },
	{ "resume", go_run, "[STOP]", 0, 1, NULL, CLIENT, "0 1 2 3 4 5", "parley resume",
		.alias = "go" },
	{ 0 },
};
