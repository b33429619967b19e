#include "base/utf8.h"

#include "unit.h"

static void well_formed_text_is_valid(void **state)
{
	static const char *const good[] = { "", "abc", "é", "€", "😀", "\x7f", "\xc2\x80",
		"\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
		"\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf" };

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		CHECK(utf8_valid(str_of(good[i])));
}

static void overlong_surrogate_cut_and_stray_bytes_are_not(void **state)
{
	static const char *const bad[] = { "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3",
		"\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80", "\xed\xbf\xbf",
		"\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xff", "\xfe", "a\xe9z", "\xc3(", "\xe2(\x82",
		"\xe2\x82(", "\xf0\x9f\x98(" };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(!utf8_valid(str_of(bad[i])));
}

static void code_points_are_counted_not_bytes(void **state)
{
	(void)state;
	CHECK_INT(utf8_count(STR("aé€😀")), 4);
	CHECK_INT(utf8_count(STR_NONE), 0);
	CHECK_STR(utf8_first(STR("aé€😀"), 2), "aé");
	CHECK_STR(utf8_first(STR("aé€😀"), 4), "aé€😀");
	CHECK_STR(utf8_first(STR("aé€😀"), 9), "aé€😀");
	CHECK_STR(utf8_first(STR("aé"), 0), "");
	CHECK_STR(utf8_first(STR_NONE, 3), "");
}

static void reading_goes_over_bad_bytes_one_by_one(void **state)
{
	struct str rest = STR("a€\xff\xe2\x82😀");
	static const int32_t want[] = { 'a', 0x20ac, 0xfffd, 0xfffd, 0xfffd, 0x1f600, -1,
		-1 };

	(void)state;
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		CHECK_INT(utf8_next(&rest), want[i]);
}

static void every_scalar_value_is_written_and_read_back(void **state)
{
	(void)state;
	for (uint32_t c = 1; c <= 0x10ffff; c++) {
		char bytes[4];
		struct str s = str_make(bytes, utf8_put(bytes, c));
		int32_t want = c >= 0xd800 && c <= 0xdfff ? 0xfffd : (int32_t)c;

		if (utf8_next(&s) != want || s.len) fail_msg("U+%04X", c);
	}
}

static void what_is_no_scalar_value_becomes_a_replacement(void **state)
{
	struct buf b = { 0 };

	(void)state;
	utf8_add(&b, 0xd800);
	utf8_add(&b, 0x110000);
	CHECK_STR(buf_str(&b), "\xef\xbf\xbd\xef\xbf\xbd");
	buf_done(&b);
}

static void check_fold(const char *from, const char *to)
{
	struct buf b = { 0 };

	utf8_fold(&b, str_of(from));
	CHECK_STR(buf_str(&b), to);
	buf_done(&b);
}

static void folding_makes_cases_equal(void **state)
{
	(void)state;
	check_fold("", "");
	check_fold("Hello World 123 [@]", "hello world 123 [@]");
	check_fold("ÉCOLE École", "école école");
	check_fold("STRAßE", "strasse");
	check_fold("ΣΑΣ ς", "σασ σ");
	check_fold("\xff", "\xef\xbf\xbd");
	check_fold("日本語 ABC", "日本語 abc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(well_formed_text_is_valid),
		TEST(overlong_surrogate_cut_and_stray_bytes_are_not),
		TEST(code_points_are_counted_not_bytes),
		TEST(reading_goes_over_bad_bytes_one_by_one),
		TEST(every_scalar_value_is_written_and_read_back),
		TEST(what_is_no_scalar_value_becomes_a_replacement),
		TEST(folding_makes_cases_equal),
	};

	return RUN(tests);
}
