/* list.c - parley list. */
#include <stdio.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"
#include "tui/words.h"

enum ask_column { COL_ID, COL_STATUS, COL_KIND, COL_AGE, COL_AGENT, COL_TITLE, COLUMNS };
enum { COLUMN_MAX = 30, TITLE_MIN = 20 };

/* All cells are safe text. */
struct grid {
	struct cli *cli;
	struct str (*rows)[COLUMNS];
	size_t len;
	size_t widths[COLUMNS];
	bool settled; /* a list of the history: outcomes, and when and by whom */
};

static void row_end(struct grid *g, struct str *row, const struct json *ask)
{
	struct arena *arena = &g->cli->arena;

	row[COL_AGENT] = safe_line(arena, json_text_of(json_get(ask, "agent"), "name"));
	row[COL_TITLE] = safe_line(arena, ask_title(ask, arena));
}

static void row_fill(struct grid *g, const struct json *ask)
{
	struct arena *arena = &g->cli->arena;
	struct str *row = g->rows[g->len++];
	int64_t created = clock_now_ms();

	time_read(json_text_of(ask, "created_at"), &created);
	row[COL_ID] = reply_text(g->cli, ask, "id");
	if (g->settled) {
		row[COL_STATUS] = str_of(ask_outcome(ask));
		row[COL_KIND] = safe_line(arena, ask_settled_by(ask, arena));
		row[COL_AGE] =
			time_local(ask_time(ask, "settled_at"), clock_now_ms(), arena);
		if (row[COL_KIND].len == 0) row[COL_KIND] = STR("-");
		return row_end(g, row, ask);
	}
	row[COL_STATUS] = reply_text(g->cli, ask, "status");
	row[COL_KIND] = reply_text(g->cli, ask, "kind");
	row[COL_AGE] = span_short(clock_now_ms() - created, arena);
	row_end(g, row, ask);
}

/* Tabs between full cells, for programs. */
static void grid_raw(const struct grid *g)
{
	for (size_t i = 0; i < g->len; i++)
		for (int c = 0; c < COLUMNS; c++)
			printf("%.*s%c", STR_ARGS(g->rows[i][c]),
				c == COLUMNS - 1 ? '\n' : '\t');
}

static void widths_find(struct grid *g)
{
	size_t used = 0;

	for (int c = 0; c < COL_TITLE; c++) {
		for (size_t i = 0; i < g->len; i++) {
			size_t width = text_width(g->rows[i][c]);

			if (width > g->widths[c]) g->widths[c] = width;
		}
		if (c != COL_ID && g->widths[c] > COLUMN_MAX) g->widths[c] = COLUMN_MAX;
		used += g->widths[c] + 2;
	}
	g->widths[COL_TITLE] = g->cli->term.width > used + TITLE_MIN
				       ? g->cli->term.width - used
				       : TITLE_MIN;
}

static void row_print(const struct grid *g, const struct str *row, struct buf *out)
{
	for (int c = 0; c < COLUMNS; c++) {
		text_fit_add(out, row[c], g->widths[c]);
		for (size_t n = text_width(row[c]); c < COL_TITLE && n < g->widths[c] + 2;
			n++)
			buf_add_char(out, ' ');
		if (c < COL_TITLE && text_width(row[c]) > g->widths[c])
			buf_add_text(out, "  ");
	}
	buf_add_char(out, '\n');
}

static void grid_print(struct grid *g)
{
	static const char *const pending[] = { "cli.list.id", "cli.list.status",
		"cli.list.kind", "cli.list.age", "cli.list.agent", "cli.list.title" };
	static const char *const settled[] = { "cli.list.id", "cli.list.outcome",
		"cli.list.by", "cli.list.when", "cli.list.agent", "cli.list.title" };
	const char *const *heads = g->settled ? settled : pending;
	struct str head[COLUMNS];
	struct buf out = { 0 };

	for (int c = 0; c < COLUMNS; c++) {
		head[c] = MSG(&g->cli->arena, heads[c]);
		g->widths[c] = text_width(head[c]);
	}
	widths_find(g);
	buf_add_text(&out, tint_on(TINT_BOLD, g->cli->term.out_color));
	row_print(g, head, &out);
	buf_add_text(&out, tint_off(g->cli->term.out_color));
	for (size_t i = 0; i < g->len; i++)
		row_print(g, g->rows[i], &out);
	if (out.len > 0) fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}

/* More than a page is fetched page by page, up to what --limit says. */
enum { PAGE_MAX = 200, LIMIT_DEFAULT = 50, LIMIT_MAX = 100000 };

static int query_make(struct cli *cli, struct buf *out)
{
	struct str since = cli_arg(cli, "since");
	char from[TIME_SIZE];
	bool settled = cli_has(cli, "settled");
	int64_t ms;

	if (settled && cli_has(cli, "status"))
		return CLI_USAGE(cli, "cli.list.settled_status");
	if (!settled && (since.at || cli_has(cli, "mine")))
		return CLI_USAGE(cli, "cli.list.needs_settled");
	if (since.at && !duration_read(since, &ms))
		return CLI_USAGE(cli, "cli.since.wrong", { "value", since });
	buf_add(out, flags_query(cli, "/v1/asks", "status kind session project agent"));
	buf_add_char(out, memchr(out->at, '?', out->len) ? '&' : '?');
	if (settled) buf_add_text(out, "status=settled&");
	if (cli_has(cli, "mine")) buf_add_text(out, "by=me&");
	if (since.at) {
		time_write(clock_now_ms() - ms, from);
		buf_add_text(out, "from=");
		url_add(out, str_of(from));
		buf_add_char(out, '&');
	}
	return EXIT_YES;
}

/* One page after the other; *more: the limit cut it short. */
static int pages_read(struct cli *cli, struct str query, int64_t limit,
	const struct json **pages, size_t *len, bool *more)
{
	struct str cursor = STR_NONE;
	int64_t left = limit;

	do {
		struct buf path = { .max = 16384 };
		const struct json *page, *items;
		int status;

		buf_print(&path, "%.*slimit=%lld", STR_ARGS(query),
			(long long)(left < PAGE_MAX ? left : PAGE_MAX));
		if (cursor.len > 0) {
			buf_add_text(&path, "&cursor=");
			url_add(&path, cursor);
		}
		status = cli_call_get(cli, buf_keep_done(&path, &cli->arena), &page);
		if (status != EXIT_YES) return status;
		items = json_get(page, "items");
		pages[(*len)++] = page;
		left -= json_is(items, JSON_ARRAY) ? items->count : 0;
		cursor = json_text_of(page, "next_cursor");
	} while (cursor.len > 0 && left > 0);
	*more = cursor.len > 0;
	return EXIT_YES;
}

static void asks_print(struct cli *cli, const struct json **pages, size_t pages_len)
{
	struct grid g = { .cli = cli, .settled = cli_has(cli, "settled") };
	size_t len = 0;

	for (size_t p = 0; p < pages_len; p++)
		len += json_get(pages[p], "items")->count;
	g.rows = arena_array(&cli->arena, len + 1, sizeof(struct str[COLUMNS]));
	if (!g.rows) return;
	for (size_t p = 0; p < pages_len; p++) {
		const struct json *items = json_get(pages[p], "items");

		for (const struct json *item = NULL; json_each(items, &item);)
			row_fill(&g, item);
	}
	if (!cli->term.out_tty)
		grid_raw(&g);
	else if (len > 0)
		grid_print(&g);
	else
		SAY(cli->args.given_len > 0 ? "cli.list.empty.filtered"
					    : "cli.list.empty");
}

/* One object, as one page would have been. */
static void asks_json(const struct json **pages, size_t len)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	const struct json *last = pages[len - 1];

	jw_object(&w);
	jw_put_array(&w, "items");
	for (size_t p = 0; p < len; p++) {
		const struct json *items = json_get(pages[p], "items");

		for (const struct json *one = NULL; json_each(items, &one);)
			jw_json(&w, one);
	}
	jw_array_end(&w);
	jw_put_json(&w, "next_cursor", json_get(last, "next_cursor"));
	jw_put_json(&w, "as_of", json_get(pages[0], "as_of"));
	jw_object_end(&w);
	buf_add_char(&out, '\n');
	fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}

static int list_run(struct cli *cli)
{
	struct str said = cli_arg(cli, "limit");
	struct buf query = { .max = 16384 };
	const struct json **pages;
	int64_t limit = LIMIT_DEFAULT;
	size_t len = 0;
	bool more = false;
	int status = query_make(cli, &query);

	if (status == EXIT_YES && said.at && !str_to_int(said, 1, LIMIT_MAX, &limit))
		status = CLI_USAGE(cli, "cli.limit.wrong", { "value", said });
	pages = ARENA_ARRAY(
		&cli->arena, const struct json *, (size_t)(limit / PAGE_MAX + 2));
	if (!pages) status = cli_fail(cli, &(struct fault){ .err = ERR_MEMORY });
	if (status == EXIT_YES)
		status = pages_read(cli, buf_str(&query), limit, pages, &len, &more);
	buf_done(&query);
	if (status != EXIT_YES) return status;
	if (as_json(cli))
		asks_json(pages, len);
	else
		asks_print(cli, pages, len);
	if (more)
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
	{ "list", list_run, NULL, 0, 0, flags, SETTINGS_CLIENT, "0 2 3 4",
		"parley list\n"
		"parley list --settled --mine --since 7d\n"
		"parley list --status all --limit 1000\n"
		"parley list | cut -f 1" },
	{ 0 },
};
