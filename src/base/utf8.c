/* utf8.c - RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
#include "base/utf8.h"

#include <stdlib.h>
#include <utf8proc.h>

size_t utf8_length(const char *text, size_t left)
{
	const unsigned char *at = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	size_t len;

	if (left == 0) return 0;
	if (at[0] < 0x80) return 1;
	if (at[0] < 0xc2 || at[0] > 0xf4) return 0;
	len = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	if (left < len) return 0;
	switch (at[0]) {
	case 0xe0: low = 0xa0; break;
	case 0xed: high = 0x9f; break;
	case 0xf0: low = 0x90; break;
	case 0xf4: high = 0x8f; break;
	}
	if (at[1] < low || at[1] > high) return 0;
	for (size_t i = 2; i < len; i++) {
		if ((at[i] & 0xc0) != 0x80) return 0;
	}
	return len;
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
	static const unsigned char lead_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t len = utf8_length(rest->at, rest->len);
	int32_t code_point;

	if (rest->len == 0) return -1;
	if (len == 0) {
		*rest = str_from(*rest, 1);
		return 0xfffd;
	}
	code_point = (unsigned char)rest->at[0] & lead_bits[len];
	for (size_t i = 1; i < len; i++)
		code_point = code_point << 6 | ((unsigned char)rest->at[i] & 0x3f);
	*rest = str_from(*rest, len);
	return code_point;
}

size_t utf8_put(char out[4], uint32_t c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) c = 0xfffd;
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
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
