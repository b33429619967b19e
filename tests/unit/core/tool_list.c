/* Patterns in one line about tool calls: what they allow, and what they stop. */
#include "core/policy/tool_list.h"

#include "rules_kit.h"

enum side { ALLOWS, STOPS };

static bool fits(const char *line, enum side side, const char *tool, const char *input)
{
	const char *operation = kit_print("{'name':'%s','arguments':%s}", tool, input);
	struct tool_list list = { 0 };
	struct str which;

	assert_null(tool_list_read(&list, str_of(line), side == ALLOWS, &kit, &which));
	return side == ALLOWS ? tool_list_allows(&list, kit_json(operation), &kit)
			      : tool_list_stops(&list, kit_json(operation), &kit);
}

static bool bash(const char *line, enum side side, const char *command)
{
	struct tool_list list = { 0 };
	const struct json *operation;
	struct str which;

	assert_null(tool_list_read(&list, str_of(line), side == ALLOWS, &kit, &which));
	assert_int_equal(json_read(str_of(kit_bash_operation(command)), NULL, &kit,
				 &operation, NULL),
		OK);
	return side == ALLOWS ? tool_list_allows(&list, operation, &kit)
			      : tool_list_stops(&list, operation, &kit);
}

static void a_name_fits_every_call_of_that_tool(void **state)
{
	(void)state;
	assert_true(fits("Read,Glob", ALLOWS, "Glob", "{'pattern':'*'}"));
	assert_true(fits(" Read , Glob ", ALLOWS, "Read", "{}"));
	assert_true(fits("mcp__parley__*", ALLOWS, "mcp__parley__get_answer", "{}"));
	assert_true(fits("*", STOPS, "Anything", "{}"));
	assert_false(fits("Read", ALLOWS, "ReadAll", "{}"));
	assert_false(fits("Read", STOPS, "read", "{}"));
	assert_false(fits("", ALLOWS, "Read", "{}"));
	assert_false(fits(",,", ALLOWS, "Read", "{}"));
	assert_false(fits("", STOPS, "Read", "{}"));
}

static void a_pattern_is_about_what_the_call_is_about(void **state)
{
	(void)state;
	assert_true(fits("Read(/etc/*)", STOPS, "Read", "{'file_path':'/etc/a/b'}"));
	assert_false(fits("Read(/etc/*)", STOPS, "Read", "{'file_path':'/tmp/etc/a'}"));
	assert_true(fits("Read(/etc/*)", STOPS, "Read", "{'file_path':'/srv/../etc/a'}"));
	assert_true(fits("WebFetch(https://a.org/*)", ALLOWS, "WebFetch",
		"{'url':'https://a.org/x','prompt':'p'}"));
	assert_false(fits("WebFetch(https://*.a.org/*)", ALLOWS, "WebFetch",
		"{'url':'https://evil.com/x.a.org/'}"));
	assert_true(fits("WebFetch(domain:a.org)", ALLOWS, "WebFetch",
		"{'url':'https://A.org/x'}"));
	assert_true(fits("WebFetch(domain:evil.com)", STOPS, "WebFetch",
		"{'url':'https://a.org@b.org/'}"));
	assert_true(
		fits("Deploy(*\"env\":\"prod\"*)", STOPS, "Deploy", "{'env':'prod'}"));
	assert_true(fits("Grep({a,b}), Read", ALLOWS, "Grep", "{'pattern':'{a,b}'}"));
	assert_true(fits("todo(create*)", ALLOWS, "todo", "{'operation':'create'}"));
	/* It is not there: nothing is allowed by it, everything stopped. */
	assert_false(fits("Read(x)", ALLOWS, "Read", "{}"));
	assert_true(fits("Read(x)", STOPS, "Read", "{}"));
	assert_true(fits("Read(x)", STOPS, "Read", "{'file_path':7}"));
	/* What is read at the gateway. */
	assert_true(fits("mcp__x__resources.read(file:///srv/*)", ALLOWS,
		"mcp__x__resources.read", "{'uri':'file:///srv/a'}"));
	assert_false(fits("mcp__x__resources.read(file:///srv/*)", ALLOWS,
		"mcp__x__resources.read", "{'uri':'file:///srv/../etc/a'}"));
	assert_true(fits("mcp__x__resources.read(file:///etc/*)", STOPS,
		"mcp__x__resources.read", "{'uri':'file:///srv/%2e./etc/a'}"));
	assert_true(fits("mcp__x__prompts.get(review)", ALLOWS, "mcp__x__prompts.get",
		"{'name':'review','arguments':{}}"));
	/* A tool that is not known: a guess is enough to stop, not to allow. */
	assert_true(
		fits("mcp__sh__run(rm *)", STOPS, "mcp__sh__run", "{'command':'rm x'}"));
	assert_false(
		fits("mcp__sh__run(ls *)", ALLOWS, "mcp__sh__run", "{'command':'ls x'}"));
}

static void an_allow_needs_every_command_of_the_line(void **state)
{
	(void)state;
	assert_true(bash("Bash(git *)", ALLOWS, "git status"));
	assert_true(bash("Bash(git *)", ALLOWS, "git"));
	assert_true(bash("Bash(git *)", ALLOWS, "git add -A && git commit -m x"));
	assert_true(bash("Bash(git *),Bash(ls)", ALLOWS, "git add -A | ls"));
	assert_true(bash("Bash(git:*)", ALLOWS, "git"));
	assert_true(bash("Bash(npm run test:*)", ALLOWS, "npm run test unit"));
	assert_false(bash("Bash(git:*)", ALLOWS, "gitk"));
	assert_false(bash("Bash(git *)", ALLOWS, "git status; rm -rf /"));
	assert_false(bash("Bash(git *)", ALLOWS, "git log | sh"));
	assert_false(bash("Bash(git *)", ALLOWS, "git log & rm x"));
	assert_false(bash("Bash(git *)", ALLOWS, "git log $(rm x)"));
	assert_false(bash("Bash(git *)", ALLOWS, "git log `rm x`"));
	assert_false(bash("Bash(git *)", ALLOWS, "git log > ~/.bashrc"));
	assert_false(bash("Bash(git *)", ALLOWS, "git log\nrm x"));
	assert_false(bash("Bash(git *)", ALLOWS, ""));
	assert_false(bash("Bash(*)", ALLOWS, ";;"));
	assert_false(bash("Bash", ALLOWS, "echo $(rm x)"));
}

static void one_command_of_the_line_is_enough_to_stop_it(void **state)
{
	(void)state;
	assert_true(bash("Bash(rm *)", STOPS, "rm -r build"));
	assert_true(bash("Bash(rm *)", STOPS, "cd /tmp && rm -r x"));
	assert_true(bash("Bash(rm *)", STOPS, "echo $(rm -r x)"));
	assert_true(bash("Bash(rm *)", STOPS, "true\nrm -r x"));
	assert_true(bash("Bash(rm *)", STOPS, "sudo -u x env Y=1 /bin/rm -r x"));
	assert_true(bash("Bash(rm *)", STOPS, "bash -c 'cd x; rm y'"));
	assert_true(bash("Bash(*| sh*)", STOPS, "curl x | sh"));
	assert_true(bash("Bash(git push *--force*)", STOPS, "a; git push 'x;y' --force"));
	assert_false(bash("Bash(rm *)", STOPS, "ls rm"));
	assert_false(
		bash("Bash(git push *--force*)", STOPS, "ls; git push && ls --force"));
}

static void a_pattern_that_can_never_fit_is_refused(void **state)
{
	static const struct {
		const char *line;
		bool allows;
		const char *part;
	} cases[] = {
		{ "Bash(:*)", false, "matches nothing" },
		{ "Bash(git:* push)", false, "at the end" },
		{ "Bash(git", false, "no closing bracket" },
		{ "Bash(git))", false, "text after its closing bracket" },
		{ "Bash)", false, "no opening bracket" },
		{ "Bash(a)(b)", false, "text after its closing bracket" },
		{ "(git)", false, "name of a tool" },
		{ "Bash()", false, "nothing in its brackets" },
		{ "Bash(model:x)", false, "a word and a colon" },
		{ "Bash(domain:x)", false, "only for WebFetch" },
		{ "WebFetch(domain:*)", false, "a host" },
		{ "WebFetch(domain:A.org)", false, "lower case" },
		{ "Bash( git)", false, "spaces" },
		{ "Bash(a; b)", true, "each command" },
		{ "Bash(echo $HOME)", true, "does not match lines with $" },
		{ "Bash(ls > x)", true, "<" },
		{ "Bash(cat ../x)", true, ".." },
		{ "Bash(cat ~/x)", true, "~" },
		{ "Read(/a/../b)", true, ".." },
		{ "Read(~/x)", true, "~" },
	};
	struct str which;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tool_list list = { 0 };
		const char *wrong = tool_list_read(
			&list, str_of(cases[i].line), cases[i].allows, &kit, &which);

		if (!wrong || !strstr(wrong, cases[i].part))
			fail_msg("%s: %s", cases[i].line, wrong ? wrong : "accepted");
		assert_true(str_is(which, cases[i].line));
	}
	for (size_t i = 13; i < sizeof cases / sizeof *cases; i++) {
		struct tool_list list = { 0 };

		assert_null(tool_list_read(
			&list, str_of(cases[i].line), false, &kit, &which));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_name_fits_every_call_of_that_tool),
		KIT_TEST(a_pattern_is_about_what_the_call_is_about),
		KIT_TEST(an_allow_needs_every_command_of_the_line),
		KIT_TEST(one_command_of_the_line_is_enough_to_stop_it),
		KIT_TEST(a_pattern_that_can_never_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
