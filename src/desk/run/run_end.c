/* run_end.c - how runs end: completed, failed, cancelled; and what a person decides about
 * trouble. */
#include "base/keep.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/run/run_inner.h"

/* ---- the session ---- */

/* `was`: its status before the run's asks were withdrawn, which may have changed it. */
static void session_told(struct rows *rows, struct session *s, const struct run *r,
	enum session_status how, enum session_status was)
{
	if (!run_is_child(r) && str_eq(s->run, r->id)) {
		session_run_ended(s, how);
		s->error = how == SESSION_FAILED ? r->error : STR_NONE;
		rows_touch_session(rows, s);
	}
	if (s->status != was) session_stage_status(rows, s, was);
}

/* ---- what it leaves ---- */

/* Asks that it waits for are withdrawn, calls that have not ended are cancelled. */
static enum err run_clear(struct task *t, struct rows *rows, struct session *s,
	struct run *r, struct str reason, struct fault *why)
{
	const struct settlement how = { .verb = SETTLE_CANCEL, .reason = reason };
	const struct tool_call *at = NULL;
	struct ask *a = NULL;
	enum err e = rows_fetch_open(rows, s, why);

	while (!e && (a = rows_next_ask(rows, s->ws, s->id, a)))
		if (str_eq(a->run, r->id)) e = ask_settle_within(t, rows, a, &how, why);
	if (!e && r->message.len) e = run_calls_fetch(rows, r, why);
	while (!e && r->message.len && (at = run_calls_next(rows, r->message, at))) {
		struct tool_call *c;

		if (tool_call_ended(at)) continue;
		c = rows_change(rows, at);
		e = run_call_end(rows, s, r, c, CALL_CANCEL, reason, why);
	}
	return e;
}

static enum err run_stop(
	struct rows *rows, struct run *r, enum run_action action, struct fault *why)
{
	enum err e = run_act(r, action, why);

	if (e) return e;
	/* Whoever works on it hears of it, unless that is who ends it. */
	if (action == RUN_CANCEL && r->lease.by.len) rows->runs = true;
	r->lease = (struct lease){ 0 };
	r->waits_for = r->recovery = STR_NONE;
	r->wake_ms = 0;
	r->ended_ms = rows->now_ms;
	return OK;
}

static void end_write(struct json_writer *w, const struct run *r)
{
	jw_key(w, "usage");
	usage_write(w, &r->usage);
	jw_key(w, "cost_usd");
	cost_write(w, r->priced ? r->cost : COST_UNKNOWN);
	jw_put_int(w, "duration_ms", r->worked_ms);
}

/* Sub-agents of one that ends go with it. */
static enum err children_cancel(struct task *t, struct rows *rows, struct session *s,
	struct run *r, struct str reason, struct fault *why)
{
	const struct run *c = NULL;
	enum err e = run_children_fetch(rows, r, why);

	while (!e && !run_is_child(r) && (c = rows_next(rows, RECORD_RUNS, c))) {
		struct run *child;

		if (!str_eq(c->parent, r->id) || run_ended(c)) continue;
		child = rows_change(rows, c);
		e = run_cancel(t, rows, s, child, reason, why);
	}
	return e;
}

/* ---- ends ---- */

enum err run_complete(struct task *t, struct rows *rows, struct session *s, struct run *r,
	struct str report, struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	enum err e = run_stop(rows, r, RUN_FINISH, why);

	if (e) return e;
	r->report = report;
	r->message = STR_NONE;
	end_write(&w, r);
	run_event(rows, "run.completed", s, r, &b);
	if (!e) session_told(rows, s, r, SESSION_COMPLETED, s->status);
	return e || !run_is_child(r) ? e : run_child_ended(t, rows, s, r, why);
}

enum err run_fail(struct task *t, struct rows *rows, struct session *s, struct run *r,
	enum trouble kind, struct str message, struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	enum session_status was;
	enum err e = run_stop(rows, r, RUN_FAIL, why);

	if (!e) e = children_cancel(t, rows, s, r, STR("the run has failed"), why);
	was = s->status;
	if (!e) e = run_clear(t, rows, s, r, STR("the run has failed"), why);
	if (e) return e;
	r->error = run_error_write(kind, message, rows->arena);
	r->message = STR_NONE;
	show_json(&w, "error", r->error);
	end_write(&w, r);
	run_event(rows, "run.failed", s, r, &b);
	if (!e) session_told(rows, s, r, SESSION_FAILED, was);
	return e || !run_is_child(r) ? e : run_child_ended(t, rows, s, r, why);
}

enum err run_cancel(struct task *t, struct rows *rows, struct session *s, struct run *r,
	struct str reason, struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	enum session_status was;
	enum err e = run_stop(rows, r, RUN_CANCEL, why);

	/* It has ended already, so that its asks, withdrawn, do not set it going. */
	if (!e) e = children_cancel(t, rows, s, r, reason, why);
	was = s->status;
	if (!e) e = run_clear(t, rows, s, r, STR("the run was cancelled"), why);
	if (e) return e;
	r->message = STR_NONE;
	show_text(&w, "reason", reason);
	show_text(&w, "by", t->job.who.name);
	run_event(rows, "run.cancelled", s, r, &b);
	if (!e) session_told(rows, s, r, SESSION_CANCELLED, was);
	return e;
}

/* ---- trouble that a person may mend ---- */

/* Readers see these words in their language (web.own.recovery). */
static struct str recovery_body(
	const struct run *r, enum trouble kind, struct str message, struct arena *arena)
{
	bool limit = kind == TROUBLE_LIMIT;
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	show_text(&w, "kind", STR("error_recovery"));
	show_text(&w, "title",
		arena_print(arena,
			limit ? "%.*s reached a limit" : "%.*s cannot continue",
			STR_ARGS(str_first(r->agent, 64))));
	jw_put_object(&w, "context");
	show_text(&w, "text",
		limit ? STR("Retry grants the same limit again; Edit takes a number.")
		      : STR("Retry calls the model again; Edit takes another MODEL or "
			    "PROVIDER/MODEL."));
	show_text(&w, "error_details", message);
	show_text(&w, "job_type", str_of(trouble_name(kind)));
	jw_object_end(&w);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

enum err run_recover(struct task *t, struct rows *rows, struct session *s, struct run *r,
	const struct agent_config *agent, enum trouble kind, struct str message,
	struct fault *why)
{
	bool ask = kind == TROUBLE_LIMIT ? agent->ask_on_limit : agent->ask_on_error;
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct ask_from from = { .origin = kind == TROUBLE_LIMIT ? ASK_BY_RUN_LIMIT
								       : ASK_BY_RUN_ERROR,
		.session = s,
		.run = r };
	struct ask *a;
	enum err e;

	if (run_is_child(r) || !ask) return run_fail(t, rows, s, r, kind, message, why);
	e = run_ask(
		t, rows, &from, recovery_body(r, kind, message, rows->arena), &a, why);
	if (e) return e;
	r->recovery = a->id;
	r->error = run_error_write(kind, message, rows->arena);
	e = run_waits(rows, r, why);
	if (!e) e = run_act(r, RUN_WAIT, why);
	if (e) return e;
	r->lease = (struct lease){ 0 };
	show_json(&w, "waits_for", r->waits_for);
	run_event(rows, "run.waiting", s, r, &b);
	return OK;
}
