/* run_end.c - how runs end: completed, failed, cancelled; and what a person decides about
 * trouble. */
#include "core/shared/body.h"
#include "desk/delivery/callbacks.h"
#include "desk/run/run_inner.h"

/* ---- the session ---- */

/* `was`: its status before the run's asks were withdrawn, which may have changed it. */
static void session_told(
	const struct run_job *j, enum session_status how, enum session_status was)
{
	struct session *s = j->s;

	if (!run_is_child(j->r) && str_eq(s->run, j->r->id)) {
		session_run_ended(s, how);
		s->error = how == SESSION_FAILED ? j->r->error : STR_NONE;
		rows_touch_session(j->rows, s);
	}
	if (s->status != was) session_stage_status(j->rows, s, was);
}

/* ---- what it leaves ---- */

/* What those hear that it leaves. */
struct last_words {
	struct str children, asks, calls;
};

/* Asks that it waits for are withdrawn, calls that have not ended are cancelled, and all of its
 * calls have their results: whoever goes on in this session finds a thread that a model can read. */
static enum err run_clear(
	const struct run_job *j, const struct last_words *words, struct fault *why)
{
	const struct settlement how = { .verb = SETTLE_CANCEL, .reason = words->asks };
	const struct tool_call *at = NULL;
	struct ask *a = NULL;
	enum err e = rows_fetch_open(j->rows, j->s, why);

	while (!e && (a = rows_next_ask(j->rows, j->s->ws, j->s->id, a)))
		if (str_eq(a->run, j->r->id))
			e = ask_settle_within(j->t, j->rows, a, &how, why);
	if (!e && j->r->message.len) e = run_calls_fetch(j, why);
	while (!e && j->r->message.len && (at = run_calls_next(j, at)))
		if (!tool_call_ended(at))
			e = run_call_end(j, rows_change(j->rows, at), CALL_CANCEL,
				words->calls, why);
	if (!e && j->r->message.len) run_turn_close(j);
	return e;
}

static enum err run_stop(
	const struct run_job *j, enum run_action action, struct fault *why)
{
	struct run *r = j->r;
	enum err e = run_act(r, action, why);

	if (!e) e = run_release(j->rows, r, why);
	if (e) return e;
	/* Whoever works on it hears of it, unless that is who ends it. */
	if (action == RUN_CANCEL && r->lease.by.len) j->rows->so_far.runs = true;
	r->lease = (struct lease){ 0 };
	r->waits_for = r->recovery = STR_NONE;
	r->wake_ms = 0;
	r->ended_ms = j->rows->now_ms;
	return OK;
}

/* To where its configuration says, in this commit. */
static void ended_tell(const struct run_job *j)
{
	struct agent_config agent;

	if (!agent_parse(j->r->config, j->rows->arena, &agent, NULL))
		delivery_run_ended(j->rows, j->s, j->r->id, agent.on_ended.webhook);
}

/* Its last event, which says what all of it took. */
static void end_event(const struct run_job *j, const char *type, struct str error)
{
	const struct run *r = j->r;
	struct arena *arena = j->rows->arena;

	if (!run_is_child(r)) ended_tell(j);
	run_event(j, type,
		FIELDS(field_some(field_json("error", error)),
			field_json("usage", usage_text(&r->usage, arena)),
			field_json("cost_usd",
				usage_cost_text(
					r->priced ? r->cost : COST_UNKNOWN, arena)),
			field_int("duration_ms", r->worked_ms)));
}

/* Sub-agents of one that ends go with it. */
static enum err children_cancel(
	const struct run_job *j, struct str reason, struct fault *why)
{
	struct run_job child = *j;
	const struct run *c = NULL;
	enum err e = run_children_fetch(j->rows, j->r, why);

	while (!e && !run_is_child(j->r) && (c = rows_next(j->rows, RECORD_RUNS, c))) {
		if (!str_eq(c->parent, j->r->id) || run_ended(c)) continue;
		child.r = rows_change(j->rows, c);
		e = run_cancel(&child, reason, why);
	}
	return e;
}

/* ---- ends ---- */

/* It has ended already, so that its asks, withdrawn, do not set it going. `was`: the status of its
 * session before they were. */
static enum err run_leave(const struct run_job *j, const struct last_words *words,
	enum session_status *was, struct fault *why)
{
	enum err e = children_cancel(j, words->children, why);

	*was = j->s->status;
	return e ? e : run_clear(j, words, why);
}

enum err run_complete(const struct run_job *j, struct str report, struct fault *why)
{
	static const struct str done = STR("the run has completed");
	static const struct last_words words = { done, done, done };
	enum session_status was = j->s->status;
	enum err e = run_stop(j, RUN_FINISH, why);

	/* It reported while other calls of its message were under way. */
	if (!e && j->r->message.len) e = run_leave(j, &words, &was, why);
	if (e) return e;
	j->r->report = report;
	end_event(j, "run.completed", STR_NONE);
	session_told(j, SESSION_COMPLETED, was);
	return run_is_child(j->r) ? run_child_ended(j, why) : OK;
}

enum err run_fail(
	const struct run_job *j, enum trouble kind, struct str message, struct fault *why)
{
	static const struct str failed = STR("the run has failed");
	static const struct last_words words = { failed, failed, failed };
	enum session_status was;
	enum err e = run_stop(j, RUN_FAIL, why);

	if (!e) e = run_leave(j, &words, &was, why);
	if (e) return e;
	j->r->error = run_error_write(kind, message, j->rows->arena);
	end_event(j, "run.failed", j->r->error);
	session_told(j, SESSION_FAILED, was);
	return run_is_child(j->r) ? run_child_ended(j, why) : OK;
}

enum err run_cancel(const struct run_job *j, struct str reason, struct fault *why)
{
	struct str who = j->t->job.who.name;
	const struct last_words words = { reason, STR("the run was cancelled"),
		who.len ? arena_print(j->rows->arena, "Cancelled by %.*s.", STR_ARGS(who))
			: STR("The run was cancelled.") };
	enum session_status was;
	enum err e = run_stop(j, RUN_CANCEL, why);

	if (!e) e = run_leave(j, &words, &was, why);
	if (e) return e;
	run_event(j, "run.cancelled",
		FIELDS(field_text("reason", reason), field_text("by", who)));
	session_told(j, SESSION_CANCELLED, was);
	return OK;
}

/* ---- trouble that a person may mend ---- */

/* Readers see these words in their language (web.own.recovery). */
static struct str recovery_body(
	const struct run *r, enum trouble kind, struct str message, struct arena *arena)
{
	bool limit = kind == TROUBLE_LIMIT;
	struct str title = arena_print(arena,
		limit ? "%.*s reached a limit" : "%.*s cannot continue",
		STR_ARGS(str_first(r->agent, 64)));
	struct str context = fields_text(arena,
		FIELDS(field_word("text",
			       limit ? "Retry grants the same limit again; Edit takes a number."
				     : "Retry calls the model again; Edit takes another MODEL or "
				       "PROVIDER/MODEL."),
			field_text("error_details", message),
			field_word("job_type", trouble_name(kind))));

	/* As of any error_recovery, but for skip: there is nothing that could be skipped. */
	static const struct str options =
		STR("[{\"id\":\"retry\",\"label\":\"Retry\"},"
		    "{\"id\":\"edit\",\"label\":\"Edit and retry\"},"
		    "{\"id\":\"abort\",\"label\":\"Abort\"}]");
	struct str question = fields_text(arena,
		FIELDS(field_word("key", "recovery"), field_word("type", "choice"),
			field_text("text", title), field_json("required", STR("true")),
			field_json("note", STR("{}")), field_json("options", options)));

	return fields_text(arena,
		FIELDS(field_word("kind", "error_recovery"), field_text("title", title),
			field_json("context", context),
			field_json("questions",
				arena_print(arena, "[%.*s]", STR_ARGS(question)))));
}

enum err run_recover(
	const struct run_job *j, enum trouble kind, struct str message, struct fault *why)
{
	bool limit = kind == TROUBLE_LIMIT;
	bool asks = limit ? j->agent->ask_on_limit : j->agent->ask_on_error;
	const struct ask_from from = { .origin = limit ? ASK_BY_RUN_LIMIT
						       : ASK_BY_RUN_ERROR };
	struct ask *a;
	enum err e;

	if (run_is_child(j->r) || !asks) return run_fail(j, kind, message, why);
	e = run_ask(j, from, recovery_body(j->r, kind, message, j->rows->arena), &a, why);
	if (e) return e;
	j->r->recovery = a->id;
	j->r->error = run_error_write(kind, message, j->rows->arena);
	return run_rest(j, why);
}
