/* run_limit.c - one row a limit: where it stands, and what counts against it. */
#include "core/run/run_limit.h"

#include "base/clock.h"

#include <math.h>
#include <stddef.h>

static const struct {
	const char *name;
	size_t limit_at; /* in struct agent_limits */
	size_t used_at;	 /* in struct run */
} limits[] = {
	[RUN_LIMIT_TURNS] = { "turns", offsetof(struct agent_limits, turns),
		offsetof(struct run, turn) },
	[RUN_LIMIT_TOKENS] = { "tokens", offsetof(struct agent_limits, tokens),
		offsetof(struct run, tree_tokens) },
	[RUN_LIMIT_COST] = { "cost", offsetof(struct agent_limits, cost),
		offsetof(struct run, tree_cost) },
	[RUN_LIMIT_TIME] = { "time", offsetof(struct agent_limits, time_ms),
		offsetof(struct run, tree_ms) },
};

/* "turns" */
static const char *run_limit_name(enum run_limit l)
{
	return l < RUN_LIMITS ? limits[l].name : "";
}

struct str run_limit_words(enum run_limit l, struct arena *arena)
{
	return arena_print(arena, "the limit of %s is reached", run_limit_name(l));
}

enum run_limit run_limit_said(struct str words, struct arena *arena)
{
	enum run_limit l = RUN_LIMIT_TURNS;

	while (l < RUN_LIMITS && !str_eq(words, run_limit_words(l, arena)))
		l++;
	return l;
}

static int64_t *limit_in(struct agent_limits *a, enum run_limit l)
{
	return (int64_t *)(void *)((char *)a + limits[l].limit_at);
}

static int64_t used_of(const struct run *r, enum run_limit l)
{
	return *(const int64_t *)(const void *)((const char *)r + limits[l].used_at);
}

int64_t run_limit_of(const struct agent_limits *a, enum run_limit l)
{
	return *(const int64_t *)(const void *)((const char *)a + limits[l].limit_at);
}

enum run_limit run_limit_reached(
	const struct agent_limits *a, const struct run *r, const struct run *tree)
{
	enum run_limit l = RUN_LIMIT_TURNS;

	while (l < RUN_LIMITS) {
		int64_t most = run_limit_of(a, l);

		if (most && used_of(l == RUN_LIMIT_TURNS ? r : tree, l) >= most) break;
		l++;
	}
	return l;
}

static bool dollars_typed(struct str text, int64_t *out)
{
	struct arena arena = { 0 };
	const struct json *number;
	double dollars = 0;

	if (!json_read(text, NULL, &arena, &number, NULL)) dollars = json_real(number);
	arena_done(&arena);
	if (!(dollars > 0 && dollars <= 1e6)) return false;
	*out = (int64_t)llround(dollars * 1e9);
	return true;
}

bool run_limit_amount(enum run_limit l, struct str text, int64_t *out)
{
	text = str_trim(text);
	if (l == RUN_LIMIT_COST) {
		if (text.len && text.at[0] == '$') text = str_trim(str_from(text, 1));
		return dollars_typed(text, out) && *out > 0;
	}
	if (l != RUN_LIMIT_TIME) return str_to_int(text, 1, INT64_C(1000000000), out);
	if (str_to_int(text, 1, 366 * 86400, out)) {
		*out *= 1000;
		return true;
	}
	return duration_read(text, out) && *out > 0;
}

void run_limit_grant(
	struct agent_limits *a, enum run_limit l, const struct run *tree, int64_t more)
{
	int64_t *most = limit_in(a, l), used = used_of(tree, l);

	*most = (used > *most ? used : *most) + more;
}
