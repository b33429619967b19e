/* list.c - parley list. */
#include <stdio.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"
#include "tui/words.h"

enum { COLUMNS = 6, COLUMN_MAX = 30, TITLE_MIN = 20 };
enum { LIMIT_DEFAULT = 50, LIMIT_MAX = 100000 };

/* ---- cells ---- */

static struct str age_cell(struct cli *cli, const struct json *ask)
{
	int64_t created = clock_now_ms();

	time_read(json_text_of(ask, "created_at"), &created);
	return span_short(clock_now_ms() - created, &cli->arena);
}

static struct str agent_cell(struct cli *cli, const struct json *ask)
{
	return reply_text(cli, json_get(ask, "agent"), "name");
}

static struct str title_cell(struct cli *cli, const struct json *ask)
{
	return safe_line(&cli->arena, ask_title(ask, &cli->arena));
}

static struct str outcome_cell(struct cli *cli, const struct json *ask)
{
	(void)cli;
	return str_of(ask_outcome(ask));
}

static struct str by_cell(struct cli *cli, const struct json *ask)
{
	struct str by = safe_line(&cli->arena, ask_settled_by(ask, &cli->arena));

	return by.len ? by : STR("-");
}

static struct str when_cell(struct cli *cli, const struct json *ask)
{
	return time_local(ask_time(ask, "settled_at"), clock_now_ms(), &cli->arena);
}

static const struct table_column pending_columns[] = { { "cli.list.id", 0, "id" },
	{ "cli.list.status", 0, "status" }, { "cli.list.kind", 0, "kind" },
	{ "cli.list.age", .cell = age_cell }, { "cli.list.agent", .cell = agent_cell },
	{ "cli.list.title", .cell = title_cell } };
/* The history: outcomes, and when and by whom. */
static const struct table_column settled_columns[] = { { "cli.list.id", 0, "id" },
	{ "cli.list.outcome", .cell = outcome_cell }, { "cli.list.by", .cell = by_cell },
	{ "cli.list.when", .cell = when_cell }, { "cli.list.agent", .cell = agent_cell },
	{ "cli.list.title", .cell = title_cell } };

/* ---- rows ---- */

typedef struct str list_row[COLUMNS];

/* As wide as what is in it, within bounds; the last one takes what is left. */
static void widths_find(struct cli *cli, const list_row *rows, size_t len, size_t *widths)
{
	size_t used = 0;

	for (size_t c = 0; c < COLUMNS - 1; c++) {
		widths[c] = 0;
		for (size_t i = 0; i < len; i++)
			if (text_width(rows[i][c]) > widths[c])
				widths[c] = text_width(rows[i][c]);
		if (c > 0 && widths[c] > COLUMN_MAX) widths[c] = COLUMN_MAX;
		used += widths[c] + 2;
	}
	widths[COLUMNS - 1] =
		cli->term.width > used + TITLE_MIN ? cli->term.width - used : TITLE_MIN;
}

static void row_add(struct buf *out, const struct str *row, const size_t *widths)
{
	for (size_t c = 0; c < COLUMNS; c++) {
		size_t width = text_width(row[c]);

		text_fit_add(out, row[c], widths[c]);
		for (; c < COLUMNS - 1 && width < widths[c]; width++)
			buf_add_char(out, ' ');
		if (c < COLUMNS - 1) buf_add_text(out, "  ");
	}
	buf_add_char(out, '\n');
}

/* `rows[0]` is the head. */
static void rows_print(struct cli *cli, const list_row *rows, size_t len)
{
	size_t widths[COLUMNS];
	struct buf out = { 0 };

	widths_find(cli, rows, len, widths);
	for (size_t i = 0; i < len; i++) {
		if (i < 2)
			buf_add_text(&out, i ? tint_off(cli->term.out_color)
					     : tint_on(TINT_BOLD, cli->term.out_color));
		row_add(&out, rows[i], widths);
	}
	fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}

/* Tabs between full cells, for programs. */
static void rows_raw(const list_row *rows, size_t len)
{
	for (size_t i = 1; i < len; i++)
		for (size_t c = 0; c < COLUMNS; c++)
			printf("%.*s%c", STR_ARGS(rows[i][c]),
				c == COLUMNS - 1 ? '\n' : '\t');
}

static void asks_print(struct cli *cli, const struct json *asks)
{
	const struct table_column *columns =
		cli_has(cli, "settled") ? settled_columns : pending_columns;
	list_row *rows = ARENA_ARRAY(&cli->arena, list_row, asks->count + 1);
	size_t len = 1;

	for (size_t c = 0; rows && c < COLUMNS; c++)
		rows[0][c] = MSG(&cli->arena, columns[c].head);
	for (const struct json *ask = NULL; rows && json_each(asks, &ask); len++)
		for (size_t c = 0; c < COLUMNS; c++)
			rows[len][c] = table_cell(cli, &columns[c], ask);
	if (!rows) return;
	if (!cli->term.out_tty)
		rows_raw((const list_row *)rows, len);
	else if (len > 1)
		rows_print(cli, (const list_row *)rows, len);
	else
		SAY(cli->args.given_len > 0 ? "cli.list.empty.filtered"
					    : "cli.list.empty");
}

static struct str query_made(struct cli *cli)
{
	bool settled = cli_has(cli, "settled"), mine = cli_has(cli, "mine");
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
	if (mine) buf_add_text(&out, "&by=me");
	if (since.at) {
		time_write(clock_now_ms() - ms, from);
		buf_add_text(&out, "&from=");
		url_add(&out, str_of(from));
	}
	return buf_keep_done(&out, &cli->arena);
}

/* One object, as one page would have been. */
static void asks_json(struct cli *cli, const struct call_pages *pages)
{
	printf("%.*s\n",
		STR_ARGS(BODY(cli, { "items", .json = &pages->items },
			{ "next_cursor", .json = json_get(pages->last, "next_cursor") },
			{ "as_of", .json = json_get(pages->first, "as_of") })));
}

static int list_run(struct cli *cli)
{
	struct str query = query_made(cli), said = cli_arg(cli, "limit");
	struct call_pages pages;
	int64_t limit = LIMIT_DEFAULT;

	if (said.at && !str_to_int(said, 1, LIMIT_MAX, &limit))
		return CLI_USAGE(cli, "cli.limit.wrong", { "value", said });
	pages = cli_call_pages(cli, query, limit);
	if (as_json(cli))
		asks_json(cli, &pages);
	else
		asks_print(cli, &pages.items);
	if (json_text_of(pages.last, "next_cursor").len)
		SAY("cli.list.more",
			{ "n", arena_print(&cli->arena, "%lld", (long long)limit) });
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

const struct command list_verbs[] = {
	{ "list", list_run, NULL, 0, 0, flags, CLIENT, "0 2 3 4",
		"parley list\n"
		"parley list --settled --mine --since 7d\n"
		"parley list --status all --limit 1000\n"
		"parley list | cut -f 1" },
	{ 0 },
};
