#include "hist.h"

#include <time.h>

int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Below HIST_STEPS exact; above, the leading bits after the first. */
static int hist_slot(uint64_t ns)
{
	int octave = ns < HIST_STEPS ? 0 : 63 - __builtin_clzll(ns) - 5;
	uint64_t step = ns < HIST_STEPS ? ns : (ns >> (octave - 1)) - HIST_STEPS;
	int slot = octave * HIST_STEPS + (int)step;

	return slot < HIST_OCTAVES * HIST_STEPS ? slot : HIST_OCTAVES * HIST_STEPS - 1;
}

static int64_t hist_value(int slot)
{
	int octave = slot / HIST_STEPS, step = slot % HIST_STEPS;

	return octave == 0 ? step : (int64_t)(HIST_STEPS + step) << (octave - 1);
}

void hist_add(struct hist *h, int64_t ns)
{
	h->counts[hist_slot(ns < 0 ? 0 : (uint64_t)ns)]++;
	h->len++;
	if (ns > h->max_ns) h->max_ns = ns;
}

int64_t hist_at(const struct hist *h, double share)
{
	uint64_t wanted = (uint64_t)((double)h->len * share), seen = 0;

	for (int i = 0; i < HIST_OCTAVES * HIST_STEPS; i++) {
		seen += h->counts[i];
		if (seen > wanted) return hist_value(i);
	}
	return h->max_ns;
}
