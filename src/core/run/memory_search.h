/* memory_search.h - notes found by words: all of them, in any order, as beginnings, case and accents ignored;
 * what stands in quotes, literally. Pure, so the same on every store. Prefix: memory_. */
#ifndef CORE_MEMORY_SEARCH_H
#define CORE_MEMORY_SEARCH_H

#include "core/run/message.h"

struct memory_query {
	struct str *words; /* folded */
	size_t words_len;
	struct str *literals;
	size_t literals_len;
};

void memory_query_read(struct str q, struct arena *, struct memory_query *out);
/* 0: it does not fit; else the better, the more: whole words before beginnings. `some`: it is enough that some of
 * the words are there, and the more of them, the better. */
int memory_fits(
	const struct memory_query *, const struct memory *, bool some, struct arena *);

/* ---- rows of words: in which of MEMORY_BLOCK notes, by their numbers, a word is ---- */

enum { MEMORY_BLOCK = 256 };

/* The words of a note, folded, each once. */
size_t memory_words(const struct memory *, struct arena *, struct str **out);
/* A note in the row of its block, two letters: no two of them have another one between. */
struct str memory_mark(int64_t n, struct arena *);
size_t memory_marked(const char *mark); /* its place in the block */

#endif
