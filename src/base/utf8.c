/* utf8.c - RFC 3629 by utf8proc: no overlong forms, no surrogates, nothing above U+10FFFF. */
#include "base/utf8.h"

#include <stdlib.h>
#include <utf8proc.h>

/* The code point at the front, and how many bytes it takes; 0: there is none. */
static size_t point_read(struct str s, int32_t *out)
{
	utf8proc_ssize_t n = utf8proc_iterate(
		(const utf8proc_uint8_t *)s.at, (utf8proc_ssize_t)s.len, out);

	return n > 0 ? (size_t)n : 0;
}

size_t utf8_length(const char *text, size_t left)
{
	int32_t point;

	return point_read(str_make(text, left), &point);
}

bool utf8_valid(struct str s)
{
	for (size_t i = 0; i < s.len;) {
		size_t len = utf8_length(s.at + i, s.len - i);

		if (len == 0) return false;
		i += len;
	}
	return true;
}

static bool is_start(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t utf8_count(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += is_start(s.at[i]);
	return n;
}

struct str utf8_first(struct str s, size_t n)
{
	for (size_t i = 0; i < s.len; i++) {
		if (is_start(s.at[i]) && n-- == 0) return str_first(s, i);
	}
	return s;
}

struct str utf8_fit(struct str text, size_t n)
{
	if (n >= text.len) return text;
	while (n && !is_start(text.at[n]))
		n--;
	return str_first(text, n);
}

int32_t utf8_next(struct str *rest)
{
	int32_t point;
	size_t len = point_read(*rest, &point);

	if (rest->len == 0) return -1;
	*rest = str_from(*rest, len ? len : 1);
	return len ? point : 0xfffd;
}

size_t utf8_put(char out[4], uint32_t c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) c = 0xfffd;
	return (size_t)utf8proc_encode_char((int32_t)c, (utf8proc_uint8_t *)out);
}

void utf8_add(struct buf *b, uint32_t code_point)
{
	char bytes[4];

	buf_add(b, str_make(bytes, utf8_put(bytes, code_point)));
}

/* The ASCII at the front of *rest, folded; what is left starts with another byte. */
static void fold_ascii(struct buf *b, struct str *rest)
{
	size_t n = 0;

	if (!buf_reserve(b, rest->len)) return;
	for (; n < rest->len && (unsigned char)rest->at[n] < 0x80; n++) {
		char c = rest->at[n];

		b->at[b->len++] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
	}
	*rest = str_from(*rest, n);
}

void utf8_fold(struct buf *b, struct str s)
{
	utf8proc_int32_t folded[8];
	int boundary = 0;

	while (s.len && !b->failed) {
		utf8proc_ssize_t n;

		fold_ascii(b, &s);
		if (s.len == 0) return;
		n = utf8proc_decompose_char(
			utf8_next(&s), folded, 8, UTF8PROC_CASEFOLD, &boundary);
		for (utf8proc_ssize_t i = 0; i < n && i < 8; i++)
			utf8_add(b, (uint32_t)folded[i]);
	}
}

void utf8_fold_look(struct buf *b, struct str s)
{
	utf8proc_uint8_t *folded = NULL;
	utf8proc_ssize_t len;
	struct str rest = s;
	size_t start = b->len;

	fold_ascii(b, &rest);
	if (!rest.len || b->failed) return;
	b->len = start;
	len = utf8proc_map((const utf8proc_uint8_t *)s.at, (utf8proc_ssize_t)s.len,
		&folded,
		UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT |
			UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);

	if (len < 0)
		b->failed = true;
	else
		buf_add(b, str_make((const char *)folded, (size_t)len));
	free(folded); /* utf8proc's own, of malloc */
}
