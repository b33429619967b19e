/* providers.c - providers of models: listed, made, changed, removed; their keys sealed; prices.
 * A key goes in and never comes out: replies have its last four characters at most. */
#include "base/keep.h"
#include "core/run/provider.h"

#include "core/shared/address.h"
#include "desk/run/configured.h"
#include "desk/shared/inner.h"

struct provider_body {
	struct str body;
	struct str key;
	bool has_key;
};

/* ---- list, get ---- */

static enum err provider_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct catalogue all;
	struct catalogue_page page;
	enum err e = catalogue_read(t->desk, rows, job->who.ws, &job->arena, &all, why);

	if (!e) e = catalogue_page_open(t, rows, "providers", &w, &page, why);
	if (e) return e;
	for (size_t i = 0; i < all.providers_len; i++) {
		const struct provider_record *at = &all.providers[i];

		if (catalogue_page_has(&page, at->name))
			provider_show(&w, at,
				task_words(t, provider_wrong(t->desk, at, &job->arena),
					&job->arena));
	}
	catalogue_page_close(t, &page, &w);
	return OK;
}

const struct use use_provider_list =
	READS("provider_list", MAY_READ_ALL, 0, provider_list_read, NULL);

static enum err provider_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	const struct provider_record *p;
	struct catalogue all;
	enum err e = catalogue_read(t->desk, rows, job->who.ws, &job->arena, &all, why);

	if (e) return e;
	p = catalogue_provider(&all, t->id);
	if (!p)
		return fail(why, ERR_NOT_FOUND, "no provider %.*s",
			STR_ARGS(str_first(t->id, 64)));
	provider_show(&w, p,
		task_words(t, provider_wrong(t->desk, p, &job->arena), &job->arena));
	return OK;
}

const struct use use_provider_get =
	READS("provider_get", MAY_READ_ALL, 0, provider_get_read, NULL);

/* ---- create, change ---- */

static enum err provider_body_read(struct task *t, struct str before,
	const struct members *also, struct arena *arena, struct provider_body *out,
	struct fault *why)
{
	const struct configured *c = t->desk->configured;
	struct provider parts;
	struct url url;
	enum err e = provider_read(t->body, before, also, arena, &out->body, &parts, why);

	if (e) return e;
	out->has_key = parts.has_key;
	out->key = parts.key;
	if (!parts.url.len) return OK;
	if (!url_split(parts.url, &url) ||
		!model_reach_may_allow(
			c && c->model_internal.len ? c->model_internal : STR("no"), &url))
		return fail_at(why, "/url",
			"must be https, or on this machine; the setting model_internal "
			"allows more");
	return OK;
}

static enum err key_seal(struct task *t, struct rows *rows, struct provider_record *p,
	const struct provider_body *b, struct fault *why)
{
	const struct configured *c = t->desk->configured;
	struct buf sealed = { .max = 65536 };

	if (!b->has_key) return OK;
	p->sealed = p->last4 = STR_NONE;
	if (!b->key.len) return OK;
	if (!c || !c->sealing)
		return fail(why, ERR_CONFLICT,
			"only a running server can encrypt the key: start it, then try again");
	if (!seal_close(c->secret, b->key, &sealed)) {
		buf_done(&sealed);
		return fail(why, ERR_MEMORY, "out of memory");
	}
	p->sealed = buf_keep_done(&sealed, rows->arena);
	p->last4 = arena_str(rows->arena, key_last4(b->key));
	return OK;
}

static enum err provider_reply(
	struct task *t, struct rows *rows, const struct provider_record *p)
{
	struct json_writer w = { .out = &t->job.out };

	provider_show(&w, p,
		task_words(t, provider_wrong(t->desk, p, rows->arena), rows->arena));
	return OK;
}

static enum err provider_create_check(struct task *t, struct fault *why)
{
	struct provider_body *b = TASK_CHECKED(t, struct provider_body);

	return provider_body_read(t, STR_NONE, NULL, &t->job.arena, b, why);
}

static enum err providers_room(struct rows *rows, int64_t ws, struct fault *why)
{
	const struct val args[] = { val_int(ws) };
	const struct provider_record *p = NULL;
	size_t n = 0;
	enum err e = rows_fetch(rows, RECORD_PROVIDERS, SQL_PROVIDERS_OF, args, 1, why);

	while (!e && (p = rows_next(rows, RECORD_PROVIDERS, p)))
		n += p->ws == ws;
	if (!e && n >= PROVIDERS_MAX)
		e = fail(why, ERR_CONFLICT, "there are already %d providers",
			PROVIDERS_MAX);
	return e;
}

static enum err provider_create_decide(
	struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct provider_body *b = t->checked;
	struct provider_record fresh = { .ws = job->who.ws,
		.name = json_text(json_get(t->body, "name")),
		.body = b->body,
		.created_ms = rows->now_ms,
		.changed_ms = rows->now_ms };
	const struct provider_record *p;
	struct fault missing = { 0 };
	char id[32];
	enum err e = desk_provider(t->desk, rows, fresh.ws, fresh.name, &p, &missing);

	if (!e)
		return fail(
			why, ERR_CONFLICT, "a provider with this name already exists");
	if (e != ERR_NOT_FOUND) {
		*why = missing;
		return e;
	}
	e = providers_room(rows, fresh.ws, why);
	if (!e) e = key_seal(t, rows, &fresh, b, why);
	if (e) return e;
	provider_id(fresh.ws, fresh.name, id);
	fresh.id = arena_str(rows->arena, str_of(id));
	p = rows_new(rows, RECORD_PROVIDERS, &fresh);
	job->status = 201;
	desk_keep_id(t, "provider", p->id);
	return provider_reply(t, rows, p);
}

static enum err provider_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct task *t = task_of(job);
	const struct provider_record *p;
	struct str id;
	enum err e = desk_kept_id(t, k, "provider", &id, why);

	if (!e) e = desk_provider(t->desk, rows, job->who.ws, id, &p, why);
	return e ? e : provider_reply(t, rows, p);
}

const struct use use_provider_create = WRITES("provider_create", MAY_ADMIN, 0, NULL,
	provider_create_decide, provider_again, provider_create_check);

static enum err provider_patch_decide(
	struct job *job, struct rows *rows, struct fault *why)
{
	static const struct str names[] = { STR("version") };
	static const struct members also = { names, 1 };
	struct task *t = task_of(job);
	const struct provider_record *found;
	struct provider_record changed, *p;
	struct provider_body b;
	int64_t version;
	enum err e = desk_provider(t->desk, rows, job->who.ws, t->id, &found, why);

	if (e) return e;
	if (!found->version) return defined_elsewhere(found->name, why);
	e = version_read(t->body, &version, why);
	if (!e) e = provider_body_read(t, found->body, &also, rows->arena, &b, why);
	if (e) return e;
	if (version != found->version)
		return fail(why, ERR_CONFLICT,
			"the provider has changed since: version %lld now",
			(long long)found->version);
	changed = *found;
	e = key_seal(t, rows, &changed, &b, why);
	if (e) return e;
	p = rows_change(rows, found);
	p->body = b.body;
	p->sealed = changed.sealed;
	p->last4 = changed.last4;
	p->changed_ms = rows->now_ms;
	return provider_reply(t, rows, p);
}

const struct use use_provider_patch = WRITES("provider_patch", MAY_ADMIN, 0, NULL,
	provider_patch_decide, NULL, version_patch_check);

/* ---- delete ---- */

/* "researcher, writer": who would be without it. */
static enum err users_of(struct task *t, struct rows *rows,
	const struct provider_record *p, struct buf *out, struct fault *why)
{
	const struct configured *c = t->desk->configured;
	const struct val args[] = { val_int(p->ws) };
	const struct agent_record *a = NULL;
	struct agent_config parts;
	enum err e = rows_fetch(rows, RECORD_AGENTS, SQL_AGENTS_OF, args, 1, why);

	for (size_t i = 0; !e && c && i < c->agents_len; i++) {
		e = agent_parse(c->agents[i].body, rows->arena, &parts, why);
		if (!e && str_eq(parts.provider, p->name))
			buf_print(out, "%s%.*s", out->len ? ", " : "",
				STR_ARGS(c->agents[i].name));
	}
	while (!e && (a = rows_next(rows, RECORD_AGENTS, a))) {
		if (a->ws != p->ws) continue;
		e = agent_parse(a->body, rows->arena, &parts, why);
		if (!e && str_eq(parts.provider, p->name))
			buf_print(out, "%s%.*s", out->len ? ", " : "", STR_ARGS(a->name));
	}
	return e;
}

static enum err provider_delete_decide(
	struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct buf agents = { .max = 160 };
	const struct provider_record *p;
	enum err e = desk_provider(t->desk, rows, job->who.ws, t->id, &p, why);

	if (e) return e;
	if (!p->version) return defined_elsewhere(p->name, why);
	e = users_of(t, rows, p, &agents, why);
	if (!e && agents.len)
		e = fail(why, ERR_CONFLICT, "agents use it: %.*s",
			STR_ARGS(buf_str(&agents)));
	buf_done(&agents);
	if (e) return e;
	rows_delete(rows, p);
	job->status = 204;
	return OK;
}

const struct use use_provider_delete =
	WRITES("provider_delete", MAY_ADMIN, 0, NULL, provider_delete_decide, NULL, NULL);
