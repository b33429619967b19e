/* usage.h - tokens in disjoint buckets, and what they cost in nanodollars. Prefixes: price_, spending_. */
#ifndef CORE_USAGE_H
#define CORE_USAGE_H

#include "base/json.h"

/* Each token is in one bucket, except that `reasoning` is a part of `output`. */
struct usage {
	int64_t input; /* neither read from a cache nor written to one */
	int64_t cache_read;
	int64_t cache_write;	/* kept five minutes */
	int64_t cache_write_1h; /* kept an hour */
	int64_t output;
	int64_t reasoning;
};

/* Nanodollars for a token: a price of 3 dollars for a million tokens is 3,000. */
struct price_set {
	int64_t input, output, cache_read, cache_write, cache_write_1h;
};

struct price {
	struct price_set base;
	int64_t above; /* requests with more input tokens cost `beyond`; 0: none do */
	struct price_set beyond;
};

enum { COST_UNKNOWN = -1 }; /* no price is known: never 0 */

/* The sum of two counts, none of them negative; INT64_MAX where it is more. */
int64_t usage_count_add(int64_t, int64_t);
void usage_add(struct usage *, const struct usage *);
int64_t usage_context(const struct usage *); /* tokens that went in, cached or not */
void usage_write(struct json_writer *, const struct usage *); /* one value */
void usage_read(const struct json *, struct usage *out);      /* absent members are 0 */
int64_t usage_cost(const struct usage *, const struct price *);

/* Dollars for a million tokens, as the API and price files have them; null and absent
 * cache prices are the input's. False: not an object with numbers from 0 to 1,000,000. */
bool price_read(const struct json *, struct price *out);
void price_write(struct json_writer *, const struct price *);
void cost_write(struct json_writer *, int64_t nanodollars); /* dollars; unknown: null */
/* The same in the arena. */
struct str usage_text(const struct usage *, struct arena *);
struct str usage_cost_text(int64_t nanodollars, struct arena *);

/* ---- what the model calls of several turns or runs used and cost together ---- */

struct spending {
	struct usage usage;
	int64_t cost;	      /* of those calls that have a price; nanodollars */
	bool priced, partial; /* some have one; some have none */
	int64_t context_tokens, context_max;
	int64_t calls; /* of those that are counted by their number */
};

void spending_add(struct spending *, const struct usage *, int64_t cost);
/* All of the other as well: tokens, cost and calls. */
void spending_join(struct spending *, const struct spending *);
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
