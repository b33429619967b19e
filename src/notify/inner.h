/* inner.h - what the files of notify share. */
#ifndef NOTIFY_INNER_H
#define NOTIFY_INNER_H

#include "core/address.h"
#include "desk/delivery.h"
#include "net/outbound.h"
#include "notify/notify.h"
#include "notify/process.h"

#include <pthread.h>
#include <stdatomic.h>

enum { HAUL_MAX = 16, NAMES_MAX = 40 };

enum work_state { WORK_NONE, WORK_UNDER_WAY, WORK_OVER };

/* One delivery that we are at. */
struct work {
	struct haul *haul;
	const struct errand *errand;
	enum work_state state;
	struct delivered outcome; /* once it is over */
	struct url url;		  /* of a webhook */
	struct process process;	  /* of a resumer */
};

/* What was claimed at once. Its memory is the task's, and goes when all of it has been
 * reported; it is there before the claim, so that nothing that is ours gets lost. */
struct haul {
	struct haul *next;
	struct notify *notify;
	char by[ID_SIZE]; /* our name at the time */
	struct task task;
	struct claim claim;
	struct work works[HAUL_MAX];
	size_t left; /* not reported yet */
};

struct notify {
	struct desk *desk;
	struct outbound *outbound;
	struct notify_settings set;
	struct arena arena;	  /* of the settings */
	struct resumer *resumers; /* as set.resumers, in words */
	char *env[NAMES_MAX + 1]; /* what every resumer sees */
	char by[ID_SIZE];	  /* our name in leases */
	pthread_t thread;
	bool started;
	atomic_bool woken;    /* there is something to deliver */
	atomic_bool stopping; /* nothing more is taken on */
	/* The thread's own. */
	struct task task; /* for what it tells the store */
	struct haul *hauls;
	size_t under_way[2]; /* by delivery_kind */
	size_t over;	     /* not reported yet */
	int64_t next_ms;     /* when something may be due; 0: nothing waits */
	bool troubled;	     /* the last word to the store was refused, and it was said */
	/* Monotonic. */
	int64_t not_before_ms; /* the store was in trouble */
	int64_t renew_ms, purge_ms, poll_ms;
};

/* Begin it; it is over at once when that fails. */
void webhook_start(struct work *);
void resumer_start(struct work *);
/* Has it ended? */
void resumer_look(struct work *);
/* Ends our part: the program runs on. */
void resumer_leave(struct work *);
enum err resumers_open(struct notify *, struct fault *why);

/* The texts of the outcome live in the haul's arena. */
void work_over(struct work *, enum ending, int64_t status, struct str error);

static inline struct arena *work_arena(struct work *w)
{
	return &w->haul->task.job.arena;
}

#endif
