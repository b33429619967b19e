/* told.h - committed events on their way to whoever listens. */
#ifndef STORE_TOLD_H
#define STORE_TOLD_H

#include "store/kept_ask.h"
#include "store/rows.h"

struct told_event {
	struct event event;
	/* The ask as it now is, for whoever waits for it; NULL: it did not end, or look at it. */
	const struct kept_ask *ask;
	bool lone; /* its session was made for this ask, and ended with it */
	/* How often somebody of its workspace had lost a right by then: whatever was shown
	 * since then is for those who still have theirs. */
	int64_t revocations;
};

/* Counted; shared between threads. */
struct told {
	int refs;	/* atomic */
	uint64_t batch; /* as job.batch of its jobs; 0: of none here */
	bool elsewhere; /* read from the log: nothing is shown, asks must be looked at */
	size_t len;
	struct told_event events[];
};

struct told *told_new(const struct staged *first, size_t len); /* NULL: out of memory */
struct told *told_hold(struct told *);
struct told *told_drop(struct told *); /* NULL is fine; returns NULL */

#endif
