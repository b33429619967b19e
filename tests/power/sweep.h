/* sweep.h - cuts the power all over a history, and counts what that did. */
#ifndef TESTS_SWEEP_H
#define TESTS_SWEEP_H

#include "../lib/cutvfs.h"

/* When each thing was acknowledged, in order. Things are known by their index. { 0 } is
 * empty and ready; one thread at a time. */
struct acks {
	uint64_t *positions;
	size_t len;
	size_t cap;
};

void acks_add(struct acks *); /* the next thing is acknowledged now */
/* How many, from the first on, were acknowledged when the power went at this position. */
size_t acks_due(const struct acks *, uint64_t position);
void acks_done(struct acks *);

enum verdict {
	INTACT, /* all that was acknowledged is there */
	LOST,	/* something acknowledged is not */
	BROKEN, /* the store contradicts itself */
};

/* Opens what is on the disk, looks, and closes. */
typedef enum verdict look_fn(void *ctx, uint64_t position);

struct sweep {
	struct cut_history *history; /* borrowed */
	look_fn *look;
	void *ctx;
	uint64_t states; /* about how many to try, evenly over the history */
	uint64_t seed;

	/* Out. */
	uint64_t tried;
	uint64_t lost;
	uint64_t broken;
	char first[160]; /* the first state that was not INTACT, in words; or "" */
};

/* Every fourth state is cut a second time, while it is recovered from. */
void sweep_run(struct sweep *);
/* `normal`, or many times that when PARLEY_LONG is set. */
uint64_t sweep_states(uint64_t normal);

#endif
