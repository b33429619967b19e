/* spend.c - what a model call may cost, before it is sent; and what one cost that left no message. */
#include "agent/inner.h"

static int64_t least_of(int64_t a, int64_t b)
{
	return !b || (a && a < b) ? a : b;
}

/* By the model, the agent's limit and the context; 0: the wire does what it does. */
static int64_t output_of(
	const struct worker *w, const struct run_work *work, int64_t input)
{
	const struct provider_model *model = &work->access.model;
	bool wires = !model->output && work->access.wire == WIRE_ANTHROPIC;
	int64_t most = budget_output(wires ? BUDGET_OUTPUT_WIRE : model->output,
		w->setup.agent.limits.output, model->context, input);

	return wires && most == BUDGET_OUTPUT_WIRE ? 0 : most;
}

static const struct price *price_of(const struct run_work *work)
{
	return work->access.model.priced ? &work->access.model.price : NULL;
}

bool spend_fits(struct worker *w, struct run_work *work, int64_t input,
	struct spending *wasted, struct spend *out)
{
	struct run_reserve r = { .work = work, .input = input, .wasted = *wasted };
	struct task t = { 0 };
	bool ours = true;

	*out = (struct spend){ 0 };
	if (!budget_fits(&work->hold, price_of(work), input, &out->output)) {
		ours = worker_tell(w, &use_run_reserve, &t, &r);
		task_empty(&t);
		if (!ours) return false;
		*wasted = (struct spending){ 0 };
		out->rests = !r.held;
		work->hold = r.hold;
		out->output = r.hold.output;
	}
	out->output = work->hold.tokens || work->hold.cost
			      ? least_of(out->output, output_of(w, work, input))
			      : output_of(w, work, input);
	return true;
}

void spend_waste(struct spending *wasted, const struct run_work *work,
	const struct usage *told, int64_t input, int64_t output)
{
	struct usage u = *told;
	int64_t cost = COST_UNKNOWN;

	if (!usage_context(&u)) u.input = input;
	if (u.output < output) u.output = output;
	if (price_of(work)) cost = usage_cost(&u, price_of(work));
	spending_add(wasted, &u, cost);
	wasted->calls++;
}

void spend_tell(
	struct worker *w, const struct run_work *work, const struct spending *wasted)
{
	struct run_wasted b = {
		.ws = work->key.ws, .run = work->key.run, .spent = *wasted
	};
	struct task t = { .checked = &b };

	if (wasted->calls) desk_wait(w->runner->desk, &use_run_wasted, &t);
	task_empty(&t);
}
