/* tally.h - what this process counted within each minute, until a beat writes it down. Private to
 * desk. Prefix: tallies_. */
#ifndef DESK_TALLY_H
#define DESK_TALLY_H

#include "base/fault.h"
#include "base/str.h"

#include <pthread.h>

enum { TALLIES_MAX = 256, TALLY_WHAT_MAX = 80 };

struct minute_tally {
	int64_t ws, minute_ms, total, bad;
	char what[TALLY_WHAT_MAX];
};

struct tallies {
	pthread_mutex_t lock; /* over all of it */
	struct minute_tally now[TALLIES_MAX];
	size_t len;
	/* Being written; filled only while taken_len is 0. */
	struct minute_tally taken[TALLIES_MAX];
	size_t taken_len;
};

struct rows;

void tallies_init(struct tallies *);
void tallies_done(struct tallies *);
/* Adds what was counted to the rows of this node. */
enum err tallies_write(struct tallies *, struct rows *, struct str node, struct fault *);
void tallies_written(struct tallies *); /* it was committed */

#endif
