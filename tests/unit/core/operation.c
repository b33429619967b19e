/* What exactly would run, and the digest that binds an approval to it. */
#include "core/policy/operation.h"
#include "base/hash.h"

#include "kit.h"

static const char *digest(
	const char *operation, const char *arguments, struct str session)
{
	char out[DIGEST_SIZE];

	operation_digest(kit_json(operation), arguments ? kit_json(arguments) : NULL,
		session, out);
	return kit_text(str_of(out));
}

static void risks_read_back(void **state)
{
	enum risk risk = RISK_HIGH;

	(void)state;
	assert_null(risk_name(RISK_NONE));
	for (int i = RISK_LOW; i <= RISK_CRITICAL; i++) {
		enum risk r;
		assert_true(risk_read(str_of(risk_name((enum risk)i)), &r));
		assert_int_equal(r, i);
	}
	assert_false(risk_read(STR("none"), &risk));
	assert_int_equal(risk, RISK_HIGH);
}

static void an_operation_is_read_with_its_pointers(void **state)
{
	enum risk risk = RISK_NONE;
	struct fault why = { 0 };

	(void)state;
	assert_int_equal(
		operation_read(kit_json("{'name':'x','risk':'high','arguments':[1]}"),
			"/operation", &risk, &why),
		OK);
	assert_int_equal(risk, RISK_HIGH);
	assert_int_equal(operation_read(kit_json("{'risk':'huge','x':1}"), "/operation",
				 &risk, &why),
		ERR_INVALID);
	kit_item("operation", &why, "/operation/name", "required");
	kit_item("operation", &why, "/operation/risk", "critical");
	kit_item("operation", &why, "/operation/x", "unknown");
	assert_int_equal(risk, RISK_HIGH);
}

static void the_digest_is_the_sha256_of_the_canonical_form(void **state)
{
	char expected[SHA256_HEX_SIZE];

	(void)state;
	sha256_hex(STR("{\"arguments\":{\"cmd\":\"make deploy\"},\"name\":\"shell\","
		       "\"session\":\"ses_1\",\"type\":\"tool\"}"),
		expected);
	assert_string_equal(digest("{'type':'tool','name':'shell','arguments':{'cmd':"
				   "'make deploy'},'risk':'high'}",
				    NULL, STR("ses_1")),
		kit_print("sha256:%s", expected));
	sha256_hex(STR("{\"name\":\"shell\",\"session\":\"ses_1\"}"), expected);
	assert_string_equal(digest("{'name':'shell'}", NULL, STR("ses_1")),
		kit_print("sha256:%s", expected));
}

static void the_same_operation_has_the_same_digest_however_it_is_spelt(void **state)
{
	static const char *const same[] = {
		"{'type':'t','name':'n','arguments':{'a':1,'b':[true,100]}}",
		"{'arguments':{'b':[true,1e2],'a':1.0},'name':'n','type':'t'}",
		"{'name':'\\u006e','type':'t','arguments':{'b':[true,100.00],'a':1}}",
	};
	const char *first = digest(same[0], NULL, STR("s"));

	(void)state;
	for (size_t i = 1; i < sizeof same / sizeof *same; i++)
		assert_string_equal(digest(same[i], NULL, STR("s")), first);
	assert_string_equal(digest("{'type':'t','name':'n','arguments':5}",
				    "{'b':[true,100],'a':1}", STR("s")),
		first);
	assert_string_equal(digest("{'name':'n','type':null}", NULL, STR("s")),
		digest("{'name':'n'}", NULL, STR("s")));
}

static void another_operation_has_another_digest(void **state)
{
	static const char *const others[] = {
		"{'name':'n','arguments':{'a':9007199254740993}}",
		"{'name':'n','arguments':{'a':9007199254740992}}",
		"{'name':'n','arguments':{'a':123456789012345678901}}",
		"{'name':'n','arguments':{'a':123456789012345678902}}",
		"{'name':'n','arguments':{'a':'9007199254740993'}}",
		"{'name':'n','arguments':{}}",
		"{'name':'n','arguments':null}",
		"{'name':'n'}",
		"{'name':'N'}",
		"{'name':'n','type':'t'}",
		"{'name':'n','arguments':[1,2]}",
		"{'name':'n','arguments':[2,1]}",
	};
	enum { OTHERS = sizeof others / sizeof *others };

	(void)state;
	for (size_t i = 0; i < OTHERS; i++) {
		assert_string_not_equal(digest(others[i], NULL, STR("s")),
			digest(others[i], NULL, STR("t")));
		for (size_t k = i + 1; k < OTHERS; k++)
			assert_string_not_equal(digest(others[i], NULL, STR("s")),
				digest(others[k], NULL, STR("s")));
	}
}

static void alike_are_the_same_tool_and_the_same_names(void **state)
{
	const struct json *one = kit_json("{'name':'n','arguments':{'a':1,'b':2}}");
	static const char *const others[] = {
		"{'name':'m','arguments':{'a':1,'b':2}}",
		"{'name':'n','type':'t','arguments':{'a':1,'b':2}}",
		"{'name':'n','arguments':{'a':1}}",
		"{'name':'n','arguments':{'a':1,'c':2}}",
		"{'name':'n','arguments':{'a':1,'b':2,'c':3}}",
		"{'name':'n','arguments':[1,2]}",
		"{'name':'n'}",
	};

	(void)state;
	assert_true(operation_alike(
		one, kit_json("{'name':'n','arguments':{'b':'x','a':{}}}")));
	assert_true(operation_alike(kit_json("{'name':'n'}"), kit_json("{'name':'n'}")));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(operation_alike(one, kit_json(others[i])));
}

static void an_operation_on_a_line_cannot_be_imitated(void **state)
{
	static const struct {
		const char *operation, *line, *title;
	} cases[] = {
		{ "{'name':'Bash','arguments':{'command':'git push origin main'}}",
			"Bash git push origin main", "Bash: git push origin main" },
		{ "{'name':'Bash','arguments':{'command':'make','cwd':'/srv/web'}}",
			"Bash command=make cwd=/srv/web", "Bash: make" },
		{ "{'name':'Bash','arguments':{'command':'a\\nb'}}",
			"Bash command=\"a\\nb\"", "Bash: a b" },
		{ "{'type':'command','name':'make','arguments':{'argv':['make','a b']}}",
			"make make 'a b'", "make: make 'a b'" },
		{ "{'name':'label','arguments':{'ticket':4211,'label':'billing'}}",
			"label label=billing ticket=4211",
			"label: label=billing ticket=4211" },
		{ "{'name':'label','arguments':{'label':'billing ticket=1','n':'7'}}",
			"label label=\"billing ticket=1\" n=\"7\"",
			"label: label=\"billing ticket=1\" n=\"7\"" },
		{ "{'name':'label','arguments':[1,'x']}", "label [1,\"x\"]",
			"label: [1,\"x\"]" },
		{ "{'name':'label','arguments':{}}", "label", "label" },
		{ "{'name':'label'}", "label", "label" },
		{ "{'name':'parallel_tasks','arguments':{'tasks':[{'task':'a'},{'task':'b'}]}}",
			"parallel_tasks tasks=[{\"task\":\"a\"},{\"task\":\"b\"}]",
			"Start 2 sub-agents" },
		{ "{'name':'parallel_tasks','arguments':{'tasks':[{'task':'a'}]}}",
			"parallel_tasks tasks=[{\"task\":\"a\"}]", "Start 1 sub-agent" },
		{ "{'name':'parallel_tasks','arguments':{'tasks':[1]}}",
			"parallel_tasks tasks=[1]", "parallel_tasks: tasks=[1]" },
		{ "{'name':'spawn_agent','arguments':{'name':'faiss','task':'m'}}",
			"spawn_agent name=faiss task=m", "Start the sub-agent faiss" },
		{ "{'name':'delegate_task','arguments':{'agent':'tester','task':'m'}}",
			"delegate_task agent=tester task=m", "Give a task to tester" },
		{ "{'name':'todo','arguments':{'operation':'create','name':'a\\nb'}}",
			"todo name=\"a\\nb\" operation=create", "Create a task: a b" },
		{ "{'name':'todo','arguments':{'operation':'burn'}}", "todo burn",
			"todo: burn" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct json *operation = kit_json(cases[i].operation);
		struct arena arena = { 0 };
		struct buf line = { 0 };

		operation_line(&line, operation, " ");
		assert_string_equal(buf_text(&line), cases[i].line);
		assert_string_equal(kit_text(operation_title(operation, 200, &arena)),
			cases[i].title);
		assert_string_equal(kit_text(operation_title(
					    kit_json(cases[0].operation), 12, &arena)),
			"Bash: git p…");
		buf_done(&line);
		arena_done(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(risks_read_back),
		KIT_TEST(an_operation_is_read_with_its_pointers),
		KIT_TEST(the_digest_is_the_sha256_of_the_canonical_form),
		KIT_TEST(the_same_operation_has_the_same_digest_however_it_is_spelt),
		KIT_TEST(another_operation_has_another_digest),
		KIT_TEST(alike_are_the_same_tool_and_the_same_names),
		KIT_TEST(an_operation_on_a_line_cannot_be_imitated),
	};

	return cmocka_run_group_tests_name("core/operation", tests, NULL, NULL);
}
