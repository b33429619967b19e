/* memory_search.c - which notes fit the words of a query. */
#include "core/run/memory_search.h"

#include "base/keep.h"
#include "base/utf8.h"

#include <stdlib.h>

enum { WORDS_MAX = 64, WORD_BYTES = 128 };

static bool mark_is(int32_t c)
{
	return (c >= 0x300 && c <= 0x36f) || (c >= 0x1ab0 && c <= 0x1aff) ||
	       (c >= 0x1dc0 && c <= 0x1dff) || (c >= 0x20d0 && c <= 0x20ff);
}

static bool letter_is(int32_t c)
{
	if (c < 0x80)
		return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		       (c >= 'A' && c <= 'Z');
	return c >= 0xc0 && !(c >= 0x2000 && c <= 0x206f) &&
	       !(c >= 0x3000 && c <= 0x303f) && c != 0xfffd;
}

/* Words, folded, a blank before and behind each. */
static void words_add(struct buf *out, struct str text)
{
	struct buf folded = { 0 };
	struct str rest;
	int32_t c;
	bool in = false;

	utf8_fold_look(&folded, text);
	rest = buf_str(&folded);
	if (!out->len) buf_add_char(out, ' ');
	while ((c = utf8_next(&rest)) >= 0) {
		if (mark_is(c)) continue;
		if (letter_is(c))
			utf8_add(out, (uint32_t)c);
		else if (in)
			buf_add_char(out, ' ');
		in = letter_is(c);
	}
	if (in) buf_add_char(out, ' ');
	buf_done(&folded);
}

void memory_query_read(struct str q, struct arena *arena, struct memory_query *out)
{
	struct buf plain = { 0 }, words = { 0 };
	struct str rest = q, part, text, word;

	*out = (struct memory_query){ .words = ARENA_ARRAY(arena, struct str, WORDS_MAX),
		.literals = ARENA_ARRAY(arena, struct str, WORDS_MAX) };
	/* Every second part stood in quotes. */
	for (bool quoted = false; str_cut(&rest, '"', &part); quoted = !quoted) {
		if (!quoted) {
			buf_add(&plain, part);
			buf_add_char(&plain, ' ');
		} else if (part.len && out->literals && out->literals_len < WORDS_MAX) {
			out->literals[out->literals_len++] = arena_str(arena, part);
		}
	}
	words_add(&words, buf_str(&plain));
	text = buf_keep_done(&words, arena);
	while (out->words && str_cut(&text, ' ', &word))
		if (word.len && out->words_len < WORDS_MAX)
			out->words[out->words_len++] = utf8_fit(word, WORD_BYTES);
	buf_done(&plain);
}

/* 0: not there, 1: as a beginning, 2: as a whole word. */
static int word_fits(struct str words, struct str word, struct arena *arena)
{
	struct str whole = arena_print(arena, " %.*s ", STR_ARGS(word));

	if (str_find(words, whole) >= 0) return 2;
	return str_find(words, str_first(whole, whole.len - 1)) >= 0;
}

int memory_fits(const struct memory_query *q, const struct memory *m, bool some,
	struct arena *arena)
{
	struct buf b = { 0 };
	struct str words;
	int sum = 0, worst = 2;

	for (size_t i = 0; i < q->literals_len; i++)
		if (str_find(m->text, q->literals[i]) < 0 &&
			str_find(m->tags, q->literals[i]) < 0)
			return 0;
	words_add(&b, m->text);
	words_add(&b, m->tags);
	words = buf_keep_done(&b, arena);
	for (size_t i = 0; i < q->words_len; i++) {
		int fit = word_fits(words, q->words[i], arena);

		if (!fit && !some) return 0;
		if (fit < worst) worst = fit;
		sum += fit;
	}
	return some ? sum : worst;
}

/* ---- rows of words ---- */

static int word_compare(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

size_t memory_words(const struct memory *m, struct arena *arena, struct str **out)
{
	struct buf b = { 0 };
	struct str text, word;
	size_t len = 0, kept = 0;

	words_add(&b, m->text);
	words_add(&b, m->tags);
	text = buf_keep_done(&b, arena);
	*out = ARENA_ARRAY(arena, struct str, text.len / 2 + 1);
	while (*out && str_cut(&text, ' ', &word))
		if (word.len) (*out)[len++] = utf8_fit(word, WORD_BYTES);
	if (len) qsort(*out, len, sizeof **out, word_compare);
	for (size_t i = 0; i < len; i++)
		if (!kept || !str_eq((*out)[i], (*out)[kept - 1]))
			(*out)[kept++] = (*out)[i];
	return kept;
}

struct str memory_mark(int64_t n, struct arena *arena)
{
	int at = (int)(n % MEMORY_BLOCK);

	return arena_print(arena, "%c%c", 'A' + at / 16, 'a' + at % 16);
}

size_t memory_marked(const char *mark)
{
	return (size_t)(mark[0] - 'A') * 16 + (size_t)(mark[1] - 'a');
}
