/* ascii.c - signs and letters in ASCII. */
#include "tui/ascii.h"

#include <stddef.h>

#include "base/str.h"
#include "base/utf8.h"

/* What of the left becomes the sign at the right. */
static const struct {
	const char *points;
	char sign;
} signs[] = {
	{ "▸→›", '>' },
	{ "←‹", '<' },
	{ "↑", '^' },
	{ "↓", 'v' },
	{ "↵", '/' },
	{ "↻", '@' },
	{ "•●", '*' },
	{ "✓", '+' },
	{ "·─–—−", '-' },
	{ "│", '|' },
	{ "…", '~' },
	{ "“”«»", '"' },
	{ "‘’", '\'' },
	{ "×", 'x' },
	{ "\u00a0\u202f", ' ' },
	{ "àâäáãå", 'a' },
	{ "ÀÂÄÁÃÅ", 'A' },
	{ "ç", 'c' },
	{ "Ç", 'C' },
	{ "éèêë", 'e' },
	{ "ÉÈÊË", 'E' },
	{ "îïíì", 'i' },
	{ "ÎÏÍÌ", 'I' },
	{ "ñ", 'n' },
	{ "ôöóòõœ", 'o' },
	{ "ÔÖÓÒÕŒ", 'O' },
	{ "ùûüú", 'u' },
	{ "ÙÛÜÚ", 'U' },
};

char ascii_of(int32_t point)
{
	if (point >= 32 && point < 127) return (char)point;
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		struct str rest = str_of(signs[i].points);

		for (int32_t c; (c = utf8_next(&rest)) >= 0;)
			if (c == point) return signs[i].sign;
	}
	return '?';
}
