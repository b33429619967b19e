/* page.h - rows of styled text, made to a width and ready to be drawn. Pure: nothing here
 * knows a terminal. All text on a page is safe. */
#ifndef TUI_PAGE_H
#define TUI_PAGE_H

#include "base/buf.h"
#include "text/msg.h"
#include "tui/line.h"

enum style {
	STYLE_PLAIN,
	STYLE_BOLD,
	STYLE_SOFT, /* of less importance */
	STYLE_GOOD,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_ACCENT,
	STYLE_CURSOR, /* where the keys go */
	STYLE_MARKED, /* the row of the cursor while the keys go elsewhere */
	STYLES,
};

struct text_run {
	size_t at, len; /* in the page's text */
	enum style style;
};

/* { .width = N } is empty and ready. Failure is sticky in `failed`. */
struct page {
	size_t width; /* columns */
	struct buf text;
	struct text_run *runs;
	size_t runs_len, runs_cap;
	size_t *rows; /* the first run of each */
	size_t rows_len, rows_cap;
	size_t column;	    /* where the last row ends */
	struct arena words; /* texts that were made for it; until it is cleared */
	bool failed;
	/* Where the terminal's cursor belongs, if anywhere. */
	bool cursor;
	size_t cursor_row, cursor_column;
	/* A row that is drawn in this style all over, unless that is STYLE_PLAIN. */
	size_t marked_row;
	enum style marked;
	/* The rows of what the keys go to, to be kept in sight. */
	size_t focus_row, focus_end;
};

void page_clear(struct page *, size_t width); /* memory kept */
void page_done(struct page *);

/* Starts a row; what is added to it beyond the width is cut with an ellipsis. */
void page_row(struct page *);
void page_add(struct page *, enum style, struct str foreign);
void page_add_text(struct page *, enum style, const char *); /* ours */
/* A text of the catalogue. */
#define PAGE_MSG(p, style, id, ...)                                                      \
	page_add((p), (style), MSG(&(p)->words, (id)__VA_OPT__(, ) __VA_ARGS__))
/* Behind what the row holds, two blanks or " · " between them; nothing of an empty text. */
void page_word(struct page *, enum style, struct str foreign);
void page_dot(struct page *, enum style, struct str foreign);
/* Hints about keys, two blanks between them: those that fit whole. */
void page_hints(struct page *, enum style, struct str hints);
/* Blanks up to this column. */
void page_pad(struct page *, size_t column);
/* A column of a table: the text as far as it fits, and at least a blank up to `end`. */
void page_cell(struct page *, size_t end, enum style, struct str foreign);
void page_gap(struct page *); /* an empty row, unless one stands there already */
void page_heading(struct page *, const char *id); /* a row in bold, with a gap above */
/* Foreign text in rows of its own, broken at blanks, behind `indent` blanks. */
void page_wrap(struct page *, enum style, size_t indent, struct str foreign);
#define PAGE_WRAP(p, style, indent, id, ...)                                             \
	page_wrap((p), (style), (indent),                                                \
		MSG(&(p)->words, (id)__VA_OPT__(, ) __VA_ARGS__))
/* The same in no more than so many rows; what is cut ends with an ellipsis. */
void page_wrap_rows(
	struct page *, enum style, size_t indent, struct str foreign, size_t rows);
/* All of it, without looking for blanks: what is shown as it is, such as a command. */
void page_block(struct page *, enum style, size_t indent, struct str foreign);
/* Text that is being typed, behind what the row holds already; the cursor stands in
 * it. */
void page_line(struct page *, enum style, const struct line *);
void page_mark(struct page *, enum style); /* the last row */
/* From this row on, rows belong to what the keys go to. */
void page_focus(struct page *);
void page_focus_end(struct page *);
/* Starts a row that can be chosen, "▸ " before it; `here`: the keys go to it. */
void page_row_choice(struct page *, bool here);

size_t page_row_runs(const struct page *, size_t row, const struct text_run **out);
struct str page_run_text(const struct page *, const struct text_run *);
#endif
