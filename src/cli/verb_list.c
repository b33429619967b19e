/* verb_list.c - parley list. */
#include <stdio.h>

#include "base/clock.h"
#include "cli/outcome.h"
#include "cli/reach.h"
#include "cli/verbs.h"
#include "text/safe_text.h"
#include "tui/words.h"

enum column { COL_ID, COL_STATUS, COL_KIND, COL_AGE, COL_AGENT, COL_TITLE, COLUMNS };
enum { COLUMN_MAX = 30, TITLE_MIN = 20 };

/* All cells are safe text. */
struct grid {
	struct cli *cli;
	struct str (*rows)[COLUMNS];
	size_t len;
	size_t widths[COLUMNS];
};

static void row_fill(struct grid *g, const struct json *ask)
{
	struct arena *arena = &g->cli->arena;
	struct str *row = g->rows[g->len++];
	int64_t created = clock_now_ms();

	time_read(json_text(json_get(ask, "created_at")), &created);
	row[COL_ID] = safe_line(arena, json_text(json_get(ask, "id")));
	row[COL_STATUS] = safe_line(arena, json_text(json_get(ask, "status")));
	row[COL_KIND] = safe_line(arena, json_text(json_get(ask, "kind")));
	row[COL_AGE] = span_short(clock_now_ms() - created, arena);
	row[COL_AGENT] =
		safe_line(arena, json_text(json_get(json_get(ask, "agent"), "name")));
	row[COL_TITLE] = safe_line(arena, ask_title(ask, arena));
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
	static const char *const heads[] = { "cli.list.id", "cli.list.status",
		"cli.list.kind", "cli.list.age", "cli.list.agent", "cli.list.title" };
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

static void asks_print(struct cli *cli, const struct json *reply)
{
	const struct json *items = json_get(reply, "items");
	uint32_t len = json_is(items, JSON_ARRAY) ? items->count : 0;
	struct grid g = { .cli = cli,
		.rows = arena_array(
			&cli->arena, (size_t)len + 1, sizeof(struct str[COLUMNS])) };

	if (!g.rows) return;
	for (uint32_t i = 0; i < len; i++)
		row_fill(&g, &items->items[i]);
	if (!cli->term.out_tty)
		grid_raw(&g);
	else if (len > 0)
		grid_print(&g);
	else
		SAY(cli->args.given_len > 0 ? "cli.list.empty.filtered"
					    : "cli.list.empty");
	if (json_is(json_get(reply, "next_cursor"), JSON_STRING)) SAY("cli.list.more");
}

static int list_run(struct cli *cli)
{
	static const char *const filters[] = { "status", "kind", "session", "limit",
		NULL };
	struct fault why = { 0 };
	struct client *client = reach(cli, AS_PERSON, &why);
	struct api_reply reply;
	int status;

	if (!client) return cli_fail(cli, &why);
	status = reach_call(cli, client, "GET", flags_query(cli, "/v1/asks", filters),
		STR_NONE, &reply, NULL);
	if (status == EXIT_YES && args_have(&cli->args, "json"))
		json_print(reply.json);
	else if (status == EXIT_YES)
		asks_print(cli, reply.json);
	client_free(client);
	return status;
}

static const struct flag flags[] = {
	{ .name = "status", .value = "STATUS" },
	{ .name = "kind", .value = "KIND" },
	{ .name = "session", .value = "SESSION" },
	{ .name = "limit", .value = "N" },
	{ .name = "json" },
	{ 0 },
};

static const char *const examples[] = {
	"parley list",
	"parley list --status all --limit 200",
	"parley list | cut -f 1",
	NULL,
};

const struct command verb_list = {
	.name = "list",
	.run = list_run,
	.flags = flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 2 3 4",
	.examples = examples,
};
