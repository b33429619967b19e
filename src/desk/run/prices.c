/* prices.c - prices of models that were imported, and what a call of a model needs to know. */
#include "base/keep.h"
#include "core/run/provider.h"
#include "core/shared/show.h"
#include "desk/run/configured.h"
#include "desk/shared/inner.h"

enum { PRICES_MAX = 5000 };

struct prices_body {
	struct str models[PRICES_MAX], bodies[PRICES_MAX];
	size_t len;
};

/* ---- shown ---- */

static void price_show(struct json_writer *w, const struct price_record *p)
{
	jw_object(w);
	jw_put_str(w, "id", p->model);
	show_members(w, p->body);
	jw_object_end(w);
}

/* The built-in table, each model once, with its price of now. */
static void built_in_show(struct json_writer *w, int64_t now_ms)
{
	struct provider_model row, m;
	struct str shown = STR_NONE;

	for (size_t i = 0; known_model_at(i, &row); i++) {
		if (str_eq(row.id, shown) || !known_model(row.id, now_ms, &m)) continue;
		shown = row.id;
		jw_object(w);
		jw_put_str(w, "id", m.id);
		jw_key(w, "context");
		m.context ? jw_int(w, m.context) : jw_null(w);
		jw_key(w, "price");
		price_write(w, &m.price);
		jw_object_end(w);
	}
}

/* All of the workspace that are here, or the built-in ones. */
static void prices_reply(struct job *job, const struct rows *rows, bool built_in)
{
	struct json_writer w = { .out = &job->out };
	const struct price_record *at = NULL;

	jw_object(&w);
	jw_put_text(&w, "built_in", known_models_date);
	jw_put_text(&w, "from", known_models_from);
	jw_put_array(&w, "items");
	if (built_in) built_in_show(&w, rows->now_ms);
	while (!built_in && (at = rows_next(rows, RECORD_PRICES, at)))
		if (at->ws == job->who.ws) price_show(&w, at);
	jw_array_end(&w);
	jw_object_end(&w);
}

static enum err prices_fetch(struct job *job, struct rows *rows, struct fault *why)
{
	return rows_fetch(rows, RECORD_PRICES, SQL_PRICES_OF, ARGS(job->who.ws), why);
}

static enum err prices_list(struct job *job, struct rows *rows, struct fault *why)
{
	struct str source = task_param(task_of(job), "source");
	bool built_in = str_is(source, "built_in");
	enum err e = OK;

	if (source.len && !built_in && !str_is(source, "imported"))
		return fail_at(why, "/source", "must be imported or built_in");
	if (!built_in) e = prices_fetch(job, rows, why);
	if (!e) prices_reply(job, rows, built_in);
	return e;
}

const struct use use_price_list = READS("price_list", MAY_READ_ALL, 0, prices_list, NULL);

/* ---- imported ---- */

static void price_check(struct check *c, const struct json_place *at,
	const struct json *json, struct arena *arena, struct prices_body *out)
{
	static const struct str names[] = { STR("id"), STR("context"), STR("output"),
		STR("price") };
	static const struct members members = { names, 4 };
	const struct json *m[4];
	struct buf text = { .max = 4096 };
	struct json_writer w = { .out = &text };
	struct price price;

	if (!members_read(c, at, json, &members, NULL, m)) return;
	out->models[out->len] = text_read(
		c, at, names[0], m[0], 200, TEXT_LINE | TEXT_FILLED | TEXT_NEEDED);
	if (m[1]) count_read(c, at, names[1], m[1], 1, INT32_MAX);
	if (m[2]) count_read(c, at, names[2], m[2], 1, INT32_MAX);
	if (m[3] && !price_read(m[3], &price))
		wrong_member(c, at, names[3],
			"must have input and output, in dollars for a million tokens");
	if (c->failed) return;
	jw_object(&w);
	jw_put_json(&w, "context", m[1]);
	jw_put_json(&w, "output", m[2]);
	jw_key(&w, "price");
	m[3] ? price_write(&w, &price) : jw_null(&w);
	jw_object_end(&w);
	out->bodies[out->len++] = buf_keep_done(&text, arena);
}

static enum err price_put_check(struct task *t, struct fault *why)
{
	struct prices_body *b = ARENA_NEW(&t->job.arena, struct prices_body);
	const struct json *items = json_get(t->body, "items");
	struct json_place root = place_root(""), list = place_member(&root, STR("items"));
	struct check c = { .why = why };

	if (!b) return fail_memory(why);
	t->checked = b;
	if (!json_is(items, JSON_ARRAY) || items->count > PRICES_MAX)
		return fail_at(why, "/items", "must be an array of at most %d models",
			PRICES_MAX);
	for (uint32_t i = 0; i < items->count && !c.failed; i++) {
		struct json_place at = place_item(&list, i);

		price_check(&c, &at, &items->items[i], &t->job.arena, b);
	}
	return check_end(&c, &t->job.arena);
}

static enum err price_put_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct prices_body *b = task_of(job)->checked;
	enum err e = prices_fetch(job, rows, why);

	for (size_t i = 0; !e && i < b->len; i++) {
		const struct price_record fresh = { .ws = job->who.ws,
			.model = b->models[i] };
		const struct val *key = KEY(fresh.ws, fresh.model);
		const struct price_record *found =
			rows_find_key(rows, RECORD_PRICES, key);
		struct price_record *p = found ? rows_change(rows, found)
					       : rows_new(rows, RECORD_PRICES, &fresh);

		p->body = b->bodies[i];
		p->changed_ms = rows->now_ms;
	}
	if (e) return e;
	prices_reply(job, rows, false);
	return OK;
}

const struct use use_price_put =
	WRITES("price_put", MAY_ADMIN, 0, NULL, price_put_decide, NULL, price_put_check);

/* ---- what a call needs ---- */

/* Found for the caller: task.access. The task's id is an agent, or with the parameter
 * `provider` a provider, whose model is the body's. */
static enum err access_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct model_access *a = ARENA_NEW(&job->arena, struct model_access);
	struct str provider = t->id, model = json_text(json_get(t->body, "model"));
	const struct agent_record *agent;
	struct agent_config parts;
	bool limited = false;
	int64_t tools = -1;
	enum err e = a ? OK : fail_memory(why);

	if (!e && !t->of_provider) {
		e = configured_agent(t->desk, rows, job->who.ws, t->id, &agent, why);
		if (!e) e = agent_parse(agent->body, rows->arena, &parts, why);
		if (e) return e;
		provider = parts.provider;
		model = parts.model;
		limited = parts.limits.cost > 0;
		tools = (int64_t)parts.tools_len;
	}
	if (!e && model.len)
		e = configured_model_now(
			t->desk, rows, job->who.ws, provider, model, &model, why);
	if (!e)
		e = configured_access(t->desk, rows, job->who.ws, provider, model, NULL,
			&job->arena, a, why);
	if (e) return e;
	a->cost_limited = limited;
	a->tools = tools;
	t->access = a;
	return e;
}

const struct use use_model_access =
	WRITES("model_access", MAY_ADMIN, 0, NULL, access_decide, NULL, NULL);
