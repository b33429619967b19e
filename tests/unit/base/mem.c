#include "base/mem.h"

#include "unit.h"

static void allocations_are_zeroed(void **state)
{
	char *at = mem_alloc(64);

	(void)state;
	for (int i = 0; i < 64; i++)
		CHECK_INT(at[i], 0);
	mem_free(at);
}

static void copies_end_with_a_nul(void **state)
{
	char *copy = mem_copy("abcdef", 3);

	(void)state;
	assert_string_equal(copy, "abc");
	mem_free(copy);
	copy = mem_copy(NULL, 0);
	assert_string_equal(copy, "");
	mem_free(copy);
}

static void only_the_nth_allocation_fails(void **state)
{
	void *at[3];

	(void)state;
	mem_fail_at(2, 0);
	for (int i = 0; i < 3; i++)
		at[i] = mem_alloc(8);
	CHECK_INT(mem_count(), 3);
	mem_fail_at(0, 0);
	CHECK(at[0] && !at[1] && at[2]);
	mem_free(at[0]);
	mem_free(at[2]);
}

static void all_after_the_nth_fail_when_asked(void **state)
{
	void *at[3];

	(void)state;
	mem_fail_at(2, 1);
	for (int i = 0; i < 3; i++)
		at[i] = mem_alloc(8);
	mem_fail_at(0, 0);
	CHECK(at[0] && !at[1] && !at[2]);
	mem_free(at[0]);
}

static void a_failed_growth_leaves_the_old_memory(void **state)
{
	char *at = mem_copy("kept", 4);

	(void)state;
	mem_fail_at(1, 0);
	CHECK(!mem_grow(at, 1 << 20));
	mem_fail_at(0, 0);
	assert_string_equal(at, "kept");
	mem_free(at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(allocations_are_zeroed),
		TEST(copies_end_with_a_nul),
		TEST(only_the_nth_allocation_fails),
		TEST(all_after_the_nth_fail_when_asked),
		TEST(a_failed_growth_leaves_the_old_memory),
	};

	return RUN(tests);
}
