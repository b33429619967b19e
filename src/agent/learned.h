/* learned.h - what providers said of their models since this process began. */
#ifndef AGENT_LEARNED_H
#define AGENT_LEARNED_H

#include "base/str.h"

struct runner;

/* How many tokens a model takes, as its provider said when it was sent more; 0: it did not. */
int64_t learned_context(struct runner *, struct str provider, struct str model);
void learned_context_is(
	struct runner *, struct str provider, struct str model, int64_t tokens);
/* Options that it refuses, as bits of enum model_option. */
unsigned learned_refused(struct runner *, struct str provider, struct str model);
void learned_refuses(
	struct runner *, struct str provider, struct str model, unsigned options);

/* Forgets all of it. */
void learned_free(struct runner *);

#endif
