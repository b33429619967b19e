/* list.c - parley list, parley history. */
#include <stdio.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"
#include "tui/words.h"

static bool list_settled(const struct cli *cli)
{
	return cli_has(cli, "settled") || strcmp(cli->command->name, "history") == 0;
}

/* ---- cells ---- */

static struct str age_cell(struct cli *cli, const struct json *ask)
{
	int64_t created = clock_now_ms();

	time_read(json_text_of(ask, "created_at"), &created);
	return span_short(clock_now_ms() - created, &cli->arena);
}

/* Of a question nothing: it has no risk. */
static struct str risk_cell(struct cli *cli, const struct json *ask)
{
	struct str risk = json_text_of(ask, "risk");

	return risk.len ? msg_named(&cli->arena, "cli.risk", risk) : STR("-");
}

/* What is left of its time, and what happens then. */
static struct str due_cell(struct cli *cli, const struct json *ask)
{
	struct str due = ask_end(ask, clock_now_ms(), &cli->arena);

	return due.len ? due : STR("-");
}

static struct str title_cell(struct cli *cli, const struct json *ask)
{
	return safe_line(&cli->arena, ask_title(ask, &cli->arena));
}

static struct str outcome_cell(struct cli *cli, const struct json *ask)
{
	struct str outcome = str_of(ask_outcome(ask));

	return cli->term.out_tty ? msg_named(&cli->arena, "tui.outcome", outcome)
				 : outcome;
}

static struct str by_cell(struct cli *cli, const struct json *ask)
{
	struct str by = safe_line(&cli->arena, ask_settled_by(ask, &cli->arena));

	return by.len ? by : STR("-");
}

static const struct table_column pending_columns[] = { { "cli.list.id", 0, "id",
							       .kind = CELL_ID },
	{ "cli.list.status", 0, "status", .where = COLUMN_IN_PIPE },
	{ "cli.list.kind", 0, "kind", .where = COLUMN_IN_PIPE },
	{ "cli.list.risk", .cell = risk_cell, .where = COLUMN_ON_TERMINAL },
	{ "cli.list.due", .cell = due_cell, .where = COLUMN_ON_TERMINAL },
	{ "cli.list.age", .cell = age_cell }, { "cli.list.agent", 0, "agent/name" },
	{ "cli.list.title", .cell = title_cell }, { 0 } };
/* Of several statuses. */
static const struct table_column status_columns[] = { { "cli.list.id", 0, "id",
							      .kind = CELL_ID },
	{ "cli.list.status", 0, "status", .words = "tui.outcome" },
	{ "cli.list.kind", 0, "kind", .where = COLUMN_IN_PIPE },
	{ "cli.list.age", .cell = age_cell }, { "cli.list.agent", 0, "agent/name" },
	{ "cli.list.title", .cell = title_cell }, { 0 } };
/* The history: outcomes, and when and by whom. */
static const struct table_column settled_columns[] = { { "cli.list.id", 0, "id",
							       .kind = CELL_ID },
	{ "cli.list.outcome", .cell = outcome_cell }, { "cli.list.by", .cell = by_cell },
	{ "cli.list.when", 0, "settled_at", .kind = CELL_TIME },
	{ "cli.list.agent", 0, "agent/name" }, { "cli.list.title", .cell = title_cell },
	{ 0 } };

/* Adds the name of each agent that has a session, once. */
static struct str agents_known(struct cli *cli, struct str name, bool *known)
{
	enum { NAMES = 200 };
	const struct json *page =
		cli_call_quiet(cli, cli->client, STR("/v1/sessions?limit=200"), NULL);
	struct buf names = { .max = NAMES };

	*known = !page;
	for (const struct json *s = NULL; json_each(json_get(page, "items"), &s);) {
		struct str one = json_text_of(json_get(s, "agent"), "name");

		*known |= str_eq(one, name) ||
			  str_eq(json_text_of(json_get(s, "agent"), "id"), name);
		if (str_find(buf_str(&names), one) < 0) words_join(&names, ", ", one);
	}
	return buf_keep_done(&names, &cli->arena);
}

/* Nothing: because of a slip in the agent's name? */
static void nothing_say(struct cli *cli)
{
	struct str agent = cli_arg(cli, "agent"), names;
	bool known = true;

	names = agent.len ? agents_known(cli, agent, &known) : STR_NONE;
	if (!known)
		SAY(names.len ? "cli.list.no_agent.others" : "cli.list.no_agent",
			{ "name", agent }, { "names", names });
	else if (cli->term.out_tty)
		SAY(cli->args.given_len > 0 || list_settled(cli)
				? "cli.list.empty.filtered"
				: "cli.list.empty");
}

static void asks_print(struct cli *cli, const struct json *asks)
{
	if (asks->count)
		table_print(cli,
			list_settled(cli)	 ? settled_columns
			: cli_has(cli, "status") ? status_columns
						 : pending_columns,
			asks, true);
	else
		nothing_say(cli);
}

static struct str query_made(struct cli *cli)
{
	bool settled = list_settled(cli), mine = cli_has(cli, "mine");
	struct str since = cli_arg(cli, "since");
	struct buf out = { .max = 16384 };
	char from[TIME_SIZE];
	int64_t ms;

	if (settled && cli_has(cli, "status")) CLI_REFUSE(cli, "cli.list.settled_status");
	if (!settled && (since.at || mine)) CLI_REFUSE(cli, "cli.list.needs_settled");
	if (since.at && !duration_read(since, &ms))
		CLI_REFUSE(cli, "cli.since.wrong", { "value", since });
	buf_add(&out, flags_query(cli, "/v1/asks", "status kind session project agent"));
	if (settled)
		buf_print(&out, "%cstatus=settled",
			memchr(out.at, '?', out.len) ? '&' : '?');
	else if (cli->term.out_tty && !cli_has(cli, "status"))
		buf_print(&out, "%corder=attention", /* as the inbox has them */
			memchr(out.at, '?', out.len) ? '&' : '?');
	if (mine) buf_add_text(&out, "&by=me");
	if (since.at) {
		time_write(clock_now_ms() - ms, from);
		buf_add_text(&out, "&from=");
		url_add(&out, str_of(from));
	}
	return buf_keep_done(&out, &cli->arena);
}

static int list_run(struct cli *cli)
{
	struct call_pages pages =
		cli_call_pages(cli, query_made(cli), resource_limit(cli));

	if (!as_json(cli)) asks_print(cli, &pages.items);
	resource_pages_end(cli, &pages);
	if (!pick_client_knows_person(cli)) SAY("cli.list.not_logged_in");
	return EXIT_YES;
}

static const struct flag flags[] = {
	{ "status", "STATUS", "pending answered skipped expired cancelled settled all" },
	{ "settled" }, { "mine" }, { "since", "TIME" }, { "agent", "AGENT" },
	{ "project", "PROJECT" },
	{ "kind", "KIND", "blocking non_blocking approval error_recovery" },
	{ "session", "SESSION" }, { "limit", "N" }, { "json" }, { 0 }
};

static const struct flag history_flags[] = { { "mine" }, { "since", "TIME" },
	{ "agent", "AGENT" }, { "project", "PROJECT" },
	{ "kind", "KIND", "blocking non_blocking approval error_recovery" },
	{ "session", "SESSION" }, { "limit", "N" }, { "json" }, { 0 } };

const struct command list_verbs[] = {
	{ "list", list_run, NULL, 0, 0, flags, CLIENT, "0 2 3 4",
		"parley list\n"
		"parley list --settled --mine --since 7d\n"
		"parley list --status all --limit 1000\n"
		"parley list | cut -f 1" },
	{ "history", list_run, NULL, 0, 0, history_flags, CLIENT, "0 2 3 4",
		"parley history --mine --since 7d" },
	{ 0 },
};
