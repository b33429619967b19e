/* syncer.h - commits whose sync is still owed, and the thread that does it.
 *
 * Under load a batch does not wait for the disk. Its commit is written, its sync is owed, and
 * the writing clerk goes on to the next batch while this thread syncs; one sync covers every
 * commit before it. Until then nobody hears of any of it:
 * 1. While a sync is owed, the replies and news of every batch pass through here, in the order
 *    of the commits.
 * 2. A read that may have seen such a commit waits for its sync.
 * 3. When a sync fails, the outcome of all commits in the queue is unknown. They stay, and the
 *    clerk takes them back.
 * It belongs to one writing clerk. */
#ifndef STORE_SYNCER_H
#define STORE_SYNCER_H

#include "store/clerk.h"

struct syncer;

/* What a batch leaves here. */
struct owed {
	struct owed *next;
	uint64_t number;       /* as syncer_begin gave it */
	void *what;	       /* to sync, as db.h has it; NULL: nothing */
	struct job *jobs[192]; /* smaller batches would write more pages a job */
	size_t len;
	struct job *follower;	/* one more, or NULL */
	struct committed *told; /* or NULL: nothing to tell */
	bool tells; /* there are events, even if `told` is NULL for lack of memory */
	bool later; /* it is not durable before it is synced */
};

enum { OWED_JOBS = sizeof((struct owed *)0)->jobs / sizeof(struct job *) };

struct syncer_hooks {
	void *ctx;
	bool (*sync)(void *what); /* false: it failed; on its thread */
	void (*done)(void *ctx, const struct owed *); /* durable; on its thread */
	void (*failed)(void *ctx);		      /* wakes the clerk */
};

struct syncer *syncer_new(const struct syncer_hooks *, struct fault *why);
struct syncer *syncer_free(
	struct syncer *); /* ends its thread; NULL is fine; returns NULL */

/* ---- for the clerk ---- */

/* Before a COMMIT whose sync is to be owed: room for what it leaves, filled in later. NULL: out
 * of memory. From here on reads wait for it. */
struct owed *syncer_begin(struct syncer *);
/* After it: to be synced, then done. Of one that failed with neither jobs nor news. */
void syncer_put(struct syncer *, struct owed *);
bool syncer_busy(struct syncer *); /* syncs are owed, or their jobs not handed back yet */
size_t syncer_jobs(struct syncer *); /* of those commits */
void syncer_drain(struct syncer *);  /* waits until it is not busy, or failed */
/* After a failure: all there is, oldest first, each to be freed with mem_free; the syncer works
 * again. NULL: it did not fail. */
struct owed *syncer_take_back(struct syncer *);

/* ---- for those who read ---- */

void syncer_await(struct syncer *); /* until all that was begun before is synced */

#endif
