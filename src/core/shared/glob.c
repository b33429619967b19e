/* glob.c - compares text with patterns of `*` and `?`.
 *
 * The pattern is a row of segments with stars between. The first must stand at the
 * beginning and the last at the end; of each in between the leftmost place is taken, which
 * leaves most text for those after it. So nothing is ever tried twice. */
#include "core/shared/glob.h"

#include "base/utf8.h"

/* One comparison. When a pattern is compared with a pattern (`covers`), a star in the
 * text is any text, and only a star takes that in. */
struct glob {
	struct str text;
	bool covers;
};

static size_t char_len(struct str text, size_t at)
{
	unsigned char c = (unsigned char)text.at[at];
	size_t len = c < 0x80 ? 1 : utf8_length(text.at + at, text.len - at);

	return len ? len : 1;
}

/* Where the segment ends that begins at `at`; -1: it does not fit there. */
static int64_t segment_end(const struct glob *g, struct str segment, size_t at)
{
	for (size_t i = 0; i < segment.len; i++) {
		if (at >= g->text.len) return -1;
		if (segment.at[i] == '?') {
			if (g->covers && g->text.at[at] == '*') return -1;
			at += char_len(g->text, at);
		} else if (segment.at[i] != g->text.at[at++]) {
			return -1;
		}
	}
	return (int64_t)at;
}

/* The end of its leftmost place from `at` on, or -1. */
static int64_t segment_find(const struct glob *g, struct str segment, size_t at)
{
	if (at >= g->text.len) return -1;
	if (!memchr(segment.at, '?', segment.len)) {
		const char *found = memmem(
			g->text.at + at, g->text.len - at, segment.at, segment.len);

		return found ? found - g->text.at + (int64_t)segment.len : -1;
	}
	for (; at < g->text.len; at += char_len(g->text, at)) {
		int64_t end = segment_end(g, segment, at);

		if (end >= 0) return end;
	}
	return -1;
}

/* Where a last segment begins if it ends with the text: as many characters before it. */
static size_t segment_last(const struct glob *g, struct str segment)
{
	size_t at = g->text.len;

	if (!memchr(segment.at, '?', segment.len))
		return segment.len > at ? g->text.len + 1 : at - segment.len;
	for (size_t i = 0; i < segment.len; i += char_len(segment, i)) {
		if (at == 0) return g->text.len + 1;
		size_t start = at - 1;
		while (start > 0 && at - start < 4 &&
			((unsigned char)g->text.at[start] & 0xc0) == 0x80)
			start--;
		at = start + char_len(g->text, start) == at ? start : at - 1;
	}
	return at;
}

static bool pattern_fits(const struct glob *g, struct str pattern)
{
	const char *star = pattern.len ? memchr(pattern.at, '*', pattern.len) : NULL;
	size_t head = star ? (size_t)(star - pattern.at) : pattern.len;
	int64_t at = segment_end(g, str_first(pattern, head), 0);

	if (at < 0) return false;
	if (!star) return (size_t)at == g->text.len;
	for (pattern = str_from(pattern, head + 1); pattern.len > 0;) {
		star = memchr(pattern.at, '*', pattern.len);
		if (!star) {
			size_t start = segment_last(g, pattern);

			return start <= g->text.len && start >= (size_t)at &&
			       segment_end(g, pattern, start) == (int64_t)g->text.len;
		}
		head = (size_t)(star - pattern.at);
		if (head > 0) at = segment_find(g, str_first(pattern, head), (size_t)at);
		if (at < 0) return false;
		pattern = str_from(pattern, head + 1);
	}
	return true;
}

bool glob_fits(struct str pattern, struct str text)
{
	struct glob g = { .text = text };

	return pattern_fits(&g, pattern);
}

bool glob_covers(struct str wide, struct str narrow)
{
	struct glob g = { .text = narrow, .covers = true };

	return pattern_fits(&g, wide);
}

struct str glob_literal(struct str pattern)
{
	size_t len = 0;

	while (len < pattern.len && pattern.at[len] != '*' && pattern.at[len] != '?')
		len++;
	return str_first(pattern, len);
}

bool glob_fits_words(struct str pattern, struct str text)
{
	const char *star = pattern.len ? memchr(pattern.at, '*', pattern.len) : NULL;
	struct str head =
		str_first(pattern, star ? (size_t)(star - pattern.at) : pattern.len);
	struct glob g = { .text = text };

	for (size_t at = 0; at < text.len; at++) {
		if (at > 0 && text.at[at - 1] != ' ' && text.at[at - 1] != '/') continue;
		if (segment_end(&g, head, at) < 0) continue;
		if (glob_fits(pattern, str_from(text, at))) return true;
		/* A later beginning has the same end and less in between. */
		if (star) return false;
	}
	return false;
}

static void pair_add(struct glob_pairs *p, unsigned char a, unsigned char b)
{
	uint32_t n = ((uint32_t)a << 8 | b) * UINT32_C(2654435761) >> 24;

	p->bits[n >> 6] |= UINT64_C(1) << (n & 63);
}

void glob_pairs_text(struct glob_pairs *p, struct str text)
{
	for (size_t i = 1; i < text.len; i++)
		pair_add(p, (unsigned char)text.at[i - 1], (unsigned char)text.at[i]);
}

struct glob_pairs glob_pairs_pattern(struct str pattern)
{
	struct glob_pairs p = { 0 };

	for (size_t i = 1; i < pattern.len; i++) {
		char a = pattern.at[i - 1], b = pattern.at[i];

		if (a != '*' && a != '?' && b != '*' && b != '?')
			pair_add(&p, (unsigned char)a, (unsigned char)b);
	}
	return p;
}
