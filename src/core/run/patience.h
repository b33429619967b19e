/* patience.h - when a model that cannot be reached is called again, and which is called in its place. Pure.
 * Prefixes: patience_, fallback_, trouble_. */
#ifndef CORE_PATIENCE_H
#define CORE_PATIENCE_H

#include "core/run/agent.h"
#include "core/run/run.h"

enum {
	QUICK_TRIES = 4, /* one after the other; then come fallbacks, then patience */
	QUICK_PAUSE_MAX_MS = 60 * 1000, /* for longer a run waits as a row */
};

/* May the same call succeed later? */
bool trouble_passes(enum trouble);
/* Is another model called at once, or, of those that pass, after the quick tries? gone: the provider does not
 * offer the model. */
bool trouble_falls_back(enum trouble, bool gone);

/* How long an agent is patient: what it says, else six hours when a person would be asked, and not at all
 * otherwise. */
int64_t patience_of(const struct agent_config *);
/* When a run calls again that has been in trouble since `since_ms` and has made so many patient calls (2, 5, 10,
 * 30 s, 1, 2, 5, then every 10 min, each 20 % more or less by `chance`; or as the provider asks, when that is a
 * second at least; -1: it does not); a last time at the end of its patience. 0: that has come. */
int64_t patience_wake(int64_t since_ms, int64_t patience_ms, int64_t calls,
	int64_t now_ms, int64_t retry_after_ms, uint64_t chance);

/* A model as fallbacks and people name it: "PROVIDER/MODEL". False: one of both is missing. */
bool fallback_parts(struct str, struct str *provider, struct str *model);
/* Behind the one that the run has now, from the first on when it has another: the index of the next that is not
 * the same, or -1. */
int fallback_next(const struct agent_config *, const struct run *);

#endif
