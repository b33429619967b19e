/* keep.c - what was written into a buffer, kept in an arena. */
#include "base/keep.h"

struct str buf_keep(const struct buf *b, struct arena *a)
{
	if (!b->failed) return arena_str(a, buf_str(b));
	a->failed = true;
	return STR_NONE;
}

struct str buf_keep_done(struct buf *b, struct arena *a)
{
	struct str kept = buf_keep(b, a);

	buf_done(b);
	return kept;
}
