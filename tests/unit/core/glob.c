/* Patterns, paths, hosts and command lines, each by itself. */
#include "core/shared/glob.h"

#include "core/policy/command_line.h"
#include "core/policy/subject.h"

#include "kit.h"

#include <time.h>

static bool fits(const char *pattern, const char *text)
{
	return glob_fits(str_of(pattern), str_of(text));
}

static void a_star_takes_in_everything_and_a_question_mark_one_character(void **state)
{
	(void)state;
	assert_true(fits("", ""));
	assert_true(fits("*", ""));
	assert_true(fits("**", "a/b"));
	assert_true(fits("a*", "a"));
	assert_true(fits("*a", "a"));
	assert_true(fits("a*a", "aa"));
	assert_false(fits("a*a", "a"));
	assert_true(fits("a*b*c", "a-b-b-c"));
	assert_false(fits("a*b*c", "a-c-b"));
	assert_true(fits("git push *--force*", "git push origin --force-with-lease"));
	assert_true(fits("?", "é"));
	assert_true(fits("a?b", "a漢b"));
	assert_false(fits("a?b", "ab"));
	assert_true(fits("*?", "é"));
	assert_true(fits("*??", "aé"));
	assert_false(fits("*??", "é"));
	assert_true(fits("*é?x", "ééax"));
	assert_true(fits("*?b?*", "abc"));
	assert_false(fits("a", "A"));
	assert_true(fits("[a]", "[a]")); /* no classes */
	assert_false(fits("[a]", "a"));
	assert_true(fits("\\*", "\\x"));  /* no escapes */
	assert_true(fits("a?", "a\xff")); /* of what is no UTF-8, a byte */
}

/* All patterns of up to 4 and all texts of up to 5 characters over {a, b}, against the
 * plainest matcher there is. */
static bool slow(const char *p, const char *t)
{
	if (!*p) return !*t;
	if (*p == '*') return slow(p + 1, t) || (*t && slow(p, t + 1));
	return *t && (*p == '?' || *p == *t) && slow(p + 1, t + 1);
}

static void word_at(int n, const char *letters, char out[8])
{
	int base = (int)strlen(letters) + 1, len = 0;

	for (; n > 0; n /= base)
		if (n % base) out[len++] = letters[n % base - 1];
	out[len] = '\0';
}

static void it_says_what_a_naive_matcher_says(void **state)
{
	char pattern[8], text[8];

	(void)state;
	for (int p = 0; p < 5 * 5 * 5 * 5 * 5; p++)
		for (int t = 0; t < 3 * 3 * 3 * 3 * 3; t++) {
			word_at(p, "ab*?", pattern);
			word_at(t, "ab", text);
			if (fits(pattern, text) != slow(pattern, text))
				fail_msg("%s on %s", pattern, text);
		}
}

/* Of this thread alone, whatever else the machine does. */
static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds_for(const char *pattern, size_t len)
{
	char *text = kit_repeat("a", len);
	double start = cpu_seconds();

	assert_false(fits(pattern, text));
	return cpu_seconds() - start;
}

/* Ten times the text may take ten times as long, and some; not a hundred times. */
static void time_is_linear_in_the_text(void **state)
{
	const char *many_stars = kit_repeat("a*", 240);
	const char *patterns[] = { kit_print("%sb", many_stars),
		kit_print("%s?b", kit_repeat("*a?", 150)),
		kit_print("*%sb*", kit_repeat("a", 480)),
		kit_print("*%sb", kit_repeat("?", 480)) };

	(void)state;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		double one = seconds_for(patterns[i], 100000);
		double ten = seconds_for(patterns[i], 1000000);

		print_message("pattern %zu: 100 KB %.2f ms, 1 MB %.2f ms\n", i, one * 1e3,
			ten * 1e3);
		assert_true(one < 1);
		assert_true(ten < 40 * one + 0.05);
	}
}

static void a_pattern_covers_another_only_if_it_certainly_does(void **state)
{
	(void)state;
	assert_true(glob_covers(STR("git *"), STR("git push *")));
	assert_true(glob_covers(STR("*"), STR("?*")));
	assert_true(glob_covers(STR("a?c"), STR("abc")));
	assert_true(glob_covers(STR("a?c"), STR("a?c")));
	assert_false(glob_covers(STR("a?c"), STR("a*c")));
	assert_false(glob_covers(STR("git push *"), STR("git *")));
	assert_false(glob_covers(STR("ab"), STR("a*")));
}

static void paths_are_normalised_as_text(void **state)
{
	static const char *const cases[][2] = { { "/a/./b//c/", "/a/b/c" },
		{ "/srv/../etc/passwd", "/etc/passwd" }, { "/../../x", "/x" },
		{ "/", "/" }, { "", "." }, { ".", "." }, { "a/..", "." },
		{ "../a/../../b", "../../b" }, { "a/b/../c", "a/c" }, { "..", ".." },
		{ "/..", "/" } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(
			kit_text(path_normal(str_of(cases[i][0]), &kit)), cases[i][1]);
	assert_int_equal(path_unclear(STR("/a/../b")), DOUBT_PARENT);
	assert_int_equal(path_unclear(STR("~/x")), DOUBT_HOME);
	assert_int_equal(path_unclear(STR("a\\..\\b")), DOUBT_PARENT);
	assert_int_equal(path_unclear(STR("/a/..b/c~")), DOUBT_NONE);
}

static void hosts_that_two_may_read_differently_are_none(void **state)
{
	static const char *const unclear[] = { "https://a.org@evil.com/",
		"https:\\\\a.org/", "https://a.org\\@evil.com", "https://аpple.com/",
		"//a.org/", "a.org", "https://", "https://2130706433/", "https://0x7f.1/",
		"javascript://a.org/", "https://a.org%2eevil.com/" };

	(void)state;
	for (size_t i = 0; i < sizeof unclear / sizeof *unclear; i++)
		if (host_of(str_of(unclear[i]), &kit).len)
			fail_msg("%s has a host", unclear[i]);
	assert_string_equal(kit_text(host_of(STR("https://A.Org:8/x?y"), &kit)), "a.org");
	assert_string_equal(kit_text(host_of(STR("https://a.org./"), &kit)), "a.org");
	assert_true(host_fits(STR("*.a.org"), STR("x.y.a.org")));
	assert_false(host_fits(STR("*.a.org"), STR("a.org")));
	assert_false(host_fits(STR("*.a.org"), STR("xa.org")));
	assert_false(host_pattern_valid(STR("*")));
	assert_false(host_pattern_valid(STR("*.*.org")));
	assert_false(host_pattern_valid(STR("A.org")));
	assert_true(host_pattern_valid(STR("*.a.org")));
}

static bool has_command(const struct command_line *line, const char *text)
{
	for (size_t i = 0; i < line->commands_len; i++)
		if (str_is(line->commands[i].text, text)) return true;
	return false;
}

static void commands_are_found_wherever_they_may_be(void **state)
{
	static const char *const cases[][2] = { { "a; rm x", "rm x" },
		{ "a&&rm x", "rm x" }, { "a|rm x", "rm x" }, { "a\nrm x", "rm x" },
		{ "echo $(rm x)", "rm x" }, { "echo `rm x`", "rm x" },
		{ "(rm x)", "rm x" }, { "{ rm x; }", "rm x" }, { "cat <(rm x)", "rm x" },
		{ "X=1 Y= rm x", "rm x" }, { "'rm' x", "rm x" }, { "r\\m  x", "rm x" },
		{ "rm\tx", "rm x" }, { "/bin/rm x", "rm x" },
		{ "if a; then rm x; fi", "rm x" }, { "! rm x", "rm x" },
		{ "r\\\nm x", "rm x" }, { "$'\\x72m' x", "rm x" },
		{ "rm${IFS}x", "rm x" }, { "rm$IFS'x'", "rm x" }, { "{rm,x}", "rm x" },
		{ "rm>y x", "rm y x" }, { "echo \"$(rm x)\"", "rm x" },
		{ "a $(b; c) d", "a $(b; c) d" },
		{ "x; git push $(a; b) --force", "git push $(a; b) --force" },
		{ "x; git commit -m \"a; b\" --force", "git commit -m a; b --force" },
		{ ">&2 rm x", "rm x" }, { "2>&1 rm x", "rm x" }, { "<&0 rm x", "rm x" },
		{ "2>&- rm x", "rm x" }, { ">|y rm x", "rm x" }, { "&>y rm x", "rm x" },
		{ "&>>y rm x", "rm x" }, { "{fd}>y rm x", "rm x" },
		{ "<>y rm x", "rm x" }, { "<<E rm x\nE", "rm x" },
		{ "<<<y rm x", "rm x" }, { ">y 2>&1 rm x", "rm x" },
		{ "rm 2>&1 x", "rm x" }, { "rm>y x", "rm x" },
		{ "> \"a;b\" rm x", "rm x" }, { "if true; then >y rm x; fi", "rm x" },
		{ "while a; do 2>/dev/null rm x; done", "rm x" }, { "! >y rm x", "rm x" },
		{ "time -p rm x", "rm x" }, { "coproc N { rm x; }", "rm x" },
		{ "function f { rm x; }", "rm x" }, { "f() { >y rm x; }", "rm x" },
		{ "a[1 + 2]=y rm x", "rm x" }, { "a+=(y z) rm x", "rm x" },
		{ "case y in y) >z rm x;; esac", "rm x" },
		{ "for y do rm x; done", "rm x" },
		{ "if [[ a && b ]] then rm x; fi", "rm x" },
		{ "echo ${y:-$(>z rm x)}", "rm x" },
		{ "echo $((1 + $(>z rm x)))", "rm x" },
		{ "cat <<E\nit's $(>z rm x)\nE", "rm x" }, { "# it's\n>z rm x", "rm x" },
		{ "a # \\\nrm x", "rm x" }, { "a # \\\nti\\\nme r\\\nm x", "rm x" },
		{ "X=\"a;b\" >z rm x", "rm x" },
		{ "X=$(case a in a) b;; esac)c rm x", "rm x" },
		{ "X=$(case a in (b[) ;; a) a[1]=x;; esac)c rm x", "rm x" },
		{ "X=$(cat <<E\n)\nE\n)c rm x", "rm x" }, { "$SUDO rm x", "rm x" },
		{ "`>'a b' rm x`", "rm x" }, { "rm x # it's", "rm x" },
		{ "git push $(case a in a) b;; esac) -f",
			"git push $(case a in a) b;; esac) -f" },
		{ "rm {a,b}", "rm {a,b}" }, { "[[ -v 'a[$(>z rm x)]' ]]", "rm x" } };
	struct command_line line;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(command_line_read(str_of(cases[i][0]), &kit, &line));
		if (!has_command(&line, cases[i][1]))
			fail_msg("%s lacks %s", cases[i][0], cases[i][1]);
	}
}

static void what_is_unclear_is_named(void **state)
{
	static const struct {
		const char *line;
		enum doubt doubt;
	} cases[] = {
		{ "git status", DOUBT_NONE },
		{ "git log main..dev", DOUBT_NONE },
		{ "go test ./...", DOUBT_NONE },
		{ "git show HEAD~2", DOUBT_NONE },
		{ "ls *.c .git", DOUBT_NONE },
		{ "[ -f x ] && npm test", DOUBT_NONE },
		{ "cat a/../b", DOUBT_PARENT },
		{ "cd ..", DOUBT_PARENT },
		{ "cat .\\./x", DOUBT_PARENT },
		{ "cat '.'./x", DOUBT_PARENT },
		{ "cat .?/x", DOUBT_PARENT },
		{ "cat .*/x", DOUBT_PARENT },
		{ "tar -C.. x", DOUBT_PARENT },
		{ "cat ~/x", DOUBT_HOME },
		{ "x --file=~root/x", DOUBT_HOME },
		{ "echo $HOME", DOUBT_SUBSTITUTION },
		{ "echo `x`", DOUBT_SUBSTITUTION },
		{ "(x)", DOUBT_SUBSTITUTION },
		{ "{a,b}", DOUBT_SUBSTITUTION },
		{ "/bin/r? x", DOUBT_SUBSTITUTION },
		{ "x > y", DOUBT_REDIRECTION },
		{ "x <<< y", DOUBT_REDIRECTION },
		{ "x \x01", DOUBT_CONTROL },
		{ "", DOUBT_ABSENT },
		{ " ;; ", DOUBT_ABSENT },
	};
	struct command_line line;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(command_line_read(str_of(cases[i].line), &kit, &line));
		if (line.unclear != cases[i].doubt)
			fail_msg("%s: %s", cases[i].line,
				line.unclear ? doubt_name(line.unclear) : "clear");
	}
}

static void lines_of_100_kb_are_taken_apart_in_time(void **state)
{
	static const char *const pieces[] = { "a;", "(", "$(a ", "`", "'", "\"a;", "\\",
		"{", "sudo a ", "a\\\n", "..", "X=1 ", ">", ",", "if ", "then a ",
		"sudo 'a;", "{\"a\":", "<<E\n", "a[", "case a in a) ", "${a",
		"sh -c \"" };
	struct command_line line;

	(void)state;
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		struct arena arena = { .max = 1 << 30 };
		const char *text = kit_repeat(pieces[i], 100000 / strlen(pieces[i]));
		double start = cpu_seconds();

		assert_true(command_line_read(str_of(text), &arena, &line));
		double ms = (cpu_seconds() - start) * 1e3;
		print_message("%s…: %.1f ms, %zu readings, %zu KB\n", pieces[i], ms,
			line.commands_len, arena.used / 1024);
		assert_true(ms < 1000);
		arena_done(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_star_takes_in_everything_and_a_question_mark_one_character),
		KIT_TEST(it_says_what_a_naive_matcher_says),
		KIT_TEST(time_is_linear_in_the_text),
		KIT_TEST(a_pattern_covers_another_only_if_it_certainly_does),
		KIT_TEST(paths_are_normalised_as_text),
		KIT_TEST(hosts_that_two_may_read_differently_are_none),
		KIT_TEST(commands_are_found_wherever_they_may_be),
		KIT_TEST(what_is_unclear_is_named),
		KIT_TEST(lines_of_100_kb_are_taken_apart_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
