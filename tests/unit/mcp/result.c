/* What a call gives back. */
#include "mcp/result.h"

#include "dialect/dialect.h"
#include "kit.h"

static const struct json *result(const char *ask, unsigned how)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct json *out;

	jw_object(&w);
	ask_result_write(&w, kit_json(ask), how, &kit);
	jw_object_end(&w);
	assert_int_equal(shown_read(arena_str(&kit, buf_str(&b)), &kit, &out, NULL), OK);
	buf_done(&b);
	return out;
}

static void what_is_pending_is_no_consent_and_says_what_to_do(void **state)
{
	const struct json *r = result("{'id':'ask_1','status':'pending','url':'u'}", 0);

	(void)state;
	kit_same("data", str_of(kit_compact(kit_at(r, "structuredContent"))),
		"{'status':'pending','ask_id':'ask_1',"
		"'next':'call get_answer with this ask_id','url':'u'}");
	assert_string_equal(kit_text(json_text(kit_at(r, "content.0.text"))),
		kit_compact(kit_at(r, "structuredContent")));
	assert_true(json_is(kit_at(r, "isError"), JSON_FALSE));
	r = result("{'id':'ask_1','status':'pending'}", RESULT_RESUMED);
	assert_true(str_starts(
		json_text(kit_at(r, "structuredContent.next")), "end your turn"));
	r = result("{'id':'ask_1','status':'pending','foreign':{'dialect':'permission',"
		   "'request':{'tool_name':'t'},'repairs':[]}}",
		0);
	assert_true(str_is(json_text(kit_at(r, "structuredContent.behavior")), "deny"));
}

static void an_ask_of_no_dialect_is_told_in_our_own_words(void **state)
{
	const struct json *r =
		result("{'id':'ask_1','status':'answered',"
		       "'summary':'- Q: yes','answer':{'q1':{'value':true}},"
		       "'answered_by':{'kind':'default'},"
		       "'replies':[{'text':'hm'}]}",
			0);

	(void)state;
	assert_true(str_is(json_text(kit_at(r, "content.0.text")), "- Q: yes"));
	kit_same("data", str_of(kit_compact(kit_at(r, "structuredContent"))),
		"{'status':'answered','ask_id':'ask_1','answered_by':{'kind':'default'},"
		"'answer':{'q1':{'value':true}},'replies':[{'text':'hm'}]}");
}

static void a_task_is_named_as_its_revision_has_it(void **state)
{
	static const char ask[] = "{'id':'ask_1','status':'cancelled','created_at':'c',"
				  "'settled_at':'s'}";
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	(void)state;
	jw_object(&w);
	task_write(&w, kit_json(ask), task_status(kit_json(ask)), REV_2026_07_28, 5000);
	jw_object_end(&w);
	kit_same("task", buf_str(&b),
		"{'taskId':'ask_1','status':'cancelled','createdAt':'c',"
		"'lastUpdatedAt':'s','ttlMs':null,'pollIntervalMs':5000}");
	buf_clear(&b);
	w.more = false;
	jw_object(&w);
	task_write(&w, kit_json("{'id':'ask_1','status':'pending','created_at':'c'}"),
		"working", REV_2025_11_25, 5000);
	jw_object_end(&w);
	kit_same("task", buf_str(&b),
		"{'taskId':'ask_1','status':'working',"
		"'statusMessage':'A person has been asked.','createdAt':'c',"
		"'lastUpdatedAt':'c','ttl':null,'pollInterval':5000}");
	buf_done(&b);
}

static void tools_are_those_a_token_may_use(void **state)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	(void)state;
	jw_array(&w);
	tools_write(&w, own_tools, STR("[\"cancel_ask\",\"nothing\"]"), REV_2026_07_28,
		false);
	jw_array_end(&w);
	assert_true(str_starts(buf_str(&b), "[{\"name\":\"cancel_ask\""));
	assert_true(str_find(buf_str(&b), STR("get_answer\"")) < 0);
	buf_done(&b);
	for (const struct tool *t = own_tools; t->name; t++)
		assert_non_null(tool_find(own_tools, str_of(t->name)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(what_is_pending_is_no_consent_and_says_what_to_do),
		KIT_TEST(an_ask_of_no_dialect_is_told_in_our_own_words),
		KIT_TEST(a_task_is_named_as_its_revision_has_it),
		KIT_TEST(tools_are_those_a_token_may_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
