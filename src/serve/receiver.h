/* receiver.h - somebody outside who calls us at routes of their own: what a channel adds to the server. */
#ifndef SERVE_RECEIVER_H
#define SERVE_RECEIVER_H

#include "serve/inner.h"

/* start, stop and metrics may be NULL; they are called where there is a state. */
struct receiver {
	const struct route *routes; /* up to one without a method */
	/* Makes its state, which stays NULL where nothing is configured. False: out of memory. */
	bool (*open)(struct serve *, void **state);
	/* Once everything else is ready; before the server ends; when it has. */
	void (*start)(void *state);
	void (*stop)(void *state);
	void (*free)(void *state);
	void (*metrics)(const void *state, struct buf *);
};

/* The state that it was opened with; or NULL. */
void *serve_state(const struct serve *, const struct receiver *);

#endif
