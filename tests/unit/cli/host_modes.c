/* host_modes.c - the terminal modes of a hosted agent are followed and restored. */
#include "cli/verb/host_modes.h"
#include "unit.h"

static struct buf out;

static const char *off(const struct host_modes *m)
{
	buf_clear(&out);
	host_modes_off(m, &out);
	return buf_text(&out);
}

static const char *on(const struct host_modes *m)
{
	buf_clear(&out);
	host_modes_on(m, &out);
	return buf_text(&out);
}

static void an_untouched_terminal_needs_nothing(void **state)
{
	struct host_modes m = { 0 };

	(void)state;
	host_modes_read(&m, STR("plain \033[31mred\033[0m text\033[2J\n"));
	assert_string_equal(off(&m), "\033[0m");
	assert_string_equal(on(&m), "");
}

static void modes_are_switched_off_and_back_on(void **state)
{
	struct host_modes m = { 0 };

	(void)state;
	host_modes_read(&m, STR("\033[?2004h\033[?25l\033[?1h\033=\033[?1000;1006h"));
	assert_string_equal(off(&m),
		"\033[?1l\033[?25h\033[?1000l\033[?1006l\033[?2004l\033>\033[0m");
	assert_string_equal(
		on(&m), "\033=\033[?2004h\033[?1006h\033[?1000h\033[?25l\033[?1h");
	host_modes_read(&m, STR("\033[?2004l\033[?25h\033[?1l\033>\033[?1006;1000l"));
	assert_string_equal(on(&m), "");
}

static void a_sequence_may_come_in_pieces(void **state)
{
	const char *text = "\033[?1049h";
	struct host_modes m = { 0 };

	(void)state;
	for (size_t i = 0; text[i]; i++)
		host_modes_read(&m, str_make(text + i, 1));
	assert_string_equal(on(&m), "\033[?1049h");
}

static void the_keyboard_protocol_is_a_stack(void **state)
{
	struct host_modes m = { 0 };

	(void)state;
	host_modes_read(&m, STR("\033[>1u\033[>7u\033[>4;2m"));
	assert_string_equal(off(&m), "\033[<2u\033[>4;0m\033[0m");
	assert_string_equal(on(&m), "\033[>1u\033[>7u\033[>4;2m");
	host_modes_read(&m, STR("\033[<u\033[<u\033[<u\033[>4;0m"));
	assert_string_equal(on(&m), "");
}

static void titles_and_broken_sequences_set_nothing(void **state)
{
	struct host_modes m = { 0 };
	char junk[300];

	(void)state;
	host_modes_read(&m, STR("\033]0;\033\\\033]2;[?25l\007\033P[?1h\033\\"));
	memset(junk, '1', sizeof junk);
	memcpy(junk, "\033[?", 3);
	junk[sizeof junk - 1] = 'h';
	host_modes_read(&m, str_make(junk, sizeof junk));
	assert_string_equal(on(&m), "");
	host_modes_read(&m, STR("\033[?25l\033c"));
	assert_string_equal(on(&m), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_untouched_terminal_needs_nothing),
		cmocka_unit_test(modes_are_switched_off_and_back_on),
		cmocka_unit_test(a_sequence_may_come_in_pieces),
		cmocka_unit_test(the_keyboard_protocol_is_a_stack),
		cmocka_unit_test(titles_and_broken_sequences_set_nothing),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	buf_done(&out);
	return failed;
}
