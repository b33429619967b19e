/* safe.h - foreign text made harmless and honest for people to read.
 *
 * Control bytes are shown as ^[ and the like, direction marks, zero-width and tag
 * characters as U+202E, bytes that are no UTF-8 as U+FFFD: nothing can move the cursor,
 * hide or reorder what a person reads. Likewise what terminals disagree about: flags,
 * skin tones, a fifth mark on one letter. */
#ifndef BASE_SAFE_H
#define BASE_SAFE_H

#include "base/arena.h"
#include "base/buf.h"

void safe_line_add(struct buf *, struct str); /* line ends are shown as ^J: one line */
struct str safe_line(struct arena *, struct str);
void safe_block_add(struct buf *, struct str); /* line ends and tabs are kept */

#endif
