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
/* Replaces all, the cursor at its end. What is no text is left out, and so is what is too
 * much. */
void line_set(struct line *, struct str);
/* False: the key is none of an editor of text. `many`: line ends are text. */
bool line_key(struct line *, const struct key *, bool many);
void line_done(struct line *);

#endif
