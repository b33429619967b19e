/* alert.c - what raises, keeps and clears alerts. */
#include "core/notify/alert.h"

#include "core/policy/policy.h"
#include "kit.h"

#define MINUTE_MS 60000LL

static void a_share_of_few_is_none(void **state)
{
	(void)state;
	assert_true(alert_share(9, 9, 10) == 0);
	assert_true(alert_share(10, 10, 10) == 1);
	assert_true(alert_share(0, 0, 0) == 0);
	assert_true(alert_share(3, 12, 10) == 0.25);
}

static void one_is_raised_once_and_cleared_once(void **state)
{
	const struct alert_finding beyond = { .kind = ALERT_DEAD, .raised = true };
	const struct alert open = { .kind = ALERT_DEAD, .since_ms = 1 };
	const struct alert later = { .kind = ALERT_DEAD, .since_ms = 9 };

	(void)state;
	assert_int_equal(alert_next(NULL, NULL, 5, 5), ALERT_STAYS);
	assert_int_equal(alert_next(NULL, &beyond, 5, 5), ALERT_RAISES);
	assert_int_equal(alert_next(&open, &beyond, 5, 5), ALERT_STAYS);
	assert_int_equal(alert_next(&open, NULL, 5, 5), ALERT_CLEARS);
	/* Raised after the look had read, before what it found is applied. */
	assert_int_equal(alert_next(&open, NULL, 1, 5), ALERT_STAYS);
	/* Raised before the clock was moved back. */
	assert_int_equal(alert_next(&later, NULL, 1, 5), ALERT_CLEARS);
}

static void a_rate_is_low_for_five_minutes_before_it_clears(void **state)
{
	const struct alert_finding near = { .kind = ALERT_TIMEOUTS };
	struct alert a = { .kind = ALERT_TIMEOUTS, .since_ms = MINUTE_MS };

	(void)state;
	assert_int_equal(alert_next(NULL, &near, MINUTE_MS, MINUTE_MS), ALERT_STAYS);
	assert_int_equal(
		alert_next(&a, &near, 2 * MINUTE_MS, 2 * MINUTE_MS), ALERT_STAYS);
	assert_int_equal(alert_next(&a, NULL, 3 * MINUTE_MS, 3 * MINUTE_MS), ALERT_CALMS);
	a.low_ms = 3 * MINUTE_MS;
	assert_int_equal(alert_next(&a, NULL, 7 * MINUTE_MS, 7 * MINUTE_MS), ALERT_STAYS);
	assert_int_equal(
		alert_next(&a, &near, 8 * MINUTE_MS, 8 * MINUTE_MS), ALERT_STIRS);
	assert_int_equal(
		alert_next(&a, NULL, 8 * MINUTE_MS, 8 * MINUTE_MS), ALERT_CLEARS);
	/* The clock was moved back. */
	assert_int_equal(alert_next(&a, NULL, 2 * MINUTE_MS, 2 * MINUTE_MS), ALERT_CALMS);
}

static void what_was_lost_is_ended_by_a_person(void **state)
{
	const struct alert open = { .kind = ALERT_LOST };

	(void)state;
	assert_int_equal(alert_next(&open, NULL, 5, 5), ALERT_STAYS);
	assert_false(alert_is_looked_for(ALERT_LOST));
}

static void settings_are_as_kept_or_as_usual(void **state)
{
	struct arena arena = { 0 };
	struct alert_settings s;

	(void)state;
	assert_int_equal(alert_settings_read(STR_NONE, &arena, &s, NULL), OK);
	assert_true(s.timeouts == 0.2 && s.errors == 0.05 && s.overdue == 0.2 &&
		    s.model == 0.2 && s.budget == 0);
	assert_int_equal(s.window_ms, 24 * 60 * MINUTE_MS);
	assert_int_equal(s.unanswered_ms, 60 * MINUTE_MS);
	assert_int_equal(s.unreachable_ms, 10 * MINUTE_MS);
	assert_int_equal(s.node_ms, MINUTE_MS);
	assert_true(s.min == 10 && s.dead == 1);
	/* Kept by an earlier program, with one turned off. */
	assert_int_equal(
		alert_settings_read(
			STR("{\"alerts\":{\"timeouts\":null,\"unanswered\":\"2h\","
			    "\"window\":3600,\"min\":3}}"),
			&arena, &s, NULL),
		OK);
	assert_true(s.timeouts == 0 && s.min == 3 && s.model == 0.2);
	assert_int_equal(s.unanswered_ms, 120 * MINUTE_MS);
	assert_int_equal(s.window_ms, 60 * MINUTE_MS);
	arena_done(&arena);
}

static void every_kind_has_a_name_and_reads_back(void **state)
{
	(void)state;
	for (int i = 0; i < ALERT_KINDS; i++) {
		enum alert_kind kind;

		assert_true(alert_kind_read(
			str_of(alert_kind_name((enum alert_kind)i)), &kind));
		assert_int_equal(kind, i);
	}
	assert_false(alert_kind_read(STR("quiet"), &(enum alert_kind){ 0 }));
}

static void routes_see_an_ask_of_their_own_kind(void **state)
{
	struct alert a = { .ws = 1, .id = STR("alr_1"), .since_ms = 7 };
	struct arena arena = { 0 };
	struct route_table table;
	struct ask as;

	(void)state;
	alert_as_ask(&a, &as);
	assert_true(ask_is_alert(&as) && as.status == ASK_PENDING);
	assert_false(alert_is_acked(&as));
	assert_int_equal(routes_load(STR_NONE, &arena, &table, NULL), OK);
	assert_true(str_is(routes_find(&table, &as)->name, "Alerts"));
	assert_int_equal(routes_load(STR("[{\"id\":\"rou_00000000000000000000000001\","
					 "\"match\":{},\"steps\":[]}]"),
				 &arena, &table, NULL),
		OK);
	assert_null(routes_find(&table, &as));
	a.acked = STR("{}");
	alert_as_ask(&a, &as);
	assert_true(alert_is_acked(&as));
	a.cleared_ms = 9;
	alert_as_ask(&a, &as);
	assert_true(as.status == ASK_CANCELLED && !alert_is_acked(&as));
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_share_of_few_is_none),
		KIT_TEST(one_is_raised_once_and_cleared_once),
		KIT_TEST(a_rate_is_low_for_five_minutes_before_it_clears),
		KIT_TEST(what_was_lost_is_ended_by_a_person),
		KIT_TEST(settings_are_as_kept_or_as_usual),
		KIT_TEST(every_kind_has_a_name_and_reads_back),
		KIT_TEST(routes_see_an_ask_of_their_own_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
