/* memory_index.c - notes found by their words. Notes of a workspace are numbered, and for each word a row for 256
 * numbers says in which of these notes it is: a search reads these rows, and of the notes only those that it shows. */
#include "desk/run/memory_index.h"

#include "desk/shared/inner.h"

#include <string.h>

/* Notes that are read for a search at most: most of those that fit may be none to be shown. */
enum { READ_MAX = 2000 };
/* Of some words of a message: shorter ones begin too many others. */
enum { BEGINS_BYTES = 4 };

/* ---- written with the note ---- */

static void words_change(struct rows *rows, const struct memory *m, enum sql sql)
{
	struct str *words, mark = memory_mark(m->n, rows->arena);
	size_t len = memory_words(m, rows->arena, &words);

	for (size_t i = 0; i < len; i++)
		rows_word(rows, sql, ARGS(m->ws, words[i], m->n / MEMORY_BLOCK, mark));
}

enum err memory_index_add(struct rows *rows, struct memory *m, struct fault *why)
{
	const struct memory *other = NULL;
	int64_t last = 0;
	enum err e = rows_int(rows, SQL_MEMORY_LAST, ARGS(m->ws), &last, why);

	while (!e && (other = rows_next(rows, RECORD_MEMORIES, other)))
		if (other->ws == m->ws && other->n > last) last = other->n;
	m->n = last + 1;
	if (!e) words_change(rows, m, SQL_MEMORY_WORD_ADD);
	return e;
}

void memory_index_remove(struct rows *rows, const struct memory *m)
{
	words_change(rows, m, SQL_MEMORY_WORD_END);
	words_change(rows, m, SQL_MEMORY_WORD_CUT);
}

enum err memory_index_session(
	struct rows *rows, int64_t ws, struct str session, struct fault *why)
{
	const struct memory *m = NULL;
	enum err e = rows_fetch(
		rows, RECORD_MEMORIES, SQL_MEMORY_OF_SESSION, ARGS(ws, session), why);

	while (!e && (m = rows_next(rows, RECORD_MEMORIES, m)))
		if (m->ws == ws && str_eq(m->session, session))
			memory_index_remove(rows, m);
	return e;
}

/* ---- read ---- */

/* How well notes fit: a byte for each number. */
struct fits {
	uint8_t *sum,
		*now; /* of all words so far; of this one: 1 as a beginning, 2 as a whole word */
	size_t len;
	struct str word;
};

static enum err word_row(void *ctx, const struct row *row, struct fault *why)
{
	struct fits *f = ctx;
	const uint8_t fit = str_eq(row_text(row, 0), f->word) ? 2 : 1;
	const size_t first = (size_t)row_int(row, 1) * MEMORY_BLOCK;
	const struct str marks = row_text(row, 2);

	(void)why;
	for (size_t i = 0; i + 1 < marks.len; i += 2) {
		size_t n = first + memory_marked(marks.at + i);

		if (n < f->len && f->now[n] < fit) f->now[n] = fit;
	}
	return OK;
}

static enum err word_look(struct rows *rows, const struct memory_search *s,
	struct fits *f, struct fault *why)
{
	bool whole = s->some && f->word.len < BEGINS_BYTES;
	struct str upto = whole ? f->word
				: arena_print(rows->arena, "%.*s\xf4\x8f\xbf\xbf",
					  STR_ARGS(f->word));
	enum err e;

	memset(f->now, 0, f->len);
	e = rows_query(
		rows, SQL_MEMORY_WORDS, ARGS(s->ws, f->word, upto), word_row, f, why);
	for (size_t n = 0; n < f->len; n++)
		if (!s->some)
			f->sum[n] = f->sum[n] < f->now[n] ? f->sum[n] : f->now[n];
		else
			f->sum[n] =
				(uint8_t)(f->sum[n] + f->now[n]); /* 64 words, 2 each */
	return e;
}

static enum err words_look(struct rows *rows, const struct memory_search *s,
	struct fits *f, struct fault *why)
{
	int64_t last = 0;
	enum err e = rows_int(rows, SQL_MEMORY_LAST, ARGS(s->ws), &last, why);

	f->len = (size_t)last + 1;
	f->sum = ARENA_ARRAY(rows->arena, uint8_t, f->len);
	f->now = ARENA_ARRAY(rows->arena, uint8_t, f->len);
	if (!e && (!f->sum || !f->now)) e = fail_memory(why);
	if (!e) memset(f->sum, s->some ? 0 : 2, f->len);
	for (size_t i = 0; !e && i < s->query.words_len; i++) {
		f->word = s->query.words[i];
		e = word_look(rows, s, f, why);
	}
	return e;
}

/* ---- the best ---- */

struct best {
	const struct memory_search *of;
	const struct memory **at;
	int *fit;
	size_t len;
	int read; /* notes */
};

/* Into its place, if it has one. */
static void best_put(struct best *b, const struct memory *m, struct arena *arena)
{
	const struct memory_search *s = b->of;
	int fit = memory_fits(&s->query, m, s->some, arena);
	size_t at = b->len;

	if ((!fit && !s->some) || m->ws != s->ws || !s->shown(s->ctx, m)) return;
	while (at &&
		(fit > b->fit[at - 1] ||
			(fit == b->fit[at - 1] && str_cmp(m->id, b->at[at - 1]->id) > 0)))
		at--;
	if (at == s->most) return;
	if (b->len < s->most) b->len++;
	for (size_t i = b->len - 1; i > at; i--) {
		b->at[i] = b->at[i - 1];
		b->fit[i] = b->fit[i - 1];
	}
	b->at[at] = m;
	b->fit[at] = fit;
}

/* Those that fit so well, the newest first, until there are enough. */
static enum err level_take(struct rows *rows, struct best *b, const struct fits *f,
	int fit, struct fault *why)
{
	const uint8_t *at = f->sum + f->len;
	enum err e = OK;

	while (!e && b->len < b->of->most && b->read < READ_MAX &&
		(at = memrchr(f->sum + 1, fit, (size_t)(at - f->sum - 1)))) {
		const struct memory *m;

		e = rows_first(rows, RECORD_MEMORIES, SQL_MEMORY_NUMBERED,
			ARGS(b->of->ws, at - f->sum), &m, why);
		if (e || !m) continue;
		b->read++;
		if (!rows_ended(rows, RECORD_MEMORIES, m->id))
			best_put(b, m, rows->arena);
	}
	return e;
}

/* Without words: the newest, or those in which the literal text is. */
static enum err newest_take(struct rows *rows, struct best *b, struct fault *why)
{
	const struct memory_query *q = &b->of->query;
	const struct memory *m = NULL;
	struct str like = STR_NONE;
	enum err e =
		q->literals_len ? like_read(q->literals[0], rows->arena, &like, why) : OK;

	if (!e)
		e = rows_fetch(rows, RECORD_MEMORIES, SQL_MEMORY_LIST,
			ARGS(b->of->ws, STR("zz"), READ_MAX, STR_NONE, STR_NONE, STR_NONE,
				like),
			why);
	while (!e && (m = rows_next(rows, RECORD_MEMORIES, m)))
		best_put(b, m, rows->arena);
	return e;
}

enum err memory_index_find(struct rows *rows, const struct memory_search *s,
	const struct memory **out, size_t *len, struct fault *why)
{
	struct best b = { s, out, ARENA_ARRAY(rows->arena, int, s->most + 1), 0, 0 };
	const struct memory *m = NULL;
	struct fits f = { 0 };
	enum err e = b.fit ? OK : fail_memory(why);

	if (!e && !s->query.words_len) {
		e = newest_take(rows, &b, why);
	} else if (!e) {
		e = words_look(rows, s, &f, why);
		for (int fit = s->some ? 2 * (int)s->query.words_len : 2;
			!e && fit >= (s->some ? 0 : 1); fit--)
			e = level_take(rows, &b, &f, fit, why);
		/* The words of those that this batch makes are not there yet. */
		while (!e && (m = rows_next(rows, RECORD_MEMORIES, m)))
			if (rows_is_new(m)) best_put(&b, m, rows->arena);
	}
	*len = b.len;
	return e;
}
