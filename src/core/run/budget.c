/* budget.c - tokens and nanodollars held for calls under way. */
#include "core/run/budget.h"

/* What these would cost at most: input that is written to a cache costs more than other. */
static int64_t cost_of(const struct price *p, int64_t input, int64_t output)
{
	const struct usage plain = { .input = input, .output = output },
			   cached = { .cache_write = input, .output = output };
	int64_t a = usage_cost(&plain, p), b = usage_cost(&cached, p);

	return a > b ? a : b;
}

static const struct price_set *set_of(const struct price *p, int64_t input)
{
	return p->above && input > p->above ? &p->beyond : &p->base;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Tokens of output that so much pays for behind the input. */
static int64_t output_for(const struct price *p, int64_t input, int64_t cost)
{
	int64_t each = set_of(p, input)->output, rest = cost - cost_of(p, input, 0);

	if (rest < 0) return 0;
	return each > 0 ? rest / each : INT64_MAX;
}

int64_t budget_output(int64_t model, int64_t limit, int64_t context, int64_t input)
{
	int64_t most = model;

	if (limit && (!most || limit < most)) most = limit;
	if (most && context) {
		int64_t left = context - input;

		most = least(most, left < BUDGET_OUTPUT_MIN ? BUDGET_OUTPUT_MIN : left);
	}
	return most;
}

/* A request may turn out longer than it was estimated: where there is plenty, so much more is held. */
static int64_t input_plenty(int64_t input)
{
	return usage_count_add(input, input / 4 + 4096);
}

static int64_t rest_of(int64_t limit, int64_t spent, int64_t held)
{
	int64_t used = usage_count_add(spent, held);

	return limit > used ? limit - used : 0;
}

static void hold_make(const struct budget *b, const struct budget_call *c, int64_t input,
	int64_t output, struct budget_hold *out)
{
	*out = (struct budget_hold){ .input = input,
		.output = output,
		.tokens = b->tokens ? usage_count_add(input, output) : 0,
		.cost = b->cost ? cost_of(c->price, input, output) : 0 };
}

enum budget_short budget_take(
	const struct budget *b, const struct budget_call *c, struct budget_hold *out)
{
	int64_t tokens = rest_of(b->tokens, b->spent_tokens, b->held_tokens),
		cost = rest_of(b->cost, b->spent_cost, b->held_cost);
	int64_t sharers = b->sharers > 1 ? b->sharers : 1;
	int64_t most = c->output ? c->output : BUDGET_OUTPUT_WIRE;
	struct budget_hold plenty;

	*out = (struct budget_hold){ .input = INT64_MAX, .output = c->output };
	if (!b->tokens && !b->cost) return BUDGET_PAYS;
	if (b->cost && !c->price) return BUDGET_NO_COST;
	hold_make(b, c, input_plenty(c->input), most, &plenty);
	*out = plenty;
	if (plenty.tokens <= tokens / sharers && plenty.cost <= cost / sharers)
		return BUDGET_PAYS;
	if (b->tokens) most = least(most, tokens / sharers - c->input);
	if (b->cost) most = least(most, output_for(c->price, c->input, cost / sharers));
	if (most < BUDGET_OUTPUT_MIN) most = BUDGET_OUTPUT_MIN;
	hold_make(b, c, c->input, most, out);
	if (out->tokens > tokens) return BUDGET_NO_TOKENS;
	return out->cost > cost ? BUDGET_NO_COST : BUDGET_PAYS;
}

bool budget_fits(const struct budget_hold *h, const struct price *p, int64_t input,
	int64_t *output)
{
	int64_t most = h->output;

	if (input > h->input && h->tokens) most = least(most, h->tokens - input);
	if (h->cost && (input > h->input || cost_of(p, input, most) > h->cost))
		most = least(most, output_for(p, input, h->cost));
	*output = most;
	return (!h->tokens && !h->cost) || most >= BUDGET_OUTPUT_MIN || most >= h->output;
}
