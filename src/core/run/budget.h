/* budget.h - what a model call may take of its tree's limits of tokens and cost, before it is sent. Pure. */
#ifndef CORE_BUDGET_H
#define CORE_BUDGET_H

#include "core/run/usage.h"

enum {
	BUDGET_OUTPUT_MIN = 256, /* tokens: a call that cannot have so many is not made */
	BUDGET_CONTEXT = 128000, /* of a model of which nothing is known */
	BUDGET_OUTPUT_WIRE = 32000 /* the same, where a number is needed */
};

/* Of a run and its sub-agents. A limit of 0 is none. */
struct budget {
	int64_t tokens, cost; /* the limits; nanodollars */
	int64_t spent_tokens, spent_cost;
	int64_t held_tokens, held_cost; /* by calls under way */
	int64_t sharers; /* runs that will want to call: queued or running with nothing held, this one too */
};

/* What a call of a model may be. */
struct budget_call {
	const struct price *price; /* NULL: it has none */
	int64_t input;		   /* tokens, estimated */
	int64_t output;		   /* at most so many; 0: no number is known */
};

/* What is held for it, and what it may have. */
struct budget_hold {
	int64_t tokens, cost; /* 0: there is no such limit */
	int64_t input;	      /* tokens that are paid for */
	int64_t output;	      /* max_tokens; 0: it needs none */
};

enum budget_short { BUDGET_PAYS, BUDGET_NO_TOKENS, BUDGET_NO_COST };

/* The least of what the model writes (0: not known), the limit (0: none) and what the context leaves;
 * 0: none of these says anything. */
int64_t budget_output(int64_t model, int64_t limit, int64_t context, int64_t input);
/* Output is cut to an equal share of what is free, BUDGET_OUTPUT_MIN at least. Otherwise: what is free does
 * not pay for the input and that. */
enum budget_short budget_take(
	const struct budget *, const struct budget_call *, struct budget_hold *out);
/* The call as it is to be sent has `input` tokens: the output that its hold still pays for. False: not even
 * BUDGET_OUTPUT_MIN. A hold without limits pays for anything. */
bool budget_fits(
	const struct budget_hold *, const struct price *, int64_t input, int64_t *output);

#endif
