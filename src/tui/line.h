/* line.h - text being typed, and where the cursor stands in it. Pure.
 *
 * Invariants: the text is valid UTF-8 of at most LINE_MAX code points, without control
 * characters but line ends; the cursor stands between two clusters. */
#ifndef TUI_LINE_H
#define TUI_LINE_H

#include "base/buf.h"
#include "tui/key.h"

enum { LINE_POINTS_MAX = 10000 };

/* { 0 } is empty and ready. */
struct line {
	struct buf text;
	size_t at; /* of the cursor, in bytes */
};

struct str line_text(const struct line *); /* borrowed until the next key */
bool line_blank(const struct line *);	   /* nothing but white space */
/* Replaces the whole text; the cursor is at its end. Control characters, and what is beyond
 * the limit, are left out. */
void line_set(struct line *, struct str);
/* False: the key edits nothing. `many`: line ends are text. */
bool line_key(struct line *, const struct key *, bool many);
void line_done(struct line *);

#endif
