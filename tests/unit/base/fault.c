#include "base/fault.h"
#include "base/utf8.h"

#include "unit.h"

static void failing_returns_the_error_and_says_why(void **state)
{
	struct fault why = { 0 };

	(void)state;
	CHECK_INT(fail(&why, ERR_CONFLICT, "ask %d is settled", 7), ERR_CONFLICT);
	CHECK_INT(why.err, ERR_CONFLICT);
	assert_string_equal(why.detail, "ask 7 is settled");
	CHECK_INT(fail(NULL, ERR_RATE, "nobody hears"), ERR_RATE);
	CHECK_INT(fail_at(NULL, "/a", "nobody hears"), ERR_INVALID);
}

static void items_are_gathered_and_the_first_is_the_detail(void **state)
{
	struct fault why = { 0 };

	(void)state;
	CHECK_INT(fail_at(&why, "/questions/0", "has no text"), ERR_INVALID);
	fail_at(&why, "/mode", "is unknown");
	CHECK_INT(why.err, ERR_INVALID);
	CHECK_INT(why.items_len, 2);
	assert_string_equal(why.detail, "has no text");
	assert_string_equal(why.items[1].pointer, "/mode");
	assert_string_equal(why.items[1].detail, "is unknown");
}

static void items_beyond_the_last_are_dropped(void **state)
{
	struct fault why = { 0 };

	(void)state;
	for (int i = 0; i < FAULT_ITEMS + 3; i++)
		fail_at(&why, "/x", "item %d", i);
	CHECK_INT(why.items_len, FAULT_ITEMS);
	assert_string_equal(why.items[FAULT_ITEMS - 1].detail, "item 7");
}

static void long_sentences_are_cut_between_code_points(void **state)
{
	static const char *const unit[] = { "a", "é", "€", "😀" };
	char text[1200];

	(void)state;
	for (size_t u = 0; u < 4; u++) {
		for (size_t shift = 0; shift < 4; shift++) {
			struct fault why = { 0 };
			size_t len = shift, step = strlen(unit[u]);

			memset(text, 'x', shift);
			for (; len < 1000; len += step)
				memcpy(text + len, unit[u], step);
			text[len] = '\0';
			fail(&why, ERR_INTERNAL, "%s", text);
			CHECK(strlen(why.detail) > sizeof why.detail - 5);
			CHECK(utf8_valid(str_of(why.detail)));
		}
	}
}

static void every_error_has_a_name(void **state)
{
	(void)state;
	assert_string_equal(err_name(ERR_CONFLICT), "conflict");
	for (int e = OK; e <= ERR_INTERNAL; e++)
		assert_string_not_equal(err_name((enum err)e), "unknown error");
	assert_string_equal(err_name((enum err)99), "unknown error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(failing_returns_the_error_and_says_why),
		TEST(items_are_gathered_and_the_first_is_the_detail),
		TEST(items_beyond_the_last_are_dropped),
		TEST(long_sentences_are_cut_between_code_points),
		TEST(every_error_has_a_name),
	};

	return RUN(tests);
}
