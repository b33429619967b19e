/* Who is at a piece of work, and how much of the room one owner gets. */
#include "kit.h"

#include "core/delivery/lease.h"

enum { NOW = 1000, LENGTH = 60 };

static void a_lease_has_one_holder(void **state)
{
	struct lease l = { 0 };

	(void)state;
	assert_false(lease_holds(&l, STR("")));
	assert_false(lease_claim(&l, STR(""), NOW, LENGTH));
	assert_true(lease_claim(&l, STR("a"), NOW, LENGTH));
	assert_int_equal(l.until_ms, NOW + LENGTH);
	assert_true(lease_holds(&l, STR("a")));
	assert_false(lease_claim(&l, STR("b"), NOW + LENGTH - 1, LENGTH));
	assert_false(lease_renew(&l, STR("b"), NOW, LENGTH));
	assert_true(lease_holds(&l, STR("a")));
	assert_true(lease_renew(&l, STR("a"), NOW + 10, LENGTH));
	assert_int_equal(l.until_ms, NOW + 10 + LENGTH);
}

static void one_that_ran_out_is_lost_and_anothers(void **state)
{
	struct lease l = { STR("a"), NOW };

	(void)state;
	assert_false(lease_lost(&l, STR("b"), NOW - 1));
	assert_true(lease_lost(&l, STR("b"), NOW));
	/* Who holds it knows better than a clock that jumped. */
	assert_false(lease_lost(&l, STR("a"), NOW));
	assert_false(lease_claim(&l, STR("a"), NOW, LENGTH));
	assert_true(lease_claim(&l, STR("b"), NOW, LENGTH));
	assert_false(lease_renew(&l, STR("a"), NOW, LENGTH));
	assert_true(lease_holds(&l, STR("b")));
}

/* Greedy owners come one after the other and never give anything back. */
static void there_is_always_a_slot_for_who_comes_next(void **state)
{
	int64_t free = 16, got[16] = { 0 };
	static const int64_t expected[] = { 8, 4, 2, 1, 1 };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		while (lease_share_allows(got[i], free)) {
			got[i]++;
			free--;
		}
		assert_int_equal(got[i], expected[i]);
	}
	assert_int_equal(free, 0);
	assert_false(lease_share_allows(0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_lease_has_one_holder),
		KIT_TEST(one_that_ran_out_is_lost_and_anothers),
		KIT_TEST(there_is_always_a_slot_for_who_comes_next),
	};

	return cmocka_run_group_tests_name("core/lease", tests, NULL, NULL);
}
