/* memory_index.h - notes found by their words, however many there are. Prefix: memory_index_. */
#ifndef DESK_MEMORY_INDEX_H
#define DESK_MEMORY_INDEX_H

#include "core/run/memory_search.h"
#include "store/rows.h"

/* Gives a new note its number, and writes its words with it. */
enum err memory_index_add(struct rows *, struct memory *, struct fault *);
/* Of a note that is deleted in this batch, and of all that go with a session. */
void memory_index_remove(struct rows *, const struct memory *);
enum err memory_index_session(
	struct rows *, int64_t ws, struct str session, struct fault *);

struct memory_search {
	int64_t ws;
	struct memory_query query;
	bool some; /* some of the words are enough, or none: the best, then the newest */
	bool (*shown)(void *ctx, const struct memory *); /* is it to be found at all? */
	void *ctx;
	size_t most;
};

/* The best, then the newest; `out` has room for `most`. */
enum err memory_index_find(struct rows *, const struct memory_search *,
	const struct memory **out, size_t *len, struct fault *);

#endif
