/* Rules as they are sent: what is refused and why, what is kept, what loosens, what covers. */
#include "base/mem.h"
#include "core/shared/body.h"

#include "rules_kit.h"

static void each_fault_has_its_place_and_a_way_out(void **state)
{
	static const struct {
		const char *body, *pointer, *part;
	} cases[] = {
		{ "{'match':{}}", "/effect", "required" },
		{ "{'effect':'maybe','match':{}}", "/effect", "allow, ask or deny" },
		{ "{'effect':'deny','color':1}", "/color", "unknown member" },
		{ "{'effect':'allow'}", "/match", "must not be empty" },
		{ "{'effect':'allow','match':{}}", "/match", "must not be empty" },
		{ "{'effect':'allow','match':{'agent':null}}", "/match",
			"must not be empty" },
		{ "{'effect':'deny','match':{'tools':['x']}}", "/match/tools",
			"unknown member" },
		{ "{'effect':'deny','match':{'tool':'Bash'}}", "/match/tool",
			"an array" },
		{ "{'effect':'deny','match':{'tool':[]}}", "/match/tool", "1 to 50" },
		{ "{'effect':'deny','match':{'tool':[5]}}", "/match/tool/0", "a string" },
		{ "{'effect':'allow','match':{'tool':['Bash(a && b)']}}", "/match/tool/0",
			"one pattern for each" },
		{ "{'effect':'deny','match':{'type':'command'}}", "/match/type",
			"count as tool" },
		{ "{'effect':'deny','match':{'risk':{'min':'grave'}}}", "/match/risk/min",
			"low, medium" },
		{ "{'effect':'allow','match':{'risk':{'min':'high'}}}", "/match/risk/min",
			"add \"max\"" },
		{ "{'effect':'allow','match':{'risk':{'min':'critical','max':'critical'}}}",
			"/match/risk/min", "always asked" },
		{ "{'effect':'deny','match':{'session':'x'}}", "/match/session",
			"id of a session" },
		{ "{'effect':'deny','match':{'same':'sha256:1'}}", "/match/same",
			"64 hexadecimal" },
		{ "{'effect':'deny','match':{'agent':''}}", "/match/agent", "empty" },
		{ "{'effect':'deny','match':{'arguments':{'branch':{'is':1}}}}",
			"/match/arguments/branch", "JSON pointer" },
		{ "{'effect':'deny','match':{'arguments':{'/a':5}}}",
			"/match/arguments/~1a", "an object" },
		{ "{'effect':'deny','match':{'arguments':{'/a':{'regex':'x'}}}}",
			"/match/arguments/~1a/regex", "must be is, in" },
		{ "{'effect':'deny','match':{'arguments':{'/a':{'is':1,'has':2}}}}",
			"/match/arguments/~1a", "one of" },
		{ "{'effect':'deny','match':{'arguments':{'/a':{'under':'../x'}}}}",
			"/match/arguments/~1a/under", "whole path" },
		{ "{'effect':'deny','match':{'arguments':{'/a':{'host':'https://x'}}}}",
			"/match/arguments/~1a/host", "example.com" },
		{ "{'effect':'deny','match':{},'ask':{'risk':'high'}}", "/ask",
			"effect ask alone" },
		{ "{'effect':'ask','ask':{'require':[{'approvals':0}]}}",
			"/ask/require/0/approvals", "1 to 10" },
		{ "{'effect':'ask','ask':{'timeout':'soon'}}", "/ask/timeout", "30m" },
		{ "{'effect':'ask','ask':{'verify':'Scan!'}}", "/ask/verify", "a-z" },
		{ "{'effect':'deny','expires_at':'tomorrow'}", "/expires_at",
			"2026-11-15T17:30:00Z" },
		{ "{'effect':'deny','expires_at':'1970-01-01T00:00:01Z'}", "/expires_at",
			"past" },
		{ "{'effect':'deny','uses_left':0}", "/uses_left", "from 1" },
		{ "{'effect':'deny','note':'a\\nb'}", "/note", "one line" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fault why = kit_rule_wrong(cases[i].body);

		kit_item(cases[i].body, &why, cases[i].pointer, cases[i].part);
	}
}

static void all_faults_are_told_at_once(void **state)
{
	struct fault why =
		kit_rule_wrong("{'effect':'deny','match':{'tool':['Bash(:*)'],'type':"
			       "'x'},'uses_left':-1,'note':5}");

	(void)state;
	assert_int_equal(why.items_len, 4);
}

static void a_rule_is_kept_in_one_form(void **state)
{
	struct rule_record r =
		kit_rule("{'match':{'project':null,'agent':'ci-*','type':null,'tool':"
			 "['Bash(git *)']},'effect':'ask','ask':{'risk':null,"
			 "'timeout':'15m'},'note':'n','uses_left':3}",
			0);

	(void)state;
	kit_same("match", r.match,
		"{'tool':['Bash(git *)'],'agent':'ci-*','project':null}");
	kit_same("ask", r.ask, "{'timeout':'15m'}");
	assert_int_equal(r.uses_left, 3);
	assert_true(r.enabled);
	r = kit_rule("{'effect':'ask','ask':{}}", 0);
	assert_int_equal(r.ask.len, 0);
	kit_same("match", r.match, "{}");
}

static enum err changed(const struct rule_record *before, const char *body,
	struct rule_record *out, struct fault *why)
{
	static const struct str names[] = { STR("version") };
	static const struct members also = { names, 1 };

	*out = *before;
	return rule_read(kit_json(body), before, &also, 1000000, &kit, out, why);
}

static void a_change_keeps_what_it_does_not_bring(void **state)
{
	struct rule_record before =
		kit_rule("{'effect':'ask','match':{'tool':['Bash(a; b)']},'ask':"
			 "{'risk':'high'},'note':'n','expires_at':"
			 "'2030-01-01T00:00:00Z'}",
			0);
	struct rule_record after;
	struct fault why = { 0 };

	(void)state;
	assert_int_equal(
		changed(&before, "{'version':1,'enabled':false}", &after, &why), OK);
	assert_false(after.enabled);
	assert_true(str_eq(after.match, before.match) && str_eq(after.ask, before.ask));
	assert_int_equal(after.expires_ms, before.expires_ms);
	assert_int_equal(
		changed(&before, "{'expires_at':null,'ask':null}", &after, &why), OK);
	assert_int_equal(after.expires_ms, 0);
	assert_int_equal(after.ask.len, 0);
	assert_int_equal(changed(&before, "{'effect':'deny'}", &after, &why), OK);
	assert_int_equal(after.ask.len, 0);
	/* The pattern that stays is not one for an allow. */
	assert_int_equal(
		changed(&before, "{'effect':'allow'}", &after, &why), ERR_INVALID);
	kit_item("allow", &why, "/match/tool/0", "one pattern for each");
}

static bool loosens(const char *before, const char *after)
{
	struct rule_record a = kit_rule(before, 0), b = kit_rule(after, 1);

	return rule_loosens(&a, &b);
}

static void what_loosens_is_told_from_what_tightens(void **state)
{
#define DENY(more)  "{'effect':'deny','match':{'tool':['Bash(git push *)']}" more "}"
#define ALLOW(more) "{'effect':'allow','match':{'tool':['Bash(git push *)']}" more "}"
	(void)state;
	assert_false(loosens(DENY(""), DENY(",'note':'x'")));
	assert_true(loosens(DENY(""), DENY(",'enabled':false")));
	assert_true(loosens(DENY(""), DENY(",'uses_left':5")));
	/* A shadow decides nothing. */
	assert_true(loosens(DENY(""), DENY(",'shadow':true")));
	assert_false(loosens(DENY(",'shadow':true"), DENY("")));
	assert_false(
		loosens(DENY(",'shadow':true"), DENY(",'shadow':true,'enabled':false")));
	assert_true(loosens(
		DENY(""), "{'effect':'allow','shadow':true,'match':{'tool':['x']}}"));
	assert_true(loosens("{'effect':'allow','shadow':true,'match':{'tool':['x']}}",
		"{'effect':'allow','match':{'tool':['x']}}"));
	assert_false(loosens("{'effect':'allow','match':{'tool':['x']}}",
		"{'effect':'allow','shadow':true,'match':{'tool':['*']}}"));
	assert_true(loosens(DENY(""), DENY(",'expires_at':'2030-01-01T00:00:00Z'")));
	assert_false(loosens(DENY(",'expires_at':'2030-01-01T00:00:00Z'"), DENY("")));
	assert_false(
		loosens(DENY(""), "{'effect':'deny','match':{'tool':['Bash(git *)']}}"));
	assert_true(loosens(
		DENY(""), "{'effect':'deny','match':{'tool':['Bash(git push x)']}}"));
	assert_true(
		loosens(DENY(""), "{'effect':'deny','match':{'tool':['Bash(git push *)'],"
				  "'agent':'x'}}"));
	assert_true(loosens(DENY(""), ALLOW("")));
	assert_true(loosens(DENY(""), "{'effect':'ask'}"));
	assert_false(loosens(ALLOW(""), DENY("")));
	assert_false(loosens(ALLOW(""), ALLOW(",'uses_left':1")));
	assert_false(loosens(ALLOW(""), ALLOW(",'enabled':false")));
	assert_true(loosens(ALLOW(",'uses_left':1"), ALLOW("")));
	assert_true(loosens(
		ALLOW(""), "{'effect':'allow','match':{'tool':['Bash(git *)']}}"));
	assert_true(loosens("{'effect':'ask','ask':{'require':[{'approvals':2}]}}",
		"{'effect':'ask'}"));
	assert_false(loosens("{'effect':'ask'}",
		"{'effect':'ask','ask':{'require':[{'approvals':2}]}}"));
	assert_false(loosens("{'effect':'ask'}", "{'effect':'deny'}"));
}

static bool covers(const char *wide, const char *narrow)
{
	struct rule_record a =
		kit_rule(kit_print("{'effect':'deny','match':%s}", wide), 0);
	struct rule_record b =
		kit_rule(kit_print("{'effect':'ask','match':%s}", narrow), 1);
	struct rule_match w, n;

	assert_int_equal(rule_parse(&a, &kit, &w, NULL, NULL), OK);
	assert_int_equal(rule_parse(&b, &kit, &n, NULL, NULL), OK);
	return rule_match_covers(&w, &n);
}

static void a_deny_covers_only_what_it_certainly_fits(void **state)
{
	(void)state;
	assert_true(covers("{}", "{'tool':['Bash'],'agent':'x'}"));
	assert_true(covers("{'tool':['Bash(git *)']}", "{'tool':['Bash(git push *)']}"));
	assert_true(covers("{'tool':['Bash(git:*)']}", "{'tool':['Bash(git *)']}"));
	assert_true(covers("{'tool':['Bash(git *)']}", "{'tool':['Bash(git:*)']}"));
	assert_true(
		covers("{'tool':['Bash','Read']}", "{'tool':['Read(/x)','Bash(a)']}"));
	assert_true(covers("{'tool':['mcp__*']}", "{'tool':['mcp__github__*']}"));
	assert_true(covers("{'agent':'ci-*'}", "{'agent':'ci-1','project':'web'}"));
	assert_true(covers("{'tool':['WebFetch(domain:*.a.org)']}",
		"{'tool':['WebFetch(domain:x.a.org)']}"));
	assert_false(covers("{'tool':['Bash(git push *)']}", "{'tool':['Bash(git *)']}"));
	assert_false(covers("{'tool':['Bash']}", "{}"));
	assert_false(covers("{'agent':'ci-1'}", "{'agent':'ci-*'}"));
	assert_false(covers("{'project':null}", "{}"));
	assert_false(covers("{'risk':{'max':'low'}}", "{}"));
	assert_false(covers("{'arguments':{'/a':{'is':1}}}", "{}"));
	assert_true(covers("{'arguments':{'/a':{'is':1}}}",
		"{'arguments':{'/a':{'is':1},'/b':{'is':2}}}"));
}

static enum fit tested(const char *test, const char *arguments)
{
	struct rule_record r = kit_rule(
		kit_print("{'effect':'deny','match':{'arguments':{'/v':%s}}}", test), 0);
	struct rule_match m;

	assert_int_equal(rule_parse(&r, &kit, &m, NULL, NULL), OK);
	return argument_test_fit(&m.arguments[0], kit_json(arguments), &kit, NULL);
}

static void arguments_fit_do_not_or_leave_a_doubt(void **state)
{
	static const struct {
		const char *test, *arguments;
		enum fit fit;
	} cases[] = {
		{ "{'is':'main'}", "{'v':'main'}", FIT_YES },
		{ "{'is':'main'}", "{'v':'dev'}", FIT_NO },
		{ "{'is':'main'}", "{}", FIT_DOUBT },
		{ "{'is':'5'}", "{'v':5}", FIT_DOUBT },
		{ "{'is':1}", "{'v':1.0}", FIT_YES },
		{ "{'is':null}", "{'v':null}", FIT_YES },
		{ "{'in':['a',1]}", "{'v':1}", FIT_YES },
		{ "{'in':['a',1]}", "{'v':2}", FIT_NO },
		{ "{'in':['a',1]}", "{'v':true}", FIT_DOUBT },
		{ "{'glob':'rel*'}", "{'v':'release'}", FIT_YES },
		{ "{'glob':'rel*'}", "{'v':['release']}", FIT_DOUBT },
		{ "{'under':'/srv'}", "{'v':'/srv/a/../b'}", FIT_YES },
		{ "{'under':'/srv'}", "{'v':'/srv'}", FIT_YES },
		{ "{'under':'/srv'}", "{'v':'/srv/../etc'}", FIT_NO },
		{ "{'under':'/srv'}", "{'v':'/srvx'}", FIT_NO },
		{ "{'under':'/srv'}", "{'v':'a'}", FIT_DOUBT },
		{ "{'under':'/srv'}", "{'v':'~/a'}", FIT_DOUBT },
		{ "{'under':'src'}", "{'v':'src/../../x'}", FIT_DOUBT },
		{ "{'under':'src'}", "{'v':'./src/x'}", FIT_YES },
		{ "{'under':'/'}", "{'v':'/x'}", FIT_YES },
		{ "{'host':'a.org'}", "{'v':'https://A.org:1/x'}", FIT_YES },
		{ "{'host':'*.a.org'}", "{'v':'https://a.org/'}", FIT_NO },
		{ "{'host':'a.org'}", "{'v':'https://a.org@evil'}", FIT_DOUBT },
		{ "{'min':5}", "{'v':5}", FIT_YES },
		{ "{'min':5}", "{'v':4.9}", FIT_NO },
		{ "{'max':9007199254740992}", "{'v':9007199254740993}", FIT_NO },
		{ "{'min':5}", "{'v':'6'}", FIT_DOUBT },
		{ "{'has':'x'}", "{'v':['y','x']}", FIT_YES },
		{ "{'has':'x'}", "{'v':{'x':0}}", FIT_YES },
		{ "{'has':'x'}", "{'v':{'y':0}}", FIT_NO },
		{ "{'has':1}", "{'v':{'1':0}}", FIT_DOUBT },
		{ "{'has':'x'}", "{'v':'x'}", FIT_DOUBT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (tested(cases[i].test, cases[i].arguments) != cases[i].fit)
			fail_msg("%s of %s", cases[i].test, cases[i].arguments);
}

/* Let the nth allocation fail, for every n: the output stays as it was. */
static void without_memory_nothing_is_half_read(void **state)
{
	const struct json *body = kit_json(
		"{'effect':'ask','match':{'tool':['Bash(git *)'],'arguments':{'/a':{'under':"
		"'/srv'}}},'ask':{'require':[{'approvals':2,'from':['team:ops']}]},'note':'n'}");
	enum err e = ERR_MEMORY;

	(void)state;
	for (uint64_t n = 1; e; n++) {
		struct arena arena = { 0 };
		struct rule_record out = { .uses_left = 77 };
		struct fault why = { 0 };

		mem_fail_at(n, 1);
		e = rule_read(body, NULL, NULL, 1, &arena, &out, &why);
		mem_fail_at(0, 0);
		assert_true(e == OK || e == ERR_MEMORY);
		assert_int_equal(out.uses_left, e ? 77 : -1);
		arena_done(&arena);
	}
}

/* One of these calls, with what it is about under two of its names. */
static const char *call_of(const char *tool, const char *a, const char *good,
	const char *b, const char *other)
{
	return kit_print("{'name':'%s','arguments':{'%s':'%s','%s':'%s'}}", tool, a, good,
		b, other);
}

static void of_two_arguments_that_may_be_meant_an_allow_fits_both_and_a_deny_any(
	void **state)
{
	static const struct {
		const char *tool, *names[4];
	} cases[] = {
		{ "shell", { "command", "cmd" } },
		{ "exec_command", { "cmd", "command" } },
		{ "LS", { "path", "directory_path" } },
		{ "read", { "filePath", "file_path", "path" } },
		{ "write", { "filePath", "file_path", "path" } },
		{ "edit", { "filePath", "file_path", "path" } },
		{ "view", { "path", "file_path" } },
		{ "create", { "path", "file_path" } },
		{ "read_file", { "file_path", "absolute_path", "path" } },
		{ "write_file", { "file_path", "absolute_path", "path" } },
		{ "replace", { "file_path", "absolute_path", "path" } },
		{ "list_directory", { "path", "dir_path" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *tool = cases[i].tool, *const *names = cases[i].names;
		const char *const *rules = RULES(
			kit_print("{'effect':'allow','match':{'tool':['%s(/srv/*)']}}",
				tool),
			kit_print("{'effect':'deny','match':{'tool':['%s(/etc/*)']}}",
				tool));

		for (size_t a = 0; names[a]; a++)
			for (size_t b = 0; names[b]; b++) {
				if (a == b) continue;
				assert_string_equal(
					kit_ruled(rules, call_of(tool, names[a], "/srv/x",
								 names[b], "/srv/y")),
					"allow rul_0");
				assert_string_equal(
					kit_ruled(rules, call_of(tool, names[a], "/srv/x",
								 names[b], "/home/y")),
					"none");
				assert_string_equal(
					kit_ruled(rules, call_of(tool, names[a], "/srv/x",
								 names[b], "/srv/../y")),
					"none");
				assert_string_equal(
					kit_ruled(rules, call_of(tool, names[a], "/srv/x",
								 names[b], "/etc/y")),
					"deny rul_1");
			}
	}
	assert_string_equal(
		kit_ruled(RULES("{'effect':'allow','match':{'tool':['read(/srv/*)']}}"),
			"{'name':'read','arguments':{'path':'/srv/x','filePath':null}}"),
		"allow rul_0");
	assert_string_equal(
		kit_ruled(RULES("{'effect':'allow','match':{'tool':['read(/srv/*)']}}"),
			"{'name':'read','arguments':{'path':'/srv/x','filePath':['/etc/x']}}"),
		"none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(each_fault_has_its_place_and_a_way_out),
		KIT_TEST(all_faults_are_told_at_once),
		KIT_TEST(a_rule_is_kept_in_one_form),
		KIT_TEST(a_change_keeps_what_it_does_not_bring),
		KIT_TEST(what_loosens_is_told_from_what_tightens),
		KIT_TEST(a_deny_covers_only_what_it_certainly_fits),
		KIT_TEST(arguments_fit_do_not_or_leave_a_doubt),
		KIT_TEST(
			of_two_arguments_that_may_be_meant_an_allow_fits_both_and_a_deny_any),
		KIT_TEST(without_memory_nothing_is_half_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
