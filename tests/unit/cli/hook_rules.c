/* Rules about tool calls: what they grant, and what they stop. */
#include "cli/hook_rules.h"

#include "unit.h"

static struct arena arena;

static int clean(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static bool fits(
	const char *rules, enum rule_effect effect, const char *tool, const char *input)
{
	const struct json *json;

	CHECK_INT(json_read(str_of(input), NULL, &arena, &json, NULL), OK);
	return rules_fit(str_of(rules), effect, str_of(tool), json);
}

static bool bash(const char *rules, enum rule_effect effect, const char *command)
{
	struct buf input = { 0 };

	buf_add_text(&input, "{\"command\":");
	json_write_str(&input, str_of(command));
	buf_add_char(&input, '}');
	bool result = fits(rules, effect, "Bash", arena_copy(&arena, buf_str(&input)));
	buf_done(&input);
	return result;
}

static void a_name_fits_every_call_of_that_tool(void **state)
{
	(void)state;
	CHECK(fits("Read,Glob", RULE_GRANTS, "Glob", "{\"pattern\":\"*\"}"));
	CHECK(fits(" Read , Glob ", RULE_GRANTS, "Read", "{}"));
	CHECK(fits("mcp__parley__*", RULE_GRANTS, "mcp__parley__get_answer", "{}"));
	CHECK(fits("*", RULE_STOPS, "Anything", "{}"));
	CHECK(!fits("Read", RULE_GRANTS, "ReadAll", "{}"));
	CHECK(!fits("Read", RULE_STOPS, "read", "{}"));
	CHECK(!fits("", RULE_GRANTS, "Read", "{}"));
	CHECK(!fits(",,", RULE_GRANTS, "Read", "{}"));
	CHECK(!fits("()", RULE_GRANTS, "Read", "{}"));
}

static void a_pattern_is_about_what_the_call_is_about(void **state)
{
	(void)state;
	CHECK(fits("Read(/etc/*)", RULE_STOPS, "Read", "{\"file_path\":\"/etc/a/b\"}"));
	CHECK(!fits(
		"Read(/etc/*)", RULE_STOPS, "Read", "{\"file_path\":\"/tmp/etc/a\"}"));
	CHECK(fits("WebFetch(https://a.org/*)", RULE_GRANTS, "WebFetch",
		"{\"url\":\"https://a.org/x\",\"prompt\":\"p\"}"));
	CHECK(fits("Deploy(*\"env\":\"prod\"*)", RULE_STOPS, "Deploy",
		"{\"env\":\"prod\"}"));
	CHECK(fits("Grep({a,b}), Read", RULE_GRANTS, "Grep", "{\"pattern\":\"{a,b}\"}"));
	CHECK(!fits("Read(x)", RULE_GRANTS, "Read", "{}"));
}

static void a_grant_needs_every_command_of_the_line(void **state)
{
	(void)state;
	CHECK(bash("Bash(git *)", RULE_GRANTS, "git status"));
	CHECK(bash("Bash(git *)", RULE_GRANTS, "git add -A && git commit -m x"));
	CHECK(bash("Bash(git:*)", RULE_GRANTS, "git"));
	CHECK(bash("Bash(npm run test:*)", RULE_GRANTS, "npm run test unit"));
	CHECK(!bash("Bash(git:*)", RULE_GRANTS, "gitk"));
	CHECK(!bash("Bash(git *)", RULE_GRANTS, "git status; rm -rf /"));
	CHECK(!bash("Bash(git *)", RULE_GRANTS, "git log | sh"));
	CHECK(!bash("Bash(git *)", RULE_GRANTS, "git log & rm x"));
	CHECK(!bash("Bash(git *)", RULE_GRANTS, "git log $(rm x)"));
	CHECK(!bash("Bash(git *)", RULE_GRANTS, "git log `rm x`"));
	CHECK(!bash("Bash(git *)", RULE_GRANTS, "git log > ~/.bashrc"));
	CHECK(!bash("Bash(git *)", RULE_GRANTS, "git log\nrm x"));
	CHECK(!bash("Bash(git *)", RULE_GRANTS, ""));
	CHECK(!bash("Bash(*)", RULE_GRANTS, ";;"));
}

static void one_command_of_the_line_is_enough_to_stop_it(void **state)
{
	(void)state;
	CHECK(bash("Bash(rm *)", RULE_STOPS, "rm -r build"));
	CHECK(bash("Bash(rm *)", RULE_STOPS, "cd /tmp && rm -r x"));
	CHECK(bash("Bash(rm *)", RULE_STOPS, "echo $(rm -r x)"));
	CHECK(bash("Bash(rm *)", RULE_STOPS, "true\nrm -r x"));
	CHECK(bash("Bash(*| sh*)", RULE_STOPS, "curl x | sh"));
	CHECK(!bash("Bash(rm *)", RULE_STOPS, "ls rm"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_name_fits_every_call_of_that_tool, clean),
		cmocka_unit_test_teardown(
			a_pattern_is_about_what_the_call_is_about, clean),
		cmocka_unit_test_teardown(a_grant_needs_every_command_of_the_line, clean),
		cmocka_unit_test_teardown(
			one_command_of_the_line_is_enough_to_stop_it, clean),
	};

	return RUN(tests);
}
