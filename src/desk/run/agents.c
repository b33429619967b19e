/* agents.c - agents that Parley runs: listed, made, changed, removed. People read them, admins
 * write them. */
#include "core/run/agent.h"
#include "core/run/patience.h"

#include "base/keep.h"
#include "core/shared/principal.h"
#include "desk/run/configured.h"
#include "desk/run/mcp_servers.h"
#include "desk/run/model_lists.h"
#include "desk/shared/collection.h"

enum err agents_param(
	struct task *t, struct rows *rows, struct str *out, struct fault *why)
{
	const void *found = NULL;
	enum err e;

	*out = task_param(t, "agent");
	if (!str_starts(*out, "agt_")) return OK;
	e = configured_find(
		t->desk, rows, RECORD_AGENTS, t->job.who.ws, *out, &found, why);
	if (found) *out = ((const struct agent_record *)found)->name;
	return e;
}

/* The model's price, and whether it retires soon. Lists may be long: each has an arena of its own. */
static enum err model_facts(struct task *t, struct rows *rows, int64_t ws,
	struct str provider, struct agent_now *now, struct fault *why)
{
	static const struct listed_model nothing;
	const struct model_list_record *row;
	const struct listed_model *m = NULL;
	struct arena arena = { 0 };
	struct model_list list;
	struct provider_model known;
	enum price_from priced;
	enum err e = model_list_get(rows, ws, provider, &row, why);

	if (!e && row) e = model_list_parse(row->body, &arena, &list, why);
	if (!e && row) m = model_list_find(&list, now->model);
	if (!e && m && model_retires(m, rows->now_ms)) now->retires_ms = m->retires_ms;
	if (!e)
		e = configured_model(t->desk, rows, ws, provider, now->model,
			m ? m : &nothing, &known, &priced, why);
	if (!e && known.priced) {
		struct json_writer w = { .out = &(struct buf){ 0 } };

		price_write(&w, &known.price);
		now->price = buf_keep_done(w.out, rows->arena);
	}
	arena_done(&arena);
	return e;
}

static enum err agent_shown(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	const struct agent_record *a = record, *preset = NULL;
	struct agent_now now = { 0 };
	struct str wrong = STR_NONE;
	struct agent_config parts;
	enum err e = configured_agent_wrong(t->desk, rows, a, rows->arena, &wrong, why);

	if (!e) e = configured_default_agent(t->desk, rows, a->ws, &preset, why);
	if (!e) e = agent_parse(a->body, rows->arena, &parts, why);
	if (!e)
		e = configured_model_now(t->desk, rows, a->ws, parts.provider,
			parts.model, &now.model, why);
	if (!e) e = model_facts(t, rows, a->ws, parts.provider, &now, why);
	if (e == ERR_NOT_FOUND) e = OK; /* its provider is gone, which `wrong` says */
	if (e) return e;
	now.wrong = task_words(t, wrong, rows->arena);
	now.preset = preset && str_eq(preset->name, a->name);
	agent_show(w, a, &now);
	return OK;
}

static enum err fallback_admit(struct task *t, struct rows *rows, struct str fallback,
	size_t n, struct fault *why)
{
	const void *found = NULL;
	struct str provider = STR_NONE, model;
	enum err e;

	fallback_parts(fallback, &provider, &model);
	e = configured_find(
		t->desk, rows, RECORD_PROVIDERS, t->job.who.ws, provider, &found, why);
	if (e || found) return e;
	return fail_at(why, POINTER("/fallbacks/%zu", n), "there is no provider %.*s",
		STR_ARGS(provider));
}

/* Built in (those of tests in tests alone), one's own, or of an MCP server. */
static enum err tool_admit(
	struct task *t, struct rows *rows, struct str tool, size_t n, struct fault *why)
{
	const void *found = NULL;
	enum err e;

	if (run_tool_known(tool, t->desk->test_tools)) return OK;
	if (str_starts(tool, "mcp:"))
		return mcp_chosen_admit(t->desk, rows, t->job.who.ws, tool,
			POINTER("/tools/%zu", n), why);
	e = configured_find(
		t->desk, rows, RECORD_TOOLS, t->job.who.ws, tool, &found, why);
	return e || found ? e
			  : fail_at(why, POINTER("/tools/%zu", n),
				    "there is no tool %.*s", STR_ARGS(tool));
}

/* The provider and the tools it names are there. */
static enum err agent_admit(
	struct task *t, struct rows *rows, struct str body, struct fault *why)
{
	const void *found = NULL;
	struct agent_config parts;
	enum err e = agent_parse(body, rows->arena, &parts, why);

	if (!e)
		e = configured_find(t->desk, rows, RECORD_PROVIDERS, t->job.who.ws,
			parts.provider, &found, why);
	if (!e && !found)
		e = fail_at(why, "/provider", "there is no provider of this name");
	if (!e)
		e = delivery_check_webhook(
			t->desk, parts.on_ended.webhook, "/on_ended/webhook", why);
	for (size_t n = 0; !e && n < parts.fallbacks_len; n++)
		e = fallback_admit(t, rows, parts.fallbacks[n], n, why);
	for (size_t n = 0; !e && n < parts.tools_len; n++)
		e = tool_admit(t, rows, parts.tools[n], n, why);
	return e;
}

static enum err agent_create_check(struct task *t, struct fault *why)
{
	struct str body;

	return agent_read(t->body, STR_NONE, NULL, &t->job.arena, &body, why);
}

static const struct collection agents;

static enum err agent_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	struct agent_record *a = record;
	enum err e = was ? OK : configured_collection_new(&agents, t, rows, a, why);

	if (e) return e;
	if (!was) a->created_ms = rows->now_ms;
	a->changed_ms = rows->now_ms;
	e = agent_read(
		t->body, a->body, was ? &version_also : NULL, rows->arena, &a->body, why);
	if (!e) e = agent_admit(t, rows, a->body, why);
	return e || was ? e : collection_room(&agents, t, rows, AGENTS_MAX, why);
}

/* Runs keep the configuration they began with, so an agent may always be deleted. */
static const struct collection agents = {
	.noun = "agent",
	.nouns = "agents",
	.record = RECORD_AGENTS,
	.id_at = offsetof(struct agent_record, id),
	.name_at = offsetof(struct agent_record, name),
	.list = SQL_AGENTS_OF,
	.find = configured_collection_find,
	.own = configured_collection_own,
	.show = agent_shown,
	.fill = agent_fill,
};

RESOURCE_USES(agent, MAY_READ_ALL, MAY_ADMIN, agents, agent_create_check);
