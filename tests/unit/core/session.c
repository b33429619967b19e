/* The status a session's asks give it, the bodies that make and change it, and the text
 * that sets its agent going again. */
#include "kit.h"

static void names_read_back_and_three_are_ends(void **state)
{
	static const char *const names[] = { "idle", "running", "waiting_for_input",
		"waiting_for_approval", "completed", "failed", "cancelled" };
	enum session_status status;

	(void)state;
	for (int i = SESSION_IDLE; i <= SESSION_CANCELLED; i++) {
		struct session s = { .status = (enum session_status)i };

		assert_string_equal(session_status_name(s.status), names[i]);
		assert_true(session_status_read(str_of(names[i]), &status));
		assert_int_equal(status, i);
		assert_int_equal(session_ended(&s), i >= SESSION_COMPLETED);
	}
	assert_false(session_status_read(STR("waiting"), &status));
}

/* A story in letters: b, n, a, e open an ask of that kind, capitals settle one. After
 * each letter the status: i, r, w (input), v (approval). */
static void stories_of_asks_give_their_session_its_status(void **state)
{
	static const struct {
		const char *asks, *statuses;
	} table[] = {
		{ "b", "w" },
		{ "e", "w" },
		{ "a", "v" },
		{ "n", "i" },
		{ "bB", "wr" },
		{ "eE", "wr" },
		{ "aA", "vr" },
		{ "nN", "ii" },
		{ "abBA", "vwvr" },
		{ "baBA", "wwvr" },
		{ "baAB", "wwwr" },
		{ "beBE", "wwwr" },
		{ "bnBN", "wwrr" },
		{ "nbNB", "iwwr" },
		{ "aaAA", "vvvr" },
		{ "bBbB", "wrwr" },
		{ "bBnN", "wrrr" },
	};
	static const char kinds[] = { [ASK_BLOCKING] = 'b',
		[ASK_NON_BLOCKING] = 'n',
		[ASK_APPROVAL] = 'a',
		[ASK_ERROR_RECOVERY] = 'e' };
	static const char shown[] = "irwv";

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct session s = { .version = 1 };

		for (size_t k = 0; table[i].asks[k]; k++) {
			char letter = table[i].asks[k];
			enum session_status before = s.status;
			bool settles = letter < 'a';
			const char *at = memchr(kinds, letter | 0x20, sizeof kinds);
			enum ask_kind kind = (enum ask_kind)(at - kinds);

			bool changed = settles ? session_settled(&s, kind, 7)
					       : session_opened(&s, kind, 7);
			if (shown[s.status] != table[i].statuses[k])
				fail_msg("%s: %s after %zu", table[i].asks,
					session_status_name(s.status), k + 1);
			assert_int_equal(changed, before != s.status);
			assert_int_equal(s.updated_ms, 7);
			assert_int_equal(s.version, 2 + (int64_t)k);
		}
	}
}

static void an_ended_session_keeps_its_status(void **state)
{
	struct session s = { .status = SESSION_RUNNING };

	(void)state;
	session_opened(&s, ASK_BLOCKING, 1);
	s.status = SESSION_CANCELLED;
	assert_false(session_settled(&s, ASK_BLOCKING, 2));
	assert_int_equal(s.status, SESSION_CANCELLED);
	assert_int_equal(s.open_input, 0);
	assert_int_equal(s.open_blocking, 0);
	assert_int_equal(s.settled, 1);
}

static void a_session_takes_one_blocking_ask_at_a_time(void **state)
{
	static const struct {
		struct session session;
		enum ask_kind kind;
		enum err err;
	} table[] = {
		{ { 0 }, ASK_BLOCKING, OK },
		{ { .open_input = 1, .open_blocking = 1 }, ASK_BLOCKING, ERR_CONFLICT },
		{ { .open_input = 1, .open_blocking = 1, .parallel = true }, ASK_BLOCKING,
			OK },
		{ { .open_input = 1 }, ASK_BLOCKING, OK }, /* an error recovery */
		{ { .open_input = 1, .open_blocking = 1 }, ASK_ERROR_RECOVERY, OK },
		{ { .open_input = 1, .open_blocking = 1 }, ASK_APPROVAL, OK },
		{ { .open_input = 1, .open_blocking = 1 }, ASK_NON_BLOCKING, OK },
		{ { .open_approval = 3 }, ASK_BLOCKING, OK },
		{ { .status = SESSION_COMPLETED }, ASK_NON_BLOCKING, ERR_CONFLICT },
		{ { .status = SESSION_FAILED }, ASK_BLOCKING, ERR_CONFLICT },
		{ { .status = SESSION_CANCELLED, .parallel = true }, ASK_BLOCKING,
			ERR_CONFLICT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct fault why = { 0 };

		assert_int_equal(session_may_ask(&table[i].session, table[i].kind, &why),
			table[i].err);
		if (table[i].err)
			assert_non_null(strstr(why.detail, ": ")); /* what to do */
	}
}

static void it_can_resume_once_something_is_settled_and_nothing_is_waited_for(
	void **state)
{
	static const struct {
		struct session session;
		bool resumed, can;
	} table[] = {
		{ { 0 }, true, false },
		{ { .settled = 1 }, true, true },
		{ { .settled = 1, .open_other = 2 }, true, true },
		{ { .settled = 1, .open_input = 1 }, false, false },
		{ { .settled = 1, .open_approval = 1 }, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		assert_int_equal(session_resumed(&table[i].session), table[i].resumed);
		assert_int_equal(session_can_resume(&table[i].session), table[i].can);
	}
}

static const struct {
	const char *body, *pointer, *detail;
} wrong_drafts[] = {
	{ "7", "", "object" },
	{ "{}", "/title", "required" },
	{ "{'title':''}", "/title", "empty" },
	{ "{'title':1}", "/title", "string" },
	{ "{'title':'a\\nb'}", "/title", "one line" },
	{ "{'title':'T','name':'x'}", "/name", "unknown" },
	{ "{'title':'T','agent':1}", "/agent", "string" },
	{ "{'title':'T','project':''}", "/project", "empty" },
	{ "{'title':'T','external_id':[]}", "/external_id", "string" },
	{ "{'title':'T','parallel':'yes'}", "/parallel", "true or false" },
	{ "{'title':'T','metadata':1}", "/metadata", "object" },
	{ "{'title':'T','on_settled':'https://x'}", "/on_settled", "object" },
	{ "{'title':'T','on_settled':{}}", "/on_settled", "both" },
	{ "{'title':'T','on_settled':{'webhook':'http://u@h'}}", "/on_settled/webhook",
		"http" },
	{ "{'title':'T','on_settled':{'webhook':'ftp://h'}}", "/on_settled/webhook",
		"http" },
	{ "{'title':'T','on_settled':{'webhook':'https://'}}", "/on_settled/webhook",
		"http" },
	{ "{'title':'T','on_settled':{'webhook':'https:///x'}}", "/on_settled/webhook",
		"http" },
	{ "{'title':'T','on_settled':{'webhook':'http://a b'}}", "/on_settled/webhook",
		"http" },
	{ "{'title':'T','on_settled':{'webhook':1}}", "/on_settled/webhook", "string" },
	{ "{'title':'T','on_settled':{'url':'http://h'}}", "/on_settled/url", "unknown" },
};

static void a_wrong_session_is_told_where_and_why(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrong_drafts / sizeof *wrong_drafts; i++) {
		struct session_draft d;
		struct fault why = { 0 };
		const char *body = wrong_drafts[i].body;

		if (session_draft_read(kit_json(body), &kit, &d, &why) != ERR_INVALID)
			fail_msg("%s is taken", body);
		kit_item(body, &why, wrong_drafts[i].pointer, wrong_drafts[i].detail);
	}
}

static void a_session_body_keeps_its_limits(void **state)
{
	static const struct {
		const char *body;
		size_t max;
	} table[] = {
		{ "{'title':'%s'}", 200 },
		{ "{'title':'T','agent':'%s'}", 100 },
		{ "{'title':'T','project':'%s'}", 100 },
		{ "{'title':'T','external_id':'%s'}", 256 },
		{ "{'title':'T','on_settled':{'webhook':'http://h/%s'}}", 1991 },
		{ "{'title':'T','on_settled':{'resumer':'%s'}}", 100 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const char *fits = kit_fill(table[i].body, kit_repeat("é", table[i].max));
		const char *not =
			kit_fill(table[i].body, kit_repeat("é", table[i].max + 1));
		struct session_draft d;

		assert_int_equal(session_draft_read(kit_json(fits), &kit, &d, NULL), OK);
		assert_int_equal(
			session_draft_read(kit_json(not ), &kit, &d, NULL), ERR_INVALID);
	}
}

static void a_session_body_says_what_it_says(void **state)
{
	struct session_draft d;

	(void)state;
	assert_int_equal(
		session_draft_read(kit_json("{'title':'T'}"), &kit, &d, NULL), OK);
	assert_string_equal(kit_text(d.metadata), "{}");
	assert_int_equal(
		d.on_settled.len + d.agent.len + d.project.len + d.external_id.len, 0);
	assert_false(d.parallel);
	assert_int_equal(
		session_draft_read(kit_json("{'title':'T','agent':'A','project':'P','"
					    "external_id':'X',"
					    "'parallel':true,'metadata':{ 'a': 1 },"
					    "'on_settled':{'webhook':'https://h/x'}}"),
			&kit, &d, NULL),
		OK);
	assert_string_equal(kit_text(d.agent), "A");
	assert_string_equal(kit_text(d.project), "P");
	assert_string_equal(kit_text(d.external_id), "X");
	assert_true(d.parallel);
	assert_string_equal(kit_text(d.metadata), "{\"a\":1}");
	assert_string_equal(kit_text(d.on_settled), "{\"webhook\":\"https://h/x\"}");
}

static void a_patch_changes_title_or_status(void **state)
{
	static const struct {
		const char *body;
		enum err err;
		bool title, status;
	} table[] = {
		{ "{'title':'T'}", OK, true, false },
		{ "{'status':'completed'}", OK, false, true },
		{ "{'title':'T','status':'running'}", OK, true, true },
		{ "{}", ERR_INVALID, false, false },
		{ "{'status':'done'}", ERR_INVALID, false, false },
		{ "{'status':7}", ERR_INVALID, false, false },
		{ "{'title':''}", ERR_INVALID, false, false },
		{ "{'title':'T','project':'P'}", ERR_INVALID, false, false },
		{ "[]", ERR_INVALID, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct session_patch p = { 0 };

		assert_int_equal(session_patch_read(kit_json(table[i].body), &p, NULL),
			table[i].err);
		assert_int_equal(p.has_title, table[i].title);
		assert_int_equal(p.has_status, table[i].status);
	}
}

static void progress_is_a_text_and_perhaps_steps(void **state)
{
	static const struct {
		const char *body, *kept;
	} table[] = {
		{ "{'text':'Building'}", "{'text':'Building'}" },
		{ "{'steps':3,'step':1,'text':'B'}", "{'text':'B','step':1,'steps':3}" },
		{ "{'text':'B','step':4}", "{'text':'B','step':4}" },
		{ "{'text':'B','step':null}", "{'text':'B'}" },
		{ "{'step':1}", NULL },
		{ "{'text':' '}", NULL },
		{ "{'text':1}", NULL },
		{ "{'text':'B','step':'1'}", NULL },
		{ "{'text':'B','step':-1}", NULL },
		{ "{'text':'B','step':1.5}", NULL },
		{ "{'text':'B','step':4,'steps':3}", NULL },
		{ "{'text':'B','percent':3}", NULL },
		{ "'B'", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct str out = STR_NONE;
		enum err e =
			session_progress_read(kit_json(table[i].body), &kit, &out, NULL);

		assert_int_equal(e, table[i].kept ? OK : ERR_INVALID);
		if (table[i].kept) assert_true(str_eq(out, kit_quote(table[i].kept)));
	}
	struct str out;
	assert_int_equal(session_progress_read(kit_json(kit_fill("{'text':'%s'}",
						       kit_repeat("é", 2000))),
				 &kit, &out, NULL),
		OK);
	assert_int_equal(session_progress_read(kit_json(kit_fill("{'text':'%s'}",
						       kit_repeat("é", 2001))),
				 &kit, &out, NULL),
		ERR_INVALID);
}

static void a_session_is_shown_with_every_member(void **state)
{
	struct session s = { .ws = 1,
		.id = STR("ses_1"),
		.title = STR("T"),
		.agent = STR("builder"),
		.created_ms = 1000,
		.updated_ms = 2000 };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	char agent[32];

	(void)state;
	agent_id(1, s.agent, agent);
	session_write(&w, &s, STR("[{}]"));
	assert_string_equal(buf_text(&out),
		kit_text(kit_quote(kit_print(
			"{'id':'ses_1','title':'T','agent':{'id':'%s','name':'"
			"builder'},'project':null,"
			"'external_id':null,'parallel':false,'sensitive':false,'status':'idle','"
			"pending_asks':[{}],"
			"'progress':null,'metadata':{},'on_settled':null,'on_ended':null,"
			"'created_at':'1970-01-01T00:00:01.000Z',"
			"'updated_at':'1970-01-01T00:00:02.000Z'}",
			agent))));
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(names_read_back_and_three_are_ends),
		KIT_TEST(stories_of_asks_give_their_session_its_status),
		KIT_TEST(an_ended_session_keeps_its_status),
		KIT_TEST(a_session_takes_one_blocking_ask_at_a_time),
		KIT_TEST(
			it_can_resume_once_something_is_settled_and_nothing_is_waited_for),
		KIT_TEST(a_wrong_session_is_told_where_and_why),
		KIT_TEST(a_session_body_keeps_its_limits),
		KIT_TEST(a_session_body_says_what_it_says),
		KIT_TEST(a_patch_changes_title_or_status),
		KIT_TEST(progress_is_a_text_and_perhaps_steps),
		KIT_TEST(a_session_is_shown_with_every_member),
	};

	return cmocka_run_group_tests_name("core/session", tests, NULL, NULL);
}
