/* run_step.c - what a run does next, as its rows say: run tools, wait, or ask the model. */
#include "base/clock.h"
#include "base/keep.h"
#include "core/run/run_limit.h"
#include "core/shared/body.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/run/run_inner.h"

enum { STOPPED_MS = 30 * 1000 };

/* ---- calls of the turn ---- */

/* Its process died during the call: only a person can tell whether it took effect. Readers see
 * these words in their language (web.own.recovery). */
static enum err call_interrupt(
	const struct run_job *j, struct tool_call *c, struct fault *why)
{
	const struct ask_from from = { .origin = ASK_BY_RUN_INTERRUPTED };
	struct arena *arena = j->rows->arena;
	char began[TIME_SIZE];

	time_write(c->started_ms, began);
	struct str text = arena_print(arena,
		"The server stopped during this operation, which began at %s. "
		"It may have taken effect.",
		began);
	struct str context = fields_text(arena, FIELDS(field_text("text", text)));
	struct str operation = run_operation_text(
		TYPE_TOOL, c->name, tool_call_arguments(c), c->risk, arena);
	struct str title = arena_print(arena, "%.*s was interrupted", STR_ARGS(c->name));
	struct ask *a;
	enum err e = tool_call_act(c, CALL_INTERRUPT, why);

	if (!e)
		e = run_ask(j, from,
			fields_text(arena, FIELDS(field_word("kind", "error_recovery"),
						   field_text("title", title),
						   field_json("context", context),
						   field_json("operation", operation))),
			&a, why);
	if (!e) c->ask = a->id;
	return e;
}

static enum err calls_go(const struct run_job *j, bool claimed, size_t *pending,
	size_t *waiting, struct fault *why)
{
	const struct tool_call *at = NULL;
	enum err e = run_calls_fetch(j, why);

	while (!e && !run_ended(j->r) && (at = run_calls_next(j, at))) {
		struct tool_call *c;

		if (tool_call_ended(at)) continue;
		c = rows_change(j->rows, at);
		if (c->status == CALL_STARTED && claimed)
			e = call_interrupt(j, c, why);
		else if (c->status == CALL_PENDING && c->class == CLASS_STORE)
			e = run_tool_do(j, c, why);
		*pending += c->status == CALL_PENDING || c->status == CALL_STARTED;
		*waiting += tool_call_waits(c);
	}
	return e;
}

static enum err calls_tell(
	const struct run_job *j, struct run_work *out, struct fault *why)
{
	struct arena *arena = &j->t->job.arena;
	const struct tool_call *c = NULL;
	size_t len = 0;

	while ((c = run_calls_next(j, c)))
		len += c->status == CALL_PENDING;
	out->calls = ARENA_ARRAY(arena, struct run_do, len + 1);
	if (!out->calls) return fail_memory(why);
	while ((c = run_calls_next(j, c)))
		if (c->status == CALL_PENDING)
			out->calls[out->calls_len++] = (struct run_do){ arena_str(arena,
										c->id),
				arena_str(arena, c->name),
				arena_str(arena, tool_call_arguments(c)), c->class };
	out->step = RUN_STEP_CALLS;
	return run_fresh(j, out, why);
}

enum { LOOP_TIMES = 3 };

/* How often a call with these arguments failed. */
struct failures {
	struct str arguments;
	int64_t count;
};

static enum err failed_count(void *ctx, const void *record, const struct row *row,
	struct arena *scratch, struct fault *why)
{
	struct failures *f = ctx;
	const struct tool_call *c = record;

	(void)row, (void)scratch, (void)why;
	f->count += str_eq(c->arguments, f->arguments);
	return OK;
}

/* Did a call of this turn fail, as the same call did before, for the third time? */
static enum err turn_loops(const struct run_job *j, bool *out, struct fault *why)
{
	const struct tool_call *c = NULL;
	enum err e = OK;

	while (!e && !*out && (c = run_calls_next(j, c))) {
		struct failures before = { .arguments = c->arguments };

		if (c->status != CALL_FAILED) continue;
		e = rows_each(j->rows, RECORD_TOOL_CALLS, SQL_CALLS_FAILED,
			ARGS(j->r->ws, j->r->session, j->r->id, c->name), failed_count,
			&before, why);
		*out = before.count + rows_is_new(c) >= LOOP_TIMES;
	}
	return e;
}

/* ---- limits ---- */

static enum err limit_check(const struct run_job *j, struct run_work *out,
	enum run_limit *over, struct fault *why)
{
	const struct run *tree = j->r;
	/* Tokens, cost and time are the tree's. */
	struct agent_limits l = j->agent->limits;
	enum err e = OK;

	if (run_is_child(j->r))
		e = run_fetch(j->rows, j->r->ws, j->r->parent, &tree, why);
	if (!e && tree != j->r)
		e = agent_limits_parse(tree->limits, j->rows->arena, &l, why);
	if (e) return e;
	l.turns = j->agent->limits.turns;
	*over = run_limit_reached(&l, j->r, tree);
	if (l.time_ms) out->time_left_ms = l.time_ms - tree->tree_ms;
	return OK;
}

enum err run_over(const struct run_job *j, enum run_limit over, struct fault *why)
{
	return run_recover(j, TROUBLE_LIMIT, run_limit_words(over, j->rows->arena), why);
}

/* ---- the step ---- */

static enum err run_stopped(const struct run_job *j, bool *stopped, struct fault *why)
{
	const struct stop_record *stop;
	enum err e = policy_stop(j->t, j->rows, j->s, j->r->agent, &stop, why);

	*stopped = stop != NULL;
	if (stop) e = run_act(j->r, RUN_YIELD, why);
	if (e || !stop) return e;
	j->r->lease = (struct lease){ 0 };
	j->r->wake_ms = j->rows->now_ms + STOPPED_MS;
	j->rows->so_far.runs = true;
	run_event_queued(j, 0);
	return OK;
}

static void work_start(struct task *t, const struct run *r, struct run_work *out)
{
	struct arena *arena = &t->job.arena;
	struct run_key key = out->key;

	*out = (struct run_work){
		.key = { r->ws, arena_str(arena, r->id), arena_str(arena, key.by),
			r->attempt, key.seen, key.known },
		.session = arena_str(arena, r->session),
		.config = arena_str(arena, r->config),
		.provider = arena_str(arena, r->provider),
		.model = arena_str(arena, r->model),
		.language = arena_str(arena, r->language),
		.child = run_is_child(r),
		.test_tools = t->desk->test_tools,
		.turn = r->turn,
		.counted = { .of = { .bytes = r->sent_bytes }, .tokens = r->sent_tokens }
	};
}

enum err run_advance(
	const struct run_job *j, bool claimed, struct run_work *out, struct fault *why)
{
	struct agent_config agent;
	struct run_job own = *j;
	enum err e = run_agent(j->r, out->key.known, j->rows->arena, &agent, why);

	own.agent = &agent;
	return e ? e : run_go_on(&own, claimed, out, why);
}

/* As the agent says, or the policy where it says nothing. */
static enum err rejection_ends(const struct run_job *j, bool *out, struct fault *why)
{
	struct policy_snapshot *snapshot;
	enum err e = OK;

	*out = j->agent->on_reject == REJECT_STOP;
	if (j->agent->on_reject != REJECT_BY_POLICY) return OK;
	e = snapshot_of(j->t, j->rows, j->r->ws, &snapshot, why);
	if (!e) *out = snapshot->policy.stop_on_reject;
	return e;
}

/* Whom an agent that starts sub-agents may give tasks to, for a process that is new to the run. */
static enum err work_roster(
	const struct run_job *j, struct run_work *out, struct fault *why)
{
	const struct run_toolbox box = run_toolbox(j);
	bool starts = false;

	if (out->child || (out->key.known && out->key.known->agent)) return OK;
	for (size_t i = 0; i < run_operations_len; i++)
		starts |= run_tools[run_operations[i].tool].starts &&
			  run_tool_offered(&box, &run_operations[i]);
	return starts ? configured_roster(j->t->desk, j->rows, j->r->ws, &j->t->job.arena,
				&out->roster, why)
		      : OK;
}

enum err run_go_on(
	const struct run_job *j, bool claimed, struct run_work *out, struct fault *why)
{
	size_t pending = 0, waiting = 0;
	enum run_limit over = RUN_LIMITS;
	bool stopped = false, rejected = false, loops = false;
	enum err e;

	work_start(j->t, j->r, out);
	e = run_stopped(j, &stopped, why);
	if (e || stopped) return e;
	if (j->r->message.len) e = calls_go(j, claimed, &pending, &waiting, why);
	if (e || run_ended(j->r)) return e;
	if (pending) return calls_tell(j, out, why);
	if (waiting || j->r->recovery.len) return run_rest(j, why);
	if (j->r->message.len) e = turn_loops(j, &loops, why);
	if (!e && j->r->message.len) rejected = run_turn_close(j);
	if (!e && rejected) e = rejection_ends(j, &rejected, why);
	if (!e && rejected)
		return run_fail(
			j, TROUBLE_REJECTED, STR("a tool call was rejected"), why);
	if (!e && loops)
		return run_recover(j, TROUBLE_LOOP,
			STR("the same tool call failed three times"), why);
	if (!e) e = limit_check(j, out, &over, why);
	if (!e && over != RUN_LIMITS) return run_over(j, over, why);
	if (e) return e;
	out->turn = j->r->turn;
	e = configured_access(j->t->desk, j->rows, j->r->ws, j->r->provider, j->r->model,
		out->key.known ? out->key.known->access : NULL, &j->t->job.arena,
		&out->access, why);
	if (e == ERR_NOT_FOUND)
		return run_recover(j, TROUBLE_UNAUTHORIZED,
			arena_str(j->rows->arena, str_of(why->detail)), why);
	if (!e) e = work_roster(j, out, why);
	if (!e) e = run_fresh(j, out, why);
	if (!e) e = run_reserve(j, 0, out, &over, why);
	if (e) return e;
	if (over != RUN_LIMITS) return run_over(j, over, why);
	out->step = RUN_STEP_MODEL;
	return OK;
}

/* The request is longer than was held for it. */
static enum err reserve_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_reserve *b = task_of(job)->checked;
	struct agent_config agent;
	struct run_work again = *b->work;
	enum run_limit over;
	struct run_job j;
	enum err e = run_hold(job, rows, &b->work->key, &j, why);

	b->held = false;
	if (!e) e = run_agent(j.r, b->work->key.known, rows->arena, &agent, why);
	if (!e) e = run_waste(&j, &b->wasted, why);
	if (e) return e;
	j.agent = &agent;
	e = run_reserve(&j, b->input, &again, &over, why);
	if (e) return e;
	b->held = over == RUN_LIMITS;
	b->hold = again.hold;
	return b->held ? OK : run_over(&j, over, why);
}

const struct use use_run_reserve =
	WRITES("run_reserve", 0, JOB_OPEN, NULL, reserve_decide, NULL, NULL);
