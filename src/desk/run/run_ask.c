/* run_ask.c - asks that runs make, and how a run goes on when one is settled: in that very
 * commit, so that there is no wake-up to lose. */
#include "base/keep.h"
#include "core/run/run_limit.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/run/configured.h"
#include "desk/run/run_inner.h"

enum err run_ask(struct task *t, struct rows *rows, const struct ask_from *from,
	struct str text, struct ask **out, struct fault *why)
{
	const struct draft_limits limits = desk_limits(t->desk);
	struct ask_from own = *from;
	const struct json *body;
	struct draft d;
	enum err e = json_read(text, NULL, rows->arena, &body, why);

	if (!e) e = draft_read(body, &limits, rows->arena, &d, why);
	if (e) return e;
	own.was = from->session->status;
	return ask_make(t, rows, &d, &own, out, why);
}

/* ---- what was answered ---- */

/* The option that was chosen, and the text beside it. */
static void chosen(struct rows *rows, const struct ask *a, const char *key,
	struct str *option, struct str *text)
{
	const struct json *answer, *one, *selected;

	*option = *text = STR_NONE;
	if (!a->answer.len || json_read(a->answer, NULL, rows->arena, &answer, NULL))
		return;
	one = json_get(answer, key);
	selected = json_get(one, "selected");
	if (json_is(selected, JSON_ARRAY) && selected->count)
		*option = json_text(&selected->items[0]);
	*text = json_text(json_get(one, "text"));
}

static struct str not_answered(const struct ask *a, struct arena *arena)
{
	static const char *const words[] = { [ASK_SKIPPED] = "The person skipped it",
		[ASK_EXPIRED] = "Nobody answered in time",
		[ASK_CANCELLED] = "The question was withdrawn" };
	const char *word =
		a->status == ASK_ANSWERED ? "It was rejected" : words[a->status];

	return a->reason.len ? arena_print(arena, "%s: %.*s", word, STR_ARGS(a->reason))
			     : arena_print(arena, "%s.", word);
}

/* Why a person rejected it, in their words. */
static struct str rejection(struct rows *rows, const struct ask *a)
{
	const struct json *answer;
	struct str text = STR_NONE;

	if (a->answer.len && !json_read(a->answer, NULL, rows->arena, &answer, NULL))
		text = json_text(json_get(json_get(answer, "decision"), "text"));
	if (text.len)
		return arena_print(rows->arena, "It was rejected: %.*s", STR_ARGS(text));
	return not_answered(a, rows->arena);
}

/* What a person put in place of a call's arguments is checked as the model's own were. */
static enum err edited_check(struct task *t, struct rows *rows, const struct run *r,
	const struct tool_call *c, const struct json *edited, const char *at,
	struct fault *why)
{
	struct agent_config agent;
	struct run_toolbox box;
	struct str wrong = STR_NONE;
	enum err e = run_agent(r, NULL, rows->arena, &agent, why);

	if (e) return e;
	box = run_toolbox(t, r, &agent);
	if (run_tool_call(&box, c->name, edited, rows->arena, &wrong)) return OK;
	return fail_at(why, at, "%.*s", STR_ARGS(wrong));
}

static enum err approval_settled(struct task *t, struct rows *rows, struct session *s,
	struct run *r, struct tool_call *c, const struct ask *a, struct fault *why)
{
	const struct json *edited;
	struct ask_parts parts;
	struct buf b = { 0 };
	enum err e;

	if (!ask_approved(a))
		return run_call_end(rows, s, r, c, CALL_REJECT, rejection(rows, a), why);
	e = ask_parts(a, rows->arena, &parts, why);
	if (!e) e = ask_edited(a, &parts, rows->arena, &edited, why);
	if (e) return e;
	if (edited) {
		e = edited_check(
			t, rows, r, c, edited, "/answers/decision/arguments", why);
		if (e) return e;
		json_write(&b, edited);
		c->approved_arguments = buf_keep_done(&b, rows->arena);
	}
	return tool_call_act(c, CALL_ALLOW, why);
}

/* What a person says about an operation that was cut short. */
static enum err interrupted_settled(struct task *t, struct rows *rows, struct session *s,
	struct run *r, struct tool_call *c, const struct ask *a, struct fault *why)
{
	const struct json *json;
	struct str option, text;
	enum err e;

	chosen(rows, a, "recovery", &option, &text);
	if (str_is(option, "retry")) return tool_call_act(c, CALL_ALLOW, why);
	if (str_is(option, "edit")) {
		if (json_read(text, NULL, rows->arena, &json, NULL) ||
			json->type != JSON_OBJECT)
			return fail_at(why, "/answers/recovery/text",
				"the new arguments as a JSON object");
		e = edited_check(t, rows, r, c, json, "/answers/recovery/text", why);
		if (e) return e;
		c->approved_arguments = text;
		return tool_call_act(c, CALL_ALLOW, why);
	}
	if (str_is(option, "abort"))
		return run_fail(t, rows, s, r, TROUBLE_REJECTED,
			STR("a person ended the run after an interrupted operation"),
			why);
	if (str_is(option, "skip") && text.len)
		return run_call_end(rows, s, r, c, CALL_FINISH, text, why);
	if (!a->answer.len)
		return run_call_end(rows, s, r, c, CALL_FAIL,
			arena_print(rows->arena, "It was interrupted. %.*s",
				STR_ARGS(not_answered(a, rows->arena))),
			why);
	return run_call_end(rows, s, r, c, CALL_FAIL,
		STR("It was interrupted, and a person chose not to repeat it."), why);
}

static enum err question_settled(struct rows *rows, struct session *s, struct run *r,
	struct tool_call *c, const struct ask *a, struct fault *why)
{
	bool answered = a->answer.len > 0;

	return run_call_end(rows, s, r, c, CALL_FINISH,
		answered ? a->summary : not_answered(a, rows->arena), why);
}

static enum err call_settled(struct task *t, struct rows *rows, struct session *s,
	struct run *r, struct tool_call *c, const struct ask *a, struct fault *why)
{
	if (c->status == CALL_INTERRUPTED)
		return interrupted_settled(t, rows, s, r, c, a, why);
	if (c->status != CALL_WAITING) return OK;
	return a->kind == ASK_APPROVAL ? approval_settled(t, rows, s, r, c, a, why)
				       : question_settled(rows, s, r, c, a, why);
}

/* ---- trouble ---- */

/* More of the limit that is reached: as much as it began with, or what a person says. */
static enum err limit_grant(
	struct rows *rows, struct run *r, const struct str *text, struct fault *why)
{
	struct agent_config now, began;
	enum run_limit which;
	int64_t more;
	enum err e = run_agent(r, NULL, rows->arena, &now, why);

	if (!e) e = agent_parse(r->config, rows->arena, &began, why);
	if (e) return e;
	which = run_limit_reached(&now.limits, r, r);
	if (which == RUN_LIMITS) return OK;
	more = run_limit_of(&began.limits, which);
	if (text && !run_limit_amount(which, *text, &more))
		return fail_at(why, "/answers/recovery/text", "%s",
			which == RUN_LIMIT_COST	  ? "an amount in dollars above 0"
			: which == RUN_LIMIT_TIME ? "seconds, or a duration such as 10m"
						  : "a whole number from 1");
	run_limit_grant(&now.limits, which, r, more);
	r->limits = agent_limits_keep(&now.limits, rows->arena);
	return OK;
}

/* "PROVIDER/MODEL", or "MODEL" of the provider it has. Gateways sell models whose names have
 * slashes of their own: a run that has such a model can be given another. */
static enum err model_choose(struct task *t, struct rows *rows, const struct run *r,
	struct str text, struct str *provider, struct str *model, struct fault *why)
{
	struct str rest = text, first = STR_NONE;
	const struct provider_record *p;
	struct fault missing = { 0 };
	struct str wrong;
	enum err e;

	*provider = r->provider;
	*model = text;
	if (str_find(text, STR("/")) > 0) str_cut(&rest, '/', &first);
	e = configured_provider(
		t->desk, rows, r->ws, first.len ? first : r->provider, &p, &missing);
	if (!e && first.len) {
		*provider = p->name;
		*model = str_trim(rest);
	} else if (e == ERR_NOT_FOUND && first.len && str_find(r->model, STR("/")) > 0) {
		e = configured_provider(t->desk, rows, r->ws, r->provider, &p, &missing);
	}
	if (e && e != ERR_NOT_FOUND) {
		*why = missing;
		return e;
	}
	if (e) return fail_at(why, "/answers/recovery/text", "%s", missing.detail);
	if (!model->len)
		return fail_at(why, "/answers/recovery/text", "the name of a model");
	wrong = configured_provider_wrong(t->desk, p, rows->arena);
	return wrong.len ? fail_at(why, "/answers/recovery/text", "%.*s", STR_ARGS(wrong))
			 : OK;
}

/* The same with another model. */
static enum err model_change(struct task *t, struct rows *rows, struct run *r,
	struct str text, struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct str provider, model;
	const struct json *body;
	enum err e = model_choose(t, rows, r, str_trim(text), &provider, &model, why);

	if (e) return e;
	jw_object(&w);
	show_text(&w, "provider", provider);
	show_text(&w, "model", model);
	jw_object_end(&w);
	e = json_read(buf_keep_done(&b, rows->arena), NULL, rows->arena, &body, why);
	if (!e) e = agent_read(body, r->config, NULL, rows->arena, &r->config, why);
	if (e) return e;
	r->provider = arena_str(rows->arena, provider);
	r->model = arena_str(rows->arena, model);
	return OK;
}

static enum err recovery_settled(struct task *t, struct rows *rows, struct session *s,
	struct run *r, const struct ask *a, struct fault *why)
{
	const struct json *error;
	struct str option, text;
	enum trouble kind = TROUBLE_INTERNAL;
	enum err e = json_read(r->error, NULL, rows->arena, &error, why);

	if (e) return e;
	trouble_find(json_text(json_get(error, "kind")), &kind);
	chosen(rows, a, "recovery", &option, &text);
	if (str_is(option, "edit")) {
		e = kind == TROUBLE_LIMIT ? limit_grant(rows, r, &text, why)
					  : model_change(t, rows, r, text, why);
	} else if (str_is(option, "retry")) {
		if (kind == TROUBLE_LIMIT) e = limit_grant(rows, r, NULL, why);
	} else {
		r->recovery = STR_NONE;
		return run_fail(
			t, rows, s, r, kind, json_text(json_get(error, "message")), why);
	}
	if (e) return e;
	r->recovery = STR_NONE;
	r->error = STR_NONE;
	return run_resume(rows, s, r, "answer", why);
}

/* ---- the run goes on ---- */

static const struct tool_call *call_of_ask(struct rows *rows, const struct ask *a)
{
	const struct tool_call *c = NULL;

	while ((c = rows_next(rows, RECORD_TOOL_CALLS, c)))
		if (str_eq(c->ask, a->id)) return c;
	return NULL;
}

/* A run takes the outcome in the very commit that settles it. */
static void outcome_take(struct rows *rows, struct ask *a)
{
	const struct fetched_record taken = { a->ws, a->id, rows->now_ms };

	a->fetched_ms = rows->now_ms;
	rows_new(rows, RECORD_FETCHED, &taken);
}

enum err run_settled(const struct happened *h, struct fault *why)
{
	struct rows *rows = h->rows;
	struct session *s = h->session;
	const struct ask *a = h->ask;
	const struct tool_call *at;
	const struct run *found;
	struct tool_call *c;
	struct run *r;
	enum err e;

	if (!a->run.len) return OK;
	e = run_fetch(rows, a->ws, a->run, &found, why);
	if (e) return e == ERR_NOT_FOUND ? OK : e;
	if (run_ended(found)) return OK;
	r = rows_change(rows, found);
	outcome_take(rows, h->ask);
	if (str_eq(r->recovery, a->id))
		return recovery_settled(h->task, rows, s, r, a, why);
	if (r->message.len) e = run_calls_fetch(rows, r, why);
	at = e ? NULL : call_of_ask(rows, a);
	if (!at) return e;
	c = rows_change(rows, at);
	e = call_settled(h->task, rows, s, r, c, a, why);
	return e ? e : run_goes_on(rows, s, r, "answer", why);
}
