/* callbacks.h - what a session wants called, and the verifiers of an ask: staged as deliveries.
 * Private to desk. */
#ifndef DESK_CALLBACKS_H
#define DESK_CALLBACKS_H

#include "desk/shared/happened.h"

/* An ask was settled: the webhook is called each time, the resumer when the session waits for
 * nothing more. A person asked back, or answered late: both are. */
react_fn webhook_settled, resumer_settled, call_replied;
/* Nobody is to be resumed in a session that has ended. A run of ours goes on by itself: its resumer
 * hears of the outcome, however soon the run ends, unless the session was cancelled. */
bool resumer_is_late(const struct session *, const struct ask *);
/* A delivery that waits, like this one and of the ask (or NULL); due at once unless it says when. */
struct delivery *delivery_new(struct rows *, const struct ask *, struct delivery like);
/* The webhook is told that this run of the session has ended. */
void delivery_run_ended(
	struct rows *, const struct session *, struct str run, struct str webhook);
/* The verifier of this name; the n-th of the ask. */
void delivery_call_verifier(
	struct rows *, const struct ask *, struct str name, int64_t n);

#endif
