/* spending.h - what the model calls of several turns or runs used and cost together. Pure. */
#ifndef CORE_SPENDING_H
#define CORE_SPENDING_H

#include "core/run/usage.h"

struct spending {
	struct usage usage;
	int64_t cost;	      /* of those calls that have a price; nanodollars */
	bool priced, partial; /* some have one; some have none */
	int64_t context_tokens, context_max;
};

void spending_add(struct spending *, const struct usage *, int64_t cost);
/* COST_UNKNOWN when no call had a price. */
int64_t spending_cost(const struct spending *);
/* All tokens, each once: what limits count. */
int64_t spending_usage_total(const struct usage *);
/* Compact JSON, to be kept; and back. Empty text is none so far. */
struct str spending_keep(const struct spending *, struct arena *);
enum err spending_parse(
	struct str, struct arena *, struct spending *out, struct fault *why);
/* A number of dollars as nanodollars, rounded. False: negative or too large. */
bool dollars_read(const struct json *, int64_t *out);

#endif
