/* feed.h - who is to be told of committed events: parked waiters and live streams.
 *
 * One feed a loop, used on that loop's thread only. It owns the lists, not what is in
 * them. A batch is passed on directly only if its first number follows the last one told;
 * otherwise every stream of that workspace must read the log from its own cursor, and
 * every waiter must look at its ask. Of what happened on another node nothing is shown:
 * its waiter looks, too. */
#ifndef DESK_FEED_H
#define DESK_FEED_H

#include "base/id.h"
#include "base/table.h"
#include "store/clerk.h"

/* Waits for news of one ask. Park first, then read the ask, so that no wake-up is
 * missed. */
struct waiter {
	struct waiter *next; /* of the same bucket */
	/* What was told of it, with the ask as it now is; NULL: look at it. The waiter is no
	 * longer parked. */
	void (*wake)(struct waiter *, const struct committed_event *);
	bool parked;
	char ask[ID_SIZE]; /* what it waits for, or waited for last */
};

/* Follows the log. While it catches up it is not live, and is not told. */
struct follower {
	struct follower *next, *prev;
	int64_t ws;
	int64_t seen; /* the last number that was sent or passed over */
	bool live;
	/* The events after `seen` of what was told, which is the last of them now. */
	void (*told)(struct follower *, const struct committed_event *, size_t len);
	void (*lost)(struct follower *); /* no longer live: read the log from `seen` */
};

struct feed {
	struct waiter **buckets;   /* of parked waiters, by the hash of their ask */
	size_t buckets_len;	   /* a power of two, or 0 */
	struct table workspaces;   /* number → struct feed_place */
	struct feed_place *recent; /* the one looked up last */
	uint64_t batch;		   /* that was told last; 0: something was lost since */
	struct follower *followers;
	size_t waiters, followers_len;
};

bool feed_park(struct feed *, struct waiter *, struct str ask); /* false: out of memory */
void feed_unpark(struct feed *, struct waiter *);		/* fine when not parked */
/* Takes out the waiters that fit, then calls `out` for each of them: it is no longer
 * parked. */
void feed_expel(struct feed *, bool (*fits)(const struct waiter *, void *ctx), void *ctx,
	void (*out)(struct waiter *));
void feed_follow(struct feed *, struct follower *); /* not live yet */
void feed_unfollow(struct feed *, struct follower *);
/* It has read up to `seen`. True: it is live now. False: there is more to read. */
bool feed_live(struct feed *, struct follower *);
/* NULL: something was lost. Waiters are told before streams: an agent is blocked on them. */
void feed_tell(struct feed *, const struct committed *);
/* The log of this workspace ends there, whatever was told before. */
void feed_back(struct feed *, int64_t ws, int64_t end);
void feed_done(struct feed *);

#endif
