/* rate.c - so many asks a minute, evenly; and never locked out by a clock. */
#include "desk/shared/rate.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const int64_t start_ms = INT64_C(1700000000000);

/* How many can be taken at this instant. */
static int taken(struct rate *rate, const char *token, int64_t a_minute, int64_t now_ms)
{
	int64_t retry_after_s = 0;
	int n = 0;

	while (n < 100000 &&
		rate_take(rate, str_of(token), a_minute, now_ms, &retry_after_s))
		n++;
	return n;
}

static void a_minute_holds_so_many(void **state)
{
	static const int rates[] = { 1, 7, 60, 6000 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct rate rate = { 0 };

		assert_in_range(
			taken(&rate, "tok", rates[i], start_ms), rates[i], rates[i] + 1);
		rate_done(&rate);
	}
}

static void what_leaks_can_be_taken_again(void **state)
{
	struct rate rate = { 0 };

	(void)state;
	assert_int_equal(taken(&rate, "tok", 60, start_ms), 60);
	assert_int_equal(taken(&rate, "tok", 60, start_ms + 999), 0);
	assert_int_equal(taken(&rate, "tok", 60, start_ms + 1000), 1);
	assert_int_equal(taken(&rate, "tok", 60, start_ms + 11000), 10);
	assert_int_equal(taken(&rate, "tok", 60, start_ms + 600000), 60);
	rate_done(&rate);
}

/* Who waits as long as it was told gets through. */
static void retry_after_is_true(void **state)
{
	static const int64_t rates[] = { 1, 7, 60, 6000 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct rate rate = { 0 };
		int64_t after_s = 0;

		taken(&rate, "tok", rates[i], start_ms);
		assert_false(rate_take(&rate, STR("tok"), rates[i], start_ms, &after_s));
		assert_in_range(after_s, 1, 60);
		assert_true(rate_take(&rate, STR("tok"), rates[i],
			start_ms + after_s * 1000, &after_s));
		rate_done(&rate);
	}
}

static void tokens_do_not_share(void **state)
{
	struct rate rate = { 0 };

	(void)state;
	assert_int_equal(taken(&rate, "tok_a", 5, start_ms), 5);
	assert_int_equal(taken(&rate, "tok_b", 5, start_ms), 5);
	rate_done(&rate);
}

static void what_was_not_made_is_given_back(void **state)
{
	struct rate rate = { 0 };

	(void)state;
	assert_int_equal(taken(&rate, "tok", 5, start_ms), 5);
	rate_give_back(&rate, STR("tok"), 5);
	assert_int_equal(taken(&rate, "tok", 5, start_ms), 1);
	rate_give_back(&rate, STR("nobody"), 5);
	rate_give_back(&rate, STR("tok"), 0);
	rate_done(&rate);
}

static void zero_is_no_limit(void **state)
{
	struct rate rate = { 0 };

	(void)state;
	assert_int_equal(taken(&rate, "tok", 0, start_ms), 100000);
	assert_int_equal(rate.buckets.len, 0);
	rate_done(&rate);
}

static void a_clock_that_steps_back_locks_nobody_out(void **state)
{
	struct rate rate = { 0 };
	int64_t after_s;

	(void)state;
	assert_int_equal(taken(&rate, "tok", 60, start_ms), 60);
	assert_int_equal(taken(&rate, "tok", 60, start_ms - 3600 * 1000), 60);
	for (int back_s = 66; back_s < 200; back_s += 7) {
		rate_done(&rate);
		rate = (struct rate){ 0 };
		assert_true(rate_take(&rate, STR("tok"), 60, start_ms, &after_s));
		assert_int_equal(taken(&rate, "tok", 60, start_ms - back_s * 1000), 60);
	}
	rate_done(&rate);
}

/* Tokens come and go; their buckets do not pile up. */
static void buckets_that_say_nothing_are_swept(void **state)
{
	struct rate rate = { 0 };
	char token[24];
	int64_t after_s;

	(void)state;
	for (int i = 0; i < 30000; i++) {
		snprintf(token, sizeof token, "tok_%d", i);
		assert_true(rate_take(
			&rate, str_of(token), 60, start_ms + i * 100, &after_s));
	}
	assert_in_range(rate.buckets.len, 1, 10001);
	rate_done(&rate);
}

static void without_memory_it_lets_pass(void **state)
{
	struct rate rate = { 0 };
	int64_t after_s;

	(void)state;
	mem_fail_at(1, 1);
	assert_true(rate_take(&rate, STR("tok"), 1, start_ms, &after_s));
	assert_true(rate_take(&rate, STR("tok"), 1, start_ms, &after_s));
	mem_fail_at(0, 0);
	rate_done(&rate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_minute_holds_so_many),
		cmocka_unit_test(what_leaks_can_be_taken_again),
		cmocka_unit_test(retry_after_is_true),
		cmocka_unit_test(tokens_do_not_share),
		cmocka_unit_test(what_was_not_made_is_given_back),
		cmocka_unit_test(zero_is_no_limit),
		cmocka_unit_test(a_clock_that_steps_back_locks_nobody_out),
		cmocka_unit_test(buckets_that_say_nothing_are_swept),
		cmocka_unit_test(without_memory_it_lets_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
