/* Tools of other servers, pinned; and replies of them, however they are cut. */
#include "mcp/remote.h"

#include "kit.h"

static struct arena arena;

static const struct json *json_of(const char *text)
{
	const struct json *out = NULL;

	assert_int_equal(json_read(str_of(text), NULL, &arena, &out, NULL), OK);
	return out;
}

static void a_digest_is_over_what_matters(void **state)
{
	char a[DIGEST_SIZE], b[DIGEST_SIZE];

	(void)state;
	mcp_tool_digest(
		json_of("{\"name\":\"a\",\"inputSchema\":{\"b\":1,\"a\":2},\"_meta\":{}}"),
		a);
	mcp_tool_digest(
		json_of("{\"inputSchema\":{\"a\":2,\"b\":1.0},\"name\":\"a\"}"), b);
	assert_string_equal(a, b);
	mcp_tool_digest(
		json_of("{\"inputSchema\":{\"a\":2,\"b\":1},\"name\":\"a\",\"title\":\"\"}"),
		b);
	assert_string_not_equal(a, b);
}

static void names_are_whole_for_rules_and_short_for_models(void **state)
{
	struct str whole = mcp_call_name(STR("git-hub"), STR("a__b"), &arena), server,
		   tool;
	char name[129];

	(void)state;
	assert_true(str_is(whole, "mcp__git-hub__a__b"));
	assert_true(mcp_call_parts(whole, &server, &tool));
	assert_true(str_is(server, "git-hub") && str_is(tool, "a__b"));
	assert_true(str_eq(mcp_call_model_name(whole, &arena), whole));
	memset(name, 'x', 128);
	name[128] = '\0';
	whole = mcp_call_name(STR("s"), str_of(name), &arena);
	assert_int_equal(mcp_call_model_name(whole, &arena).len, 64);
	assert_true(str_is(
		mcp_call_model_name(STR("mcp__s__a.b"), &arena), "mcp__s__a_bdafcaa"));
	assert_false(mcp_call_parts(STR("mcp__s"), &server, &tool));
	assert_false(mcp_call_parts(STR("mcp__S__a"), &server, &tool));
	assert_true(mcp_call_chosen(STR("mcp:s"), &server, &tool) && !tool.len);
	assert_true(mcp_call_chosen(STR("mcp:s/t"), &server, &tool) && str_is(tool, "t"));
	assert_false(mcp_call_chosen(STR("mcp:s/"), &server, &tool));
	assert_false(mcp_call_chosen(STR("mcp:"), &server, &tool));
	assert_false(mcp_call_chosen(STR("todo"), &server, &tool));
}

static void a_reply_is_found_however_it_is_cut(void **state)
{
	static const char stream[] =
		": hi\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}\n\n"
		"data: nonsense\n\n"
		"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"
		"data: {\"jsonrpc\":\"2.0\",\"id\":7,\n"
		"data: \"result\":{\"content\":[{\"type\":\"text\",\"text\":\"yes\"}]}}\n\n";

	(void)state;
	for (size_t piece = 1; piece < sizeof stream; piece += 3) {
		struct remote_reader r = { .id = 7, .arena = &arena };
		struct str rest = str_of(stream);
		struct remote_said said;
		bool failed;

		for (; rest.len; rest = str_from(rest, piece))
			remote_feed(&r, str_first(rest, piece));
		remote_end(&r);
		assert_non_null(r.reply);
		assert_true(r.list_changed);
		remote_said(r.reply, &said);
		assert_true(str_is(remote_text(said.result, &arena, &failed), "yes"));
		assert_false(failed);
		remote_done(&r);
	}
}

static void what_is_not_a_reply_is_none(void **state)
{
	static const char *const replies[] = { "", "{}", "[]",
		"{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{}}", "data: {}\n\n",
		"<html>", "{\"jsonrpc\":\"2.0\",\"id\":7" };

	(void)state;
	for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
		struct remote_reader r = { .id = 7, .arena = &arena };

		remote_feed(&r, str_of(replies[i]));
		remote_end(&r);
		assert_null(r.reply);
		remote_done(&r);
	}
}

static void the_newest_revision_that_both_have_is_taken(void **state)
{
	enum revision r = REV_2025_03_26;
	struct str said;

	(void)state;
	assert_true(remote_revision(
		json_of("{\"result\":{\"supportedVersions\":[\"2025-06-18\",\"2099-01-01\",\"2026-07-28\"]}}"),
		&r, &said));
	assert_int_equal(r, REV_2026_07_28);
	assert_true(remote_revision(
		json_of("{\"error\":{\"code\":-32022,\"data\":{\"supported\":[\"2025-11-25\",\"2025-03-26\"]}}}"),
		&r, &said));
	assert_int_equal(r, REV_2025_11_25);
	assert_false(remote_revision(
		json_of("{\"result\":{\"protocolVersion\":\"2024-11-05\"}}"), &r, &said));
	assert_true(str_is(said, "2024-11-05"));
}

static int done(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_digest_is_over_what_matters),
		cmocka_unit_test(names_are_whole_for_rules_and_short_for_models),
		cmocka_unit_test(a_reply_is_found_however_it_is_cut),
		cmocka_unit_test(what_is_not_a_reply_is_none),
		cmocka_unit_test(the_newest_revision_that_both_have_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
