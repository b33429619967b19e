#include "sweep.h"
#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONG_TIMES = 25, AGAIN_EVERY = 4 };

void acks_add(struct acks *acks)
{
	if (acks->len == acks->cap) {
		acks->cap = acks->cap ? acks->cap * 2 : 64;
		acks->positions =
			realloc(acks->positions, acks->cap * sizeof(*acks->positions));
		if (!acks->positions) abort();
	}
	acks->positions[acks->len++] = cut_position();
}

size_t acks_due(const struct acks *acks, uint64_t position)
{
	size_t n = 0;

	while (n < acks->len && acks->positions[n] <= position)
		n++;
	return n;
}

void acks_done(struct acks *acks)
{
	free(acks->positions);
	*acks = (struct acks){ 0 };
}

uint64_t sweep_states(uint64_t normal)
{
	return getenv("PARLEY_LONG") ? normal * LONG_TIMES : normal;
}

static void sweep_count(struct sweep *s, enum verdict v, uint64_t position,
	enum cut_choice choice, uint64_t seed, const char *when)
{
	s->tried++;
	if (v == INTACT) return;
	s->lost += v == LOST;
	s->broken += v == BROKEN;
	if (*s->first) return;
	snprintf(s->first, sizeof(s->first),
		"%s at position %" PRIu64 " of %" PRIu64 ", %s survived, seed %" PRIu64
		"%s",
		v == LOST ? "lost" : "broken", position, cut_history_length(s->history),
		cut_choice_name(choice), seed, when);
}

/* The recovery that has just been looked at is itself cut, somewhere. */
static enum verdict sweep_again(const struct sweep *s, uint64_t position, uint64_t seed)
{
	struct cut_history *recovery = cut_power_off();
	uint64_t moment = random_below(&seed, cut_history_length(recovery) + 1);
	enum cut_choice choice = (enum cut_choice)random_below(&seed, CUT_CHOICES);

	cut_state(recovery, moment, choice, seed);
	cut_history_free(recovery);
	return s->look(s->ctx, position);
}

void sweep_run(struct sweep *s)
{
	uint64_t length = cut_history_length(s->history);
	uint64_t last = UINT64_MAX;

	for (uint64_t i = 0; i < s->states; i++) {
		uint64_t seed = s->seed + i;
		uint64_t jitter = random_below(&(uint64_t){ seed }, length + 1);
		uint64_t position = (i * (length + 1) + jitter) / s->states;
		enum cut_choice choice = (enum cut_choice)(seed % CUT_CHOICES);

		/* Without doubts there is one state only. */
		if (position == last && !cut_history_doubts(s->history, position))
			continue;
		last = position;
		cut_state(s->history, position, choice, seed);
		sweep_count(s, s->look(s->ctx, position), position, choice, seed, "");
		if (i % AGAIN_EVERY == 0)
			sweep_count(s, sweep_again(s, position, seed), position, choice,
				seed, ", and again during recovery");
	}
}
