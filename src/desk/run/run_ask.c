/* run_ask.c - how a run goes on when an ask of it is settled: in that very commit, so that there is
 * no wake-up to lose. */
#include "core/ask/preset.h"
#include "core/run/run_limit.h"
#include "core/shared/body.h"
#include "desk/run/configured.h"
#include "desk/run/run_inner.h"

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
		return arena_print(rows->arena,
			"[Note of the person: %.*s]\nIt was rejected.", STR_ARGS(text));
	return not_answered(a, rows->arena);
}

/* What a person put in place of a call's arguments is checked as the model's own were. `whole`: they are one
 * text. */
static enum err edited_check(const struct run_job *j, const struct tool_call *c,
	const struct json *edited, const char *at, bool whole, struct fault *why)
{
	struct agent_config agent;
	struct run_job own = *j;
	struct run_toolbox box;
	struct json_miss wrong;
	enum err e = run_agent(j->r, NULL, j->rows->arena, &agent, why);

	own.agent = &agent;
	if (!e) e = run_toolbox(&own, &box, why);
	if (e) return e;
	if (run_tool_call(&box, c->name, edited, j->rows->arena, &wrong)) return OK;
	if (whole)
		return fail_at(why, at, "%.*s",
			STR_ARGS(run_tool_wrong(&wrong, j->rows->arena)));
	return fail_at(why, POINTER("%s%.*s", at, STR_ARGS(wrong.at)), "%.*s",
		STR_ARGS(wrong.must));
}

static enum err approval_settled(const struct run_job *j, struct tool_call *c,
	const struct ask *a, struct fault *why)
{
	const struct json *edited;
	struct ask_parts parts;
	bool approved;
	enum err e = ask_approved(a, j->rows->arena, &approved, why);

	if (e) return e;
	if (!approved) return run_call_end(j, c, CALL_REJECT, rejection(j->rows, a), why);
	e = ask_parts(a, j->rows->arena, &parts, why);
	if (!e) e = ask_edited(a, &parts, j->rows->arena, &edited, why);
	if (e) return e;
	if (edited) {
		e = edited_check(j, c, edited, "/answers/decision/arguments", false, why);
		if (e) return e;
		c->approved_arguments = json_keep(edited, j->rows->arena);
	}
	return tool_call_act(c, CALL_ALLOW, why);
}

/* What a person says about an operation that was cut short. */
static enum err interrupted_settled(const struct run_job *j, struct tool_call *c,
	const struct ask *a, struct fault *why)
{
	const struct json *json;
	struct str option, text;
	enum err e;

	chosen(j->rows, a, "recovery", &option, &text);
	if (str_is(option, "retry")) return tool_call_act(c, CALL_ALLOW, why);
	if (str_is(option, "edit")) {
		if (json_read(text, NULL, j->rows->arena, &json, NULL) ||
			json->type != JSON_OBJECT)
			return fail_at(why, "/answers/recovery/text",
				"the new arguments as a JSON object");
		e = edited_check(j, c, json, "/answers/recovery/text", true, why);
		if (e) return e;
		c->approved_arguments = text;
		return tool_call_act(c, CALL_ALLOW, why);
	}
	if (str_is(option, "abort"))
		return run_fail(j, TROUBLE_REJECTED,
			STR("a person ended the run after an interrupted operation"),
			why);
	if (str_is(option, "skip") && text.len)
		return run_call_end(j, c, CALL_FINISH, text, why);
	if (!a->answer.len)
		return run_call_end(j, c, CALL_FAIL,
			arena_print(j->rows->arena, "It was interrupted. %.*s",
				STR_ARGS(not_answered(a, j->rows->arena))),
			why);
	return run_call_end(j, c, CALL_FAIL,
		STR("It was interrupted, and a person chose not to repeat it."), why);
}

static enum err call_settled(const struct run_job *j, struct tool_call *c,
	const struct ask *a, struct fault *why)
{
	if (c->status == CALL_INTERRUPTED) return interrupted_settled(j, c, a, why);
	if (c->status != CALL_WAITING) return OK;
	if (c->result.len) return run_call_wants(j, c, why);
	if (a->kind == ASK_APPROVAL) return approval_settled(j, c, a, why);
	return run_call_end(j, c, CALL_FINISH,
		a->answer.len ? a->summary : not_answered(a, j->rows->arena), why);
}

/* ---- trouble ---- */

/* More of the limit that is reached: as much as it began with, or what a person says. */
static enum err limit_grant(const struct run_job *j, struct str message,
	const struct str *text, struct fault *why)
{
	struct agent_config now, began;
	enum run_limit which;
	int64_t more;
	enum err e = run_agent(j->r, NULL, j->rows->arena, &now, why);

	if (!e) e = agent_parse(j->r->config, j->rows->arena, &began, why);
	if (e) return e;
	which = run_limit_reached(&now.limits, j->r, j->r);
	/* Not yet reached: what was left did not pay for the call. */
	if (which == RUN_LIMITS) which = run_limit_said(message, j->rows->arena);
	if (which == RUN_LIMITS) return OK;
	more = run_limit_of(&began.limits, which);
	if (text && !run_limit_amount(which, *text, &more))
		return fail_at(why, "/answers/recovery/text", "%s",
			which == RUN_LIMIT_COST	  ? "an amount in dollars above 0"
			: which == RUN_LIMIT_TIME ? "seconds, or a duration such as 10m"
						  : "a whole number from 1");
	run_limit_grant(&now.limits, which, j->r, more);
	j->r->limits = agent_limits_keep(&now.limits, j->rows->arena);
	return OK;
}

/* A limit of cost cannot be kept with a model that has no price. */
static enum err model_unpriced(const struct run_job *j, struct str provider,
	struct str model, struct str *wrong, struct fault *why)
{
	struct agent_config now;
	enum err e = run_agent(j->r, NULL, j->rows->arena, &now, why);

	return e || !now.limits.cost ? e
				     : configured_unpriced(j->t->desk, j->rows, j->r->ws,
					       provider, model, wrong, why);
}

/* "PROVIDER/MODEL", or "MODEL" of the provider it has. Gateways sell models whose names have
 * slashes of their own: a run that has such a model can be given another. */
static enum err model_choose(const struct run_job *j, struct str text,
	struct str *provider, struct str *model, struct fault *why)
{
	struct str rest = text, first = STR_NONE;
	const struct provider_record *p;
	struct str wrong;
	enum err e;

	*provider = j->r->provider;
	*model = text;
	if (str_find(text, STR("/")) > 0) str_cut(&rest, '/', &first);
	e = configured_provider(j->t->desk, j->rows, j->r->ws,
		first.len ? first : j->r->provider, &p, why);
	if (!e && first.len) {
		*provider = p->name;
		*model = str_trim(rest);
	} else if (e == ERR_NOT_FOUND && first.len &&
		   str_find(j->r->model, STR("/")) > 0) {
		e = configured_provider(
			j->t->desk, j->rows, j->r->ws, j->r->provider, &p, why);
	}
	if (e && e != ERR_NOT_FOUND) return e;
	if (e) return fail_at(why, "/answers/recovery/text", "%s", why->detail);
	if (!model->len)
		return fail_at(why, "/answers/recovery/text", "the name of a model");
	wrong = configured_provider_wrong(j->t->desk, p, j->rows->arena);
	e = wrong.len ? OK : model_unpriced(j, p->name, *model, &wrong, why);
	if (e) return e;
	return wrong.len ? fail_at(why, "/answers/recovery/text", "%.*s", STR_ARGS(wrong))
			 : OK;
}

/* The same with another model. */
static enum err model_change(const struct run_job *j, struct str text, struct fault *why)
{
	struct arena *arena = j->rows->arena;
	struct str provider, model, change;
	const struct json *body;
	enum err e = model_choose(j, str_trim(text), &provider, &model, why);

	if (e) return e;
	change = fields_text(arena,
		FIELDS(field_text("provider", provider), field_text("model", model)));
	e = json_read(change, NULL, arena, &body, why);
	if (!e) e = agent_read(body, j->r->config, NULL, arena, &j->r->config, why);
	if (e) return e;
	j->r->provider = arena_str(arena, provider);
	j->r->model = arena_str(arena, model);
	run_sent(j->r, 0, 0, NULL); /* another one counts otherwise */
	return OK;
}

static enum err recovery_settled(
	const struct run_job *j, const struct ask *a, struct fault *why)
{
	const struct json *error;
	struct str option, text, message;
	enum trouble kind = TROUBLE_INTERNAL;
	enum err e = json_read(j->r->error, NULL, j->rows->arena, &error, why);

	if (e) return e;
	trouble_find(json_text(json_get(error, "kind")), &kind);
	message = json_text(json_get(error, "message"));
	chosen(j->rows, a, "recovery", &option, &text);
	if (a->status == ASK_CANCELLED && str_is(a->reason, RUN_WROTE_INSTEAD)) {
		e = OK; /* once more, with what was written */
	} else if (str_is(option, "edit")) {
		e = kind == TROUBLE_LIMIT ? limit_grant(j, message, &text, why)
					  : model_change(j, text, why);
	} else if (str_is(option, "retry")) {
		if (kind == TROUBLE_LIMIT) e = limit_grant(j, message, NULL, why);
	} else {
		j->r->recovery = STR_NONE;
		return run_fail(j, kind, message, why);
	}
	if (e) return e;
	j->r->recovery = STR_NONE;
	j->r->error = STR_NONE;
	j->r->tries = j->r->trouble_ms = 0;
	return run_resume(j, "answer", why);
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
	const struct ask *a = h->ask;
	struct run_job j = { h->task, h->rows, h->session };
	const struct tool_call *at;
	const struct run *found;
	enum err e;

	if (!a->run.len) return OK;
	e = run_fetch(h->rows, a->ws, a->run, &found, why);
	if (e) return e == ERR_NOT_FOUND ? OK : e;
	if (run_ended(found)) return OK;
	j.r = rows_change(h->rows, found);
	outcome_take(h->rows, h->ask);
	if (str_eq(j.r->recovery, a->id)) return recovery_settled(&j, a, why);
	if (j.r->message.len) e = run_calls_fetch(&j, why);
	at = e ? NULL : call_of_ask(h->rows, a);
	if (!at) return e;
	e = call_settled(&j, rows_change(h->rows, at), a, why);
	return e ? e : run_goes_on(&j, "answer", why);
}
