/* history.h - which messages of a thread go to the model. Pure.
 *
 * At most `max` of them, and never a result without its call; the message that the run began with
 * always. When there are more, the window is cut down to half, and stays where it begins until it
 * is full again: so prompt caches hold. */
#ifndef CORE_HISTORY_H
#define CORE_HISTORY_H

#include "core/run/message.h"

/* How many messages at the end of a thread of `count` may go: those before are left out. */
int64_t history_tail(int64_t count, int64_t max);
/* Puts messages, oldest first, in the order in which a model should read them: what was said
 * while it answered after its answer, and results right after their calls. */
void history_order(const struct run_message **, size_t len);
/* What the model is given of `all`, the end of a thread by numbers (and the message `first`, wherever
 * it stands), in the order in which it should read it. Returns how many; `out` has room for `len`. */
size_t history_window(const struct run_message *const *all, size_t len, struct str first,
	int64_t max, const struct run_message **out);
/* The content of a message of results for the model: each no longer than CALL_MODEL_MAX, head and
 * tail; with `full`, only short ones are kept. In the arena when it differs. */
struct str history_results(struct str content, bool full, struct arena *);

#endif
