/* wheel.h - the ring of slots that ticks wait in, driven by one libuv timer. */
#ifndef NET_WHEEL_H
#define NET_WHEEL_H

#include <uv.h>

#include "net/loop.h"

enum { WHEEL_SLOT_MS = 100, WHEEL_SLOTS = 1024 };

/* Invariants: a tick that is set waits in a slot of (turned, turned + WHEEL_SLOTS); the
 * timer is armed for the first slot that is not empty, or earlier; with no tick set it
 * fires at most once more. */
struct wheel {
	uv_timer_t timer;
	int64_t began_ms; /* loop time of slot 0 */
	int64_t turned;	  /* the last slot that was worked off */
	int64_t armed;	  /* slot of the timer; INT64_MAX: none; 0: it is firing */
	struct tick slots[WHEEL_SLOTS]; /* list heads */
};

int wheel_init(struct wheel *, uv_loop_t *); /* a libuv error code, 0 when fine */
struct wheel *loop_wheel(struct loop *);

#endif
