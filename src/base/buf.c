/* buf.c - grows by doubling, never beyond max. */
#include "base/buf.h"

#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

enum { FIRST_CAP = 256, DEFAULT_MAX = 64 * 1024 * 1024 };

static bool refuse(struct buf *b)
{
	b->failed = true;
	return false;
}

bool buf_grow(struct buf *b, size_t more)
{
	size_t max = b->max ? b->max : DEFAULT_MAX;
	size_t cap = b->cap ? b->cap : FIRST_CAP;
	char *at;

	if (b->len > max || more > max - b->len || max == SIZE_MAX) return refuse(b);
	if (cap > max) cap = max + 1;
	while (cap - 1 < b->len + more)
		cap = cap > max / 2 ? max + 1 : cap * 2;
	at = mem_grow(b->at, cap);
	if (!at) return refuse(b);
	b->at = at;
	b->cap = cap;
	return true;
}

void buf_set(struct buf *b, struct str s)
{
	buf_clear(b);
	buf_add(b, s);
}

void buf_add_text(struct buf *b, const char *text)
{
	buf_add(b, str_of(text));
}

void buf_add_int(struct buf *b, int64_t value)
{
	char digits[24];
	size_t at = sizeof digits;
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (value < 0) digits[--at] = '-';
	buf_add(b, str_make(digits + at, sizeof digits - at));
}

void buf_print(struct buf *b, const char *format, ...)
{
	va_list args;
	int len;

	if (!buf_reserve(b, 0)) return;
	va_start(args, format);
	len = vsnprintf(b->at + b->len, b->cap - b->len, format, args);
	va_end(args);
	if (len >= 0 && (size_t)len < b->cap - b->len) {
		b->len += (size_t)len;
		return;
	}
	if (len < 0) {
		b->failed = true;
		return;
	}
	if (!buf_reserve(b, (size_t)len)) return;
	va_start(args, format);
	vsnprintf(b->at + b->len, b->cap - b->len, format, args);
	va_end(args);
	b->len += (size_t)len;
}

void buf_drop(struct buf *b, size_t n)
{
	assert(n <= b->len);
	if (n == 0) return;
	b->len -= n;
	memmove(b->at, b->at + n, b->len);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->failed = false;
}

void buf_done(struct buf *b)
{
	mem_free(b->at);
	*b = (struct buf){ .max = b->max };
}

struct str buf_str(const struct buf *b)
{
	return str_make(b->at, b->len);
}

const char *buf_text(struct buf *b)
{
	if (!b->at && !buf_reserve(b, 0)) return "";
	b->at[b->len] = '\0';
	return b->at;
}
