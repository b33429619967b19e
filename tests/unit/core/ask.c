/* Every way out of pending, who may take it, and how an ask is shown. */
#include "core/shared/show.h"
#include "kit.h"

#define HUMAN	"{\"kind\":\"human\",\"user\":\"usr_1\",\"name\":\"Ann\",\"via\":\"web\"}"
#define DEFAULT "{\"kind\":\"default\",\"user\":null,\"name\":null,\"via\":null}"

static const struct answer yes = {
	.json = STR("{\"q1\":{\"value\":true}}"),
	.summary = STR("- Go?: Yes"),
};

static const struct settlement ways[] = {
	{ .verb = SETTLE_ANSWER,
		.answer = &yes,
		.answered_by = STR(HUMAN),
		.approved_digest = STR("sha256:x") },
	{ .verb = SETTLE_SKIP, .answered_by = STR(HUMAN) },
	{ .verb = SETTLE_SKIP, .answered_by = STR(HUMAN), .reason = STR("not mine") },
	{ .verb = SETTLE_EXPIRE },
	{ .verb = SETTLE_EXPIRE, .answer = &yes, .answered_by = STR(DEFAULT) },
	{ .verb = SETTLE_CANCEL },
	{ .verb = SETTLE_CANCEL, .reason = STR("done already") },
	{ .verb = SETTLE_CANCEL, .answered_by = STR(HUMAN) },
};

/* What each of the ways comes to. */
static const struct {
	enum ask_status status;
	const char *event, *answer, *answered_by, *summary, *reason;
} ends[] = {
	{ ASK_ANSWERED, "ask.answered", "{\"q1\":{\"value\":true}}", HUMAN, "- Go?: Yes",
		"" },
	{ ASK_SKIPPED, "ask.skipped", "", HUMAN, "Skipped", "" },
	{ ASK_SKIPPED, "ask.skipped", "", HUMAN, "Skipped: not mine", "not mine" },
	{ ASK_EXPIRED, "ask.expired", "", "", "No answer before the deadline", "" },
	{ ASK_EXPIRED, "ask.expired", "{\"q1\":{\"value\":true}}", DEFAULT, "- Go?: Yes",
		"" },
	{ ASK_CANCELLED, "ask.cancelled", "", "", "Cancelled", "" },
	{ ASK_CANCELLED, "ask.cancelled", "", "", "Cancelled: done already",
		"done already" },
	{ ASK_CANCELLED, "ask.cancelled", "", "", "Cancelled", "" },
};

enum { WAYS = sizeof ways / sizeof *ways };
_Static_assert(WAYS == sizeof ends / sizeof *ends, "a way an end");

static struct ask pending(void)
{
	struct draft d = kit_drafted("{'question':'Go?','type':'boolean'}");
	struct ask a = kit_ask(&d);

	a.claimed_user = STR("usr_1");
	a.claimed_name = STR("Ann");
	a.claimed_until_ms = 9000;
	return a;
}

static void a_pending_ask_can_be_settled_in_every_way(void **state)
{
	(void)state;
	for (size_t i = 0; i < WAYS; i++) {
		struct ask a = pending();
		const char *event = NULL;

		assert_int_equal(ask_finish(&a, &ways[i], 5000, &kit, &event, NULL), OK);
		assert_int_equal(a.status, ends[i].status);
		assert_string_equal(event, ends[i].event);
		assert_string_equal(kit_text(a.answer), ends[i].answer);
		assert_string_equal(kit_text(a.answered_by), ends[i].answered_by);
		assert_string_equal(kit_text(a.summary), ends[i].summary);
		assert_string_equal(kit_text(a.reason), ends[i].reason);
		assert_true(str_eq(a.approved_digest, ways[i].approved_digest));
		assert_int_equal(a.settled_ms, 5000);
		assert_int_equal(a.version, 2);
		assert_int_equal(a.claimed_until_ms, 0);
		assert_int_equal(a.claimed_user.len + a.claimed_name.len, 0);
	}
}

static void a_settled_ask_never_changes_again(void **state)
{
	(void)state;
	for (size_t first = 0; first < WAYS; first++) {
		for (size_t second = 0; second < WAYS; second++) {
			struct ask a = pending();
			const char *event = NULL;
			struct fault why = { 0 };

			assert_int_equal(
				ask_finish(&a, &ways[first], 1, &kit, &event, NULL), OK);
			struct ask before = a;
			event = "untouched";
			assert_int_equal(
				ask_finish(&a, &ways[second], 2, &kit, &event, &why),
				ERR_CONFLICT);
			assert_memory_equal(&a, &before, sizeof a);
			assert_string_equal(event, "untouched");
			assert_non_null(strstr(why.detail, ask_status_name(a.status)));
		}
	}
}

static void names_read_back_and_no_others_do(void **state)
{
	enum ask_kind kind = ASK_APPROVAL;
	enum ask_status status = ASK_SKIPPED;
	enum priority priority = PRIORITY_HIGH;

	(void)state;
	for (int i = ASK_BLOCKING; i <= ASK_ERROR_RECOVERY; i++) {
		enum ask_kind k;
		assert_true(ask_kind_read(str_of(ask_kind_name((enum ask_kind)i)), &k));
		assert_int_equal(k, i);
	}
	for (int i = ASK_PENDING; i <= ASK_CANCELLED; i++) {
		enum ask_status s;
		assert_true(
			ask_status_read(str_of(ask_status_name((enum ask_status)i)), &s));
		assert_int_equal(s, i);
	}
	for (int i = PRIORITY_LOW; i <= PRIORITY_URGENT; i++) {
		enum priority p;
		assert_true(priority_read(str_of(priority_name((enum priority)i)), &p));
		assert_int_equal(p, i);
	}
	assert_false(
		ask_kind_read(STR("Blocking"), &kind) || ask_kind_read(STR(""), &kind));
	assert_false(ask_status_read(STR("all"), &status));
	assert_false(priority_read(STR("none"), &priority));
	assert_true(kind == ASK_APPROVAL && status == ASK_SKIPPED &&
		    priority == PRIORITY_HIGH);
}

static void approved_means_answered_and_everything_approved(void **state)
{
	static const struct {
		const char *answer;
		enum ask_status status;
		bool approved;
	} table[] = {
		{ "{'decision':{'value':'approve'}}", ASK_ANSWERED, true },
		{ "{'decision':{'value':'approve','arguments':{'value':'reject'}}}",
			ASK_ANSWERED, true },
		{ "{'decision':{'value':'reject','text':'\\'value\\':\\'approve\\''}}",
			ASK_ANSWERED, false },
		{ "{'decision':{'value':'approve'}}", ASK_EXPIRED, false },
		{ "{'decision':{'value':'approve'}}", ASK_PENDING, false },
		{ "{'other':{'value':'approve'}}", ASK_ANSWERED, false },
		{ "{}", ASK_ANSWERED, false },
		{ "nonsense", ASK_ANSWERED, false },
	};
	struct draft d = kit_drafted("{'kind':'approval','operation':{'name':'sh'}}");
	bool approved;

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct ask a = kit_ask(&d);

		a.status = table[i].status;
		a.answer = kit_quote(table[i].answer);
		assert_int_equal(ask_approved(&a, &kit, &approved, NULL), OK);
		assert_int_equal(approved, table[i].approved);
	}
	d = kit_drafted("{'question':'a'}");
	struct ask plain = kit_ask(&d);
	plain.status = ASK_ANSWERED;
	plain.answer = STR("{}");
	assert_int_equal(ask_approved(&plain, &kit, &approved, NULL), OK);
	assert_false(approved);
}

static void a_default_never_looks_like_a_person(void **state)
{
	const struct principal ann = {
		.user = STR("usr_1"),
		.name = STR("Ann \"A\""),
		.via = STR("web"),
	};
	struct buf out = { 0 };

	(void)state;
	answered_by_write(&out, "human", &ann);
	kit_same("human", buf_str(&out),
		"{'kind':'human','user':'usr_1','name':'Ann \\'A\\'','via':'web'}");
	buf_clear(&out);
	answered_by_write(&out, "default", NULL);
	assert_string_equal(buf_text(&out), DEFAULT);
	buf_done(&out);
}

static void a_pending_ask_is_shown_with_every_member_in_order(void **state)
{
	struct draft d = kit_drafted("{'title':'T','question':'Go?','type':'boolean'}");
	struct ask a = kit_ask(&d);
	char agent[32];

	(void)state;
	agent_id(1, STR("builder"), agent);
	assert_string_equal(kit_shown(&a, 2000),
		kit_text(kit_quote(kit_print(
			"{'id':'ask_1','workspace':'main','session':'ses_1','session_"
			"title':'Release',"
			"'project':null,'run':null,'agent':{'id':'%s','name':'builder'},"
			"'kind':'blocking','status':'pending','title':'T','context':null,"
			"'questions':[{'key':'q1','text':'Go?','type':'boolean','"
			"required':true}],"
			"'operation':null,'default':null,'metadata':{},'risk':null,'digest':null,"
			"'approved_digest':null,'priority':'normal','assignees':[],'"
			"claimed_by':null,"
			"'version':1,'created_at':'1970-01-01T00:00:01.000Z','expires_at'"
			":null,"
			"'settled_at':null,'answer':null,'answered_by':null,'summary':'',"
			"'reason':null,"
			"'replies':[],'used_at':null,'fetched_at':null,'asked_again_at':null,'overtaken':null,'revoked':null,"
			"'require':null,'votes':[],'verify':null,'asked_because':null,'trace':null,"
			"'url':'http://h/asks/ask_1'}",
			agent))));
}

static void a_settled_ask_shows_its_outcome(void **state)
{
	struct ask a = pending();
	const char *event;

	(void)state;
	a.project = STR("web");
	a.run = STR("run_1");
	a.deadline_ms = 4000;
	a.digest = STR("sha256:d");
	a.assignees = STR("[\"usr_1\"]");
	assert_int_equal(ask_finish(&a, &ways[0], 3000, &kit, &event, NULL), OK);
	const struct json *json = kit_json(kit_shown(&a, 5000));
	assert_string_equal(kit_compact(kit_at(json, "answer.q1.value")), "true");
	assert_string_equal(kit_compact(kit_at(json, "answered_by")), HUMAN);
	assert_string_equal(
		kit_compact(kit_at(json, "settled_at")), "\"1970-01-01T00:00:03.000Z\"");
	assert_string_equal(
		kit_compact(kit_at(json, "expires_at")), "\"1970-01-01T00:00:04.000Z\"");
	assert_string_equal(kit_compact(kit_at(json, "project")), "\"web\"");
	assert_string_equal(kit_compact(kit_at(json, "run")), "\"run_1\"");
	assert_string_equal(kit_compact(kit_at(json, "digest")), "\"sha256:d\"");
	assert_string_equal(kit_compact(kit_at(json, "approved_digest")), "\"sha256:x\"");
	assert_string_equal(kit_compact(kit_at(json, "assignees.0")), "\"usr_1\"");
	assert_string_equal(kit_compact(kit_at(json, "summary")), "\"- Go?: Yes\"");
}

static void a_claim_is_shown_until_it_runs_out(void **state)
{
	struct ask a = pending();

	(void)state;
	assert_string_equal(
		kit_compact(kit_at(kit_json(kit_shown(&a, 8999)), "claimed_by")),
		"{\"user\":\"usr_1\",\"name\":\"Ann\",\"until\":\"1970-01-01T00:00:09."
		"000Z\"}");
	assert_string_equal(
		kit_compact(kit_at(kit_json(kit_shown(&a, 9000)), "claimed_by")), "null");
}

static void asks_shown_one_after_another_are_separated(void **state)
{
	struct ask a = pending();
	const struct ask_view view = { .url = STR("http://h\"") };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	const struct json *json;

	(void)state;
	jw_array(&w);
	ask_write(&w, &a, &view, 0);
	ask_write(&w, &a, &view, 0);
	jw_array_end(&w);
	assert_int_equal(json_read(buf_str(&out), NULL, &kit, &json, NULL), OK);
	assert_int_equal(json->count, 2);
	assert_string_equal(
		kit_text(json_text(kit_at(json, "1.url"))), "http://h\"/asks/ask_1");
	buf_done(&out);
}

static void replies_are_added_at_the_end(void **state)
{
	const struct principal ann = { .role = ROLE_MEMBER,
		.user = STR("usr_1"),
		.name = STR("Ann"),
		.via = STR("web") };
	const struct principal agent = {
		.role = ROLE_AGENT, .name = STR("builder"), .via = STR("api")
	};

	(void)state;
	struct str one =
		ask_replies_add(STR_NONE, &ann, STR("Which \"one\"?"), 1000, &kit);
	assert_true(str_eq(one,
		ask_replies_add(STR("[]"), &ann, STR("Which \"one\"?"), 1000, &kit)));
	struct str two = ask_replies_add(one, &agent, STR("That."), 2000, &kit);
	kit_same("replies", two,
		"[{'by':{'kind':'human','user':'usr_1','name':'Ann','via':'web'},"
		"'text':'Which \\'one\\'?','at':'1970-01-01T00:00:01.000Z'},"
		"{'by':{'kind':'agent','user':null,'name':'builder','via':'api'},"
		"'text':'That.','at':'1970-01-01T00:00:02.000Z'}]");
}

static void what_is_stored_wrongly_is_an_internal_fault(void **state)
{
	static const char *const stored[] = {
		"'questions':7",
		"'questions':[{}]",
		"'questions':[{'type':'x'}]",
		"'q",
		"",
	};
	struct ask_parts parts;

	(void)state;
	for (size_t i = 0; i < sizeof stored / sizeof *stored; i++) {
		struct ask a = { .id = STR("ask_1"), .fixed = kit_quote(stored[i]) };
		assert_int_equal(ask_parts(&a, &kit, &parts, NULL), ERR_INTERNAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_pending_ask_can_be_settled_in_every_way),
		KIT_TEST(a_settled_ask_never_changes_again),
		KIT_TEST(names_read_back_and_no_others_do),
		KIT_TEST(approved_means_answered_and_everything_approved),
		KIT_TEST(a_default_never_looks_like_a_person),
		KIT_TEST(a_pending_ask_is_shown_with_every_member_in_order),
		KIT_TEST(a_settled_ask_shows_its_outcome),
		KIT_TEST(a_claim_is_shown_until_it_runs_out),
		KIT_TEST(asks_shown_one_after_another_are_separated),
		KIT_TEST(replies_are_added_at_the_end),
		KIT_TEST(what_is_stored_wrongly_is_an_internal_fault),
	};

	return cmocka_run_group_tests_name("core/ask", tests, NULL, NULL);
}
