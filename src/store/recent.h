/* recent.h - the rows that the only writer wrote last, as they are in the store.
 *
 * Where nobody else writes, an ask that is answered at once, or a session in which one question
 * follows another, or a run with its turns, need not be read again. Open asks, sessions that have not
 * ended and runs that are worked on are remembered, the latest of them, within RECENT_BYTES. Where nobody comes for them they are not:
 * in a flood of asks they would push each other out before anybody answers.
 *
 * Invariants:
 * 1. What is here was committed. After any failure, or when the connection is closed, nothing is
 *    here.
 * 2. Texts of what was found stay until recent_begin of the next batch, also when the row is
 *    replaced or forgotten meanwhile. */
#ifndef STORE_RECENT_H
#define STORE_RECENT_H

#include "store/rows.h"

/* RECENT_VAIN rows are kept without one that is found; each that is found is worth RECENT_FOUND.
 * Then a row or two of each RECENT_AGAINth batch are tried again. */
enum { RECENT_BYTES = 256 * 1024, RECENT_VAIN = 128, RECENT_FOUND = 8, RECENT_AGAIN = 8 };

struct recent_rows {
	struct table named; /* record_name → struct recent_row */
	struct recent_row *oldest, *newest;
	struct recent_row *gone; /* until the next batch begins */
	size_t bytes;
	unsigned batches;
	int vain; /* kept lately, less what was found; up to RECENT_VAIN */
};

void recent_begin(struct recent_rows *);
/* NULL: not remembered. */
const void *recent_find(struct recent_rows *, enum record_id, struct str id);
void recent_keep(struct recent_rows *, const struct rows *); /* after its commit */
void recent_clear(struct recent_rows *);
void recent_done(struct recent_rows *);

#endif
