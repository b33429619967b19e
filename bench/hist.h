/* hist.h - a histogram of durations: 64 steps an octave, so within 1.6 % of the truth. */
#ifndef BENCH_HIST_H
#define BENCH_HIST_H

#include <stdint.h>

enum { HIST_STEPS = 64, HIST_OCTAVES = 40 };

struct hist {
	uint64_t counts[HIST_OCTAVES * HIST_STEPS];
	uint64_t len;
	int64_t max_ns;
};

void hist_add(struct hist *, int64_t ns);
int64_t hist_at(const struct hist *, double share); /* 0.5: the median, in ns */
int64_t now_ns(void);

#endif
