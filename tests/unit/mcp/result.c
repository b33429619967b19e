/* What a call gives back. */
#include "mcp/result.h"

#include "dialect/dialect.h"
#include "kit.h"

static const struct json *result(const struct ask *a, unsigned how)
{
	struct ask_json whole = kit_whole(a);
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct json *out;

	jw_object(&w);
	ask_result_write(&w, &whole, how, &kit);
	jw_object_end(&w);
	assert_int_equal(
		json_read(arena_str(&kit, buf_str(&b)), NULL, &kit, &out, NULL), OK);
	buf_done(&b);
	return out;
}

static void what_is_pending_is_no_consent_and_says_what_to_do(void **state)
{
	struct ask a = { .id = STR("ask_1") };
	const struct json *r = result(&a, 0);

	(void)state;
	kit_same("data", str_of(kit_compact(kit_at(r, "structuredContent"))),
		"{'status':'pending','ask_id':'ask_1',"
		"'next':'call get_answer with this ask_id','url':'http://h/asks/ask_1'}");
	assert_string_equal(kit_text(json_text(kit_at(r, "content.0.text"))),
		kit_compact(kit_at(r, "structuredContent")));
	assert_true(json_is(kit_at(r, "isError"), JSON_FALSE));
	r = result(&a, RESULT_RESUMED);
	assert_true(str_starts(
		json_text(kit_at(r, "structuredContent.next")), "end your turn"));
	a.fixed = kit_quote("'foreign':{'dialect':'permission',"
			    "'request':{'tool_name':'t'},'repairs':[]}");
	r = result(&a, 0);
	assert_true(str_is(json_text(kit_at(r, "structuredContent.behavior")), "deny"));
}

static void a_permission_prompt_is_denied_though_the_ask_was_not_read(void **state)
{
	static const struct ask a = { .id = STR("ask_1") };
	const struct json *r = result(&a, RESULT_PROMPT), *text;

	(void)state;
	assert_null(kit_at(r, "structuredContent"));
	text = kit_json(kit_text(json_text(kit_at(r, "content.0.text"))));
	assert_true(str_is(json_text(json_get(text, "behavior")), "deny"));
}

static void an_ask_of_no_dialect_is_told_in_our_own_words(void **state)
{
	const struct ask a = {
		.id = STR("ask_1"),
		.status = ASK_ANSWERED,
		.summary = STR("- Q: yes"),
		.answer = kit_quote("{'q1':{'value':true}}"),
		.answered_by = kit_quote("{'kind':'default'}"),
		.replies = kit_quote("[{'text':'hm'}]"),
	};
	const struct json *r = result(&a, 0);

	(void)state;
	assert_true(str_is(json_text(kit_at(r, "content.0.text")), "- Q: yes"));
	kit_same("data", str_of(kit_compact(kit_at(r, "structuredContent"))),
		"{'status':'answered','ask_id':'ask_1','answered_by':{'kind':'default'},"
		"'answer':{'q1':{'value':true}},'replies':[{'text':'hm'}]}");
}

static void an_approval_that_was_taken_back_says_so(void **state)
{
	const struct ask a = {
		.id = STR("ask_1"),
		.kind = ASK_APPROVAL,
		.status = ASK_ANSWERED,
		.summary = STR("- Q: Approve"),
		.answer = kit_quote("{'q1':{'value':'approve'}}"),
		.revoked = kit_quote("{'by':{'name':'Ada'},'reason':'no'}"),
	};
	const struct json *r = result(&a, 0);

	(void)state;
	assert_string_equal(kit_text(json_text(kit_at(r, "content.0.text"))),
		"- Q: Approve\nTaken back by Ada: no. The approval must not be used.");
}

static void a_task_is_named_as_its_revision_has_it(void **state)
{
	struct ask a = { .id = STR("ask_1"),
		.status = ASK_CANCELLED,
		.created_ms = 1000,
		.settled_ms = 2000 };
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	(void)state;
	jw_object(&w);
	task_write(&w, &a, task_status(&a), REV_2026_07_28, 5000);
	jw_object_end(&w);
	kit_same("task", buf_str(&b),
		"{'taskId':'ask_1','status':'cancelled',"
		"'createdAt':'1970-01-01T00:00:01.000Z',"
		"'lastUpdatedAt':'1970-01-01T00:00:02.000Z','ttlMs':null,"
		"'pollIntervalMs':5000}");
	buf_clear(&b);
	w.more = false;
	a.status = ASK_PENDING;
	a.settled_ms = 0;
	jw_object(&w);
	task_write(&w, &a, "working", REV_2025_11_25, 5000);
	jw_object_end(&w);
	kit_same("task", buf_str(&b),
		"{'taskId':'ask_1','status':'working',"
		"'statusMessage':'A person has been asked.',"
		"'createdAt':'1970-01-01T00:00:01.000Z',"
		"'lastUpdatedAt':'1970-01-01T00:00:01.000Z','ttl':null,"
		"'pollInterval':5000}");
	buf_done(&b);
}

static void tools_are_those_a_token_may_use(void **state)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	(void)state;
	jw_array(&w);
	tools_write(&w, own_tools,
		&(struct tools_for){ .allowed = STR("[\"cancel_ask\",\"nothing\"]") },
		REV_2026_07_28, false);
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
		KIT_TEST(a_permission_prompt_is_denied_though_the_ask_was_not_read),
		KIT_TEST(an_ask_of_no_dialect_is_told_in_our_own_words),
		KIT_TEST(an_approval_that_was_taken_back_says_so),
		KIT_TEST(a_task_is_named_as_its_revision_has_it),
		KIT_TEST(tools_are_those_a_token_may_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
