/* budget.c - what a call may take of limits. */
#include "core/run/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 3 and 15 dollars for a million tokens. */
static const struct price sonnet = { .base = { 3000, 15000, 300, 3000, 3000 } };

static void without_limits_nothing_is_held(void **state)
{
	struct budget_hold h;
	int64_t output;

	(void)state;
	assert_int_equal(budget_take(&(struct budget){ 0 },
				 &(struct budget_call){ NULL, 1000, 500 }, &h),
		BUDGET_PAYS);
	assert_int_equal(h.tokens + h.cost, 0);
	assert_true(budget_fits(&h, NULL, 1000000, &output));
	assert_int_equal(output, 500);
}

static void output_is_the_least_of_three(void **state)
{
	(void)state;
	assert_int_equal(budget_output(64000, 0, 200000, 1000), 64000);
	assert_int_equal(budget_output(64000, 2000, 200000, 1000), 2000);
	assert_int_equal(budget_output(64000, 0, 200000, 190000), 10000);
	assert_int_equal(budget_output(64000, 0, 200000, 199999), BUDGET_OUTPUT_MIN);
	assert_int_equal(budget_output(0, 0, 200000, 1000), 0);
	assert_int_equal(budget_output(0, 700, 0, 1000), 700);
}

static void output_is_cut_to_what_is_free(void **state)
{
	/* 0.10 $, of which 0.04 $ are spent or held: 0.06 $ pay for 10,000 in and 2,000 out. */
	struct budget b = {
		.cost = 100000000, .spent_cost = 30000000, .held_cost = 10000000
	};
	const struct budget_call call = { &sonnet, 10000, 64000 };
	struct budget_hold h;

	(void)state;
	assert_int_equal(budget_take(&b, &call, &h), BUDGET_PAYS);
	assert_int_equal(h.output, 2000);
	assert_int_equal(h.cost, 60000000);
	assert_int_equal(h.tokens, 0);
	b.sharers = 4; /* a fourth would not even pay for the input: 256 are the least */
	assert_int_equal(budget_take(&b, &call, &h), BUDGET_PAYS);
	assert_int_equal(h.output, BUDGET_OUTPUT_MIN);
	b.spent_cost = 100000000 - 10000000 - 30000000 - 255 * 15000;
	assert_int_equal(budget_take(&b, &call, &h), BUDGET_NO_COST);
	assert_int_equal(
		budget_take(&b, &(struct budget_call){ NULL, 1, 1 }, &h), BUDGET_NO_COST);
}

static void tokens_are_shared(void **state)
{
	const struct budget b = { .tokens = 20000, .spent_tokens = 4000, .sharers = 4 };
	struct budget_hold h;
	int64_t output;

	(void)state;
	assert_int_equal(budget_take(&b, &(struct budget_call){ NULL, 1000, 8000 }, &h),
		BUDGET_PAYS);
	assert_int_equal(h.output, 3000);
	assert_int_equal(h.tokens, 4000);
	/* The request was longer than it was estimated. */
	assert_true(budget_fits(&h, NULL, 1500, &output));
	assert_int_equal(output, 2500);
	assert_false(budget_fits(&h, NULL, 3800, &output));
	assert_int_equal(budget_take(&b, &(struct budget_call){ NULL, 15800, 8000 }, &h),
		BUDGET_NO_TOKENS);
}

static void where_there_is_plenty_a_longer_request_changes_nothing(void **state)
{
	const struct budget b = { .cost = 5000000000 };
	struct budget_hold h;
	int64_t output;

	(void)state;
	assert_int_equal(
		budget_take(&b, &(struct budget_call){ &sonnet, 1000, 8000 }, &h),
		BUDGET_PAYS);
	assert_int_equal(h.output, 8000);
	assert_true(budget_fits(&h, &sonnet, 4000, &output));
	assert_int_equal(output, 8000);
}

static void sums_stop_at_the_end_of_numbers(void **state)
{
	const struct budget b = {
		.tokens = INT64_MAX, .spent_tokens = INT64_MAX, .held_tokens = INT64_MAX
	};
	struct budget_hold h;

	(void)state;
	assert_int_equal(budget_take(&b, &(struct budget_call){ NULL, INT64_MAX, 1 }, &h),
		BUDGET_NO_TOKENS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_limits_nothing_is_held),
		cmocka_unit_test(output_is_the_least_of_three),
		cmocka_unit_test(output_is_cut_to_what_is_free),
		cmocka_unit_test(tokens_are_shared),
		cmocka_unit_test(where_there_is_plenty_a_longer_request_changes_nothing),
		cmocka_unit_test(sums_stop_at_the_end_of_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
