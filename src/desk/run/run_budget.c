/* run_budget.c - what model calls take of the limits of a run and its sub-agents: held in the commit before a
 * call, given back when it ended, counted by what it used. */
#include "core/run/budget.h"
#include "core/run/estimate.h"
#include "core/run/run_limit.h"
#include "desk/run/run_inner.h"

/* The run whose limits hold: its parent, or itself. */
static enum err tree_of(
	struct rows *rows, const struct run *r, const struct run **out, struct fault *why)
{
	*out = r;
	return run_is_child(r) ? run_fetch(rows, r->ws, r->parent, out, why) : OK;
}

static enum err tree_change(
	struct rows *rows, struct run *r, struct run **out, struct fault *why)
{
	const struct run *top;
	enum err e = tree_of(rows, r, &top, why);

	if (!e) *out = top == r ? r : rows_change(rows, top);
	return e;
}

/* ---- counted ---- */

static enum err below_add(struct rows *rows, struct run *top, const struct spending *more,
	struct fault *why)
{
	struct spending all;
	enum err e = spending_parse(top->below, rows->arena, &all, why);

	if (e) return e;
	spending_join(&all, more);
	top->below = spending_keep(&all, rows->arena);
	return OK;
}

static enum err session_add(
	const struct run_job *j, const struct spending *more, struct fault *why)
{
	struct spending all;
	enum err e = spending_parse(j->s->spent, j->rows->arena, &all, why);

	if (e) return e;
	spending_join(&all, more);
	all.calls = 0;
	if (more->context_tokens && !run_is_child(j->r)) {
		all.context_tokens = more->context_tokens;
		all.context_max = j->r->context_max;
	}
	j->s->spent = spending_keep(&all, j->rows->arena);
	rows_touch_session(j->rows, j->s);
	return OK;
}

enum err run_spend(const struct run_job *j, const struct spending *more,
	int64_t worked_ms, struct fault *why)
{
	struct run *r = j->r, *top;
	enum err e = tree_change(j->rows, r, &top, why);

	if (e) return e;
	r->worked_ms += worked_ms;
	top->tree_ms += worked_ms;
	if (!more || !(more->priced || more->partial)) return OK;
	usage_add(&r->usage, &more->usage);
	r->partial |= more->partial;
	r->priced |= more->priced;
	r->cost = usage_count_add(r->cost, more->cost);
	top->tree_tokens =
		usage_count_add(top->tree_tokens, spending_usage_total(&more->usage));
	top->tree_cost = usage_count_add(top->tree_cost, more->cost);
	if (top != r) e = below_add(j->rows, top, more, why);
	return e ? e : session_add(j, more, why);
}

enum err run_waste(
	const struct run_job *j, const struct spending *wasted, struct fault *why)
{
	struct spending all;
	enum err e = OK;

	if (!wasted->calls) return OK;
	e = spending_parse(j->r->wasted, j->rows->arena, &all, why);
	if (e) return e;
	spending_join(&all, wasted);
	j->r->wasted = spending_keep(&all, j->rows->arena);
	return run_spend(j, wasted, 0, why);
}

/* Its worker was told to give up the call, and the run is somebody else's or has ended. */
static enum err wasted_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct run_wasted *w = task_of(job)->checked;
	struct run_job j = { task_of(job), rows };
	const struct run *at;
	enum err e = run_fetch(rows, w->ws, w->run, &at, why);

	if (!e) e = rows_fetch_session(rows, w->ws, at->session, &j.s, why);
	if (e) return e;
	j.r = rows_change(rows, at);
	return run_waste(&j, &w->spent, why);
}

const struct use use_run_wasted =
	WRITES("run_wasted", 0, JOB_OPEN, NULL, wasted_decide, NULL, NULL);

/* ---- held ---- */

static int64_t less(int64_t from, int64_t what)
{
	return from > what ? from - what : 0;
}

enum err run_release(struct rows *rows, struct run *r, struct fault *why)
{
	struct run *top;
	enum err e;

	if (!r->held_tokens && !r->held_cost) return OK;
	e = tree_change(rows, r, &top, why);
	if (e) return e == ERR_NOT_FOUND ? OK : e;
	top->tree_held_tokens = less(top->tree_held_tokens, r->held_tokens);
	top->tree_held_cost = less(top->tree_held_cost, r->held_cost);
	r->held_tokens = r->held_cost = 0;
	return OK;
}

/* Those of the tree that are queued or running and hold nothing, this one among them. */
static enum err sharers_count(const struct run_job *j, int64_t *out, struct fault *why)
{
	const struct run *r = NULL;
	enum err e = OK;

	*out = 1;
	if (!run_is_child(j->r)) return OK; /* it does not call while they work */
	e = rows_fetch(j->rows, RECORD_RUNS, SQL_RUNS_LIVE_OF_PARENT,
		ARGS(j->r->ws, j->r->parent), why);
	while (!e && (r = rows_next(j->rows, RECORD_RUNS, r)))
		*out += r != j->r && r->ws == j->r->ws &&
			str_eq(r->parent, j->r->parent) && !r->held_tokens &&
			!r->held_cost &&
			(r->status == RUN_QUEUED || r->status == RUN_RUNNING);
	return e;
}

/* Bytes of what every request of the run has. */
static int64_t setup_bytes(const struct run_job *j)
{
	struct run_toolbox box;
	int64_t bytes = (int64_t)j->agent->prompt.len;

	if (run_toolbox(j, &box, NULL)) return bytes;
	for (size_t i = 0; i < box.own_len; i++)
		bytes += (int64_t)(box.own[i].description.len +
				   own_tool_schema(&box.own[i], j->rows->arena).len);
	for (int i = 0; i < RUN_TOOLS; i++) {
		struct str schema =
			run_tool_schema(&box, (enum run_tool_id)i, j->rows->arena);

		if (schema.len)
			bytes += (int64_t)(schema.len + run_tool_description(&box,
								(enum run_tool_id)i,
								j->rows->arena)
								.len);
	}
	return bytes;
}

/* About what the next request has: what was counted last and what was said since. Its worker, who has the
 * whole of it, knows better. */
static int64_t input_about(const struct run_job *j, const struct run_work *work)
{
	struct estimate_size size = { 0 }, one;
	int64_t counted = j->r->context_tokens, tokens,
		most = work->access.model.context ? work->access.model.context
						  : BUDGET_CONTEXT;

	for (size_t i = work->fresh_len; i-- > 0;) {
		if (counted && work->fresh[i].role == MESSAGE_ASSISTANT) break;
		one = estimate_content(work->fresh[i].content);
		size.bytes += one.bytes;
		size.images += one.images;
	}
	if (!counted) size.bytes += setup_bytes(j);
	tokens = counted + estimate_tokens(&work->counted, &size);
	return tokens < most ? tokens : most;
}

enum err run_reserve(const struct run_job *j, int64_t input, struct run_work *work,
	enum run_limit *over, struct fault *why)
{
	static const enum run_limit limits[] = { [BUDGET_PAYS] = RUN_LIMITS,
		[BUDGET_NO_TOKENS] = RUN_LIMIT_TOKENS,
		[BUDGET_NO_COST] = RUN_LIMIT_COST };
	const struct provider_model *model = &work->access.model;
	struct agent_limits l = j->agent->limits;
	struct budget b;
	struct budget_call call = { .price = model->priced ? &model->price : NULL };
	struct run *top;
	enum err e = run_release(j->rows, j->r, why);

	*over = RUN_LIMITS;
	if (!e) e = tree_change(j->rows, j->r, &top, why);
	if (!e && top != j->r)
		e = agent_limits_parse(top->limits, j->rows->arena, &l, why);
	if (e) return e;
	work->hold = (struct budget_hold){ .input = INT64_MAX };
	if (!l.tokens && !l.cost) return OK;
	call.input = input ? input : input_about(j, work);
	call.output = budget_output(model->output ? model->output : BUDGET_OUTPUT_WIRE,
		j->agent->limits.output, model->context, call.input);
	b = (struct budget){ .tokens = l.tokens,
		.cost = l.cost,
		.spent_tokens = top->tree_tokens,
		.spent_cost = top->tree_cost,
		.held_tokens = top->tree_held_tokens,
		.held_cost = top->tree_held_cost };
	e = sharers_count(j, &b.sharers, why);
	if (e) return e;
	*over = limits[budget_take(&b, &call, &work->hold)];
	if (*over != RUN_LIMITS) return OK;
	j->r->held_tokens = work->hold.tokens;
	j->r->held_cost = work->hold.cost;
	top->tree_held_tokens = usage_count_add(top->tree_held_tokens, work->hold.tokens);
	top->tree_held_cost = usage_count_add(top->tree_held_cost, work->hold.cost);
	return OK;
}
