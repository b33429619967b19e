/* agent.c - the configuration of an agent as JSON. */
#include "core/run/agent.h"

#include <math.h>
#include <stdio.h>

#include "base/keep.h"
#include "core/policy/policy.h"
#include "core/run/effort.h"
#include "core/run/mcp_tool.h"
#include "core/run/output.h"
#include "core/run/run_tool.h"
#include "core/shared/shape.h"
#include "core/shared/show.h"

static const int64_t COST_MAX = INT64_C(1000000) * 1000000000; /* nanodollars */
#define DAY_MS	   (86400 * 1000LL)
#define TIME_MAX   (366 * DAY_MS)
#define TOKENS_MAX INT64_C(1000000000000)
enum { TURNS_MAX = 10000, HISTORY_MAX = 10000, CONTEXT_MIN = 1000 };

void agent_digest(const struct agent_record *a, char out[SHORT_DIGEST_SIZE])
{
	static const struct str none = STR("\"on_reject\":null}"),
				tell = STR("\"on_reject\":\"tell\"}");
	char created[NUMBER_SIZE], changed[NUMBER_SIZE];
	struct buf body = { 0 };
	bool unsaid = str_ends(a->body, none.at), said = str_ends(a->body, tell.at);

	/* Without a choice, `tell` used to be stored: hash it so, to match older events. */
	buf_add(&body, unsaid ? str_first(a->body, a->body.len - none.len) : a->body);
	if (unsaid) buf_add(&body, tell);
	const struct str fields[] = { a->name, buf_str(&body),
		digest_number(a->created_ms, created),
		digest_number(a->changed_ms, changed), STR("tell") };

	digest_fields(fields, sizeof fields / sizeof *fields - !said, out);
	if (body.failed) out[0] = '\0';
	buf_done(&body);
}

bool agent_name_valid(struct str name)
{
	return text_plain_name(name, "-_", AGENT_NAME_MAX);
}

struct str agent_name_fit(struct str name, struct arena *arena)
{
	struct buf b = { .max = AGENT_NAME_MAX };

	for (size_t i = 0; i < name.len && b.len < AGENT_NAME_MAX; i++) {
		char c = name.at[i];

		if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')
			buf_add_char(&b, c);
		else if (b.len && b.at[b.len - 1] != '-')
			buf_add_char(&b, '-');
	}
	while (b.len && b.at[b.len - 1] == '-')
		b.len--;
	if (!b.len) buf_add_text(&b, "agent");
	return buf_keep_done(&b, arena);
}

bool agent_tool_valid(struct str tool)
{
	struct str server, one;

	return run_tool_known(tool, true) || run_tool_own_name(tool) ||
	       mcp_call_chosen(tool, &server, &one);
}

/* ---- limits ---- */

static void cost_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct agent_limits *l = r->out;
	double dollars = json_real(v);

	if (v && (v->type != JSON_NUMBER || !(dollars > 0 && dollars <= 1e6)))
		wrong_member(
			r->check, r->at, m->name, "must be a number of dollars above 0");
	else
		l->cost = (int64_t)llround(dollars * 1e9);
}

static void cost_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const struct agent_limits *l = from;

	jw_key_str(w, m->name);
	if (l->cost)
		jw_real(w, (double)l->cost / 1e9);
	else
		jw_null(w);
}

static void time_read_as_said(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct agent_limits *l = r->out;

	l->time_ms = duration_check(r->check, r->at, m->name, v, 1000, TIME_MAX);
	l->time_said = l->time_ms ? v : NULL;
}

static void time_write_as_said(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const struct agent_limits *l = from;
	char time[32];

	snprintf(time, sizeof time, "%llds", (long long)(l->time_ms + 999) / 1000);
	jw_key_str(w, m->name);
	if (l->time_ms && !l->time_said)
		jw_text(w, time);
	else
		jw_json(w, l->time_said);
}

static const struct shape_member limits_members[] = {
	{ STR("turns"), OF_NUMBER, AT(agent_limits, turns), 1, TURNS_MAX,
		.otherwise = AGENT_TURNS },
	{ STR("history"), OF_NUMBER, AT(agent_limits, history), 2, HISTORY_MAX },
	{ STR("context"), OF_NUMBER, AT(agent_limits, context), CONTEXT_MIN, TOKENS_MAX },
	{ STR("output"), OF_NUMBER, AT(agent_limits, output), 1, TOKENS_MAX },
	{ STR("tokens"), OF_NUMBER, AT(agent_limits, tokens), 1, TOKENS_MAX },
	{ STR("cost_usd"), OF_OWN, .read = cost_read, .write = cost_write },
	{ STR("time"), OF_OWN, .read = time_read_as_said, .write = time_write_as_said },
};
static const struct shape limits_shape = { SHAPE(limits_members, agent_limits) };

enum err agent_limits_parse(
	struct str json, struct arena *arena, struct agent_limits *out, struct fault *why)
{
	return shape_load(&limits_shape, json, arena, out,
		"the limits of a run are unreadable", why);
}

static int64_t at_most(int64_t n, int64_t max)
{
	return n < max ? n : max;
}

struct str agent_limits_keep(const struct agent_limits *l, struct arena *arena)
{
	const struct agent_limits kept = { .turns = at_most(l->turns, TURNS_MAX),
		.history = l->history,
		.output = l->output,
		.context = l->context,
		.tokens = at_most(l->tokens, TOKENS_MAX),
		.cost = at_most(l->cost, COST_MAX),
		.time_ms = at_most(l->time_ms, TIME_MAX) };
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	shape_write(&w, &limits_shape, &kept);
	return buf_keep_done(&b, arena);
}

/* ---- the agent ---- */

/* Members of a policy that make sense for one agent; the policy's reader knows them. */
static void validation_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	static const char *const allowed[] = { "mode", "selective", "auto_approve_low",
		"always_confirm_high", "timeout" };
	struct json_place at = place_member(r->at, m->name);
	struct agent_config *config = r->out;
	struct fault found = { 0 };
	struct buf text = { 0 };
	struct str whole;

	if (!v) return;
	if (v->type != JSON_OBJECT) {
		wrong(r->check, &at, "must be an object or null");
		return;
	}
	for (uint32_t i = 0; i < v->count; i++)
		if (name_find(allowed, sizeof allowed / sizeof *allowed,
			    v->members[i].name) < 0) {
			wrong_member(r->check, &at, v->members[i].name,
				"no such member of an agent's validation");
			return;
		}
	if (policy_read(
		    v, str_of(policy_default), NULL, r->arena, &whole, NULL, &found)) {
		struct json_place inner =
			place_member(&at, found.items_len && found.items[0].pointer[0]
						  ? str_of(found.items[0].pointer + 1)
						  : STR(""));

		wrong(r->check, &inner, "%s", found.detail);
	}
	json_write(&text, v);
	config->validation = buf_keep_done(&text, r->arena);
}

static void validation_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	show_json(w, m->name.at, ((const struct agent_config *)from)->validation);
}

/* Parley runs no programs as agents yet. */
static void program_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	if (v) wrong_member(r->check, r->at, m->name, "must be null for kind model");
}

static bool fallback_valid(struct str text)
{
	int64_t slash = str_find(text, STR("/"));

	return slash > 0 && slash <= 64 && (size_t)slash + 1 < text.len &&
	       text.len <= 265;
}

/* 0 is none at all, null as on_error says. */
static void patience_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct agent_config *config = r->out;

	config->patience_ms =
		v ? duration_check(r->check, r->at, m->name, v, 0, TIME_MAX) : -1;
}

static void patience_write(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const struct agent_config *config = from;

	jw_key_str(w, m->name);
	if (config->patience_ms < 0)
		jw_null(w);
	else
		span_write(w, config->patience_ms);
}

static void output_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct agent_config *config = r->out;
	struct json_place at = place_member(r->at, m->name);

	config->output_schema = v;
	if (v) output_schema_check(r->check, &at, v);
}

static void output_schema_keep(
	struct json_writer *w, const struct shape_member *m, const void *from)
{
	const struct agent_config *config = from;

	if (config->output_schema) jw_put_json(w, m->name.at, config->output_schema);
}

static const char *const kinds[] = { [AGENT_MODEL] = "model" };
static const char *const errors[] = { "fail", "ask" };
static const char *const limits[] = { "stop", "ask" };
static const char *const rejects[] = { [REJECT_TELL] = "tell", [REJECT_STOP] = "stop" };

/* Runs and rules know an agent by its name. */
static const struct shape_member agent_members[] = {
	{ STR("name"), OF_NAME, AT(agent_config, name), 1, AGENT_NAME_MAX,
		TEXT_NEEDED | SHAPE_FIXED,
		"must be {least} to {most} of a-z, 0-9, - and _",
		.fits = agent_name_valid },
	{ STR("kind"), OF_WORD, AT(agent_config, kind), WORDS(kinds) },
	{ STR("description"), OF_TEXT, AT(agent_config, description), 0,
		AGENT_DESCRIPTION_MAX },
	{ STR("provider"), OF_TEXT, AT(agent_config, provider), 1, 64,
		TEXT_LINE | TEXT_FILLED | TEXT_NEEDED },
	{ STR("model"), OF_TEXT, AT(agent_config, model), 1, 200,
		TEXT_LINE | TEXT_FILLED | TEXT_NEEDED },
	{ STR("prompt"), OF_TEXT, AT(agent_config, prompt), 0, AGENT_PROMPT_MAX,
		SHAPE_BARE },
	{ STR("effort"), OF_NAME, AT(agent_config, effort),
		.must = "must be none, minimal, low, medium, high, xhigh, max or null",
		.fits = effort_valid },
	{ STR("tools"), OF_TEXTS, ALL(agent_config, tools), .most = AGENT_TOOLS_MAX,
		.must = "must be an array of at most {most} tools",
		.each = "there is no tool {value}", .fits = agent_tool_valid },
	{ STR("fallbacks"), OF_TEXTS, ALL(agent_config, fallbacks),
		.most = AGENT_FALLBACKS_MAX,
		.must = "must be an array of at most {most} models",
		.each = "must be PROVIDER/MODEL", .fits = fallback_valid },
	{ STR("patience"), OF_OWN, .read = patience_read, .write = patience_write },
	{ STR("limits"), OF_OBJECT, AT(agent_config, limits), .of = &limits_shape },
	{ STR("validation"), OF_OWN, .read = validation_read, .write = validation_write },
	{ STR("on_error"), OF_EITHER, AT(agent_config, ask_on_error), .otherwise = true,
		WORDS(errors), .must = "must be ask or fail" },
	{ STR("on_limit"), OF_EITHER, AT(agent_config, ask_on_limit), .otherwise = true,
		WORDS(limits), .must = "must be ask or stop" },
	{ STR("memory"), OF_NUMBER, AT(agent_config, memory), 0, AGENT_MEMORY_MAX,
		.otherwise = AGENT_MEMORY },
	{ STR("delegates"), OF_TEXTS, ALL(agent_config, delegates), .least = 1,
		.most = AGENT_DELEGATES_MAX, .flags = SHAPE_SPARE,
		.must = "must be an array of {least} to {most} names of agents",
		.each = "is no name of an agent", .fits = agent_name_valid },
	{ STR("on_ended"), OF_OBJECT, AT(agent_config, on_ended), .of = &on_ended_shape,
		.flags = SHAPE_SPARE },
	{ STR("output_schema"), OF_OWN, .read = output_read,
		.write = output_schema_keep },
	{ STR("program"), OF_OWN, .flags = SHAPE_UNSAID, .read = program_read },
	{ STR("cwd"), OF_OWN, .flags = SHAPE_UNSAID, .read = program_read },
	{ STR("mode"), OF_OWN, .flags = SHAPE_UNSAID, .read = program_read },
	/* The last member that is written: agent_digest looks for it there. */
	{ STR("on_reject"), OF_WORD, AT(agent_config, on_reject), WORDS(rejects) },
};
/* As AgentRequest in openapi.json. */
static const struct shape agent_shape = { SHAPE(agent_members, agent_config) };

enum err agent_read(const struct json *body, struct str before,
	const struct members *more, struct arena *arena, struct str *json,
	struct fault *why)
{
	return shape_keep(&agent_shape, body, before, more, arena, json, NULL, why);
}

enum err agent_parse(
	struct str json, struct arena *arena, struct agent_config *out, struct fault *why)
{
	return shape_load(&agent_shape, json, arena, out, "an agent is unreadable", why);
}

void agent_show(
	struct json_writer *w, const struct agent_record *a, const struct agent_now *now)
{
	jw_object(w);
	jw_put_str(w, "id", a->id);
	show_members(w, a->body);
	show_text(w, "model_now", now->model);
	show_json(w, "price", now->price);
	show_time(w, "retires_at", now->retires_ms);
	jw_put_text(w, "source", a->version ? "store" : "file");
	jw_put_int(w, "version", a->version);
	jw_put_bool(w, "runnable", now->wrong.len == 0);
	show_text(w, "why", now->wrong);
	jw_put_bool(w, "default", now->preset);
	jw_put_null(w, "program");
	jw_put_null(w, "cwd");
	jw_put_null(w, "mode");
	show_time(w, "created_at", a->created_ms);
	show_time(w, "updated_at", a->changed_ms);
	jw_object_end(w);
}
