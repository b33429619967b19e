/* revision.c - messages and revisions. */
#include "mcp/revision.h"

#include "kit.h"

#define META(version)                                                                    \
	"'_meta':{'io.modelcontextprotocol/protocolVersion':'" version "',"              \
	"'io.modelcontextprotocol/clientCapabilities':{'elicitation':{'url':{}},"        \
	"'extensions':{'io.modelcontextprotocol/tasks':{}}},"                            \
	"'io.modelcontextprotocol/clientInfo':{'name':'cli'}}"
#define CALL(version)                                                                    \
	"{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'x'," META(      \
		version) "}}"

static struct rpc message(const char *text)
{
	struct rpc rpc;

	assert_true(rpc_read(kit_json(text), &kit, &rpc));
	return rpc;
}

static void a_message_is_a_request_a_notification_or_a_response(void **state)
{
	struct rpc rpc;

	(void)state;
	assert_int_equal(
		message("{'jsonrpc':'2.0','id':1,'method':'a'}").kind, RPC_REQUEST);
	assert_int_equal(
		message("{'jsonrpc':'2.0','method':'a'}").kind, RPC_NOTIFICATION);
	assert_int_equal(
		message("{'jsonrpc':'2.0','id':'r','result':{}}").kind, RPC_RESPONSE);
	rpc = message("{'jsonrpc':'2.0','id':'a\\'b','method':'a'}");
	assert_true(str_is(rpc.id, "\"a\\\"b\""));
	rpc = message("{'jsonrpc':'2.0','id':1.50,'method':'a'}");
	assert_true(str_is(rpc.id, "1.50"));
}

static void what_is_no_message_is_refused_with_its_id(void **state)
{
	static const char *const wrong[] = { "{}", "7", "[]", "{'jsonrpc':'1.0','id':3}",
		"{'jsonrpc':'2.0','id':3}", "{'jsonrpc':'2.0','id':3,'method':7}",
		"{'jsonrpc':'2.0','id':null,'method':'a'}",
		"{'jsonrpc':'2.0','id':3,'method':'a','params':[]}" };
	struct rpc rpc;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(rpc_read(kit_json(wrong[i]), &kit, &rpc));
	rpc_read(kit_json(wrong[3]), &kit, &rpc);
	assert_true(str_is(rpc.id, "3"));
}

static void a_stateless_request_says_who_it_is(void **state)
{
	struct rpc rpc = message(CALL("2026-07-28"));
	struct mcp_wire wire = { STR("2026-07-28"), STR("tools/call"), STR("x") };
	struct rpc_fault why = { 0 };
	struct mcp_client client;

	(void)state;
	assert_true(revision_is_stateless(&rpc, &wire));
	assert_true(revision_check(&rpc, &wire, &kit, &client, &why));
	assert_int_equal(client.can, CAN_URL | CAN_TASKS);
	assert_true(str_is(client.name, "cli"));
	wire.name = STR("=?base64?eA==?=");
	assert_true(revision_check(&rpc, &wire, &kit, &client, &why));
}

static void its_headers_repeat_its_body(void **state)
{
	static const struct {
		const char *body, *version, *method, *name;
		enum rpc_code code;
	} cases[] = {
		{ CALL("2026-07-28"), "", "tools/call", "x", RPC_HEADER_MISMATCH },
		{ CALL("2026-07-28"), "2026-07-28", "Tools/call", "x",
			RPC_HEADER_MISMATCH },
		{ CALL("2026-07-28"), "2026-07-28", "tools/call", "",
			RPC_HEADER_MISMATCH },
		{ CALL("2026-07-28"), "2026-07-28", "tools/call",
			"=?base64?eA=?=", RPC_HEADER_MISMATCH },
		{ CALL("2027-01-01"), "2027-01-01", "tools/call", "x", RPC_NO_VERSION },
		{ CALL("2027-01-01"), "2026-07-28", "tools/call", "x",
			RPC_HEADER_MISMATCH },
		{ "{'jsonrpc':'2.0','id':1,'method':'tools/call'}", "2026-07-28",
			"tools/call", "x", RPC_INVALID_PARAMS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct rpc rpc = message(cases[i].body);
		struct mcp_wire wire = { str_of(cases[i].version),
			str_of(cases[i].method), str_of(cases[i].name) };
		struct rpc_fault why = { 0 };
		struct mcp_client client;

		assert_false(revision_check(&rpc, &wire, &kit, &client, &why));
		assert_int_equal(why.code, cases[i].code);
		assert_int_equal(why.status, 400);
	}
}

static void a_greeting_gets_a_revision_with_sessions(void **state)
{
	struct mcp_client client;

	(void)state;
	revision_greet(
		kit_json("{'protocolVersion':'2025-03-26','clientInfo':{'name':'é'},"
			 "'capabilities':{'elicitation':{},'sampling':{}}}"),
		&client);
	assert_int_equal(client.revision, REV_2025_03_26);
	assert_int_equal(client.can, CAN_FORM | CAN_SAMPLE);
	revision_greet(kit_json("{'protocolVersion':'2026-07-28'}"), &client);
	assert_int_equal(client.revision, REV_2025_11_25);
	revision_greet(NULL, &client);
	assert_int_equal(client.revision, REV_2025_11_25);
	revision_greet(
		kit_json(kit_fill("{'clientInfo':{'name':'%s'}}", kit_repeat("é", 100))),
		&client);
	assert_int_equal(client.name.len, CLIENT_NAME_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_message_is_a_request_a_notification_or_a_response),
		KIT_TEST(what_is_no_message_is_refused_with_its_id),
		KIT_TEST(a_stateless_request_says_who_it_is),
		KIT_TEST(its_headers_repeat_its_body),
		KIT_TEST(a_greeting_gets_a_revision_with_sessions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
