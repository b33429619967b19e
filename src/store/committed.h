/* committed.h - committed events on their way to whoever listens. */
#ifndef STORE_COMMITTED_H
#define STORE_COMMITTED_H

#include "store/kept_ask.h"
#include "store/rows.h"

struct committed_event {
	struct event event;
	/* The ask as it now is, for whoever waits for it; NULL: it did not end, or look at it. */
	const struct kept_ask *ask;
	bool lone; /* its session was made for this ask, and ended with it */
	/* How often somebody of its workspace had lost a right by then: whatever was shown
	 * since then is for those who still have theirs. */
	int64_t revocations;
};

/* Counted; shared between threads. */
struct committed {
	int refs;	/* atomic */
	uint64_t batch; /* as job.batch of its jobs; 0: of none here */
	bool elsewhere; /* read from the log: nothing is shown, asks must be looked at */
	size_t len;
	struct committed_event events[];
};

struct committed *committed_new(
	const struct staged *first, size_t len); /* NULL: out of memory */
struct committed *committed_hold(struct committed *);
struct committed *committed_drop(struct committed *); /* NULL is fine; returns NULL */

#endif
