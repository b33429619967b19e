#include "talk.h"

#include "base/mem.h"

#define EVENT(json) "event: x\ndata: " json "\n\n"

static const char whole_reply[] = EVENT(
	"{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":10,"
	"\"cache_creation_input_tokens\":50,\"cache_read_input_tokens\":7,"
	"\"cache_creation\":{\"ephemeral_5m_input_tokens\":20,"
	"\"ephemeral_1h_input_tokens\":30},\"output_tokens\":1}}}")
	EVENT("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":"
	      "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}") "event: ping\ndata: {\"type\": \"ping\"}\n\n: comment\n\n" EVENT("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
																		"{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}")
		EVENT("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
		      "{\"type\":\"signature_delta\",\"signature\":\"sig\"}}") EVENT("{\"type\":\"content_block_start\",\"index\":1,\"content_block\":"
										     "{\"type\":\"redacted_thinking\",\"data\":\"xx\"}}")
			EVENT("{\"type\":\"content_block_start\",\"index\":2,\"content_block\":"
			      "{\"type\":\"text\",\"text\":\"\"}}") EVENT("{\"type\":\"content_block_delta\",\"index\":2,\"delta\":"
									  "{\"type\":\"text_delta\",\"text\":\"Let me \\u00e9\"}}")
				EVENT("{\"type\":\"content_block_delta\",\"index\":2,\"delta\":"
				      "{\"type\":\"text_delta\",\"text\":\"look.\"}}")
					EVENT("{\"type\":\"content_block_stop\",\"index\":2}") EVENT(
						"{\"type\":\"content_block_start\",\"index\":3,\"content_block\":"
						"{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"todo\",\"input\":{}}}")
						EVENT("{\"type\":\"content_block_delta\",\"index\":3,\"delta\":"
						      "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"operation\\\": \"}}")
							EVENT("{\"type\":\"content_block_delta\",\"index\":3,\"delta\":"
							      "{\"type\":\"input_json_delta\",\"partial_json\":\"\\\"list\\\"}\"}}")
								EVENT("{\"type\":\"content_block_start\",\"index\":4,\"content_block\":"
								      "{\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"memory\",\"input\":{}}}")
									EVENT("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
									      "\"usage\":{\"output_tokens\":42}}")
										EVENT("{\"type\":\"message_stop\"}");

static void a_reply_is_the_same_however_it_is_cut(void **state)
{
	struct heard h;

	(void)state;
	hear_cut_anywhere(&h, WIRE_ANTHROPIC, whole_reply);
	CHECK_INT(h.reply.trouble, TROUBLE_NONE);
	CHECK_STR(h.reply.content,
		"[{\"type\":\"thought\",\"text\":\"hm\"},{\"type\":\"thought\",\"text\":"
		"\"\"},{\"type\":\"text\",\"text\":\"Let me \xc3\xa9look.\"},"
		"{\"type\":\"tool_call\",\"id\":\"toolu_1\",\"name\":\"todo\","
		"\"arguments\":{\"operation\":\"list\"}},{\"type\":\"tool_call\",\"id\":"
		"\"toolu_2\",\"name\":\"memory\",\"arguments\":{}}]");
	CHECK_STR(h.reply.kept, "{\"wire\":\"anthropic\",\"parts\":[{\"seal\":\"sig\"},"
				"{\"as\":\"redacted\",\"seal\":\"xx\"}]}");
	CHECK_STR(str_of(counts(&h.reply.usage)), "10/7/20/30/42/0");
	CHECK_STR(buf_str(&h.deltas), "r:hm;t:Let me \xc3\xa9;t:look.;c:todo;c:memory;");
	CHECK_INT(h.reply.stop, STOP_CALLS); /* though it says end_turn */
	CHECK_INT(h.reply.calls, 2);
	CHECK_INT(h.reply.cost, COST_UNKNOWN);
	heard_done(&h);
}

static void a_reply_that_breaks_off_counts_for_nothing(void **state)
{
	const char *end =
		strstr(whole_reply, "event: x\ndata: {\"type\":\"message_delta\"");

	(void)state;
	for (size_t len = 0; len < (size_t)(end - whole_reply); len += 17) {
		struct heard h = { 0 };
		char text[sizeof whole_reply] = "";

		memcpy(text, whole_reply, len);
		hear(&h, WIRE_ANTHROPIC, 200, text, 100, false);
		CHECK_INT(h.reply.trouble, TROUBLE_UNREACHABLE);
		CHECK(h.reply.retry);
		CHECK_STR(h.reply.content, "[]");
		CHECK_INT(h.reply.calls, 0);
		heard_done(&h);
	}
}

static void a_ping_is_no_sign_of_life(void **state)
{
	struct model_reader *r =
		model_reader_new(&(struct model_setup){ .wire = WIRE_ANTHROPIC });

	(void)state;
	CHECK(!model_reader_feed(r, 200, STR(": hello\n\n")));
	CHECK(!model_reader_feed(
		r, 200, STR("event: ping\ndata: {\"type\":\"ping\"}\n\n")));
	CHECK(!model_reader_feed(r, 200, STR("data: {\"type\":\"message_start\"}\n")));
	CHECK(model_reader_feed(r, 200, STR("\n")));
	model_reader_free(r);
}

static void errors_have_their_kinds(void **state)
{
	static const struct {
		int status;
		const char *body;
		enum trouble trouble;
		bool retry;
		const char *message;
	} cases[] = {
		{ 429,
			"{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\","
			"\"message\":\"slow down\"}}",
			TROUBLE_RATE_LIMITED, true, "slow down" },
		{ 529, "{\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}",
			TROUBLE_OVERLOADED, true, "busy" },
		{ 500, "<html>oops</html>", TROUBLE_OVERLOADED, true,
			"<html>oops</html>" },
		{ 408, "", TROUBLE_UNREACHABLE, true, "" },
		{ 409, "{}", TROUBLE_OVERLOADED, true, "" },
		{ 401, "{\"error\":{\"type\":\"authentication_error\",\"message\":\"no\"}}",
			TROUBLE_UNAUTHORIZED, false, "no" },
		{ 403, "{}", TROUBLE_UNAUTHORIZED, false, "" },
		{ 402, "{}", TROUBLE_NO_CREDIT, false, "" },
		{ 402, "{\"error\":{\"type\":\"api_error\",\"message\":\"pay\"}}",
			TROUBLE_NO_CREDIT, false, "pay" },
		{ 400,
			"{\"error\":{\"type\":\"invalid_request_error\",\"message\":"
			"\"Your credit balance is too low to access\"}}",
			TROUBLE_NO_CREDIT, false,
			"Your credit balance is too low to access" },
		{ 400,
			"{\"error\":{\"type\":\"invalid_request_error\",\"message\":"
			"\"prompt is too long: 9 > 8\"}}",
			TROUBLE_TOO_LONG, false, "prompt is too long: 9 > 8" },
		{ 400, "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"x\"}}",
			TROUBLE_REFUSED, false, "x" },
		{ 404, "{\"error\":\"no such model\"}", TROUBLE_REFUSED, false,
			"no such model" },
		{ 422, "{}", TROUBLE_REFUSED, false, "" },
		{ 413, "{}", TROUBLE_TOO_LONG, false, "" },
		{ 429, "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"pay\"}}",
			TROUBLE_NO_CREDIT, false, "pay" },
		{ 429,
			"{\"error\":{\"code\":\"enforced_spend_limit_reached\",\"message\":"
			"\"pay\"}}",
			TROUBLE_NO_CREDIT, false, "pay" },
		{ 200, "{\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}",
			TROUBLE_OVERLOADED, true, "busy" },
		{ 200,
			"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":"
			"\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
			TROUBLE_OVERLOADED, true, "Overloaded" },
		{ 302, "", TROUBLE_REFUSED, false,
			"redirects to elsewhere (302); redirects are not followed" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct heard h = { 0 };

		hear(&h, WIRE_ANTHROPIC, cases[i].status, cases[i].body, 7, true);
		if (h.reply.trouble != cases[i].trouble)
			fail_msg("%d %s is %s", cases[i].status, cases[i].body,
				trouble_name(h.reply.trouble));
		CHECK_INT(h.reply.retry, cases[i].retry);
		CHECK_STR(str_of(h.reply.message), cases[i].message);
		CHECK_STR(h.reply.content, "[]");
		heard_done(&h);
	}
}

static void headers_say_whether_and_when_to_try_again(void **state)
{
	struct model_reader *r =
		model_reader_new(&(struct model_setup){ .wire = WIRE_ANTHROPIC });
	struct model_reply reply;

	(void)state;
	model_reader_end(r,
		&(struct model_end){
			.status = 529, .retry_after_ms = 1500, .no_retry = true },
		&reply);
	CHECK_INT(reply.retry_after_ms, 1500);
	CHECK(!reply.retry);
	model_reader_free(r);
	r = model_reader_new(&(struct model_setup){ .wire = WIRE_ANTHROPIC });
	model_reader_end(r,
		&(struct model_end){ .error = "no route", .retry_after_ms = -1 }, &reply);
	CHECK_INT(reply.trouble, TROUBLE_UNREACHABLE);
	CHECK(reply.retry);
	CHECK_STR(str_of(reply.message), "no route");
	model_reader_free(r);
}

static void stops_other_than_the_end_are_told(void **state)
{
	static const struct {
		const char *reason;
		enum trouble trouble;
		enum model_stop stop;
	} cases[] = {
		{ "max_tokens", TROUBLE_CUT, STOP_END },
		{ "refusal", TROUBLE_DECLINED, STOP_END },
		{ "pause_turn", TROUBLE_NONE, STOP_PAUSE },
		{ "stop_sequence", TROUBLE_NONE, STOP_END },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct heard h = { 0 };
		struct buf text = { 0 };

		buf_print(&text,
			"data: {\"type\":\"content_block_start\",\"index\":0,"
			"\"content_block\":{\"type\":\"text\",\"text\":\"so\"}}\n\n"
			"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
			"\"%s\"}}\n\n",
			cases[i].reason);
		hear(&h, WIRE_ANTHROPIC, 200, buf_text(&text), 50, true);
		CHECK_INT(h.reply.trouble, cases[i].trouble);
		CHECK_INT(h.reply.stop, cases[i].stop);
		CHECK_STR(h.reply.content, "[{\"type\":\"text\",\"text\":\"so\"}]");
		heard_done(&h);
		buf_done(&text);
	}
}

static void arguments_that_are_no_object_are_told(void **state)
{
	static const char *const bad[] = { "{\\\"a\\\":", "[1]", "3", "\\\"x\\\"" };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct heard h = { 0 };
		struct buf text = { 0 };

		buf_print(&text,
			"data: {\"type\":\"content_block_start\",\"index\":0,"
			"\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":"
			"\"n\",\"input\":{}}}\n\ndata: {\"type\":\"content_block_delta\","
			"\"index\":0,\"delta\":{\"type\":\"input_json_delta\","
			"\"partial_json\":\"%s\"}}\n\n"
			"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
			"\"tool_use\"}}\n\n",
			bad[i]);
		hear(&h, WIRE_ANTHROPIC, 200, buf_text(&text), 50, true);
		CHECK_INT(h.reply.trouble, TROUBLE_NONE);
		CHECK(str_find(h.reply.content,
			      STR("\"arguments\":{},\"unreadable\":\"")) > 0);
		heard_done(&h);
		buf_done(&text);
	}
}

static void every_allocation_of_a_reply_may_fail(void **state)
{
	struct buf wanted = { 0 };
	struct heard h = { 0 };

	(void)state;
	hear(&h, WIRE_ANTHROPIC, 200, whole_reply, 100, true);
	buf_add(&wanted, h.reply.content);
	heard_done(&h);
	for (uint64_t n = 1;; n++) {
		struct model_reader *r;
		struct model_reply reply = { .trouble = TROUBLE_INTERNAL };
		uint64_t used;

		mem_fail_at(n, 0);
		r = model_reader_new(&(struct model_setup){ .wire = WIRE_ANTHROPIC });
		if (r) {
			model_reader_feed(r, 200, str_of(whole_reply));
			model_reader_end(r,
				&(struct model_end){ .status = 200, .whole = true },
				&reply);
		}
		used = mem_count();
		mem_fail_at(0, 0);
		/* All of it, or nothing. */
		if (!reply.trouble) CHECK_STR(reply.content, buf_text(&wanted));
		model_reader_free(r);
		if (r && !reply.trouble && used < n) break;
		if (n > 10000) fail_msg("no end");
	}
	buf_done(&wanted);
}

/* ---- requests ---- */

static const struct model_tool tools[] = {
	{ STR("todo"), STR("Keeps tasks."), STR("{\"type\":\"object\"}") },
	{ STR("memory"), STR("Remembers."), STR("{\"type\":\"object\"}") },
};

static const struct model_message messages[] = {
	{ .role = MODEL_USER, .content = STR("[{\"type\":\"text\",\"text\":\"Hi\"}]") },
	{ .role = MODEL_ASSISTANT,
		.content = STR(
			"[{\"type\":\"thought\",\"text\":\"hm\"},{\"type\":\"thought\","
			"\"text\":\"\"},{\"type\":\"text\",\"text\":\"ok\"},{\"type\":"
			"\"tool_call\",\"id\":\"toolu_1\",\"name\":\"todo\",\"arguments\":"
			"{\"operation\":\"list\"},\"call\":\"call_x\"}]"),
		.kept = STR("{\"wire\":\"anthropic\",\"parts\":[{\"seal\":\"sig\"},"
			    "{\"as\":\"redacted\",\"seal\":\"xx\"}]}"),
		.kept_model = STR("claude-x") },
	{ .role = MODEL_TOOL,
		.content = STR("[{\"type\":\"tool_result\",\"id\":\"toolu_1\",\"name\":"
			       "\"todo\",\"content\":\"none\",\"is_error\":true}]") },
	{ .role = MODEL_USER,
		.content = STR("[{\"type\":\"text\",\"text\":\"\"},{\"type\":\"image\","
			       "\"media_type\":\"image/png\",\"data\":\"AA==\"}]") },
};

static void a_request_has_marks_for_the_cache_and_what_was_kept(void **state)
{
	struct model_request r = { .model = STR("claude-x"),
		.system = STR("Be brief."),
		.effort = EFFORT_HIGH,
		.output_max = 1000,
		.tools = tools,
		.tools_len = 2,
		.messages = messages,
		.messages_len = 4 };

	(void)state;
	check_request(WIRE_ANTHROPIC, &r,
		"{\"model\":\"claude-x\",\"max_tokens\":1000,\"stream\":true,"
		"\"thinking\":{\"type\":\"adaptive\",\"display\":\"summarized\"},\"output_config\":{\"effort\":"
		"\"high\"},\"tools\":[{\"name\":\"todo\",\"description\":\"Keeps tasks.\","
		"\"input_schema\":{\"type\":\"object\"}},{\"name\":\"memory\","
		"\"description\":\"Remembers.\",\"input_schema\":{\"type\":\"object\"}}],"
		"\"system\":[{\"type\":\"text\",\"text\":\"Be brief.\","
		"\"cache_control\":{\"type\":\"ephemeral\"}}],\"messages\":["
		"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]},"
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":"
		"\"hm\",\"signature\":\"sig\"},{\"type\":\"redacted_thinking\",\"data\":"
		"\"xx\"},{\"type\":\"text\",\"text\":\"ok\"},{\"type\":\"tool_use\",\"id\":"
		"\"toolu_1\",\"name\":\"todo\",\"input\":{\"operation\":\"list\"}}]},"
		"{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":"
		"\"toolu_1\",\"content\":\"none\",\"is_error\":true,\"cache_control\":"
		"{\"type\":\"ephemeral\"}}]},{\"role\":\"user\",\"content\":[{\"type\":"
		"\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\","
		"\"data\":\"AA==\"},\"cache_control\":{\"type\":\"ephemeral\"}}]}]}");
}

static void what_was_kept_goes_to_no_other_model(void **state)
{
	struct model_request r = {
		.model = STR("claude-y"), .messages = messages, .messages_len = 2
	};

	(void)state;
	check_request(WIRE_ANTHROPIC, &r,
		"{\"model\":\"claude-y\",\"max_tokens\":32000,\"stream\":true,"
		"\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":"
		"\"Hi\",\"cache_control\":{\"type\":\"ephemeral\"}}]},"
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"},"
		"{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"todo\",\"input\":"
		"{\"operation\":\"list\"}}]}]}");
}

static void addresses_and_headers(void **state)
{
	struct arena arena = { 0 };
	const char *const *lines = model_headers(WIRE_ANTHROPIC, STR("sk-1"), &arena);

	(void)state;
	CHECK_STR(str_of(lines[2]), "anthropic-version: 2023-06-01");
	CHECK_STR(str_of(lines[3]), "x-api-key: sk-1");
	CHECK(!lines[4]);
	CHECK(!model_headers(WIRE_ANTHROPIC, STR_NONE, &arena)[3]);
	CHECK_STR(str_of(model_url(WIRE_ANTHROPIC, STR_NONE, STR("m"), &arena)),
		"https://api.anthropic.com/v1/messages");
	CHECK_STR(str_of(model_url(
			  WIRE_ANTHROPIC, STR("http://127.0.0.1:1/"), STR("m"), &arena)),
		"http://127.0.0.1:1/v1/messages");
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_reply_is_the_same_however_it_is_cut),
		TEST(a_reply_that_breaks_off_counts_for_nothing),
		TEST(a_ping_is_no_sign_of_life),
		TEST(errors_have_their_kinds),
		TEST(headers_say_whether_and_when_to_try_again),
		TEST(stops_other_than_the_end_are_told),
		TEST(arguments_that_are_no_object_are_told),
		TEST(every_allocation_of_a_reply_may_fail),
		TEST(a_request_has_marks_for_the_cache_and_what_was_kept),
		TEST(what_was_kept_goes_to_no_other_model),
		TEST(addresses_and_headers),
	};

	return RUN(tests);
}
