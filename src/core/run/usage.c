/* usage.c - tokens and their cost. */
#include "core/run/usage.h"
#include "base/keep.h"
#include "core/shared/body.h"

#include <math.h>

static const struct {
	const char *name;
	size_t at;
} buckets[] = {
	{ "input", offsetof(struct usage, input) },
	{ "cache_read", offsetof(struct usage, cache_read) },
	{ "cache_write", offsetof(struct usage, cache_write) },
	{ "cache_write_1h", offsetof(struct usage, cache_write_1h) },
	{ "output", offsetof(struct usage, output) },
	{ "reasoning", offsetof(struct usage, reasoning) },
};

enum { BUCKETS = sizeof buckets / sizeof *buckets };

static int64_t *bucket(struct usage *u, size_t i)
{
	return (int64_t *)(void *)((char *)u + buckets[i].at);
}

int64_t usage_count_add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void usage_add(struct usage *to, const struct usage *more)
{
	struct usage copy = *more;

	for (size_t i = 0; i < BUCKETS; i++)
		*bucket(to, i) = usage_count_add(*bucket(to, i), *bucket(&copy, i));
}

int64_t usage_context(const struct usage *u)
{
	return u->input + u->cache_read + u->cache_write + u->cache_write_1h;
}

void usage_write(struct json_writer *w, const struct usage *u)
{
	struct usage copy = *u;

	jw_object(w);
	for (size_t i = 0; i < BUCKETS; i++)
		jw_put_int(w, buckets[i].name, *bucket(&copy, i));
	jw_object_end(w);
}

void usage_read(const struct json *from, struct usage *out)
{
	struct usage u = { 0 };

	for (size_t i = 0; i < BUCKETS; i++) {
		const struct json *n = json_get(from, buckets[i].name);

		if (n && n->is_int && n->integer > 0) *bucket(&u, i) = n->integer;
	}
	*out = u;
}

/* A million dollars for one call: a price that somebody mistyped must not end the sums. */
static const int64_t COST_MAX = 1000ll * 1000 * 1000 * 1000 * 1000;

int64_t usage_cost(const struct usage *u, const struct price *p)
{
	const struct price_set *s =
		p->above && usage_context(u) > p->above ? &p->beyond : &p->base;
	const int64_t counts[][2] = { { u->input, s->input },
		{ u->cache_read, s->cache_read }, { u->cache_write, s->cache_write },
		{ u->cache_write_1h, s->cache_write_1h }, { u->output, s->output } };
	int64_t cost = 0, part;

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		cost = usage_count_add(
			cost, __builtin_mul_overflow(counts[i][0], counts[i][1], &part)
				      ? INT64_MAX
				      : part);
	return cost < COST_MAX ? cost : COST_MAX;
}

/* ---- prices as JSON ---- */

static const struct {
	const char *name;
	size_t at;
	bool needed;
} sets[] = {
	{ "input", offsetof(struct price_set, input), true },
	{ "output", offsetof(struct price_set, output), true },
	{ "cache_read", offsetof(struct price_set, cache_read), false },
	{ "cache_write", offsetof(struct price_set, cache_write), false },
	{ "cache_write_1h", offsetof(struct price_set, cache_write_1h), false },
};

enum { SETS = sizeof sets / sizeof *sets };

static int64_t *set_price(struct price_set *s, size_t i)
{
	return (int64_t *)(void *)((char *)s + sets[i].at);
}

static bool set_read(const struct json *from, struct price_set *out)
{
	struct price_set s = { 0 };

	for (size_t i = 0; i < SETS; i++) {
		const struct json *n = json_get(from, sets[i].name);
		double dollars = json_real(n);

		if (json_is(n, JSON_NULL)) n = NULL;
		if (!n && sets[i].needed) return false;
		if (n && (n->type != JSON_NUMBER || !(dollars >= 0 && dollars <= 1e6)))
			return false;
		*set_price(&s, i) = n ? (int64_t)llround(dollars * 1000) : s.input;
	}
	*out = s;
	return true;
}

bool price_read(const struct json *from, struct price *out)
{
	const struct json *above = json_get(from, "above");
	struct price p = { 0 };

	if (!json_is(from, JSON_OBJECT) || !set_read(from, &p.base)) return false;
	if (above && above->type != JSON_NULL) {
		const struct json *tokens = json_get(above, "tokens");

		if (!tokens || !tokens->is_int || tokens->integer < 1 ||
			!set_read(above, &p.beyond))
			return false;
		p.above = tokens->integer;
	}
	*out = p;
	return true;
}

static void set_write(struct json_writer *w, const struct price_set *s)
{
	struct price_set copy = *s;

	for (size_t i = 0; i < SETS; i++) {
		jw_key(w, sets[i].name);
		jw_real(w, (double)*set_price(&copy, i) / 1000);
	}
}

void price_write(struct json_writer *w, const struct price *p)
{
	jw_object(w);
	set_write(w, &p->base);
	if (p->above) {
		jw_put_object(w, "above");
		jw_put_int(w, "tokens", p->above);
		set_write(w, &p->beyond);
		jw_object_end(w);
	}
	jw_object_end(w);
}

void cost_write(struct json_writer *w, int64_t nanodollars)
{
	if (nanodollars < 0)
		jw_null(w);
	else
		jw_real(w, (double)nanodollars / 1e9);
}

struct str usage_text(const struct usage *u, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	usage_write(&w, u);
	return buf_keep_done(&b, arena);
}

struct str usage_cost_text(int64_t nanodollars, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	cost_write(&w, nanodollars);
	return buf_keep_done(&b, arena);
}

/* ---- of several calls ---- */

static int64_t count_of(const struct json *object, const char *name)
{
	const struct json *n = json_get(object, name);

	return json_is(n, JSON_NUMBER) && n->is_int ? n->integer : 0;
}

int64_t spending_usage_total(const struct usage *u)
{
	return usage_context(u) + u->output;
}

bool dollars_read(const struct json *json, int64_t *out)
{
	double dollars = json_real(json);

	if (!json_is(json, JSON_NUMBER) || !(dollars >= 0) || dollars > 1e9) return false;
	*out = (int64_t)llround(dollars * 1e9);
	return true;
}

void spending_add(struct spending *t, const struct usage *u, int64_t cost)
{
	usage_add(&t->usage, u);
	if (cost < 0)
		t->partial = true;
	else
		t->priced = true, t->cost = usage_count_add(t->cost, cost);
}

void spending_join(struct spending *t, const struct spending *more)
{
	usage_add(&t->usage, &more->usage);
	t->cost = usage_count_add(t->cost, more->cost);
	t->priced |= more->priced;
	t->partial |= more->partial;
	t->calls = usage_count_add(t->calls, more->calls);
}

int64_t spending_cost(const struct spending *t)
{
	return t->priced ? t->cost : COST_UNKNOWN;
}

struct str spending_keep(const struct spending *t, struct arena *arena)
{
	struct buf b = { .max = 4096 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	jw_key(&w, "usage");
	usage_write(&w, &t->usage);
	jw_put_int(&w, "cost", t->cost);
	jw_put_bool(&w, "priced", t->priced);
	jw_put_bool(&w, "partial", t->partial);
	jw_put_int(&w, "context_tokens", t->context_tokens);
	jw_put_int(&w, "context_max", t->context_max);
	if (t->calls) jw_put_int(&w, "calls", t->calls);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

enum err spending_parse(
	struct str text, struct arena *arena, struct spending *out, struct fault *why)
{
	const struct json *json;
	struct spending t = { 0 };
	enum err e = OK;

	if (text.len) e = json_read(text, NULL, arena, &json, why);
	if (e) return e;
	if (text.len) {
		usage_read(json_get(json, "usage"), &t.usage);
		t.cost = count_of(json, "cost");
		t.priced = json_is(json_get(json, "priced"), JSON_TRUE);
		t.partial = json_is(json_get(json, "partial"), JSON_TRUE);
		t.context_tokens = count_of(json, "context_tokens");
		t.context_max = count_of(json, "context_max");
		t.calls = count_of(json, "calls");
	}
	*out = t;
	return OK;
}
