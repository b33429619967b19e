/* row_cache.h - the rows that the only writer wrote last, as they are in the store.
 *
 * Where nobody else writes, an ask that is answered at once, a session in which one question follows
 * another, or a run with its turns need not be read again. The latest open asks, sessions and working
 * runs are cached, up to ROW_CACHE_BYTES. If cached rows are not reused, caching pauses (see
 * ROW_CACHE_VAIN): in a flood of asks they would push each other out before anybody answers.
 *
 * Invariants:
 * 1. What is here was committed. After any failure, or when the connection is closed, nothing is
 *    here.
 * 2. Texts of what was found stay until row_cache_begin of the next batch, also when the row is
 *    replaced or forgotten meanwhile. */
#ifndef STORE_ROW_CACHE_H
#define STORE_ROW_CACHE_H

#include "store/rows.h"

/* ROW_CACHE_VAIN rows are kept without one that is found; each that is found is worth ROW_CACHE_FOUND.
 * Then a row or two of each ROW_CACHE_AGAINth batch are tried again. */
enum {
	ROW_CACHE_BYTES = 256 * 1024,
	ROW_CACHE_VAIN = 128,
	ROW_CACHE_FOUND = 8,
	ROW_CACHE_AGAIN = 8
};

struct row_cache {
	struct table named; /* record_name → struct row_cache_row */
	struct row_cache_row *oldest, *newest;
	struct row_cache_row *gone; /* until the next batch begins */
	size_t bytes;
	unsigned batches;
	int vain; /* kept lately, less what was found; up to ROW_CACHE_VAIN */
};

void row_cache_begin(struct row_cache *);
/* NULL: not remembered. */
const void *row_cache_find(struct row_cache *, enum record_id, struct str id);
void row_cache_keep(struct row_cache *, const struct rows *); /* after its commit */
void row_cache_clear(struct row_cache *);
void row_cache_done(struct row_cache *);

#endif
