/* inner.h - what the files of channel share: the deliverer, and a claimed delivery. */
#ifndef CHANNEL_INNER_H
#define CHANNEL_INNER_H

#include "channel/channel.h"
#include "channel/notify.h"
#include "core/delivery/resumer.h"
#include "core/shared/address.h"
#include "desk/delivery.h"
#include "desk/operate.h"
#include "net/outbound.h"
#include "net/process.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
	BATCH_LEN = 64, /* deliveries claimed at once */
	STEPS_LEN = 64, /* steps of routes worked at once */
	NAMES_MAX = 40,
};

enum claimed_state {
	CLAIMED_NONE,	 /* reported */
	CLAIMED_FILLING, /* with a reading clerk */
	CLAIMED_STARTED,
	CLAIMED_OVER, /* to be reported */
};

/* A delivery that is ours to make. */
struct claimed {
	struct delivery_batch *batch;
	const struct delivery *delivery;
	const struct channel *channel;
	enum claimed_state state;
	struct task task; /* that fills it; its arena is the delivery's */
	struct delivery_fill fill;
	atomic_bool filled;		 /* the clerk is done with it */
	int64_t filled_ms;		 /* and when; monotonic */
	struct delivery_outcome outcome; /* once it is over */
	/* A channel's own. */
	struct url url;
	struct process process;
	int64_t later_ms; /* monotonic: not to be begun before; 0: it need not wait */
};

/* What was claimed at once. It is there before the claim, so that nothing that is ours gets
 * lost, and goes when all of it has been reported. */
struct delivery_batch {
	struct delivery_batch *next;
	struct notify *notify;
	char by[ID_SIZE]; /* our name at the time */
	struct task task;
	struct delivery_claim claim;
	struct claimed claimed[BATCH_LEN];
	size_t left; /* not reported yet */
};

struct notify {
	struct desk *desk;
	struct outbound *outbound;
	struct settings set;	     /* of the operator */
	struct notify_settings with; /* and what else we were given */
	struct arena arena;	     /* of the settings */
	void *state[DELIVERY_KINDS]; /* what each channel keeps; or NULL */
	char *env[NAMES_MAX + 1];    /* what every program sees */
	char by[ID_SIZE];	     /* our name in leases */
	pthread_t thread;
	bool started;
	atomic_bool woken; /* there is something to deliver */
	/* When the first that was staged since the last claim is due; 0: none that waits. */
	_Atomic int64_t later_ms;
	atomic_bool stopping; /* nothing more is taken on */
	/* The thread's own. */
	struct task task; /* for what it tells the store */
	struct delivery_batch *batches;
	size_t under_way[DELIVERY_KINDS]; /* filling or started */
	size_t over;			  /* not reported yet */
	int64_t next_ms; /* when something may be due; 0: nothing waits */
	bool full; /* something due found no free slot: the next that is free is for it */
	int alone; /* so many are claimed one by one: the store refused several at once */
	uint64_t refused;  /* the one that it refused alone, by a hash of its id */
	int refused_times; /* in a row */
	bool troubled; /* the store refused the last report or claim, and that was logged */
	/* Monotonic. */
	int64_t not_before_ms; /* the store was in trouble */
	int64_t renew_ms, purge_ms, retain_ms, poll_ms, lost_ms;
	bool retaining; /* retention is under way */
	struct retention retention;
	int64_t started_ms; /* by the wall clock, as the next two */
	int64_t beat_ms;    /* when it last said that it lives */
	int64_t look_ms;    /* when alerts may be looked for next */
};

/* Has it filled and started anew, after it had to wait: its ask may have been settled
 * meanwhile. */
void claimed_fill_anew(struct claimed *);
/* The texts of the outcome live in the delivery's arena. */
void claimed_over(
	struct claimed *, enum delivery_ending, int64_t status, struct str error);

static inline struct notify *claimed_notify(const struct claimed *c)
{
	return c->batch->notify;
}

/* What its channel keeps. */
static inline void *claimed_state(const struct claimed *c)
{
	return c->batch->notify->state[c->delivery->kind];
}

static inline struct arena *claimed_arena(struct claimed *c)
{
	return &c->task.job.arena;
}

#endif
