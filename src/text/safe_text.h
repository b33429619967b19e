/* safe_text.h - foreign text for a terminal: its width, its wrapping, what fits. */
#ifndef TEXT_SAFE_TEXT_H
#define TEXT_SAFE_TEXT_H

#include "base/safe.h"

/* safe_block_add, each line behind `indent`, and broken at blanks to fit `width` columns (0:
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
