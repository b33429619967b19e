/* loop.h - a thread that sleeps on sockets, timers and its mailbox (libuv underneath).
 *
 * Everything but loop_post and loop_stop is called on the loop's own thread, or before it
 * runs. Nothing on a loop may block. */
#ifndef NET_LOOP_H
#define NET_LOOP_H

#include "base/fault.h"
#include "base/queue.h"

struct loop;
struct uv_loop_s;

struct loop *loop_new(struct fault *why); /* NULL: why says */
struct loop *loop_free(struct loop *);	  /* after loop_run returned; returns NULL */
void loop_run(struct loop *);		  /* until loop_stop and all handles are closed */
void loop_stop(struct loop *);		  /* from any thread */
struct uv_loop_s *loop_uv(struct loop *);
int64_t loop_now_ms(const struct loop *); /* monotonic, of this turn of the loop */

/* A message to a loop: its fn runs on the loop's thread, in order of posting. Whoever
 * posts it leaves it alone until then; fn may free it. */
struct post {
	struct link link;
	void (*fn)(struct post *);
};
void loop_post(struct loop *, struct post *); /* from any thread; wakes the loop once */
/* fn runs at the end of each turn, before the loop sleeps: what came in during the turn can
 * be worked together there. What is posted meanwhile is run right after it. */
void loop_after_turns(struct loop *, void (*fn)(void *ctx), void *ctx);

/* Coarse timers (about 100 ms) without a handle each, so that ten thousand waiters cost
 * 40 bytes a piece. { .fn = f } is unset. */
struct tick {
	struct tick *next, *prev; /* NULL: not set */
	uint32_t due;  /* slot of the wheel's time: tenths of a second since it began */
	uint32_t slot; /* where it waits in the wheel, at the latest `due` */
	void (*fn)(struct tick *);
};
void tick_set(struct loop *, struct tick *, int64_t after_ms); /* sets or moves it */
void tick_stop(struct loop *, struct tick *);		       /* fine when not set */

/* A descriptor that is looked at, without a handle of libuv's, which weighs more than all else
 * that a parked connection needs. { .fn = f, .fd = fd } is ready. */
enum { WATCH_READ = 1, WATCH_WRITE = 2, WATCH_BROKEN = 4 };
struct watch {
	/* What it is ready for, of what is wanted; or that it is broken. */
	void (*fn)(struct watch *, unsigned events);
	struct watch *next; /* of those that are closed */
	int fd;
	uint8_t wanted; /* keeps the loop going unless it is 0 */
	uint8_t held;	/* what the kernel was told, which may be more */
};
/* False: the descriptor cannot be watched. To want less costs no system call. */
bool watch_set(struct loop *, struct watch *, unsigned wanted);
/* Closes the descriptor. On a later turn fn(w, 0) follows, and nothing after that. */
void watch_close(struct loop *, struct watch *);

/* One thing that a layer above keeps for each loop; `done` runs in loop_free. */
void loop_attach(struct loop *, void *thing, void (*done)(void *thing));
void *loop_attached(const struct loop *); /* NULL: none yet */

#endif
