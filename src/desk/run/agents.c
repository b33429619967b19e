/* agents.c - agents that Parley runs: listed, made, changed, removed. People read them, admins
 * write them; what the configuration defines nobody changes here. */
#include "core/run/agent.h"

#include "core/shared/principal.h"
#include "desk/run/configured.h"
#include "desk/shared/inner.h"

enum err defined_elsewhere(struct str name, struct fault *why)
{
	return fail(why, ERR_READ_ONLY,
		"%.*s is defined by the server's configuration: change it there and restart",
		STR_ARGS(str_first(name, 64)));
}

enum err version_read(const struct json *body, int64_t *out, struct fault *why)
{
	const struct json *version = json_get(body, "version");

	if (!json_is(body, JSON_OBJECT)) return fail_at(why, "", "must be an object");
	if (!version || !version->is_int || version->integer < 0)
		return fail_at(why, "/version", "required: the number that was read");
	*out = version->integer;
	return OK;
}

enum err version_patch_check(struct task *t, struct fault *why)
{
	int64_t version;
	enum err e = version_read(t->body, &version, why);

	if (!e && t->body->count == 1) e = fail_at(why, "", "nothing to change");
	return e;
}

/* ---- list, get ---- */

static enum err agent_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct catalogue all;
	struct catalogue_page page;
	enum err e = catalogue_read(t->desk, rows, job->who.ws, &job->arena, &all, why);

	if (!e) e = catalogue_page_open(t, rows, "agents", &w, &page, why);
	if (e) return e;
	for (size_t i = 0; i < all.agents_len; i++) {
		const struct agent_record *at = &all.agents[i];

		if (catalogue_page_has(&page, at->name))
			agent_show(&w, at,
				task_words(t,
					catalogue_wrong(t->desk, &all, at, &job->arena),
					&job->arena),
				at == catalogue_default(t->desk, &all));
	}
	catalogue_page_close(t, &page, &w);
	return OK;
}

const struct use use_agent_list =
	READS("agent_list", MAY_READ_ALL, 0, agent_list_read, NULL);

enum err desk_agent_param(
	struct task *t, struct rows *rows, struct str *out, struct fault *why)
{
	const struct agent_record *a;
	struct catalogue all;
	enum err e;

	*out = task_param(t, "agent");
	if (!str_starts(*out, "agt_")) return OK;
	e = catalogue_read(t->desk, rows, t->job.who.ws, &t->job.arena, &all, why);
	a = e ? NULL : catalogue_agent(&all, *out);
	if (a) *out = a->name;
	return e;
}

static enum err agent_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	const struct agent_record *a;
	struct catalogue all;
	enum err e = catalogue_read(t->desk, rows, job->who.ws, &job->arena, &all, why);

	if (e) return e;
	a = catalogue_agent(&all, t->id);
	if (!a)
		return fail(why, ERR_NOT_FOUND, "no agent %.*s",
			STR_ARGS(str_first(t->id, 64)));
	agent_show(&w, a,
		task_words(
			t, catalogue_wrong(t->desk, &all, a, &job->arena), &job->arena),
		a == catalogue_default(t->desk, &all));
	return OK;
}

const struct use use_agent_get =
	READS("agent_get", MAY_READ_ALL, 0, agent_get_read, NULL);

/* ---- create, change ---- */

/* The provider it names is there. */
static enum err provider_exists(
	struct task *t, struct rows *rows, struct str body, struct fault *why)
{
	const struct provider_record *p;
	struct agent_config parts;
	struct fault missing = { 0 };
	enum err e = agent_parse(body, rows->arena, &parts, why);

	if (e) return e;
	e = desk_provider(t->desk, rows, t->job.who.ws, parts.provider, &p, &missing);
	if (e == ERR_NOT_FOUND)
		return fail_at(why, "/provider", "there is no provider of this name");
	if (e) *why = missing;
	return e;
}

static enum err agent_reply(struct task *t, struct rows *rows,
	const struct agent_record *a, struct fault *why)
{
	struct json_writer w = { .out = &t->job.out };
	struct str wrong = STR_NONE;
	const struct agent_record *preset = NULL;
	enum err e = desk_agent_wrong(t->desk, rows, a, rows->arena, &wrong, why);

	if (!e) e = desk_default_agent(t->desk, rows, a->ws, &preset, why);
	if (!e)
		agent_show(&w, a, task_words(t, wrong, rows->arena),
			preset && str_eq(preset->name, a->name));
	return e;
}

static enum err agents_room(struct rows *rows, int64_t ws, struct fault *why)
{
	const struct val args[] = { val_int(ws) };
	const struct agent_record *a = NULL;
	size_t n = 0;
	enum err e = rows_fetch(rows, RECORD_AGENTS, SQL_AGENTS_OF, args, 1, why);

	while (!e && (a = rows_next(rows, RECORD_AGENTS, a)))
		n += a->ws == ws;
	if (!e && n >= AGENTS_MAX)
		e = fail(why, ERR_CONFLICT, "there are already %d agents", AGENTS_MAX);
	return e;
}

static enum err agent_create_check(struct task *t, struct fault *why)
{
	struct str *body = TASK_CHECKED(t, struct str);

	return agent_read(t->body, STR_NONE, NULL, &t->job.arena, body, why);
}

static enum err agent_create_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct agent_record fresh = { .ws = job->who.ws,
		.name = json_text(json_get(t->body, "name")),
		.body = *(const struct str *)t->checked,
		.created_ms = rows->now_ms,
		.changed_ms = rows->now_ms };
	const struct agent_record *a;
	struct fault missing = { 0 };
	char id[32];
	enum err e = desk_agent(t->desk, rows, fresh.ws, fresh.name, &a, &missing);

	if (!e) return fail(why, ERR_CONFLICT, "an agent with this name already exists");
	if (e != ERR_NOT_FOUND) {
		*why = missing;
		return e;
	}
	e = provider_exists(t, rows, fresh.body, why);
	if (!e) e = agents_room(rows, fresh.ws, why);
	if (e) return e;
	agent_id(fresh.ws, fresh.name, id);
	fresh.id = arena_str(rows->arena, str_of(id));
	a = rows_new(rows, RECORD_AGENTS, &fresh);
	job->status = 201;
	desk_keep_id(t, "agent", a->id);
	return agent_reply(t, rows, a, why);
}

static enum err agent_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct task *t = task_of(job);
	const struct agent_record *a;
	struct str id;
	enum err e = desk_kept_id(t, k, "agent", &id, why);

	if (!e) e = desk_agent(t->desk, rows, job->who.ws, id, &a, why);
	return e ? e : agent_reply(t, rows, a, why);
}

const struct use use_agent_create = WRITES("agent_create", MAY_ADMIN, 0, NULL,
	agent_create_decide, agent_again, agent_create_check);

static enum err agent_patch_decide(struct job *job, struct rows *rows, struct fault *why)
{
	static const struct str names[] = { STR("version") };
	static const struct members also = { names, 1 };
	struct task *t = task_of(job);
	const struct agent_record *found;
	struct agent_record *a;
	struct str body;
	int64_t version;
	enum err e = desk_agent(t->desk, rows, job->who.ws, t->id, &found, why);

	if (e) return e;
	if (!found->version) return defined_elsewhere(found->name, why);
	e = version_read(t->body, &version, why);
	if (!e) e = agent_read(t->body, found->body, &also, rows->arena, &body, why);
	if (!e) e = provider_exists(t, rows, body, why);
	if (e) return e;
	if (version != found->version)
		return fail(why, ERR_CONFLICT,
			"the agent has changed since: version %lld now",
			(long long)found->version);
	a = rows_change(rows, found);
	a->body = body;
	a->changed_ms = rows->now_ms;
	return agent_reply(t, rows, a, why);
}

const struct use use_agent_patch = WRITES(
	"agent_patch", MAY_ADMIN, 0, NULL, agent_patch_decide, NULL, version_patch_check);

/* ---- delete ---- */

/* Runs keep the configuration they began with, so nothing else need be looked at. */
static enum err agent_delete_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct agent_record *a;
	enum err e = desk_agent(t->desk, rows, job->who.ws, t->id, &a, why);

	if (e) return e;
	if (!a->version) return defined_elsewhere(a->name, why);
	rows_delete(rows, a);
	job->status = 204;
	return OK;
}

const struct use use_agent_delete =
	WRITES("agent_delete", MAY_ADMIN, 0, NULL, agent_delete_decide, NULL, NULL);
