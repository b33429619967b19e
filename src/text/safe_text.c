/* safe_text.c - foreign text for a terminal: its width and its wrapping. */
#include "text/safe_text.h"

#include <utf8proc.h>

#include "base/utf8.h"

static size_t point_width(int32_t c)
{
	int width = c < 0x20 ? 0 : utf8proc_charwidth(c);

	return width > 0 ? (size_t)width : 0;
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
