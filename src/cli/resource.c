/* resource.c - NOUN list, show, test, remove; lists as tables; replies as people see them. */
#include "cli/resource.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/id_start.h"
#include "cli/outcome.h"
#include "cli/text_file.h"
#include "text/problem_words.h"
#include "text/safe_text.h"
#include "tui/words.h"

enum { COLUMNS_MAX = 8, COLUMN_WIDEST = 30, LAST_LEAST = 20 };

/* ---- what is printed ---- */

bool as_json(const struct cli *cli)
{
	return cli_has(cli, "json");
}

struct str reply_text(struct cli *cli, const struct json *of, const char *name)
{
	return safe_line(&cli->arena, json_text_of(of, name));
}

struct str reply_texts(struct cli *cli, const struct json *list, const char *between)
{
	struct buf out = { .max = 65536 };

	for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->count; i++) {
		if (i) buf_add_text(&out, between);
		safe_line_add(&out, json_text(&list->items[i]));
	}
	return buf_keep_done(&out, &cli->arena);
}

int reply_done(struct cli *cli, const struct json *reply)
{
	if (as_json(cli)) json_print(reply);
	return EXIT_YES;
}

void json_print_pretty(const struct json *json)
{
	struct buf text = { .max = 1 << 26 };

	json_write_pretty(&text, json);
	printf("%s\n", buf_text(&text));
	buf_done(&text);
}

/* {"items": […]} with all of them, as one page would have been. */
static void items_print(const struct json *items)
{
	struct buf out = { 0 };

	json_write(&out, items);
	printf("{\"items\":%s,\"next_cursor\":null}\n", buf_text(&out));
	buf_done(&out);
}

void count_print(struct cli *cli, FILE *to, const char *id, int64_t n)
{
	fprintf(to, "%s\n", msg_count(&cli->arena, id, n).at);
}

void warnings_say(struct cli *cli, const struct json *reply)
{
	const struct json *warnings = json_get(reply, "warnings");

	for (const struct json *item = NULL; json_each(warnings, &item);)
		SAY("cli.rule.warning",
			{ "detail", problem_words(json_text_of(item, "detail"),
					    msg_lang(), &cli->arena) });
}

/* What /test found, a line a check; the exit status says whether all is well. */
static int print_checks(struct cli *cli, const struct json *reply)
{
	const struct json *checks = json_get(reply, "checks");
	bool ok = json_is(json_get(reply, "ok"), JSON_TRUE), color = cli->term.out_color;

	if (as_json(cli)) json_print(reply);
	for (const struct json *c = NULL; !as_json(cli) && json_each(checks, &c);) {
		bool good = json_is(json_get(c, "ok"), JSON_TRUE);
		struct str name = json_text_of(c, "name");
		struct str detail = problem_words(
			reply_text(cli, c, "detail"), msg_lang(), &cli->arena);
		struct str what = MSG(&cli->arena,
			arena_print(&cli->arena, "web.check.%.*s", STR_ARGS(name)).at);

		printf("%s%s%s  %.*s\n", tint_on(good ? TINT_GREEN : TINT_RED, color),
			good ? "ok" : "!!", tint_off(color),
			STR_ARGS(MSG(&cli->arena, "web.colon", { "words", what },
				{ "text", detail })));
	}
	return ok ? EXIT_YES : EXIT_NO;
}

/* ---- tables ---- */

struct str table_cell(
	struct cli *cli, const struct table_column *column, const struct json *item)
{
	struct arena *arena = &cli->arena;
	struct str path = str_of(column->member), name;
	int64_t at_ms = 0;

	if (column->cell) return column->cell(cli, item);
	while (str_cut(&path, '/', &name))
		item = json_get_str(item, name);
	switch (column->kind) {
	case CELL_TEXTS: return reply_texts(cli, item, " ");
	case CELL_TIME:
		return time_read(json_text(item), &at_ms)
			       ? time_local(at_ms, clock_now_ms(), arena)
			       : STR("-");
	case CELL_COUNT:
		return arena_print(arena, "%lld", item ? (long long)item->integer : 0);
	case CELL_COST:
		return json_is(item, JSON_NUMBER)
			       ? arena_print(arena, "$%.*s", STR_ARGS(item->text))
			       : STR("-");
	default: return safe_line(arena, json_text(item));
	}
}

/* The cells of a list, a row after the other; the heads are the first. */
struct list_cells {
	size_t columns, rows;
	struct str *cells;
	int widths[COLUMNS_MAX]; /* as in struct table_column */
	bool fitted;		 /* they fit what is in them, and the terminal */
};

/* The last one takes what is left. */
static void widths_fit(struct list_cells *t, size_t terminal)
{
	size_t used = 0, last = t->columns - 1;

	for (size_t c = 0; c < last; c++) {
		size_t most = 0;

		for (size_t i = c; i < t->rows * t->columns; i += t->columns)
			if (text_width(t->cells[i]) > most)
				most = text_width(t->cells[i]);
		if (c > 0 && most > COLUMN_WIDEST) most = COLUMN_WIDEST;
		t->widths[c] = (int)most;
		used += most + 2;
	}
	t->widths[last] =
		(int)(terminal > used + LAST_LEAST ? terminal - used : LAST_LEAST);
}

static void row_add(struct buf *out, const struct list_cells *t, const struct str *cells)
{
	for (size_t c = 0; c < t->columns; c++) {
		int width = t->widths[c], blanks = abs(width) - (int)text_width(cells[c]);

		if (width < 0 && blanks > 0) buf_print(out, "%*s", blanks, "");
		if (t->fitted)
			text_fit_add(out, cells[c], (size_t)width);
		else
			buf_add(out, cells[c]);
		if (c + 1 == t->columns) break;
		if (width > 0 && blanks > 0) buf_print(out, "%*s", blanks, "");
		buf_add_text(out, "  ");
	}
	buf_add_char(out, '\n');
}

static void row_add_tabs(
	struct buf *out, const struct list_cells *t, const struct str *cells)
{
	for (size_t c = 0; c < t->columns; c++) {
		buf_add(out, cells[c]);
		buf_add_char(out, c + 1 == t->columns ? '\n' : '\t');
	}
}

void table_print(struct cli *cli, const struct table_column *columns,
	const struct json *items, bool fitted)
{
	bool tty = cli->term.out_tty, color = cli->term.out_color;
	struct list_cells t = { .fitted = fitted };
	struct buf out = { 0 };
	struct str *cell;

	for (; columns[t.columns].head; t.columns++)
		t.widths[t.columns] = columns[t.columns].width;
	cell = t.cells =
		ARENA_ARRAY(&cli->arena, struct str, (items->count + 1) * t.columns);
	if (!cell) return;
	for (size_t c = 0; c < t.columns; c++)
		*cell++ = MSG(&cli->arena, columns[c].head);
	for (const struct json *item = NULL; json_each(items, &item);)
		for (size_t c = 0; c < t.columns; c++)
			*cell++ = table_cell(cli, &columns[c], item);
	t.rows = items->count + 1;
	if (fitted) widths_fit(&t, cli->term.width);
	if (tty && *columns->head) {
		buf_add_text(&out, tint_on(TINT_BOLD, color));
		row_add(&out, &t, t.cells);
		buf_add_text(&out, tint_off(color));
	}
	for (size_t i = 1; i < t.rows; i++)
		(fitted && !tty ? row_add_tabs : row_add)(
			&out, &t, &t.cells[i * t.columns]);
	if (out.len) fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}

void resource_print(struct cli *cli, const struct resource *of, const struct json *items)
{
	if (!json_is(items, JSON_ARRAY) || !items->count) {
		if (of->none) SAY(of->none);
	} else if (of->columns) {
		table_print(cli, of->columns, items, false);
	} else {
		for (const struct json *one = NULL; json_each(items, &one);)
			of->print(cli, one);
	}
}

struct str state_cell(struct cli *cli, const struct json *of)
{
	static const char *const good[] = { "runnable", "usable" };

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (json_is(json_get(of, good[i]), JSON_TRUE)) return STR("ok");
	return problem_words(reply_text(cli, of, "why"), msg_lang(), &cli->arena);
}

/* ---- list, show, test, remove ---- */

int resource_list_of(struct cli *cli, const struct resource *of)
{
	struct str path = flags_query(cli, of->path, of->query ? of->query : "");
	const struct json *page;
	struct json all;

	if (of->list == LIST_ALL) {
		all = cli_call_all(cli, path);
		if (as_json(cli))
			items_print(&all);
		else
			resource_print(cli, of, &all);
		return EXIT_YES;
	}
	if (of->list == LIST_PERSON) cli_call_open_person(cli);
	page = cli_call_get(cli, path);
	if (!as_json(cli)) resource_print(cli, of, json_get(page, "items"));
	return reply_done(cli, page);
}

int resource_list(struct cli *cli)
{
	return resource_list_of(cli, cli->command->of);
}

const struct json *resource_find(const struct json *items, struct str who)
{
	for (const struct json *item = NULL; json_each(items, &item);)
		if (str_eq(json_text_of(item, "id"), who) ||
			str_eq(json_text_of(item, "name"), who))
			return item;
	return NULL;
}

int resource_unknown(struct cli *cli, const char *what, struct str who)
{
	struct fault why = { 0 };

	fail(&why, ERR_NOT_FOUND, "no %s %.*s", what, STR_ARGS(str_first(who, 100)));
	return cli_fail(cli, &why);
}

static const struct json *resource_items(struct cli *cli, const struct resource *of)
{
	struct json *all = ARENA_NEW(&cli->arena, struct json);

	if (!all) cli_fail_end(cli, &(struct fault){ .err = ERR_MEMORY });
	if (of->list != LIST_ALL)
		return json_get(cli_call_get(cli, str_of(of->path)), "items");
	*all = cli_call_all(cli, str_of(of->path));
	return all;
}

const struct json *resource_pick(
	struct cli *cli, const struct resource *of, const char *what, struct str who)
{
	const struct json *all = resource_items(cli, of);
	const struct json *one = resource_find(all, who);

	if (!one && id_start_is(who, NULL))
		one = resource_find(all, id_start_among(cli, all, who));
	if (!one) cli_end(cli, resource_unknown(cli, what, who));
	return one;
}

struct str resource_path(
	struct cli *cli, const struct resource *of, struct str id, const char *tail)
{
	return path_with(cli, arena_print(&cli->arena, "%s/", of->path).at, id, tail);
}

int resource_show_at(struct cli *cli, struct str path)
{
	json_print(cli_call_get(cli, path));
	return EXIT_YES;
}

struct str resource_id(struct cli *cli)
{
	const struct resource *of = cli->command->of;

	struct str who = cli_word(cli, 0);

	if (of->find) return of->find(cli, who);
	if (!id_start_is(who, NULL)) return who;
	return id_start_among(cli, resource_items(cli, of), who);
}

int resource_show(struct cli *cli)
{
	return resource_show_at(
		cli, resource_path(cli, cli->command->of, cli_word(cli, 0), ""));
}

int resource_test(struct cli *cli)
{
	struct str path = resource_path(cli, cli->command->of, cli_word(cli, 0), "/test");

	return print_checks(cli,
		cli_call(cli, "POST", path, BODY(cli, { "model", cli_word(cli, 1) })));
}

int resource_delete(struct cli *cli, const struct resource *of, struct str id)
{
	cli_call(cli, "DELETE", resource_path(cli, of, id, ""), STR_NONE);
	if (of->removed) SAY(of->removed, { "id", id });
	return reply_done(cli, NULL);
}

int resource_remove(struct cli *cli)
{
	return resource_delete(cli, cli->command->of, resource_id(cli));
}

/* ---- files ---- */

bool file_whole(struct cli *cli, struct str path, struct str *out, struct fault *why)
{
	errno = 0;
	text_file_read(path.at, false, &cli->arena, out, NULL);
	if (out->at) return true;
	fail(why, ERR_INVALID, "%.*s: %s", STR_ARGS(path),
		errno ? strerror(errno) : "too long");
	return false;
}
