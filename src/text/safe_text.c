/* safe_text.c - foreign text made harmless for a terminal, its width and its wrapping. */
#include "text/safe_text.h"

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

static size_t point_width(int32_t c)
{
	int width = c < 0x20 ? 0 : utf8proc_charwidth(c);

	return width > 0 ? (size_t)width : 0;
}

/* More marks than this on one letter run into the lines around it. */
enum { MARKS_MAX = 4 };

/* `marks` counts those that stand on the letter so far. */
static void point_add(struct buf *out, int32_t c, int *marks)
{
	bool mark = c >= 0x300 && point_width(c) == 0;

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

struct str text_cluster(struct str text, size_t *width)
{
	struct str rest = text;
	utf8proc_int32_t state = 0;
	int32_t before = utf8_next(&rest), next;
	size_t len = text.len - rest.len, columns = before < 0 ? 0 : point_width(before);

	while ((next = utf8_next(&rest)) >= 0 &&
		!utf8proc_grapheme_break_stateful(before, next, &state)) {
		len = text.len - rest.len;
		columns += point_width(next);
		before = next;
	}
	if (width) *width = columns;
	return str_first(text, len);
}

size_t text_width(struct str text)
{
	size_t width = 0;

	for (int32_t c; (c = utf8_next(&text)) >= 0;)
		width += point_width(c);
	return width;
}

struct str text_head(struct str text, size_t width)
{
	size_t used = 0, len = 0, columns;

	while (len < text.len) {
		struct str cluster = text_cluster(str_from(text, len), &columns);

		used += columns;
		if (used > width && len > 0) break;
		len += cluster.len;
	}
	return str_first(text, len);
}

void text_fit_add(struct buf *out, struct str safe, size_t width)
{
	if (width == 0) return;
	if (text_width(safe) <= width) {
		buf_add(out, safe);
	} else {
		struct str head = text_head(safe, width - 1);

		if (text_width(head) < width) buf_add(out, head);
		buf_add(out, STR("…"));
	}
}

/* How much of a line goes on this row: up to the last blank that fits. */
static size_t row_len(struct str line, size_t width)
{
	size_t len = text_head(line, width).len;

	if (len >= line.len || line.at[len] == ' ') return len;
	for (size_t i = len; i > 0; i--)
		if (line.at[i - 1] == ' ') return i;
	return len;
}

static void line_wrap(struct buf *out, struct str line, const char *indent, size_t width)
{
	size_t margin = text_width(str_of(indent));
	size_t room = width > margin + 20 ? width - margin : 20;

	do {
		size_t len = width == 0 ? line.len : row_len(line, room);

		struct str row = str_first(line, len);

		line = str_from(line, len);
		while (width > 0 && row.len > 0 && row.at[row.len - 1] == ' ')
			row.len--;
		buf_add_text(out, indent);
		buf_add(out, row);
		buf_add_char(out, '\n');
		while (width > 0 && line.len > 0 && line.at[0] == ' ')
			line = str_from(line, 1);
	} while (line.len > 0);
}

void safe_wrap_add(struct buf *out, struct str text, const char *indent, size_t width)
{
	struct buf safe = { 0 };
	struct str rest, line;

	safe_block_add(&safe, text);
	rest = buf_str(&safe);
	while (str_cut(&rest, '\n', &line))
		line_wrap(out, line, indent, width);
	out->failed |= safe.failed;
	buf_done(&safe);
}
