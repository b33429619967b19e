/* history.h - which messages of a thread go to the model. Pure.
 *
 * At most `max` of them, and never a result without its call. When there are more, the window is
 * cut down to half, and stays where it begins until it is full again: so prompt caches hold. */
#ifndef CORE_HISTORY_H
#define CORE_HISTORY_H

#include "core/message.h"

/* How many messages at the end of a thread of `count` may go: those before are left out. */
int64_t history_tail(int64_t count, int64_t max);
/* Puts messages, oldest first, in the order in which a model should read them: what was said
 * while it answered after its answer, and results right after their calls. */
void history_order(const struct run_message **, size_t len);
/* The first of the messages of the tail that can begin a history: a user's. `len`: none can. */
size_t history_start(const struct run_message *const *tail, size_t len);

#endif
