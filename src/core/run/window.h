/* window.h - less of a thread for a model that calls it too long. Pure. */
#ifndef CORE_WINDOW_H
#define CORE_WINDOW_H

#include "core/run/message.h"

enum { WINDOW_TURNS = 4, WINDOW_RESULT_MIN = 2048 };

/* Shortens messages, in the order in which a model reads them, until their contents have at most `most`
 * bytes: results older than four turns are left out, then earlier messages but `first`, then the newest
 * results are cut, head and tail. What is left out is said in its place. `all` has room for one more; what
 * differs is in the arena. Returns how many they are; 0: they do not fit. */
size_t window_shorten(const struct run_message **all, size_t len, struct str first,
	size_t most, struct arena *);

#endif
