/* buf.h - owned text that grows up to a declared maximum. Failure is sticky. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"

/* { .max = N } is an empty buffer, ready. When full or out of memory `failed` is set,
 * further writes do nothing, and what is there stays. */
struct buf {
	char *at;
	size_t len;
	size_t cap;
	size_t max; /* 0: 64 MiB */
	bool failed;
};

bool buf_grow(struct buf *, size_t more); /* buf_reserve's slow way */

/* Room for `more` bytes and a NUL. Invariant: cap is 0, or len < cap. */
static inline bool buf_reserve(struct buf *b, size_t more)
{
	if (b->failed) return false;
	return (b->cap && more < b->cap - b->len) || buf_grow(b, more);
}

static inline void buf_add(struct buf *b, struct str s)
{
	if (s.len == 0 || !buf_reserve(b, s.len)) return;
	memcpy(b->at + b->len, s.at, s.len);
	b->len += s.len;
}

static inline void buf_add_char(struct buf *b, char c)
{
	if (!buf_reserve(b, 1)) return;
	b->at[b->len++] = c;
}

void buf_set(struct buf *, struct str);	       /* that alone, and not failed before */
void buf_add_text(struct buf *, const char *); /* NUL-terminated */
void buf_add_int(struct buf *, int64_t);
void buf_print(struct buf *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void buf_drop(struct buf *, size_t n);	/* drops n bytes from the front */
void buf_clear(struct buf *);		/* empty, not failed, memory kept */
void buf_done(struct buf *);		/* frees; empty, not failed */
struct str buf_str(const struct buf *); /* borrowed until the next write */
const char *buf_text(struct buf *);	/* NUL-terminated; "" when failed so early */

#endif
