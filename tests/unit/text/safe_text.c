#include "text/safe_text.h"

#include "unit.h"

static struct buf out;

static struct str line(const char *text, size_t len)
{
	buf_clear(&out);
	safe_line_add(&out, str_make(text, len));
	return buf_str(&out);
}
#define LINE(text) line("" text "", sizeof(text) - 1)

static struct str wrap(struct str text, const char *indent, size_t width)
{
	buf_clear(&out);
	safe_wrap_add(&out, text, indent, width);
	return buf_str(&out);
}

static struct str fit(struct str text, size_t width)
{
	buf_clear(&out);
	text_fit_add(&out, text, width);
	return buf_str(&out);
}

static void control_bytes_are_shown(void **state)
{
	(void)state;
	CHECK_STR(LINE("a\033[2Jb"), "a^[[2Jb");
	CHECK_STR(LINE("\a\b\x7f"), "^G^H^?");
	CHECK_STR(LINE("a\0b"), "a^@b");
	CHECK_STR(LINE("a\nb\rc\td"), "a^Jb^Mc^Id");
	CHECK_STR(LINE("\xc2\x9b"
		       "31m"),
		"‹U+009B›31m");
}

static void hidden_and_reordering_characters_are_shown(void **state)
{
	(void)state;
	CHECK_STR(LINE("a\u202ec"), "a‹U+202E›c");
	CHECK_STR(LINE("\u200b\u2066\ufeff"), "‹U+200B›‹U+2066›‹U+FEFF›");
	CHECK_STR(LINE("\U000e0041"), "‹U+E0041›");
	CHECK_STR(LINE("a\u2028b"), "a‹U+2028›b");
}

static void plain_text_stays_as_it_is(void **state)
{
	(void)state;
	CHECK_STR(LINE("Grüße, 世界 👋"), "Grüße, 世界 👋");
	CHECK_STR(LINE(""), "");
}

static void bytes_that_are_no_text_are_replaced(void **state)
{
	(void)state;
	CHECK_STR(LINE("a\xff"
		       "b"),
		"a\ufffd"
		"b");
}

static void a_block_keeps_its_lines(void **state)
{
	(void)state;
	buf_clear(&out);
	safe_block_add(&out, STR("a\r\n\tb\033\rc"));
	CHECK_STR(buf_str(&out), "a\n\tb^[^Mc");
}

static void lines_are_broken_at_blanks(void **state)
{
	(void)state;
	CHECK_STR(wrap(STR("one two three four five six"), "> ", 24),
		"> one two three four\n> five six\n");
	CHECK_STR(wrap(STR("a\n\nb"), "  ", 80), "  a\n  \n  b\n");
	CHECK_STR(wrap(STR("1234567890123456789012345"), "", 20),
		"12345678901234567890\n12345\n");
	CHECK_STR(wrap(STR("a long line that is not broken"), "", 0),
		"a long line that is not broken\n");
}

static void width_counts_columns(void **state)
{
	(void)state;
	CHECK_INT(text_width(STR("abc")), 3);
	CHECK_INT(text_width(STR("世界")), 4);
	CHECK_INT(text_width(STR("e\u0301")), 1);
}

static void what_terminals_disagree_about_is_spelt_out(void **state)
{
	(void)state;
	CHECK_STR(LINE("\U0001F1EB"), "‹U+1F1EB›");
	CHECK_STR(LINE("\U0001F44B\U0001F3FD"), "\U0001F44B‹U+1F3FD›");
	CHECK_STR(LINE("e\u0301\u0301\u0301\u0301\u0301x\u0301"),
		"e\u0301\u0301\u0301\u0301‹U+0301›x\u0301");
}

static void a_cluster_is_what_a_reader_takes_for_a_letter(void **state)
{
	struct str text = STR("e\u0301世x");
	size_t width;

	(void)state;
	CHECK_STR(text_cluster(text, &width), "e\u0301");
	CHECK_INT(width, 1);
	CHECK_STR(text_cluster(str_from(text, 3), &width), "世");
	CHECK_INT(width, 2);
	CHECK_STR(text_cluster(STR_NONE, &width), "");
	CHECK_STR(text_head(text, 2), "e\u0301");
	CHECK_STR(text_head(STR("世"), 1), "世");
}

static void what_does_not_fit_ends_in_an_ellipsis(void **state)
{
	(void)state;
	CHECK_STR(fit(STR("abcdef"), 6), "abcdef");
	CHECK_STR(fit(STR("abcdefg"), 6), "abcde…");
	CHECK_STR(fit(STR("世界世界"), 6), "世界…");
	CHECK_STR(fit(STR("abc"), 1), "…");
	CHECK_STR(fit(STR("世界"), 2), "…");
	CHECK_STR(fit(STR("abc"), 0), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(control_bytes_are_shown),
		TEST(hidden_and_reordering_characters_are_shown),
		TEST(plain_text_stays_as_it_is),
		TEST(bytes_that_are_no_text_are_replaced),
		TEST(a_block_keeps_its_lines),
		TEST(lines_are_broken_at_blanks),
		TEST(width_counts_columns),
		TEST(what_terminals_disagree_about_is_spelt_out),
		TEST(a_cluster_is_what_a_reader_takes_for_a_letter),
		TEST(what_does_not_fit_ends_in_an_ellipsis),
	};
	int failed = RUN(tests);

	buf_done(&out);
	return failed;
}
