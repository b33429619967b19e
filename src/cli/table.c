/* table.c - lists as tables, for people and for pipes. */
#include "cli/table.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "cli/id_start.h"
#include "cli/resource.h"
#include "text/safe_text.h"
#include "tui/words.h"

enum { COLUMNS_MAX = 12, COLUMN_LEAST = 6, COLUMN_WIDEST = 30, LAST_LEAST = 20 };

/* ---- cells ---- */

/* A word of the API: on a terminal in the reader's language, in a pipe as it is. */
static struct str word_cell(struct cli *cli, const char *family, struct str word)
{
	struct str id = arena_print(&cli->arena, "%s.%.*s", family, STR_ARGS(word));
	const char *words = cli->term.out_tty && id.at ? msg_text(id.at) : NULL;

	return words ? str_of(words) : safe_line(&cli->arena, word);
}

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
	case CELL_ID:
		return cli->id_shown ? str_first(json_text(item), cli->id_shown)
				     : json_text(item);
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
	default:
		return column->words ? word_cell(cli, column->words, json_text(item))
				     : safe_line(arena, json_text(item));
	}
}

/* The cells of a list, a row after the other; the heads are the first. */
struct list_cells {
	const struct table_column *column[COLUMNS_MAX];
	size_t columns, rows;
	struct str *cells;
	int widths[COLUMNS_MAX]; /* as in struct table_column */
	bool fitted;		 /* they fit what is in them, and the terminal */
};

static void columns_pick(
	struct list_cells *t, const struct table_column *columns, bool terminal)
{
	for (; columns->head && t->columns < COLUMNS_MAX; columns++) {
		if (columns->where == (terminal ? COLUMN_IN_PIPE : COLUMN_ON_TERMINAL))
			continue;
		t->widths[t->columns] = columns->width;
		t->column[t->columns++] = columns;
	}
}

static bool cells_fill(struct list_cells *t, struct cli *cli, const struct json *items)
{
	struct str *cell = t->cells =
		ARENA_ARRAY(&cli->arena, struct str, (items->count + 1) * t->columns);

	if (!cell) return false;
	for (size_t c = 0; c < t->columns; c++)
		*cell++ = MSG(&cli->arena, t->column[c]->head);
	for (const struct json *item = NULL; json_each(items, &item);)
		for (size_t c = 0; c < t->columns; c++)
			*cell++ = table_cell(cli, t->column[c], item);
	t->rows = items->count + 1;
	return true;
}

/* ---- widths ---- */

static size_t cell_widest(const struct list_cells *t, size_t c)
{
	size_t most = 0;

	for (size_t i = c; i < t->rows * t->columns; i += t->columns)
		if (text_width(t->cells[i]) > most) most = text_width(t->cells[i]);
	return c > 0 && most > COLUMN_WIDEST ? COLUMN_WIDEST : most;
}

/* Where the terminal is narrow, the widest gives way; the first, which is typed again, does not. */
static bool column_narrow(struct list_cells *t)
{
	size_t widest = 1;

	for (size_t c = 1; c + 1 < t->columns; c++)
		if (abs(t->widths[c]) > abs(t->widths[widest])) widest = c;
	if (t->columns < 3 || abs(t->widths[widest]) <= COLUMN_LEAST) return false;
	t->widths[widest] += t->widths[widest] > 0 ? -1 : 1;
	return true;
}

/* Where that is not enough, those before the last are left out; 0 is such a width. */
static size_t columns_hide(struct list_cells *t, size_t used, size_t most)
{
	for (size_t c = t->columns - 2; c > 0 && used > most; c--) {
		used -= (size_t)abs(t->widths[c]) + 2;
		t->widths[c] = 0;
	}
	return used;
}

/* The last one takes what is left. */
static void widths_fit(struct list_cells *t, size_t terminal)
{
	size_t last = t->columns - 1, used = 0;

	for (size_t c = 0; c < last; c++) {
		size_t most = cell_widest(t, c);

		t->widths[c] = t->column[c]->width < 0 ? -(int)most : (int)most;
		used += most + 2;
	}
	size_t want = cell_widest(t, last);
	if (want > LAST_LEAST) want = LAST_LEAST;
	while (used + want > terminal && column_narrow(t))
		used--;
	if (used + want > terminal && last > 1)
		used = columns_hide(t, used, terminal > want ? terminal - want : 0);
	t->widths[last] = terminal > used + want ? (int)(terminal - used) : (int)want;
}

/* ---- rows ---- */

static void row_add(struct buf *out, const struct list_cells *t, const struct str *cells)
{
	for (size_t c = 0; c < t->columns; c++) {
		int width = t->widths[c], blanks = abs(width) - (int)text_width(cells[c]);

		if (t->fitted && !width && c + 1 < t->columns) continue;
		if (width < 0 && blanks > 0) buf_print(out, "%*s", blanks, "");
		if (t->fitted)
			text_fit_add(out, cells[c], (size_t)abs(width));
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
	const struct json *items, bool tabs)
{
	bool tty = cli->term.out_tty, color = cli->term.out_color;
	struct list_cells t = { .fitted = tty };
	struct buf out = { 0 };

	columns_pick(&t, columns, tty);
	cli->id_shown = tty ? id_start_length(items) : 0;
	if (!cells_fill(&t, cli, items)) return;
	if (tty) {
		widths_fit(&t, cli->term.width);
		buf_add_text(&out, tint_on(TINT_BOLD, color));
		row_add(&out, &t, t.cells);
		buf_add_text(&out, tint_off(color));
	}
	for (size_t i = 1; i < t.rows; i++)
		(tabs && !tty ? row_add_tabs : row_add)(
			&out, &t, &t.cells[i * t.columns]);
	if (out.len) fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}
