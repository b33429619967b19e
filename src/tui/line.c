/* line.c - text being typed. */
#include "tui/line.h"

#include <utf8proc.h>

#include "base/utf8.h"
#include "text/safe_text.h"

struct str line_text(const struct line *l)
{
	return buf_str(&l->text);
}

static bool point_blank(int32_t c)
{
	utf8proc_category_t kind = utf8proc_category(c);

	return c == '\n' || c == '\t' || kind == UTF8PROC_CATEGORY_ZS ||
	       kind == UTF8PROC_CATEGORY_ZL || kind == UTF8PROC_CATEGORY_ZP;
}

bool line_blank(const struct line *l)
{
	struct str rest = line_text(l);

	for (int32_t c; (c = utf8_next(&rest)) >= 0;)
		if (!point_blank(c)) return false;
	return true;
}

static bool point_fits(int32_t c)
{
	return c == '\n' || (c >= 0x20 && c != 0x7F && (c < 0x80 || c > 0x9F));
}

/* The start of the cluster that ends at `end`. */
static size_t cluster_before(const struct line *l, size_t end)
{
	struct str text = line_text(l);
	size_t at = 0;

	for (size_t next = 0; next < end;
		next += text_cluster(str_from(text, next), NULL).len)
		at = next;
	return at;
}

/* A letter that joins the cluster before it, or one behind, moves the border. */
static void cursor_settle(struct line *l)
{
	struct str text = line_text(l);
	size_t at = 0;

	while (at < l->at)
		at += text_cluster(str_from(text, at), NULL).len;
	l->at = at;
}

static void part_remove(struct line *l, size_t from, size_t to)
{
	memmove(l->text.at + from, l->text.at + to, l->text.len - to);
	l->text.len -= to - from;
	l->at = from;
	cursor_settle(l);
}

static void point_insert(struct line *l, int32_t c)
{
	char bytes[4];
	size_t len = utf8_put(bytes, (uint32_t)c);

	if (!point_fits(c) || utf8_count(line_text(l)) >= LINE_POINTS_MAX) return;
	if (!buf_reserve(&l->text, len)) {
		l->text.failed = false;
		return;
	}
	memmove(l->text.at + l->at + len, l->text.at + l->at, l->text.len - l->at);
	memcpy(l->text.at + l->at, bytes, len);
	l->text.len += len;
	l->at += len;
	/* Plain letters join nothing; a long paste would otherwise be looked through anew
	 * for each of them. */
	if (c >= 0x300 || (l->at < l->text.len && l->text.at[l->at] & 0x80))
		cursor_settle(l);
}

void line_set(struct line *l, struct str text)
{
	size_t points = 0;

	buf_clear(&l->text);
	for (int32_t c; points < LINE_POINTS_MAX && (c = utf8_next(&text)) >= 0;)
		if (point_fits(c)) utf8_add(&l->text, (uint32_t)c), points++;
	l->text.failed = false;
	l->at = l->text.len;
}

/* The border of the line that the cursor is in. */
static size_t row_start(const struct line *l)
{
	size_t at = l->at;

	while (at > 0 && l->text.at[at - 1] != '\n')
		at--;
	return at;
}

static size_t row_end(const struct line *l)
{
	size_t at = l->at;

	while (at < l->text.len && l->text.at[at] != '\n')
		at++;
	return at;
}

static size_t word_start(const struct line *l)
{
	size_t at = l->at;

	while (at > 0 && l->text.at[at - 1] == ' ')
		at--;
	while (at > 0 && l->text.at[at - 1] != ' ' && l->text.at[at - 1] != '\n')
		at--;
	return at;
}

static size_t cluster_after(const struct line *l)
{
	return l->at + text_cluster(str_from(line_text(l), l->at), NULL).len;
}

bool line_key(struct line *l, const struct key *k, bool many)
{
	switch (k->name) {
	case K_CHAR: point_insert(l, k->point); return true;
	case K_NEW_LINE: point_insert(l, many ? '\n' : ' '); return true;
	case K_LEFT: l->at = cluster_before(l, l->at); return true;
	case K_RIGHT: l->at = cluster_after(l); return true;
	case K_HOME: l->at = row_start(l); return true;
	case K_END: l->at = row_end(l); return true;
	case K_BACKSPACE:
		if (l->at > 0) part_remove(l, cluster_before(l, l->at), l->at);
		return true;
	case K_DELETE:
		if (l->at < l->text.len) part_remove(l, l->at, cluster_after(l));
		return true;
	case K_ERASE_WORD:
		if (l->at > 0) part_remove(l, word_start(l), l->at);
		return true;
	case K_ERASE_LINE:
		if (l->at > 0) part_remove(l, row_start(l), l->at);
		return true;
	default: return false;
	}
}

void line_done(struct line *l)
{
	buf_done(&l->text);
	l->at = 0;
}
