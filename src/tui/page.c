/* page.c - rows of styled text of a given width. */
#include "tui/page.h"

#include "base/mem.h"
#include "text/safe_text.h"

enum { TAB_WIDTH = 4 };

void page_clear(struct page *p, size_t width)
{
	p->width = width;
	buf_clear(&p->text);
	p->runs_len = p->rows_len = 0;
	p->failed = p->cursor = false;
	p->marked = STYLE_PLAIN;
	p->focus_row = p->focus_end = 0;
	arena_done(&p->words);
}

void page_done(struct page *p)
{
	buf_done(&p->text);
	mem_free(p->runs);
	mem_free(p->rows);
	arena_done(&p->words);
	*p = (struct page){ 0 };
}

static bool room_make(struct page *p, void **at, size_t *cap, size_t len, size_t size)
{
	size_t more = *cap ? *cap * 2 : 64;
	void *grown;

	if (len < *cap) return true;
	grown = mem_grow(*at, more * size);
	if (!grown) return p->failed = true, false;
	*at = grown;
	*cap = more;
	return true;
}

void page_row(struct page *p)
{
	if (room_make(p, (void **)&p->rows, &p->rows_cap, p->rows_len, sizeof *p->rows))
		p->rows[p->rows_len++] = p->runs_len;
	p->column = 0;
}

size_t page_row_runs(const struct page *p, size_t row, const struct text_run **out)
{
	size_t end = row + 1 < p->rows_len ? p->rows[row + 1] : p->runs_len;

	*out = p->runs + p->rows[row];
	return end - p->rows[row];
}

struct str page_run_text(const struct page *p, const struct text_run *run)
{
	return str_make(p->text.at + run->at, run->len);
}

/* `safe` may not stand in the page's own text. */
static void run_add(struct page *p, enum style style, struct str safe)
{
	size_t at = p->text.len;

	if (safe.len == 0) return;
	if (p->rows_len == 0) page_row(p);
	if (p->column >= p->width || !room_make(p, (void **)&p->runs, &p->runs_cap,
					     p->runs_len, sizeof *p->runs))
		return;
	text_fit_add(&p->text, safe, p->width - p->column);
	p->failed |= p->text.failed;
	p->runs[p->runs_len] = (struct text_run){ at, p->text.len - at, style };
	p->column += text_width(page_run_text(p, &p->runs[p->runs_len++]));
}

void page_add(struct page *p, enum style style, struct str foreign)
{
	struct buf safe = { 0 };

	safe_line_add(&safe, foreign);
	run_add(p, style, buf_str(&safe));
	buf_done(&safe);
}

void page_add_text(struct page *p, enum style style, const char *text)
{
	run_add(p, style, str_of(text));
}

void page_word(struct page *p, enum style style, struct str foreign)
{
	if (foreign.len && p->column) page_add_text(p, STYLE_PLAIN, "  ");
	page_add(p, style, foreign);
}

void page_dot(struct page *p, enum style style, struct str foreign)
{
	if (foreign.len && p->column) page_add_text(p, STYLE_SOFT, " · ");
	page_add(p, style, foreign);
}

/* The next of the hints, which two blanks stand between. False: that was the last. */
static bool hint_cut(struct str *rest, struct str *hint)
{
	int end = str_find(*rest, STR("  "));

	if (rest->len == 0) return false;
	*hint = end < 0 ? *rest : str_first(*rest, (size_t)end);
	*rest = end < 0 ? STR_NONE : str_from(*rest, (size_t)end + 2);
	return true;
}

void page_hints(struct page *p, enum style style, struct str hints)
{
	struct str hint;

	while (hint_cut(&hints, &hint)) {
		size_t blanks = p->column ? 2 : 0;

		if (p->column + blanks + text_width(hint) <= p->width)
			page_word(p, style, hint);
	}
}

void page_cell(struct page *p, size_t end, enum style style, struct str foreign)
{
	size_t width = p->width;

	p->width = end - 1;
	page_add(p, style, foreign);
	p->width = width;
	page_pad(p, end);
}

void page_pad(struct page *p, size_t column)
{
	static const char blanks[] = "                                ";

	if (column > p->width) column = p->width;
	while (p->column < column && !p->failed) {
		size_t n = column - p->column;

		run_add(p, STYLE_PLAIN,
			str_make(blanks, n < sizeof blanks - 1 ? n : sizeof blanks - 1));
	}
}

void page_gap(struct page *p)
{
	const struct text_run *runs;

	if (p->rows_len == 0 || page_row_runs(p, p->rows_len - 1, &runs) > 0) page_row(p);
}

void page_heading(struct page *p, const char *id)
{
	page_gap(p);
	page_row(p);
	PAGE_MSG(p, STYLE_BOLD, id);
}

/* Safe text with its lines, tabs as blanks. */
static void block_make(struct buf *out, struct str foreign)
{
	struct buf safe = { 0 };

	safe_block_add(&safe, foreign);
	for (size_t i = 0; i < safe.len; i++) {
		if (safe.at[i] == '\t')
			buf_add(out, str_make("    ", TAB_WIDTH));
		else
			buf_add_char(out, safe.at[i]);
	}
	out->failed |= safe.failed;
	buf_done(&safe);
}

static void row_put(struct page *p, enum style style, size_t indent, struct str safe)
{
	page_row(p);
	page_pad(p, indent);
	run_add(p, style, safe);
}

void page_wrap_rows(
	struct page *p, enum style style, size_t indent, struct str foreign, size_t rows)
{
	struct buf block = { 0 }, broken = { 0 };
	struct str rest, row;
	size_t room = p->width > indent ? p->width - indent : 1;

	block_make(&block, foreign);
	safe_wrap_add(&broken, buf_str(&block), "", room);
	rest = buf_str(&broken);
	while (rows-- > 0 && str_cut(&rest, '\n', &row)) {
		bool cut = rows == 0 && rest.len > 0;

		row_put(p, style, indent,
			cut && text_width(row) >= room ? text_head(row, room - 1) : row);
		if (cut) page_add_text(p, style, "…");
	}
	p->failed |= block.failed || broken.failed;
	buf_done(&block);
	buf_done(&broken);
}

void page_wrap(struct page *p, enum style style, size_t indent, struct str foreign)
{
	page_wrap_rows(p, style, indent, foreign, SIZE_MAX);
}

void page_block(struct page *p, enum style style, size_t indent, struct str foreign)
{
	struct buf block = { 0 };
	struct str rest, line;
	size_t room = p->width > indent + 1 ? p->width - indent : 1;

	block_make(&block, foreign);
	rest = buf_str(&block);
	while (str_cut(&rest, '\n', &line))
		do {
			struct str head = text_head(line, room);

			row_put(p, style, indent, head);
			line = str_from(line, head.len);
		} while (line.len > 0);
	p->failed |= block.failed;
	buf_done(&block);
}

static void cursor_put(struct page *p)
{
	p->cursor = true;
	p->cursor_row = p->rows_len - 1;
	p->cursor_column = p->column;
	if (p->cursor_column < p->width) return;
	page_row(p);
	p->cursor_row++;
	p->cursor_column = 0;
}

void page_line(struct page *p, enum style style, const struct line *line)
{
	struct str text = line_text(line);
	size_t indent = p->column + 4 > p->width ? 0 : p->column;

	for (size_t at = 0; at < text.len;) {
		struct str cluster = text_cluster(str_from(text, at), NULL);
		struct buf safe = { 0 };

		if (at == line->at) cursor_put(p);
		at += cluster.len;
		if (cluster.at[0] != '\n') safe_line_add(&safe, cluster);
		if (cluster.at[0] == '\n' ||
			p->column + text_width(buf_str(&safe)) > p->width) {
			page_row(p);
			page_pad(p, indent);
		}
		run_add(p, style, buf_str(&safe));
		buf_done(&safe);
	}
	if (line->at >= text.len) cursor_put(p);
}

void page_mark(struct page *p, enum style style)
{
	p->marked_row = p->rows_len - 1;
	p->marked = style;
}

void page_focus(struct page *p)
{
	p->focus_row = p->rows_len;
	p->focus_end = p->rows_len;
}

void page_focus_end(struct page *p)
{
	p->focus_end = p->rows_len;
}

void page_row_choice(struct page *p, bool here)
{
	if (here) page_focus(p);
	page_row(p);
	page_add_text(p, here ? STYLE_ACCENT : STYLE_PLAIN, here ? "▸ " : "  ");
}
