/* safe.c - foreign text made harmless. */
#include "base/safe.h"

#include <utf8proc.h>

#include "base/keep.h"
#include "base/utf8.h"

/* Invisible or reordering, though no control characters: first and last of each range. */
static const struct {
	int32_t first, last;
} veiled[] = {
	{ 0x00AD, 0x00AD },			/* soft hyphen */
	{ 0x034F, 0x034F },			/* grapheme joiner */
	{ 0x061C, 0x061C },			/* Arabic letter mark */
	{ 0x115F, 0x1160 },			/* Hangul fillers */
	{ 0x17B4, 0x17B5 }, { 0x180B, 0x180F }, /* Mongolian selectors */
	{ 0x200B, 0x200F },			/* zero width, direction marks */
	{ 0x2028, 0x202E },			/* separators, direction */
	{ 0x2060, 0x206F },			/* joiners, isolates */
	{ 0x3164, 0x3164 },
	{ 0xFE00, 0xFE0E }, /* selectors; FE0F makes an emoji and stays */
	{ 0xFEFF, 0xFEFF }, { 0xFFA0, 0xFFA0 }, { 0xFFF9, 0xFFFB },
	{ 0x1F1E6, 0x1F1FF }, /* flags and skin tones: no two terminals agree */
	{ 0x1F3FB, 0x1F3FF }, { 0xE0000, 0xE0FFF }, /* tags, more selectors */
};

static bool point_veiled(int32_t c)
{
	for (size_t i = 0; i < sizeof veiled / sizeof *veiled; i++)
		if (c >= veiled[i].first && c <= veiled[i].last) return true;
	return false;
}

/* More marks than this on one letter run into the lines around it. */
enum { MARKS_MAX = 4 };

/* `marks` counts those that stand on the letter so far. */
static void point_add(struct buf *out, int32_t c, int *marks)
{
	bool mark = c >= 0x300 && utf8proc_charwidth(c) <= 0;

	*marks = mark ? *marks + 1 : 0;
	if (c < 0x20 || c == 0x7F) {
		buf_add_char(out, '^');
		buf_add_char(out, (char)(c ^ 0x40));
	} else if ((c >= 0x80 && c < 0xA0) || point_veiled(c) || *marks > MARKS_MAX) {
		buf_print(out, "‹U+%04X›", (unsigned)c);
	} else {
		utf8_add(out, (uint32_t)c);
	}
}

void safe_line_add(struct buf *out, struct str text)
{
	int marks = 0;

	for (int32_t c; (c = utf8_next(&text)) >= 0;)
		point_add(out, c, &marks);
}

struct str safe_line(struct arena *arena, struct str text)
{
	struct buf safe = { 0 };

	safe_line_add(&safe, text);
	return buf_keep_done(&safe, arena);
}

void safe_block_add(struct buf *out, struct str text)
{
	int marks = 0;

	for (int32_t c; (c = utf8_next(&text)) >= 0;) {
		if (c == '\r' && text.len > 0 && text.at[0] == '\n') continue;
		if (c == '\n' || c == '\t')
			buf_add_char(out, (char)c);
		else
			point_add(out, c, &marks);
	}
}
