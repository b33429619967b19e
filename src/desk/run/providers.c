/* providers.c - providers of models: listed, made, changed, removed; their keys sealed. A key goes in and
 * never comes out: replies have its last four characters at most. */
#include "core/run/provider.h"

#include "desk/run/configured.h"
#include "desk/run/model_lists.h"
#include "desk/shared/collection.h"

static enum err provider_shown(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	const struct provider_record *p = record;

	(void)why;
	provider_show(w, p,
		task_words(t, configured_provider_wrong(t->desk, p, rows->arena),
			rows->arena));
	return OK;
}

/* ---- create, change ---- */

static enum err provider_body_read(struct task *t, struct str before,
	const struct members *also, struct arena *arena, struct str *body,
	struct provider *out, struct fault *why)
{
	enum err e = provider_read(t->body, before, also, arena, body, out, why);

	return e || !out->url.len ? e : configured_url_check(t->desk, out->url, why);
}

/* A key is for the address it was given for: at another it would be shown to whoever listens there. */
static enum err key_dropped(struct rows *rows, struct provider_record *p,
	const struct provider *now, struct str before, struct fault *why)
{
	struct provider was;
	enum err e = provider_parse(before, rows->arena, &was, why);

	if (!e && (was.wire != now->wire || !str_eq(was.url, now->url)))
		p->sealed = p->last4 = STR_NONE;
	return e;
}

/* A list is that of an address, too. */
static enum err list_dropped(struct rows *rows, const struct provider_record *p,
	struct str before, struct fault *why)
{
	const struct model_list_record *found;
	struct provider was = { 0 }, now;
	struct model_list_record *row;
	enum err e = provider_parse(p->body, rows->arena, &now, why);

	if (!e && before.len) e = provider_parse(before, rows->arena, &was, why);
	if (!e) e = model_list_get(rows, p->ws, p->name, &found, why);
	if (e || !found ||
		(before.len && was.wire == now.wire && str_eq(was.url, now.url)))
		return e;
	row = rows_change(rows, found);
	row->body = row->error = STR_NONE;
	row->listed_ms = row->tried_ms = 0;
	return OK;
}

static enum err provider_create_check(struct task *t, struct fault *why)
{
	struct provider parts;
	struct str body;

	return provider_body_read(t, STR_NONE, NULL, &t->job.arena, &body, &parts, why);
}

static const struct collection providers;

static enum err provider_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	struct provider_record *p = record;
	struct str before = p->body;
	struct provider parts;
	enum err e = was ? OK : configured_collection_new(&providers, t, rows, p, why);

	if (!e && !was) e = collection_room(&providers, t, rows, PROVIDERS_MAX, why);
	if (e) return e;
	if (!was) p->created_ms = rows->now_ms;
	p->changed_ms = rows->now_ms;
	e = provider_body_read(t, p->body, was ? &version_also : NULL, rows->arena,
		&p->body, &parts, why);
	if (!e && was) e = key_dropped(rows, p, &parts, before, why);
	if (!e) e = list_dropped(rows, p, was ? before : STR_NONE, why);
	return e || !parts.has_key ? e
				   : configured_key_seal(t->desk, parts.key, rows->arena,
					     &p->sealed, &p->last4, why);
}

/* ---- delete ---- */

static bool provider_chosen(const struct agent_config *a, struct str name)
{
	return str_eq(a->provider, name);
}

static enum err provider_unused(
	struct task *t, struct rows *rows, const void *record, struct fault *why)
{
	const struct provider_record *p = record;

	return configured_unused(t->desk, rows, p->ws, p->name, provider_chosen, why);
}

static const struct collection providers = {
	.noun = "provider",
	.nouns = "providers",
	.record = RECORD_PROVIDERS,
	.id_at = offsetof(struct provider_record, id),
	.name_at = offsetof(struct provider_record, name),
	.list = SQL_PROVIDERS_OF,
	.find = configured_collection_find,
	.own = configured_collection_own,
	.show = provider_shown,
	.fill = provider_fill,
	.before_delete = provider_unused,
};

RESOURCE_USES(provider, MAY_READ_ALL, MAY_ADMIN, providers, provider_create_check);
