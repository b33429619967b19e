/* model_lists.c - the models that providers say they have: kept when they were read, and shown with all else
 * that is known of each. */
#include "desk/run/model_lists.h"

#include "base/keep.h"
#include "core/shared/show.h"
#include "desk/people/people_log.h"
#include "desk/run/configured.h"
#include "desk/shared/inner.h"

enum err model_list_get(struct rows *rows, int64_t ws, struct str provider,
	const struct model_list_record **out, struct fault *why)
{
	*out = NULL;
	return rows_get(rows, RECORD_MODEL_LISTS, KEY(ws, provider), out, why);
}

enum err model_list_items(struct rows *rows, int64_t ws, struct str provider,
	struct model_list *out, struct fault *why)
{
	const struct model_list_record *row;
	enum err e = model_list_get(rows, ws, provider, &row, why);

	*out = (struct model_list){ 0 };
	return e || !row ? e : model_list_parse(row->body, rows->arena, out, why);
}

enum err model_list_gone(struct rows *rows, int64_t ws, struct str provider,
	struct str model, struct str *message, struct fault *why)
{
	const struct listed_model *m;
	struct model_list list;
	enum err e = model_list_items(rows, ws, provider, &list, why);

	if (e) return e;
	m = model_list_find(&list, model);
	if (m ? !model_gone(m, rows->now_ms) : !list.len || str_find(*message, model) < 0)
		return OK;
	*message = model_gone_words(provider, model, &list, rows->now_ms, rows->arena);
	return OK;
}

/* ---- kept ---- */

static enum err auto_tell(struct task *t, struct rows *rows, const struct agent_record *a,
	const struct model_list_record *list, struct str model, struct fault *why)
{
	struct agent_config parts;
	char digest[SHORT_DIGEST_SIZE], id[32];
	enum err e = agent_parse(a->body, rows->arena, &parts, why);

	if (e || !str_eq(parts.provider, list->provider) ||
		!str_eq(parts.model, MODEL_AUTO))
		return e;
	agent_digest(a, digest);
	agent_id(list->ws, a->name, id);
	/* One of the configuration has no row that `check` could look for. */
	log_event(rows, &t->job, list->ws, "agent.changed", a->version ? digest : "",
		FIELDS(field_text("agent", arena_str(rows->arena, str_of(id))),
			field_text("name", a->name), field_word("change", "changed"),
			field_text("model_now", model)));
	return OK;
}

/* `auto` of this provider is another model from now on. */
static enum err autos_tell(struct task *t, struct rows *rows,
	const struct model_list_record *list, struct str model, struct fault *why)
{
	const struct configured *c = t->desk->configured;
	const struct agent_record *a = NULL;
	enum err e =
		rows_fetch_once(rows, RECORD_AGENTS, SQL_AGENTS_OF, ARGS(list->ws), why);

	for (size_t i = 0; !e && c && i < c->agents_len; i++)
		e = auto_tell(t, rows, &c->agents[i], list, model, why);
	while (!e && (a = rows_next(rows, RECORD_AGENTS, a)))
		if (a->ws == list->ws) e = auto_tell(t, rows, a, list, model, why);
	return e;
}

/* An old list stays when the new one could not be read. */
static enum err listing_keep(struct task *t, struct rows *rows,
	const struct model_listing *l, struct fault *why)
{
	const struct model_list_record fresh = { .ws = l->ws,
		.provider = arena_str(rows->arena, l->provider) };
	const struct model_list_record *found;
	struct model_list_record *row;
	struct str before = STR_NONE, after = STR_NONE;
	enum err e = model_list_get(rows, l->ws, fresh.provider, &found, why);

	if (!e)
		e = configured_model_now(
			t->desk, rows, l->ws, fresh.provider, MODEL_AUTO, &before, why);
	if (e) return e;
	row = found ? rows_change(rows, found)
		    : rows_new(rows, RECORD_MODEL_LISTS, &fresh);
	if (!row) return fail_memory(why);
	row->tried_ms = rows->now_ms;
	row->error = arena_str(rows->arena, l->error);
	if (!l->error.len) {
		row->body = arena_str(rows->arena, l->body);
		row->listed_ms = rows->now_ms;
	}
	e = configured_model_now(
		t->desk, rows, l->ws, fresh.provider, MODEL_AUTO, &after, why);
	if (e || str_eq(before, after)) return e;
	return autos_tell(t, rows, row, after, why);
}

static enum err keep_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);

	return listing_keep(t, rows, t->checked, why);
}

const struct use use_model_list_keep =
	WRITES("model_list_keep", 0, JOB_OPEN, NULL, keep_decide, NULL, NULL);

/* ---- shown ---- */

static void tells_show(struct json_writer *w, const char *name, int tells)
{
	jw_key(w, name);
	tells ? jw_bool(w, tells == TELLS_YES) : jw_null(w);
}

static void effort_show(struct json_writer *w, struct str levels)
{
	struct str one;

	jw_put_array(w, "effort");
	while (levels.len) {
		str_cut(&levels, ' ', &one);
		jw_str(w, one);
	}
	jw_array_end(w);
}

static enum err model_show(struct task *t, struct rows *rows, struct json_writer *w,
	struct str provider, struct str id, const struct listed_model *m,
	struct fault *why)
{
	static const char *const from[] = { [PRICE_NONE] = NULL,
		[PRICE_PROVIDER] = "provider",
		[PRICE_IMPORTED] = "imported",
		[PRICE_LISTED] = "listed",
		[PRICE_BUILT_IN] = "built_in" };
	static const struct listed_model nothing;
	struct provider_model known = { 0 };
	enum price_from priced;
	enum err e = configured_model(
		t->desk, rows, t->job.who.ws, provider, id, m, &known, &priced, why);

	if (e) return e;
	if (!m) m = &nothing;
	jw_object(w);
	jw_put_str(w, "id", id);
	show_number(w, "context", known.context, known.context > 0);
	show_number(w, "output", known.output, known.output > 0);
	jw_key(w, "price");
	known.priced ? price_write(w, &known.price) : jw_null(w);
	jw_put_text(w, "price_from", from[priced]);
	jw_put_text(w, "lifecycle", model_life_names[m->life]);
	show_time(w, "retires_at", m->retires_ms);
	show_time(w, "created_at", m->created_ms);
	effort_show(w, m->effort);
	tells_show(w, "images", m->images);
	tells_show(w, "structured", m->structured);
	jw_object_end(w);
	return OK;
}

/* Those of the list, then those that only the provider's own rows name. */
static enum err models_show(struct task *t, struct rows *rows, struct json_writer *w,
	const struct provider_record *p, const struct model_list *list, struct fault *why)
{
	struct provider parts;
	enum err e = provider_parse(p->body, rows->arena, &parts, why);

	for (size_t i = 0; !e && i < list->len; i++)
		e = model_show(t, rows, w, p->name, list->items[i].known.id,
			&list->items[i], why);
	for (size_t i = 0; !e && i < parts.models_len; i++)
		if (!model_list_find(list, parts.models[i].id))
			e = model_show(
				t, rows, w, p->name, parts.models[i].id, NULL, why);
	return e;
}

/* The task's `checked` is a struct model_listing if the list was just read. */
static enum err show_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct model_listing *fresh = t->checked;
	struct json_writer w = { .out = &job->out };
	const struct model_list_record *row;
	const struct provider_record *p;
	struct model_list list = { 0 };
	struct str error = STR_NONE;
	enum err e = configured_provider(t->desk, rows, job->who.ws, t->id, &p, why);

	if (!e && fresh && fresh->provider.len) e = listing_keep(t, rows, fresh, why);
	if (!e) e = model_list_get(rows, job->who.ws, p->name, &row, why);
	if (!e && row) e = model_list_parse(row->body, rows->arena, &list, why);
	if (e) return e;
	if (row) error = row->error;
	if (fresh && !fresh->provider.len && fresh->error.len) error = fresh->error;
	buf_clear(&job->out);
	jw_object(&w);
	jw_put_array(&w, "items");
	e = models_show(t, rows, &w, p, &list, why);
	jw_array_end(&w);
	show_time(&w, "listed_at", row ? row->listed_ms : 0);
	show_text(&w, "error", error);
	jw_object_end(&w);
	return e;
}

const struct use use_model_list_show =
	WRITES("model_list", MAY_ADMIN, 0, NULL, show_decide, NULL, NULL);
