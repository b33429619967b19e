/* Questions that are the same but for what they are about have the same pattern. */
#include "core/ask/question_pattern.h"

#include "kit.h"

static const char *pattern(const char *text)
{
	struct buf b = { .max = 65536 };
	const char *out;

	pattern_of_text(&b, str_of(text));
	assert_false(b.failed);
	out = kit_text(buf_str(&b));
	buf_done(&b);
	return out;
}

static const char *operation(const char *json)
{
	struct buf b = { .max = 65536 };
	const char *out;

	pattern_of_operation(&b, kit_json(json), &kit);
	out = kit_text(buf_str(&b));
	buf_done(&b);
	return out;
}

static void what_a_question_is_about_is_left_out(void **state)
{
	static const struct {
		const char *text, *pattern;
	} cases[] = {
		{ "Deploy version 1.24.3 to prod?", "deploy version #.#.# to prod?" },
		{ "Delete \"users of 2024\"?", "delete …?" },
		{ "Delete 'users', `rows` and “all”", "delete …, … and …" },
		{ "Don't you know the server's name?",
			"don't you know the server's name?" },
		{ "Overwrite /etc/hosts?", "overwrite …?" },
		{ "Overwrite src/main.c, ~/x or ./y (C:\\temp\\a)?",
			"overwrite …, … or … (…)?" },
		{ "yes/no", "yes/no" },
		{ "Mail ada@example.org about https://example.org/x?id=1",
			"mail … about …" },
		{ "Block 10.0.0.1 and 10.0.0.2:8080", "block … and …" },
		{ "Revert 9fceb02 now", "revert … now" },
		{ "Close ask_01HQ3V7Z8M? See 123e4567-e89b-12d3-a456-426614174000.",
			"close …? see …." },
		{ "Close JIRA-123 and #45", "close jira-# and ##" },
		{ "Use production2", "use production#" },
		{ "  Much \t\n blank  ", "much blank" },
		{ "ÉTÉ à Paris", "été à paris" },
		{ "an open \" quote", "an open \" quote" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(pattern(cases[i].text), cases[i].pattern);
}

static void an_operation_is_its_tool_and_two_words_of_a_command(void **state)
{
	(void)state;
	assert_string_equal(
		operation("{'name':'Bash','arguments':{'command':'npm test --silent'}}"),
		"bash npm test");
	assert_string_equal(
		operation("{'name':'Bash','arguments':{'command':'rm /tmp/x y'}}"),
		"bash rm …");
	assert_string_equal(
		operation("{'name':'Write','arguments':{'file_path':'/tmp/x'}}"),
		"write");
	assert_string_equal(
		operation(
			"{'type':'command','name':'make','arguments':{'argv':['make','deploy','x']}}"),
		"make deploy");
	assert_string_equal(
		operation("{'name':'deploy','arguments':{'env':'prod'}}"), "deploy");
}

static void a_long_text_is_cut(void **state)
{
	(void)state;
	assert_true(strlen(pattern(kit_repeat("ab ", 5000))) <= PATTERN_MAX);
	assert_true(strlen(pattern(kit_repeat("\" “", 5000))) <= 4 * PATTERN_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(what_a_question_is_about_is_left_out),
		KIT_TEST(an_operation_is_its_tool_and_two_words_of_a_command),
		KIT_TEST(a_long_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
