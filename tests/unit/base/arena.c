#include "base/arena.h"
#include "base/mem.h"

#include "unit.h"

static void allocations_are_zeroed_aligned_and_apart(void **state)
{
	struct arena a = { 0 };

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (size_t size = 1; size < 3000; size += 37) {
			unsigned char *at = arena_alloc(&a, size);

			CHECK(at && (uintptr_t)at % 16 == 0);
			for (size_t i = 0; i < size; i++)
				CHECK_INT(at[i], 0);
			memset(at, 0xff, size);
		}
		arena_done(&a);
	}
}

static void big_allocations_leave_the_current_block_in_use(void **state)
{
	struct arena a = { 0 };
	char *first = arena_alloc(&a, 16), *big, *second;

	(void)state;
	memcpy(first, "first", 6);
	big = arena_alloc(&a, 1 << 20);
	second = arena_alloc(&a, 16);
	CHECK(big && second);
	memset(big, 1, 1 << 20);
	memset(second, 2, 16);
	assert_string_equal(first, "first");
	arena_done(&a);
}

static void copies_and_prints_end_with_a_nul(void **state)
{
	struct arena a = { 0 };
	struct str s;

	(void)state;
	assert_string_equal(arena_copy(&a, str_make("abcdef", 3)), "abc");
	assert_string_equal(arena_copy(&a, STR_NONE), "");
	s = arena_print(&a, "%d of %s", 7, "nine");
	CHECK_STR(s, "7 of nine");
	CHECK_INT(s.at[s.len], 0);
	CHECK_STR(arena_str(&a, STR("xyz")), "xyz");
	CHECK(!a.failed);
	arena_done(&a);
}

static void beyond_its_bound_it_refuses_and_stays_failed(void **state)
{
	struct arena a = { .max = 1000 };

	(void)state;
	CHECK(arena_alloc(&a, 900));
	CHECK(!arena_alloc(&a, 200));
	CHECK(a.failed);
	CHECK(!arena_alloc(&a, 1));
	CHECK(!arena_copy(&a, STR("x")));
	CHECK(!arena_print(&a, "x").at);
	arena_done(&a);
	CHECK(!a.failed && a.used == 0 && a.max == 1000);
	CHECK(arena_alloc(&a, 900));
	arena_done(&a);
}

static void sizes_that_overflow_are_refused(void **state)
{
	struct arena a = { 0 };

	(void)state;
	CHECK(!arena_array(&a, SIZE_MAX / 2, 3));
	CHECK(a.failed);
	arena_done(&a);
	CHECK(!arena_alloc(&a, SIZE_MAX));
	arena_done(&a);
	CHECK(!arena_copy(&a, str_make("", SIZE_MAX)));
	arena_done(&a);
}

static void use(struct arena *a)
{
	for (int i = 0; i < 20; i++)
		ARENA_ARRAY(a, int64_t, 500);
	arena_print(a, "%0*d", 5000, 7);
	arena_str(a, STR("the end"));
}

static void any_failing_allocation_is_sticky(void **state)
{
	(void)state;
	for (uint64_t n = 1;; n++) {
		struct arena a = { 0 };
		uint64_t made;

		mem_fail_at(n, 0);
		use(&a);
		made = mem_count();
		mem_fail_at(0, 0);
		CHECK(a.failed == (made >= n));
		arena_done(&a);
		if (made < n) break;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(allocations_are_zeroed_aligned_and_apart),
		TEST(big_allocations_leave_the_current_block_in_use),
		TEST(copies_and_prints_end_with_a_nul),
		TEST(beyond_its_bound_it_refuses_and_stays_failed),
		TEST(sizes_that_overflow_are_refused),
		TEST(any_failing_allocation_is_sticky),
	};

	return RUN(tests);
}
