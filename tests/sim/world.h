/* world.h - one simulated history: a desk on a disk that can lose its power, a clock that
 * is set, people and agents, readers and waiters; and the model of what must hold.
 *
 * Everything is decided by one source of chance, so that a seed is a history. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "model.h"

#include "cutvfs.h"
#include "desk/desk.h"
#include "desk/shared/feed.h"

enum {
	LINES = 30, /* of the trace, kept to be shown */
	LINE_SIZE = 300,
	BATCH = 12,
	BATCH_USUAL = 5,
	SENT_MAX = 64, /* requests remembered, to be sent again */
	FOLLOWERS = 3,
	WAITERS = 6,
	PAGERS = 3,
	GOT_MAX = 400,
};

/* A fault planted to see that it is found. */
enum flaw {
	FLAW_NONE,
	FLAW_LOSE,	   /* a power cut loses what was acknowledged */
	FLAW_WEAK_SYNC,	   /* commits are not synced */
	FLAW_DROP_EVENT,   /* the feed is not told of an event */
	FLAW_NO_WAKE,	   /* a settled ask wakes nobody */
	FLAW_SETTLE_TWICE, /* a settled ask gets another outcome */
	FLAW_EARLY,	   /* deadlines fire a minute early */
	FLAW_FORGET_KEY,   /* an idempotency record is lost */
	FLAW_EDIT_LOG,	   /* an event's data is edited */
	FLAW_GAP,	   /* an event disappears */
	FLAW_USE_AGAIN,	   /* an approval can be used again */
	FLAW_LEAK,	   /* an ask becomes another agent's */
	FLAW_COUNT,	   /* a session counts an open ask too many */
	FLAW_LEN
};
extern const char *const flaw_names[FLAW_LEN];

/* What follows the log over the feed, and what it was told. */
struct listener {
	struct follower follower;
	struct world *world;
	int place;
	struct seen got[GOT_MAX];
	int got_len;
	int64_t checked; /* the last number that was compared */
};

struct sleeper {
	struct waiter waiter;
	int ask; /* index; NOBODY: not in use */
	int woken;
	bool told;    /* with the ask, not only that it should look */
	bool settled; /* that ask was shown as settled */
};

/* A client that reads the log in pages, now and then. */
struct pager {
	enum who who;
	int64_t after;
};

struct world {
	uint64_t seed;
	uint64_t chance;
	enum flaw flaw;
	bool loud; /* every line is shown */

	/* What this history is like: each has habits of its own, so that some go where an
	 * average one never comes. */
	struct habits {
		uint64_t fault_in, doom_in; /* one round in so many; 0: none */
		unsigned faults;	    /* a bit a kind */
		bool squeezed;
		int acts[ACT_LEN]; /* how likely */
	} habits;

	struct desk *desk;
	int life;
	int64_t now_ms;
	struct model model;

	struct feed feed;
	bool lost; /* the feed had to say "look yourselves" in this round */
	int64_t feed_last[PLACES];	   /* the last it knows of; -1: none yet */
	int64_t told_last[PLACES];	   /* number of the last event told … */
	uint64_t told_at[PLACES][GOT_MAX]; /* … and where the disk was then, by number */
	struct listener listeners[FOLLOWERS];
	struct sleeper sleepers[WAITERS];
	struct pager pagers[PAGERS];

	struct op sent[SENT_MAX];
	int sent_len;
	int numbers;

	int step;
	char lines[LINES][LINE_SIZE];
	int lines_len;
	uint64_t trace; /* hash of all lines */
	char failed[400];
	int flawed; /* how often the flaw was planted */
	struct tally {
		int64_t act_ok[ACT_LEN], ops, acks, refusals, unavailable, unknown,
			unknown_kept, crashes, crashes_kept, restarts, expired, wakes,
			repeats, events, faults;
	} tally;
};

/* ---- chance ---- */

uint64_t below(struct world *, uint64_t n); /* 0 … n - 1 */
bool one_in(struct world *, uint64_t n);

/* ---- the trace ---- */

void world_say(struct world *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds to the last line. */
void world_add(struct world *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A promise was broken; the first one is kept. Returns false. */
bool world_fail(struct world *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- the desk and its disk (life.c) ---- */

bool base_make(void); /* people and tokens, once for all histories */
void base_done(void);
const char *base_user(enum who); /* usr_…, or "" */
/* What the asks of this agent, or of the person of this name, go under in the store. */
const char *base_agent(const char *name);
const char *base_token(enum who);	/* tok_… */
void base_show(enum who, struct job *); /* fills in who asks */
int64_t base_place(int place);		/* the workspace's number */

void world_start(struct world *, uint64_t seed, enum flaw);
void world_end(struct world *);
bool world_open(struct world *);
void world_crash(struct world *, uint64_t position); /* the power goes */
void world_restart(struct world *);
void world_time(struct world *, int64_t ms);
void world_arm(struct world *);	  /* a fault of the disk, soon */
void world_plant(struct world *); /* the flaw, if it is one of SQL */

/* ---- requests (ops.c) ---- */

struct request {
	struct task task;
	const struct use *use;
	const struct op *op;
	bool done;
	uint64_t done_at; /* the disk's position */
};
const char *op_name(enum act);
void op_habits(struct world *);
void op_make(struct world *, struct op *);
void op_say(struct world *, const struct op *);
void request_make(struct world *, const struct op *, struct request *);
void request_done(struct request *);

/* ---- rounds (round.c) ---- */

/* Works the ops as one batch, and compares with the model. */
bool round_work(struct world *, const struct op *, int len);
bool round_deadlines(struct world *);

/* ---- looking (look.c, readers.c) ---- */

bool look_reply(struct world *, const struct model *, const struct request *,
	const struct expect *, char why[200]);
bool look_something(struct world *);
bool look_all(struct world *);
/* For what no event tells of: is there a record of its key, is the title its own? */
bool look_traces(
	struct world *, const struct model *, const struct request *, char why[200]);
/* Events of a place after a number; false: the store could not. */
bool look_log(
	struct world *, int place, int64_t after, struct seen *out, int max, int *len);
bool look_seen(struct seen *, const struct event *);

void readers_start(struct world *);
void readers_stop(struct world *); /* they lose their connection */
void readers_told(void *ctx, struct committed *);
/* After a round: who should have been woken was, who follows saw all. */
bool readers_check(struct world *, const int before[PLACES]);
bool readers_act(struct world *);

#endif
