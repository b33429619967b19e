/* rate.c - one instant a key is enough: when the bucket will have leaked empty. */
#include "desk/shared/rate.h"

#include "base/mem.h"

/* APART_US: how far apart the times may be that threads come with. */
enum { MINUTE_US = 60 * 1000 * 1000, APART_US = 5 * 1000 * 1000, BUCKETS_MAX = 10000 };

struct bucket {
	int64_t empty_us;
	char key[RATE_KEY_SIZE];
};

/* Drops buckets that have leaked empty. */
static void rate_sweep(struct rate *rate, int64_t now_us)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (table_next(&rate->buckets, &at, &key, &value)) {
		struct bucket *b = value;

		if (b->empty_us > now_us) continue;
		table_remove(&rate->buckets, key);
		mem_free(b);
	}
}

static struct bucket *rate_bucket(struct rate *rate, struct str key, int64_t now_us)
{
	struct bucket *b = table_get(&rate->buckets, key);

	if (b || key.len >= sizeof b->key) return b;
	if (rate->buckets.len >= BUCKETS_MAX) rate_sweep(rate, now_us);
	b = mem_alloc(sizeof *b);
	if (!b) return NULL;
	if (key.len) memcpy(b->key, key.at, key.len);
	if (table_put(&rate->buckets, str_make(b->key, key.len), b)) return b;
	mem_free(b);
	return NULL;
}

bool rate_take(struct rate *rate, struct str key, int64_t a_minute, int64_t now_ms,
	int64_t *retry_after_s)
{
	int64_t now_us = now_ms * 1000, step_us, over_us;
	struct bucket *b;

	if (a_minute <= 0) return true;
	b = rate_bucket(rate, key, now_us);
	if (!b) return true;
	step_us = MINUTE_US / a_minute;
	/* A clock that stepped back must not lock anyone out: no bucket is fuller than a
	 * minute. */
	if (b->empty_us < now_us || b->empty_us > now_us + MINUTE_US + APART_US)
		b->empty_us = now_us;
	over_us = b->empty_us + step_us - (now_us + MINUTE_US);
	if (over_us > 0) {
		*retry_after_s = (over_us + 999999) / 1000000;
		return false;
	}
	b->empty_us += step_us;
	return true;
}

void rate_give_back(struct rate *rate, struct str key, int64_t a_minute)
{
	struct bucket *b = a_minute > 0 ? table_get(&rate->buckets, key) : NULL;

	if (b) b->empty_us -= MINUTE_US / a_minute;
}

void rate_done(struct rate *rate)
{
	rate_sweep(rate, INT64_MAX);
	table_done(&rate->buckets);
}
