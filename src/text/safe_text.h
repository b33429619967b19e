/* safe_text.h - foreign text made harmless and honest for a terminal.
 *
 * Control bytes are shown as ^[ and the like, direction marks, zero-width and tag
 * characters as U+202E, bytes that are no UTF-8 as U+FFFD: nothing can move the cursor,
 * hide or reorder what a person reads. Likewise what terminals disagree about: flags,
 * skin tones, a fifth mark on one letter. */
#ifndef TEXT_SAFE_TEXT_H
#define TEXT_SAFE_TEXT_H

#include "base/arena.h"
#include "base/buf.h"

void safe_line_add(struct buf *, struct str); /* line ends are shown as ^J: one line */
struct str safe_line(struct arena *, struct str);
void safe_block_add(struct buf *, struct str); /* line ends and tabs are kept */
/* The same, each line behind `indent`, and broken at blanks to fit `width` columns (0:
 * not broken). Ends with a line end. */
void safe_wrap_add(struct buf *, struct str, const char *indent, size_t width);
/* The first thing in a text that a reader takes for one letter; empty at its end. `width`
 * (may be NULL): its columns. */
struct str text_cluster(struct str, size_t *width);
size_t text_width(struct str); /* columns on a terminal, of safe text */
/* The longest start that fits into `width` columns; at least one cluster. */
struct str text_head(struct str, size_t width);
/* What fits into `width` columns; the last is '…' when something was cut. */
void text_fit_add(struct buf *, struct str safe, size_t width);

#endif
