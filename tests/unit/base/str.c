#include "base/str.h"

#include "unit.h"

static void ascii_case_is_ignored_when_asked(void **state)
{
	(void)state;
	CHECK(str_is_nocase(STR("Content-TYPE"), "content-type"));
	CHECK(!str_is_nocase(STR("content-typ"), "content-type"));
	CHECK(!str_is_nocase(STR("content-type2"), "content-type"));
	CHECK(str_is_nocase(STR_NONE, ""));
	CHECK(!str_is_nocase(STR("["), "{"));
	CHECK(str_eq_nocase(STR("Ann@Example.org"), STR("ann@example.ORG")));
	CHECK(!str_eq_nocase(STR("ann@example.org"), STR("ann@example.or")));
	CHECK(!str_eq_nocase(STR("@"), STR("`")));
	CHECK(str_eq_nocase(STR_NONE, STR_NONE));
}

static void prefixes_and_suffixes_are_found(void **state)
{
	(void)state;
	CHECK(str_starts(STR("ask_1"), "ask_"));
	CHECK(!str_starts(STR("as"), "ask_"));
	CHECK(str_starts(STR_NONE, ""));
	CHECK(str_ends(STR("a.json"), ".json"));
	CHECK(!str_ends(STR("json"), ".json"));
	CHECK(str_ends(STR_NONE, ""));
}

static void trimming_takes_blanks_from_both_ends(void **state)
{
	(void)state;
	CHECK_STR(str_trim(STR(" \t a b\r\n")), "a b");
	CHECK_STR(str_trim(STR("  ")), "");
	CHECK_STR(str_trim(STR_NONE), "");
}

static void cutting_gives_one_piece_after_another(void **state)
{
	struct str rest = STR("a,,b"), piece;

	(void)state;
	CHECK(str_cut(&rest, ',', &piece));
	CHECK_STR(piece, "a");
	CHECK(str_cut(&rest, ',', &piece));
	CHECK_STR(piece, "");
	CHECK(str_cut(&rest, ',', &piece));
	CHECK_STR(piece, "b");
	CHECK(!str_cut(&rest, ',', &piece));
	CHECK_STR(piece, "b");
	CHECK(!str_cut(&(struct str){ 0 }, ',', &piece));
}

static void nothing_is_cut_behind_a_last_separator(void **state)
{
	struct str rest = STR("a,"), piece;

	(void)state;
	CHECK(str_cut(&rest, ',', &piece));
	CHECK(!str_cut(&rest, ',', &piece));
}

static void a_needle_is_found_at_its_first_place(void **state)
{
	(void)state;
	CHECK_INT(str_find(STR("a needle, a needle"), STR("needle")), 2);
	CHECK_INT(str_find(STR("hay"), STR("needle")), -1);
	CHECK_INT(str_find(STR_NONE, STR("x")), -1);
	CHECK_INT(str_find(STR("hay"), STR_NONE), 0);
}

static void order_is_that_of_the_bytes(void **state)
{
	(void)state;
	CHECK(str_cmp(STR("a"), STR("b")) < 0);
	CHECK(str_cmp(STR("ab"), STR("a")) > 0);
	CHECK(str_cmp(STR("\xff"), STR("a")) > 0);
	CHECK_INT(str_cmp(STR("a"), STR("a")), 0);
	CHECK_INT(str_cmp(STR_NONE, STR("")), 0);
	CHECK(str_cmp(STR_NONE, STR("a")) < 0);
}

static void equal_texts_have_equal_hashes(void **state)
{
	char other[] = "a text longer than eight";

	(void)state;
	CHECK(str_hash(STR("a text longer than eight")) == str_hash(str_of(other)));
	CHECK(str_hash(STR_NONE) == str_hash(STR("")));
	CHECK(str_hash(STR("a")) != str_hash(STR("b")));
	CHECK(str_hash(STR("a")) != str_hash(str_make("a\0", 2)));
}

static void integers_are_read_whole_and_in_range(void **state)
{
	int64_t n = 7;

	(void)state;
	CHECK(str_to_int(STR("-9223372036854775808"), INT64_MIN, INT64_MAX, &n));
	CHECK(n == INT64_MIN);
	CHECK(str_to_int(STR("9223372036854775807"), INT64_MIN, INT64_MAX, &n));
	CHECK(n == INT64_MAX);
	CHECK(str_to_int(STR("0"), 0, 0, &n));
	CHECK_INT(n, 0);
}

static void what_is_no_integer_leaves_the_output_alone(void **state)
{
	static const char *const bad[] = { "", "-", "+1", " 1", "1 ", "1.0", "0x1", "--1",
		"9223372036854775808", "-9223372036854775809", "11", "-1",
		"99999999999999999999999999" };
	int64_t n = 7;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		CHECK(!str_to_int(str_of(bad[i]), 0, 10, &n));
		CHECK_INT(n, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ascii_case_is_ignored_when_asked),
		TEST(prefixes_and_suffixes_are_found),
		TEST(trimming_takes_blanks_from_both_ends),
		TEST(cutting_gives_one_piece_after_another),
		TEST(nothing_is_cut_behind_a_last_separator),
		TEST(a_needle_is_found_at_its_first_place),
		TEST(order_is_that_of_the_bytes),
		TEST(equal_texts_have_equal_hashes),
		TEST(integers_are_read_whole_and_in_range),
		TEST(what_is_no_integer_leaves_the_output_alone),
	};

	return RUN(tests);
}
