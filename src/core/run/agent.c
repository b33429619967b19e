/* agent.c - the configuration of an agent as JSON. */
#include "core/run/agent.h"

#include <math.h>
#include <stdio.h>

#include "base/keep.h"
#include "core/policy/policy.h"
#include "core/policy/rule_inner.h"
#include "core/run/run_tool.h"
#include "core/shared/merge.h"
#include "core/shared/principal.h"
#include "core/shared/show.h"

static const int64_t DAY_MS = 86400 * 1000LL;
static const int64_t TOKENS_MAX = INT64_C(1000000000000);
static const int64_t COST_MAX = INT64_C(1000000) * 1000000000; /* nanodollars */
enum { TURNS_MAX = 10000, HISTORY_MAX = 10000 };

enum {
	A_NAME,
	A_KIND,
	A_DESCRIPTION,
	A_PROVIDER,
	A_MODEL,
	A_PROMPT,
	A_EFFORT,
	A_TOOLS,
	A_LIMITS,
	A_VALIDATION,
	A_ON_ERROR,
	A_ON_LIMIT,
	A_ON_REJECT,
	A_PROGRAM, /* these are null: Parley runs no programs as agents yet */
	A_CWD,
	A_MODE,
	A_LEN,
};

static const struct str names[A_LEN] = {
	[A_NAME] = STR("name"),
	[A_KIND] = STR("kind"),
	[A_DESCRIPTION] = STR("description"),
	[A_PROVIDER] = STR("provider"),
	[A_MODEL] = STR("model"),
	[A_PROMPT] = STR("prompt"),
	[A_EFFORT] = STR("effort"),
	[A_TOOLS] = STR("tools"),
	[A_LIMITS] = STR("limits"),
	[A_VALIDATION] = STR("validation"),
	[A_ON_ERROR] = STR("on_error"),
	[A_ON_LIMIT] = STR("on_limit"),
	[A_ON_REJECT] = STR("on_reject"),
	[A_PROGRAM] = STR("program"),
	[A_CWD] = STR("cwd"),
	[A_MODE] = STR("mode"),
};
static const struct members members = { names, A_LEN };

enum { L_TURNS, L_HISTORY, L_TOKENS, L_COST, L_TIME, L_LEN };

static const struct str limit_names[L_LEN] = {
	[L_TURNS] = STR("turns"),
	[L_HISTORY] = STR("history"),
	[L_TOKENS] = STR("tokens"),
	[L_COST] = STR("cost_usd"),
	[L_TIME] = STR("time"),
};
static const struct members limit_members = { limit_names, L_LEN };

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

	fields_digest(fields, sizeof fields / sizeof *fields - !said, out);
	if (body.failed) out[0] = '\0';
	buf_done(&body);
}

bool agent_name_valid(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!((name.at[i] >= 'a' && name.at[i] <= 'z') ||
			    (name.at[i] >= '0' && name.at[i] <= '9') ||
			    name.at[i] == '-' || name.at[i] == '_'))
			return false;
	return name.len && name.len <= AGENT_NAME_MAX;
}

bool agent_tool_valid(struct str tool)
{
	return run_tool_known(tool);
}

/* ---- reading ---- */

struct agent_reading {
	struct check *check;
	struct json_place root;
	const struct json *m[A_LEN];
	struct arena *arena;
	struct agent_config *out;
};

static void read_tools(struct agent_reading *r)
{
	const struct json *list = r->m[A_TOOLS];
	struct json_place at = place_member(&r->root, names[A_TOOLS]);

	if (!list) return;
	if (list->type != JSON_ARRAY || list->count > AGENT_TOOLS_MAX) {
		wrong(r->check, &at, "must be an array of at most %d tools",
			AGENT_TOOLS_MAX);
		return;
	}
	r->out->tools = ARENA_ARRAY(r->arena, struct str, list->count);
	for (uint32_t i = 0; r->out->tools && i < list->count; i++) {
		struct json_place item = place_item(&at, i);
		struct str tool = json_text(&list->items[i]);

		if (!agent_tool_valid(tool))
			wrong(r->check, &item, "there is no tool %.*s",
				STR_ARGS(text_excerpt(tool)));
		r->out->tools[r->out->tools_len++] = tool;
	}
}

static void limits_read(struct check *c, const struct json_place *at,
	const struct json *said, struct agent_limits *l)
{
	const struct json *m[L_LEN] = { 0 };

	*l = (struct agent_limits){ .turns = AGENT_TURNS, .history = AGENT_HISTORY };
	if (!said || !members_read(c, at, said, &limit_members, NULL, m)) return;
	if (m[L_TURNS] &&
		count_read(c, at, limit_names[L_TURNS], m[L_TURNS], 1, TURNS_MAX))
		l->turns = m[L_TURNS]->integer;
	if (m[L_HISTORY] &&
		count_read(c, at, limit_names[L_HISTORY], m[L_HISTORY], 2, HISTORY_MAX))
		l->history = m[L_HISTORY]->integer;
	if (m[L_TOKENS] &&
		count_read(c, at, limit_names[L_TOKENS], m[L_TOKENS], 1, TOKENS_MAX))
		l->tokens = m[L_TOKENS]->integer;
	if (m[L_TIME])
		l->time_ms = duration_check(
			c, at, limit_names[L_TIME], m[L_TIME], 1000, 366 * DAY_MS);
	if (m[L_COST]) {
		double dollars = json_real(m[L_COST]);

		if (m[L_COST]->type != JSON_NUMBER || !(dollars > 0 && dollars <= 1e6))
			wrong_member(c, at, limit_names[L_COST],
				"must be a number of dollars above 0");
		else
			l->cost = (int64_t)llround(dollars * 1e9);
	}
}

static void read_limits(struct agent_reading *r)
{
	struct json_place at = place_member(&r->root, names[A_LIMITS]);

	limits_read(r->check, &at, r->m[A_LIMITS], &r->out->limits);
}

/* Members of a policy that make sense for one agent; the policy's reader knows them. */
static void read_validation(struct agent_reading *r)
{
	static const char *const allowed[] = { "mode", "selective", "auto_approve_low",
		"always_confirm_high", "timeout" };
	const struct json *v = r->m[A_VALIDATION];
	struct json_place at = place_member(&r->root, names[A_VALIDATION]);
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
	r->out->validation = buf_keep_done(&text, r->arena);
}

/* One of two words; the first unless it says so. */
static bool second_word(
	struct agent_reading *r, int member, const char *first, const char *second)
{
	struct str word = json_text(r->m[member]);

	if (!r->m[member] || str_is(word, first)) return false;
	if (!str_is(word, second))
		wrong_member(r->check, &r->root, names[member], "must be %s or %s", first,
			second);
	return true;
}

static void read_all(struct agent_reading *r)
{
	static const char *const efforts[] = { "low", "medium", "high" };
	struct agent_config *a = r->out;
	struct check *c = r->check;

	a->name = json_text(r->m[A_NAME]);
	if (!agent_name_valid(a->name))
		wrong_member(c, &r->root, names[A_NAME],
			"must be 1 to %d of a-z, 0-9, - and _", AGENT_NAME_MAX);
	if (r->m[A_KIND] && !str_is(json_text(r->m[A_KIND]), "model"))
		wrong_member(c, &r->root, names[A_KIND], "must be model");
	a->description = text_read(c, &r->root, names[A_DESCRIPTION], r->m[A_DESCRIPTION],
		AGENT_DESCRIPTION_MAX, TEXT_FREE);
	a->provider = text_read(c, &r->root, names[A_PROVIDER], r->m[A_PROVIDER], 64,
		TEXT_LINE | TEXT_FILLED | TEXT_NEEDED);
	a->model = text_read(c, &r->root, names[A_MODEL], r->m[A_MODEL], 200,
		TEXT_LINE | TEXT_FILLED | TEXT_NEEDED);
	a->prompt = text_read(c, &r->root, names[A_PROMPT], r->m[A_PROMPT],
		AGENT_PROMPT_MAX, TEXT_FREE);
	a->effort = json_text(r->m[A_EFFORT]);
	if (r->m[A_EFFORT] && name_find(efforts, 3, a->effort) < 0)
		wrong_member(c, &r->root, names[A_EFFORT],
			"must be low, medium, high or null");
	read_tools(r);
	read_limits(r);
	read_validation(r);
	a->ask_on_error = !second_word(r, A_ON_ERROR, "ask", "fail");
	a->ask_on_limit = !second_word(r, A_ON_LIMIT, "ask", "stop");
	if (r->m[A_ON_REJECT])
		a->on_reject = second_word(r, A_ON_REJECT, "tell", "stop") ? REJECT_STOP
									   : REJECT_TELL;
	for (int i = A_PROGRAM; i <= A_MODE; i++)
		if (r->m[i])
			wrong_member(
				c, &r->root, names[i], "must be null for kind model");
}

static enum err ask_json_read(const struct json *whole, const struct members *also,
	struct arena *arena, struct agent_config *out, struct fault *why)
{
	struct check c = { .why = why };
	struct agent_reading r = {
		.check = &c, .root = place_root(""), .arena = arena, .out = out
	};

	*out = (struct agent_config){ 0 };
	if (members_read(&c, &r.root, whole, &members, also, r.m)) read_all(&r);
	return check_end(&c, arena);
}

/* ---- writing ---- */

static void limit_write(struct json_writer *w, int which, int64_t value)
{
	jw_key(w, limit_names[which].at);
	if (value)
		jw_int(w, value);
	else
		jw_null(w);
}

/* `said`: what they were read from; NULL: they are of our own making. */
static void limits_write(
	struct json_writer *w, const struct agent_limits *l, const struct json *said)
{
	char time[32];

	jw_object(w);
	limit_write(w, L_TURNS, l->turns);
	limit_write(w, L_HISTORY, l->history);
	limit_write(w, L_TOKENS, l->tokens);
	jw_key(w, "cost_usd");
	if (l->cost)
		jw_real(w, (double)l->cost / 1e9);
	else
		jw_null(w);
	jw_key(w, "time"); /* as it was spelt */
	snprintf(time, sizeof time, "%llds", (long long)(l->time_ms + 999) / 1000);
	if (l->time_ms && !said)
		jw_text(w, time);
	else
		jw_json(w, l->time_ms ? json_get(said, "time") : NULL);
	jw_object_end(w);
}

enum err agent_limits_parse(
	struct str json, struct arena *arena, struct agent_limits *out, struct fault *why)
{
	struct check c = { 0 };
	struct json_place root = place_root("");
	const struct json *said;
	struct agent_limits l;

	if (json_read(json, NULL, arena, &said, why)) return why->err;
	limits_read(&c, &root, said, &l);
	if (c.failed)
		return fail(why, ERR_INTERNAL, "the limits of a run are unreadable");
	*out = l;
	return OK;
}

static int64_t at_most(int64_t n, int64_t max)
{
	return n < max ? n : max;
}

struct str agent_limits_keep(const struct agent_limits *l, struct arena *arena)
{
	const struct agent_limits kept = { .turns = at_most(l->turns, TURNS_MAX),
		.history = l->history,
		.tokens = at_most(l->tokens, TOKENS_MAX),
		.cost = at_most(l->cost, COST_MAX),
		.time_ms = at_most(l->time_ms, 366 * DAY_MS) };
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	limits_write(&w, &kept, NULL);
	return buf_keep_done(&b, arena);
}

static void agent_write(
	struct json_writer *w, const struct agent_config *a, const struct json *limits)
{
	jw_object(w);
	jw_put_str(w, "name", a->name);
	jw_put_text(w, "kind", "model");
	show_text(w, "description", a->description);
	jw_put_str(w, "provider", a->provider);
	jw_put_str(w, "model", a->model);
	jw_put_str(w, "prompt", a->prompt);
	show_text(w, "effort", a->effort);
	jw_put_array(w, "tools");
	for (size_t i = 0; i < a->tools_len; i++)
		jw_str(w, a->tools[i]);
	jw_array_end(w);
	jw_key(w, "limits");
	limits_write(w, &a->limits, limits);
	show_json(w, "validation", a->validation);
	jw_put_text(w, "on_error", a->ask_on_error ? "ask" : "fail");
	jw_put_text(w, "on_limit", a->ask_on_limit ? "ask" : "stop");
	/* The last member: agent_digest looks for it there. */
	show_text(w, "on_reject",
		a->on_reject == REJECT_STOP   ? STR("stop")
		: a->on_reject == REJECT_TELL ? STR("tell")
					      : STR_NONE);
	jw_object_end(w);
}

enum err agent_read(const struct json *body, struct str before,
	const struct members *also, struct arena *arena, struct str *json,
	struct fault *why)
{
	/* Runs and rules know an agent by its name. */
	static const char *const fixed[] = { "name", NULL };
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	const struct json *whole;
	struct agent_config a;
	enum err e = body_merge(body, before, fixed, arena, &whole, why);

	if (!e) e = ask_json_read(whole, also, arena, &a, why);
	if (e) return e;
	agent_write(&w, &a, json_get(whole, "limits"));
	*json = buf_keep_done(&text, arena);
	return arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

enum err agent_parse(
	struct str json, struct arena *arena, struct agent_config *out, struct fault *why)
{
	const struct json *whole;
	struct agent_config a;

	if (json_read(json, NULL, arena, &whole, NULL) ||
		ask_json_read(whole, NULL, arena, &a, NULL))
		return arena->failed ? fail(why, ERR_MEMORY, "out of memory")
				     : fail(why, ERR_INTERNAL, "an agent is unreadable");
	*out = a;
	return OK;
}

void agent_show(struct json_writer *w, const struct agent_record *a, struct str wrong,
	bool preset)
{
	struct str inner = str_trim(a->body);

	jw_object(w);
	jw_put_str(w, "id", a->id);
	if (inner.len > 2) jw_members(w, str_make(inner.at + 1, inner.len - 2));
	jw_put_text(w, "source", a->version ? "store" : "file");
	jw_put_int(w, "version", a->version);
	jw_put_bool(w, "runnable", wrong.len == 0);
	show_text(w, "why", wrong);
	jw_put_bool(w, "default", preset);
	jw_put_null(w, "program");
	jw_put_null(w, "cwd");
	jw_put_null(w, "mode");
	show_time(w, "created_at", a->created_ms);
	show_time(w, "updated_at", a->changed_ms);
	jw_object_end(w);
}
