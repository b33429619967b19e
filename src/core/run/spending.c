/* spending.c - sums over model calls, kept as JSON. */
#include "core/run/spending.h"

#include "base/keep.h"
#include "core/shared/body.h"

#include <math.h>

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
		t->priced = true, t->cost += cost;
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
	}
	*out = t;
	return OK;
}
