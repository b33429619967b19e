#include "base/buf.h"
#include "base/mem.h"

#include "unit.h"

static void writes_follow_one_another(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_add(&b, STR("a"));
	buf_add(&b, STR_NONE);
	buf_add_char(&b, '-');
	buf_add_text(&b, "text ");
	buf_add_text(&b, NULL);
	buf_add_int(&b, INT64_MIN);
	buf_add_char(&b, ' ');
	buf_add_int(&b, 0);
	buf_print(&b, " %s %d", "x", 42);
	CHECK_STR(buf_str(&b), "a-text -9223372036854775808 0 x 42");
	assert_string_equal(buf_text(&b), "a-text -9223372036854775808 0 x 42");
	buf_done(&b);
}

static void it_grows_over_many_sizes(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (int i = 0; i < 3000; i++)
		buf_print(&b, "%d,", i % 10);
	buf_print(&b, "%0*d", 100000, 1);
	CHECK_INT(b.len, 6000 + 100000);
	CHECK(!b.failed);
	CHECK_INT(b.at[b.len - 1], '1');
	buf_done(&b);
}

static void what_does_not_fit_its_maximum_is_refused_and_the_rest_stays(void **state)
{
	struct buf b = { .max = 5 };

	(void)state;
	buf_add(&b, STR("12345"));
	CHECK(!b.failed);
	buf_add_char(&b, '6');
	CHECK(b.failed);
	buf_add(&b, STR(""));
	buf_print(&b, "%d", 7);
	CHECK_STR(buf_str(&b), "12345");
	assert_string_equal(buf_text(&b), "12345");
	buf_clear(&b);
	CHECK(!b.failed);
	buf_add(&b, STR("abc"));
	buf_print(&b, "%d", 456);
	CHECK(b.failed);
	CHECK_STR(buf_str(&b), "abc");
	buf_done(&b);
	CHECK_INT(b.max, 5);
}

static void every_maximum_is_kept_to_the_byte(void **state)
{
	(void)state;
	for (size_t max = 1; max < 1100; max += 13) {
		struct buf b = { .max = max };

		for (size_t i = 0; i < max; i++)
			buf_add_char(&b, 'x');
		CHECK(!b.failed && b.len == max);
		buf_add_char(&b, 'x');
		CHECK(b.failed && b.len == max);
		buf_done(&b);
	}
}

static void dropping_keeps_what_is_behind(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_drop(&b, 0);
	buf_add(&b, STR("headtail"));
	buf_drop(&b, 4);
	CHECK_STR(buf_str(&b), "tail");
	buf_drop(&b, 4);
	CHECK_STR(buf_str(&b), "");
	buf_done(&b);
}

static void a_huge_reservation_fails(void **state)
{
	struct buf b = { 0 };

	(void)state;
	CHECK(!buf_reserve(&b, SIZE_MAX));
	CHECK(b.failed);
	assert_string_equal(buf_text(&b), "");
	buf_done(&b);
}

static void any_failing_allocation_is_sticky(void **state)
{
	(void)state;
	for (uint64_t n = 1;; n++) {
		struct buf b = { 0 };
		uint64_t made;

		mem_fail_at(n, 0);
		for (int i = 0; i < 200; i++)
			buf_print(&b, "%d and then ", i);
		made = mem_count();
		mem_fail_at(0, 0);
		CHECK(b.failed == (made >= n));
		if (b.len) CHECK(str_starts(buf_str(&b), "0 and then 1"));
		buf_done(&b);
		if (made < n) break;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(writes_follow_one_another),
		TEST(it_grows_over_many_sizes),
		TEST(what_does_not_fit_its_maximum_is_refused_and_the_rest_stays),
		TEST(every_maximum_is_kept_to_the_byte),
		TEST(dropping_keeps_what_is_behind),
		TEST(a_huge_reservation_fails),
		TEST(any_failing_allocation_is_sticky),
	};

	return RUN(tests);
}
