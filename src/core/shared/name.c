/* name.c - names that may be had, and names that look alike. */
#include "core/shared/name.h"

#include "base/utf8.h"

/* The reader would see the rest of the line in another order. */
static bool turns_text(int32_t c)
{
	return c == 0x061c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static bool breaks_line(int32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029;
}

static bool is_blank(struct str likeness)
{
	int32_t c;

	while ((c = utf8_next(&likeness)) >= 0)
		if (c != ' ') return false;
	return true;
}

const char *name_flaw(struct str name)
{
	struct buf likeness = { .max = 16384 };
	struct str rest = name;
	bool blank;
	int32_t c;

	while ((c = utf8_next(&rest)) >= 0) {
		if (breaks_line(c)) return "one line, no control characters";
		if (turns_text(c))
			return "no characters that change the direction of writing";
	}
	name_likeness(&likeness, name);
	blank = is_blank(buf_str(&likeness));
	buf_done(&likeness);
	return blank ? "must have a character that can be seen" : NULL;
}

bool name_hides(struct str name)
{
	bool hides = false;

	while (name.len && !hides) {
		struct buf look = { .max = 64 };
		struct str rest = name;

		utf8_next(&rest);
		utf8_fold_look(&look, str_first(name, name.len - rest.len));
		hides = !look.len;
		name = rest;
		buf_done(&look);
	}
	return hides;
}

/* Small letters of other scripts, which their capitals were folded to. Some look alike only as
 * capitals. */
static const struct {
	uint16_t from;
	char to;
} alike[] = {
	/* Latin */
	{ 0x0131, 'i' },
	{ 0x0251, 'a' },
	{ 0x0261, 'g' },
	{ 0x0269, 'i' },
	/* Greek */
	{ 0x03b1, 'a' },
	{ 0x03b2, 'b' },
	{ 0x03b5, 'e' },
	{ 0x03b6, 'z' },
	{ 0x03b7, 'h' },
	{ 0x03b9, 'i' },
	{ 0x03ba, 'k' },
	{ 0x03bc, 'm' },
	{ 0x03bd, 'n' },
	{ 0x03bf, 'o' },
	{ 0x03c1, 'p' },
	{ 0x03c4, 't' },
	{ 0x03c5, 'y' },
	{ 0x03c7, 'x' },
	{ 0x03f2, 'c' },
	{ 0x03f3, 'j' },
	/* Cyrillic */
	{ 0x0430, 'a' },
	{ 0x0432, 'b' },
	{ 0x0435, 'e' },
	{ 0x043a, 'k' },
	{ 0x043c, 'm' },
	{ 0x043d, 'h' },
	{ 0x043e, 'o' },
	{ 0x0440, 'p' },
	{ 0x0441, 'c' },
	{ 0x0442, 't' },
	{ 0x0443, 'y' },
	{ 0x0445, 'x' },
	{ 0x0455, 's' },
	{ 0x0456, 'i' },
	{ 0x0458, 'j' },
	{ 0x04bb, 'h' },
	{ 0x04cf, 'l' },
	{ 0x0501, 'd' },
	{ 0x051b, 'q' },
	{ 0x051d, 'w' },
};

static uint32_t latin_like(int32_t c)
{
	for (size_t i = 0; c >= alike[0].from && i < sizeof alike / sizeof *alike; i++)
		if (alike[i].from == c) return (uint32_t)alike[i].to;
	return c == 0x2800 ? ' ' : (uint32_t)c; /* the empty pattern of Braille */
}

void name_likeness(struct buf *out, struct str name)
{
	struct buf folded = { .max = 16384 };
	struct str rest;
	bool blank =
		true; /* the last one; a row of blanks is one, and none at the ends */
	int32_t c;

	utf8_fold_look(&folded, name);
	rest = buf_str(&folded);
	while ((c = utf8_next(&rest)) >= 0) {
		uint32_t like = latin_like(c);

		if (like == ' ' && blank) continue;
		blank = like == ' ';
		utf8_add(out, like);
	}
	if (blank && out->len) out->len--;
	out->failed |= folded.failed;
	buf_done(&folded);
}
