/* run_step.c - what a run does next, as its rows say: run tools, wait, or ask the model. */
#include "base/keep.h"
#include "core/run/run_limit.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/run/run_inner.h"

enum { STOPPED_MS = 30 * 1000 };

/* ---- resting ---- */

static enum err run_rest(
	struct rows *rows, struct session *s, struct run *r, struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	enum err e = run_waits(rows, r, why);

	if (!e) e = run_act(r, RUN_WAIT, why);
	if (e) return e;
	r->lease = (struct lease){ 0 };
	show_json(&w, "waits_for", r->waits_for);
	run_event(rows, "run.waiting", s, r, &b);
	return OK;
}

/* ---- calls of the turn ---- */

static struct str when_text(int64_t ms, struct arena *arena)
{
	struct buf b = { .max = 256 };
	struct json_writer w = { .out = &b };

	show_time(&w, "t", ms);
	return buf_keep_done(&b, arena);
}

/* Its process died during the call: only a person can tell whether it took effect. Readers see
 * these words in their language (web.own.recovery). */
static enum err call_interrupt(struct task *t, struct rows *rows, struct session *s,
	struct run *r, struct tool_call *c, struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct str began = when_text(c->started_ms, rows->arena);
	const struct ask_from from = {
		.origin = ASK_BY_RUN_INTERRUPTED, .session = s, .run = r
	};
	struct ask *a;
	enum err e = tool_call_act(c, CALL_INTERRUPT, why);

	if (e) return e;
	jw_object(&w);
	show_text(&w, "kind", STR("error_recovery"));
	show_text(&w, "title",
		arena_print(rows->arena, "%.*s was interrupted", STR_ARGS(c->name)));
	jw_put_object(&w, "context");
	show_text(&w, "text",
		arena_print(rows->arena,
			"The server stopped during this operation, which began at %.*s. "
			"It may have taken effect.",
			STR_ARGS(str_from(began, 4))));
	jw_object_end(&w);
	jw_put_object(&w, "operation");
	show_text(&w, "type", STR("tool"));
	show_text(&w, "name", c->name);
	show_json(&w, "arguments", tool_call_arguments(c));
	show_text(&w, "risk", str_of(risk_name(c->risk)));
	jw_object_end(&w);
	jw_object_end(&w);
	e = run_ask(t, rows, &from, buf_keep_done(&b, rows->arena), &a, why);
	if (!e) c->ask = a->id;
	return e;
}

struct turn_state {
	size_t pending, waiting;
};

static enum err calls_go(struct task *t, struct rows *rows, struct session *s,
	struct run *r, const struct agent_config *agent, bool claimed,
	struct turn_state *out, struct fault *why)
{
	const struct tool_call *at = NULL;
	enum err e = run_calls_fetch(rows, r, why);

	while (!e && !run_ended(r) && (at = run_calls_next(rows, r->message, at))) {
		struct tool_call *c;

		if (tool_call_ended(at)) continue;
		c = rows_change(rows, at);
		if (c->status == CALL_STARTED && claimed)
			e = call_interrupt(t, rows, s, r, c, why);
		else if (c->status == CALL_PENDING && c->class == CLASS_STORE)
			e = run_tool_do(t, rows, s, r, agent, c, why);
		out->pending += c->status == CALL_PENDING || c->status == CALL_STARTED;
		out->waiting +=
			c->status == CALL_WAITING || c->status == CALL_INTERRUPTED;
	}
	return e;
}

static enum err calls_tell(struct task *t, struct rows *rows, const struct run *r,
	const struct agent_config *a, struct run_work *out, struct fault *why)
{
	const struct tool_call *c = NULL;
	size_t len = 0;

	while ((c = run_calls_next(rows, r->message, c)))
		len += c->status == CALL_PENDING;
	out->calls = ARENA_ARRAY(&t->job.arena, struct run_do, len + 1);
	if (!out->calls) return fail_memory(why);
	while ((c = run_calls_next(rows, r->message, c)))
		if (c->status == CALL_PENDING)
			out->calls[out->calls_len++] =
				(struct run_do){ arena_str(&t->job.arena, c->id),
					arena_str(&t->job.arena, c->name),
					arena_str(&t->job.arena, tool_call_arguments(c)),
					c->class };
	out->step = RUN_STEP_CALLS;
	return run_fresh(t, rows, r, a, out, why);
}

/* The message of results, from which the model goes on. They stand there from now on. */
static void turn_close(struct rows *rows, struct run *r, bool *rejected)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct tool_call *at = NULL;
	struct run_message *m;

	jw_array(&w);
	while ((at = run_calls_next(rows, r->message, at))) {
		bool bad = at->status != CALL_DONE;

		*rejected |= at->status == CALL_REJECTED;
		jw_object(&w);
		show_text(&w, "type", STR("tool_result"));
		show_text(&w, "id", at->wire);
		show_text(&w, "call", at->id);
		show_text(&w, "name", at->name);
		jw_put_str(&w, "content", bad && at->error.len ? at->error : at->result);
		if (bad) jw_put_bool(&w, "is_error", true);
		jw_object_end(&w);
	}
	jw_array_end(&w);
	m = run_message_new(rows, r, MESSAGE_TOOL, buf_keep_done(&b, rows->arena));
	while ((at = run_calls_next(rows, r->message, at))) {
		struct tool_call *c = rows_change(rows, at);

		c->answer = m->id;
		c->result = STR_NONE;
	}
	r->message = STR_NONE;
}

enum { LOOP_TIMES = 3 };

/* How often a call with these arguments failed. */
struct failures {
	struct str arguments;
	int64_t count;
};

static enum err failed_row(void *ctx, const struct row *row, struct fault *why)
{
	struct failures *f = ctx;
	struct arena scratch = { 0 };
	struct tool_call c;
	enum err e = record_read(&records[RECORD_TOOL_CALLS], row, &scratch, &c, why);

	f->count += !e && str_eq(c.arguments, f->arguments);
	arena_done(&scratch);
	return e;
}

/* Did a call of this turn fail, as the same call did before, for the third time? */
static enum err turn_loops(
	struct rows *rows, const struct run *r, bool *out, struct fault *why)
{
	const struct tool_call *c = NULL;
	enum err e = OK;

	while (!e && !*out && (c = run_calls_next(rows, r->message, c))) {
		struct failures before = { .arguments = c->arguments };

		if (c->status != CALL_FAILED) continue;
		e = rows_query(rows, SQL_CALLS_FAILED,
			ARGS(r->ws, r->session, r->id, c->name), failed_row, &before,
			why);
		*out = before.count + rows_is_new(c) >= LOOP_TIMES;
	}
	return e;
}

/* ---- limits ---- */

static enum err limit_check(struct rows *rows, const struct run *r,
	const struct agent_config *a, struct run_work *out, enum run_limit *over,
	struct fault *why)
{
	const struct run *tree = r;
	struct agent_limits l = a->limits; /* tokens, cost and time are the tree's */
	enum err e = OK;

	if (run_is_child(r)) e = run_fetch(rows, r->ws, r->parent, &tree, why);
	if (!e && tree != r) e = agent_limits_parse(tree->limits, rows->arena, &l, why);
	if (e) return e;
	l.turns = a->limits.turns;
	*over = run_limit_reached(&l, r, tree);
	if (l.time_ms) out->time_left_ms = l.time_ms - tree->tree_ms;
	return OK;
}

/* ---- the step ---- */

static enum err run_stopped(struct task *t, struct rows *rows, struct session *s,
	struct run *r, bool *stopped, struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct policy_snapshot *snapshot;
	enum err e = snapshot_of(t->desk, &t->job, rows, r->ws, &snapshot, why);

	*stopped = false;
	if (e || !snapshot->version) return e;
	if (!snapshot_stop(snapshot, r->agent, s->project, s->id, rows->now_ms))
		return OK;
	*stopped = true;
	e = run_act(r, RUN_YIELD, why);
	if (e) return e;
	r->lease = (struct lease){ 0 };
	r->wake_ms = rows->now_ms + STOPPED_MS;
	rows->runs = true;
	show_text(&w, "agent", r->agent);
	jw_put_null(&w, "position");
	run_event(rows, "run.queued", s, r, &b);
	return OK;
}

static void work_start(struct task *t, const struct run *r, struct run_work *out)
{
	struct arena *arena = &t->job.arena;
	struct run_key key = out->key;

	*out = (struct run_work){ .key = { r->ws, arena_str(arena, r->id),
					  arena_str(arena, key.by), r->attempt, key.seen,
					  key.known },
		.session = arena_str(arena, r->session),
		.config = arena_str(arena, r->config),
		.provider = arena_str(arena, r->provider),
		.model = arena_str(arena, r->model),
		.language = arena_str(arena, r->language),
		.child = run_is_child(r),
		.test_tools = t->desk->test_tools,
		.turn = r->turn };
}

enum err run_advance(struct task *t, struct rows *rows, struct run *r, struct session *s,
	bool claimed, struct run_work *out, struct fault *why)
{
	struct agent_config a;
	enum err e = run_agent(r, out->key.known, rows->arena, &a, why);

	return e ? e : run_go_on(t, rows, r, s, &a, claimed, out, why);
}

/* As the agent says, or the policy where it says nothing. */
static enum err rejection_ends(struct task *t, struct rows *rows, const struct run *r,
	const struct agent_config *a, bool *out, struct fault *why)
{
	struct policy_snapshot *snapshot;
	enum err e = OK;

	*out = a->on_reject == REJECT_STOP;
	if (a->on_reject != REJECT_BY_POLICY) return OK;
	e = snapshot_of(t->desk, &t->job, rows, r->ws, &snapshot, why);
	if (!e) *out = snapshot->policy.stop_on_reject;
	return e;
}

enum err run_go_on(struct task *t, struct rows *rows, struct run *r, struct session *s,
	const struct agent_config *a, bool claimed, struct run_work *out,
	struct fault *why)
{
	struct turn_state turn = { 0 };
	enum run_limit over = RUN_LIMITS;
	bool stopped = false, rejected = false, loops = false;
	struct fault missing = { 0 };
	enum err e;

	work_start(t, r, out);
	e = run_stopped(t, rows, s, r, &stopped, why);
	if (e || stopped) return e;
	if (r->message.len) e = calls_go(t, rows, s, r, a, claimed, &turn, why);
	if (e || run_ended(r)) return e;
	if (turn.pending) return calls_tell(t, rows, r, a, out, why);
	if (turn.waiting || r->recovery.len) return run_rest(rows, s, r, why);
	if (r->message.len) e = turn_loops(rows, r, &loops, why);
	if (!e && r->message.len) turn_close(rows, r, &rejected);
	if (!e && rejected) e = rejection_ends(t, rows, r, a, &rejected, why);
	if (!e && rejected)
		return run_fail(t, rows, s, r, TROUBLE_REJECTED,
			STR("a tool call was rejected"), why);
	if (!e && loops)
		return run_recover(t, rows, s, r, a, TROUBLE_LOOP,
			STR("the same tool call failed three times"), why);
	if (!e) e = limit_check(rows, r, a, out, &over, why);
	if (!e && over != RUN_LIMITS)
		return run_recover(t, rows, s, r, a, TROUBLE_LIMIT,
			arena_print(rows->arena, "the limit of %s is reached",
				run_limit_name(over)),
			why);
	if (e) return e;
	out->turn = r->turn;
	e = configured_access(t->desk, rows, r->ws, r->provider, r->model,
		out->key.known ? out->key.known->access : NULL, &t->job.arena,
		&out->access, &missing);
	if (e == ERR_NOT_FOUND)
		return run_recover(t, rows, s, r, a, TROUBLE_UNAUTHORIZED,
			arena_str(rows->arena, str_of(missing.detail)), why);
	if (e) {
		*why = missing;
		return e;
	}
	out->step = RUN_STEP_MODEL;
	return run_fresh(t, rows, r, a, out, why);
}
