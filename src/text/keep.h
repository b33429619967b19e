/* keep.h - what was written into a buffer, kept in an arena. */
#ifndef TEXT_KEEP_H
#define TEXT_KEEP_H

#include "base/arena.h"
#include "base/buf.h"

/* Empties the buffer. NUL-terminated; `at` is NULL when either ran out of memory. */
static inline struct str buf_keep(struct buf *from, struct arena *arena)
{
	struct str kept =
		from->failed ? STR_NONE : str_of(arena_copy(arena, buf_str(from)));

	buf_done(from);
	return kept;
}

#endif
