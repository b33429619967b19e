/* run_limit.h - the limits of a run: which is reached, and how more of one is granted. Pure. */
#ifndef CORE_RUN_LIMIT_H
#define CORE_RUN_LIMIT_H

#include "core/run/agent.h"
#include "core/run/run.h"

enum run_limit {
	RUN_LIMIT_TURNS,
	RUN_LIMIT_TOKENS,
	RUN_LIMIT_COST,
	RUN_LIMIT_TIME,
	RUN_LIMITS
};

/* "the limit of turns is reached"; and back, RUN_LIMITS: these are other words. */
struct str run_limit_words(enum run_limit, struct arena *);
enum run_limit run_limit_said(struct str words, struct arena *);
/* The first that is reached, or RUN_LIMITS. Turns are the run's own; tokens, costs and time are
 * those of `tree`: the run itself, or its parent. */
enum run_limit run_limit_reached(
	const struct agent_limits *, const struct run *, const struct run *tree);
/* So much as a person wrote it: turns and tokens as a whole number, dollars, seconds or a
 * duration ("10m"). False: it is no such amount. */
bool run_limit_amount(enum run_limit, struct str text, int64_t *out);
/* The limit as it stands in `limits`; 0: none. Nanodollars, milliseconds. */
int64_t run_limit_of(const struct agent_limits *, enum run_limit);
/* So much more than was used, or than was allowed where that is more. */
void run_limit_grant(
	struct agent_limits *, enum run_limit, const struct run *tree, int64_t more);

#endif
