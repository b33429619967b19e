/* safe_text.h - foreign text made harmless and honest for a terminal.
 *
 * Control bytes are shown as ^[ and the like, direction marks, zero-width and tag
 * characters as U+202E, bytes that are no UTF-8 as U+FFFD: nothing can move the cursor,
 * hide or reorder what a person reads. */
#ifndef CLI_SAFE_TEXT_H
#define CLI_SAFE_TEXT_H

#include "base/arena.h"
#include "base/buf.h"

void safe_line_add(struct buf *, struct str); /* line ends are shown as ^J: one line */
struct str safe_line(struct arena *, struct str);
void safe_block_add(struct buf *, struct str); /* line ends and tabs are kept */
/* The same, each line behind `indent`, and broken at blanks to fit `width` columns (0:
 * not broken). Ends with a line end. */
void safe_wrap_add(struct buf *, struct str, const char *indent, size_t width);
size_t text_width(struct str); /* columns on a terminal, of safe text */
/* What fits into `width` columns; the last is '…' when something was cut. */
void text_fit_add(struct buf *, struct str safe, size_t width);

#endif
