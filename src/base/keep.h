/* keep.h - what was written into a buffer, kept in an arena. Prefix: buf_. */
#ifndef BASE_KEEP_H
#define BASE_KEEP_H

#include "base/arena.h"
#include "base/buf.h"

/* The buffer's text in the arena, NUL-terminated. STR_NONE when either gave out; the arena
 * has failed then. The buffer is left as it is, buf_keep_done's without memory. */
struct str buf_keep(const struct buf *, struct arena *);
struct str buf_keep_done(struct buf *, struct arena *);

#endif
