#include "tui/line.h"

#include "base/utf8.h"
#include "unit.h"

static struct line line;

static void hit(enum key_name name)
{
	line_key(&line, &(struct key){ .name = name }, true);
}

static void type(const char *text)
{
	struct str rest = str_of(text);

	for (int32_t c; (c = utf8_next(&rest)) >= 0;)
		line_key(&line, &(struct key){ .name = K_CHAR, .point = c }, true);
}

static int teardown(void **state)
{
	(void)state;
	line_done(&line);
	return 0;
}

static void letters_are_put_where_the_cursor_stands(void **state)
{
	(void)state;
	type("ac");
	hit(K_LEFT);
	type("b");
	CHECK_STR(line_text(&line), "abc");
	hit(K_HOME);
	type(">");
	hit(K_END);
	type("!");
	CHECK_STR(line_text(&line), ">abc!");
}

static void a_letter_and_its_marks_are_one(void **state)
{
	(void)state;
	type("xe\u0301");
	hit(K_LEFT);
	CHECK_INT(line.at, 1);
	hit(K_RIGHT);
	hit(K_BACKSPACE);
	CHECK_STR(line_text(&line), "x");
	type("世");
	hit(K_LEFT);
	hit(K_DELETE);
	CHECK_STR(line_text(&line), "x");
}

static void words_and_lines_are_erased(void **state)
{
	(void)state;
	type("one two  ");
	hit(K_ERASE_WORD);
	CHECK_STR(line_text(&line), "one ");
	hit(K_NEW_LINE);
	type("three");
	hit(K_ERASE_LINE);
	CHECK_STR(line_text(&line), "one \n");
	hit(K_HOME);
	CHECK_INT(line.at, 5);
}

static void control_characters_are_no_text(void **state)
{
	(void)state;
	type("a\033b\x7f\tc");
	CHECK_STR(line_text(&line), "abc");
	line_set(&line, STR("x\033[2Jy\xff\xc2\x9bz"));
	CHECK_STR(line_text(&line), "x[2Jy\ufffdz");
}

static void there_is_a_longest_text(void **state)
{
	(void)state;
	for (int i = 0; i < LINE_POINTS_MAX + 10; i++)
		type("x");
	CHECK_INT(line.text.len, LINE_POINTS_MAX);
	hit(K_BACKSPACE);
	type("é");
	CHECK_INT(utf8_count(line_text(&line)), LINE_POINTS_MAX);
}

static void blank_is_as_good_as_empty(void **state)
{
	(void)state;
	CHECK(line_blank(&line));
	type(" \u00a0\u3000");
	CHECK(line_blank(&line));
	type("x");
	CHECK(!line_blank(&line));
}

#define LINE_TEST(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LINE_TEST(letters_are_put_where_the_cursor_stands),
		LINE_TEST(a_letter_and_its_marks_are_one),
		LINE_TEST(words_and_lines_are_erased),
		LINE_TEST(control_characters_are_no_text),
		LINE_TEST(there_is_a_longest_text),
		LINE_TEST(blank_is_as_good_as_empty),
	};

	return RUN(tests);
}
