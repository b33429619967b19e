/* price_list.c - reads models.dev's and LiteLLM's files. */
#include "core/run/provider.h"

#include <math.h>
#include <stdio.h>

#include "base/table.h"

struct price_list {
	struct provider_model *models;
	size_t len;
	struct table seen;
};

/* Nanodollars for a token; -1: not told. */
static int64_t price_of(const struct json *from, const char *name, double nanodollars)
{
	const struct json *n = json_get(from, name);
	double value = json_real(n) * nanodollars;

	return json_is(n, JSON_NUMBER) && value >= 0 && value <= 1e9
		       ? (int64_t)llround(value)
		       : -1;
}

/* Caches that have no price of their own cost what input costs. */
static void caches_fill(struct price_set *s)
{
	if (s->cache_read < 0) s->cache_read = s->input;
	if (s->cache_write < 0) s->cache_write = s->input;
	if (s->cache_write_1h < 0) s->cache_write_1h = s->cache_write;
}

static void list_add(struct price_list *l, const struct provider_model *m)
{
	if (!m->priced || !m->id.len || text_longer(m->id, 200) ||
		!text_one_line(m->id) || l->len == PRICE_LIST_MAX ||
		table_get(&l->seen, m->id))
		return;
	l->models[l->len] = *m;
	table_put(&l->seen, m->id, &l->models[l->len]);
	l->len++;
}

/* ---- models.dev: dollars for a million ---- */

static bool set_read(const struct json *cost, struct price_set *out)
{
	*out = (struct price_set){ .input = price_of(cost, "input", 1000),
		.output = price_of(cost, "output", 1000),
		.cache_read = price_of(cost, "cache_read", 1000),
		.cache_write = price_of(cost, "cache_write", 1000),
		.cache_write_1h = -1 };
	if (out->input < 0 || out->output < 0) return false;
	caches_fill(out);
	return true;
}

static int64_t tokens_of(const struct json *from, const char *name)
{
	const struct json *n = json_get(from, name);

	return n && n->type == JSON_NUMBER && n->is_int && n->integer > 0 &&
			       n->integer <= 1000000000
		       ? n->integer
		       : 0;
}

static void dev_provider(struct price_list *l, const struct json *provider)
{
	const struct json *models = json_get(provider, "models");

	for (uint32_t i = 0; json_is(models, JSON_OBJECT) && i < models->count; i++) {
		const struct json *model = &models->members[i].value;
		const struct json *cost = json_get(model, "cost");
		const struct json *limit = json_get(model, "limit");
		struct provider_model m = { .id = models->members[i].name,
			.context = tokens_of(limit, "context"),
			.output = tokens_of(limit, "output") };

		m.priced = set_read(cost, &m.price.base);
		if (set_read(json_get(cost, "context_over_200k"), &m.price.beyond))
			m.price.above = 200000;
		list_add(l, &m);
	}
}

static void dev_read(struct price_list *l, const struct json *file)
{
	static const char *const vendors[] = { "anthropic", "openai", "google" };

	for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
		dev_provider(l, json_get(file, vendors[i]));
	for (uint32_t i = 0; i < file->count; i++)
		dev_provider(l, &file->members[i].value);
}

/* ---- LiteLLM: dollars for a token ---- */

/* `tail` is behind each name: "", or "_above_200k_tokens". False: it has none of these prices. */
static bool lite_set_read(
	const struct json *model, const char *tail, struct price_set *out)
{
	static const struct {
		const char *name;
		size_t at;
	} prices[] = {
		{ "input_cost_per_token", offsetof(struct price_set, input) },
		{ "output_cost_per_token", offsetof(struct price_set, output) },
		{ "cache_read_input_token_cost", offsetof(struct price_set, cache_read) },
		{ "cache_creation_input_token_cost",
			offsetof(struct price_set, cache_write) },
	};
	struct price_set s = { .cache_write_1h = -1 };
	char name[96];

	for (size_t i = 0; i < sizeof prices / sizeof *prices; i++) {
		snprintf(name, sizeof name, "%s%s", prices[i].name, tail);
		*(int64_t *)(void *)((char *)&s + prices[i].at) =
			price_of(model, name, 1e9);
	}
	if (!*tail)
		s.cache_write_1h =
			price_of(model, "cache_creation_input_token_cost_above_1hr", 1e9);
	if (s.input < 0 || s.output < 0) return false;
	caches_fill(&s);
	*out = s;
	return true;
}

static void lite_read(struct price_list *l, const struct json *file)
{
	for (uint32_t i = 0; i < file->count; i++) {
		const struct json *model = &file->members[i].value;
		struct provider_model m = { .id = file->members[i].name,
			.context = tokens_of(model, "max_input_tokens"),
			.output = tokens_of(model, "max_output_tokens") };

		m.priced = lite_set_read(model, "", &m.price.base);
		if (lite_set_read(model, "_above_200k_tokens", &m.price.beyond))
			m.price.above = 200000;
		list_add(l, &m);
	}
}

enum err price_list_read(const struct json *file, struct arena *arena,
	struct provider_model **out, size_t *len, struct fault *why)
{
	struct price_list l = { .models = ARENA_ARRAY(
					arena, struct provider_model, PRICE_LIST_MAX) };
	bool dev = false;

	if (!l.models) return fail(why, ERR_MEMORY, "out of memory");
	for (uint32_t i = 0; json_is(file, JSON_OBJECT) && i < file->count; i++)
		dev |= json_is(json_get(&file->members[i].value, "models"), JSON_OBJECT);
	if (json_is(file, JSON_OBJECT)) dev ? dev_read(&l, file) : lite_read(&l, file);
	table_done(&l.seen);
	if (!l.len)
		return fail(why, ERR_INVALID,
			"no prices found: the file must be models.dev's api.json or LiteLLM's "
			"model_prices_and_context_window.json");
	*out = l.models;
	*len = l.len;
	return OK;
}
