/* The text that a stopped agent is resumed with: what it says of each ask, and what is left out
 * when there is too much. */
#include "kit.h"

#include "core/session/resume.h"

#include <stdio.h>

static struct ask *settled(const char *body, const struct settlement *how)
{
	struct draft d = kit_drafted(body);
	struct ask *a = ARENA_NEW(&kit, struct ask);
	const char *event;

	*a = kit_ask(&d);
	if (how) assert_int_equal(ask_finish(a, how, 5000, &kit, &event, NULL), OK);
	return a;
}

/* The text of these asks, given oldest first. */
static const char *context(struct session *s, struct ask *const *asks, size_t len)
{
	struct resume r = { .arena = &kit };

	for (int open = 1; open >= 0; open--)
		for (size_t i = len; i-- > 0;)
			if ((asks[i]->status == ASK_PENDING) == open)
				resume_add(&r, asks[i]);
	return kit_text(resume_text(&r, s));
}

static void it_says_what_was_asked_and_who_decided(void **state)
{
	const struct answer staging = { .json = STR("{}"),
		.summary = STR("- Where?: Staging") };
	const struct settlement human = { .verb = SETTLE_ANSWER,
		.answer = &staging,
		.answered_by = STR("{\"kind\":\"human\",\"name\":\"Ann\\nX\"}") };
	const struct settlement policy = { .verb = SETTLE_ANSWER,
		.answer = &staging,
		.answered_by = STR("{\"kind\":\"policy\",\"name\":\"rule 7\"}") };
	const struct settlement skip = { .verb = SETTLE_SKIP,
		.reason = STR("not\nmine"),
		.answered_by = STR("{\"kind\":\"human\",\"name\":\"Bob\"}") };
	const struct settlement fallback = { .verb = SETTLE_EXPIRE,
		.answer = &staging,
		.answered_by = STR("{\"kind\":\"default\"}") };
	const struct settlement expire = { .verb = SETTLE_EXPIRE };
	const struct settlement cancel = { .verb = SETTLE_CANCEL };
	struct session s = { .id = STR("ses_1"),
		.title = STR("Release 4.2"),
		.settled = 9,
		.open_input = 1 };

	(void)state;
	struct ask *asks[] = {
		settled("{'title':'Target','question':'Where?'}", &human),
		settled("{'question':'Where\\nelse?'}", &policy),
		settled("{'question':'Why?'}", &skip),
		settled("{'question':'Open?'}", NULL),
		settled("{'question':'When?'}", &fallback),
		settled("{'kind':'approval','operation':{'name':'shell'}}", &expire),
		settled("{'kind':'non_blocking','question':'Who?'}", &expire),
		settled("{'kind':'error_recovery','title':'Boom'}", &cancel),
	};
	for (size_t i = 0; i < 8; i++)
		asks[i]->id = str_of(kit_print("ask_%zu", i));
	assert_string_equal(context(&s, asks, 8),
		"You stopped to ask in the session \"Release 4.2\" (ses_1).\n"
		"\n"
		"What you asked, oldest first, and what came of it (2 older ones are left "
		"out):\n"
		"\n"
		"1. [blocking] Target\n"
		"Where?\n"
		"Id: ask_0\n"
		"Answered by a person (Ann X):\n"
		"- Where?: Staging\n"
		"\n"
		"2. [blocking] Where else?\n"
		"Id: ask_1\n"
		"Answered by a policy, not by a person (rule 7):\n"
		"- Where?: Staging\n"
		"\n"
		"3. [blocking] Why?\n"
		"Id: ask_2\n"
		"Skipped by a person (Bob): not mine\n"
		"\n"
		"4. [blocking] When?\n"
		"Id: ask_4\n"
		"Nobody answered before the deadline; the default, no person's decision, "
		"counts:\n"
		"- Where?: Staging\n"
		"\n"
		"5. [approval] shell\n"
		"Approve shell?\n"
		"Id: ask_5\n"
		"Operation: shell\n"
		"Nobody answered before the deadline; that counts as rejected\n"
		"\n"
		"6. [non_blocking] Who?\n"
		"Id: ask_6\n"
		"Nobody answered before the deadline\n"
		"\n"
		"7. [error_recovery] Boom\n"
		"Id: ask_7\n"
		"Cancelled, without an answer\n"
		"\n"
		"Still open:\n"
		"\n"
		"1. [blocking] Open?\n"
		"Id: ask_3\n");
}

static void an_approval_shows_the_arguments_as_they_were_approved(void **state)
{
	const struct answer edited = {
		.json = kit_quote("{'decision':{'value':'approve','arguments':{'n':2}}}"),
		.summary = STR("- Approve rm?: Approved (edited)"),
	};
	const struct answer plain = { .json = kit_quote(
					      "{'decision':{'value':'approve'}}"),
		.summary = STR("- Approve rm?: Approved") };
	struct settlement how = { .verb = SETTLE_ANSWER,
		.answer = &edited,
		.approved_digest = STR("sha256:22"),
		.answered_by = STR("{\"kind\":\"human\",\"name\":\"Ann\"}") };
	static const char body[] =
		"{'kind':'approval','operation':{'name':'rm','arguments':{'n':1}}}";
	struct session s = { .id = STR("ses_1"), .title = STR("T"), .settled = 2 };
	struct ask *asks[2];

	(void)state;
	asks[0] = settled(body, &how);
	how.answer = &plain;
	how.approved_digest = STR("sha256:11");
	asks[1] = settled(body, &how);
	asks[1]->used_ms = 6000;
	const char *text = context(&s, asks, 2);
	assert_non_null(strstr(text, "Operation: rm\n"
				     "Arguments, as a person edited them: {\"n\":2}\n"
				     "Approved: sha256:22\n"
				     "Answered by a person (Ann):\n"
				     "- Approve rm?: Approved (edited)\n"));
	assert_non_null(strstr(text, "Arguments: {\"n\":1}\n"
				     "Approved: sha256:11, and used already\n"));
}

static void the_thread_and_a_late_answer_are_told(void **state)
{
	const struct settlement expire = { .verb = SETTLE_EXPIRE };
	struct session s = { .id = STR("ses_1"), .title = STR("T"), .settled = 1 };
	struct ask *a = settled("{'question':'When?'}", &expire);
	const struct principal ann = { .role = ROLE_MEMBER, .name = STR("Ann") };
	const struct principal agent = { .role = ROLE_AGENT, .name = STR("bot") };

	(void)state;
	a->replies = ask_replies_add(STR_NONE, &ann, STR("Which\nday?"), 2000, &kit);
	a->replies = ask_replies_add(a->replies, &agent, STR("Monday"), 3000, &kit);
	a->replies = ask_replies_add(a->replies, &ann, STR("Yes, then"), 9000, &kit);
	assert_non_null(strstr(context(&s, &a, 1),
		"Nobody answered before the deadline\n"
		"Thread:\n"
		"- a person (Ann), 1970-01-01T00:00:02.000Z: Which day?\n"
		"- you, 1970-01-01T00:00:03.000Z: Monday\n"
		"Late answer, after the deadline:\n"
		"- a person (Ann), 1970-01-01T00:00:09.000Z: Yes, then\n"));
}

/* Everything as large as it can be: the newest settled ask is there, cut, and says so. */
static struct ask *large(const char *id, const struct settlement *how)
{
	const struct principal ann = { .role = ROLE_MEMBER, .name = STR("Ann") };
	struct ask *a = settled(
		kit_print("{'kind':'approval','operation':{'name':'x','arguments':'%s'},"
			  "'questions':[{'type':'approval','text':'ok?'}]}",
			kit_repeat("é", 300000)),
		how);

	a->id = str_of(id);
	a->replies = STR_NONE;
	for (int i = 0; i < 20; i++)
		a->replies = ask_replies_add(
			a->replies, &ann, str_of(kit_repeat("é", 10000)), 2000, &kit);
	return a;
}

static void what_is_too_much_loses_its_oldest_and_says_so(void **state)
{
	const struct answer much = { .json = STR("{}"),
		.summary = str_of(kit_repeat("é", 200000)) };
	const struct settlement how = { .verb = SETTLE_ANSWER,
		.answer = &much,
		.answered_by = STR("{\"kind\":\"human\"}") };
	struct session s = { .id = STR("ses_1"),
		.title = str_of(kit_repeat("é", 200)),
		.settled = 3,
		.open_approval = 3 };
	struct ask *asks[6];

	(void)state;
	for (int i = 0; i < 6; i++)
		asks[i] = large(kit_print("ask_%d", i), i < 3 ? &how : NULL);
	const char *text = context(&s, asks, 6);
	assert_in_range(strlen(text), 100 * 1024, RESUME_MAX);
	assert_non_null(strstr(text, "Id: ask_2\n"));
	assert_non_null(strstr(text, "Id: ask_5\n"));
	assert_null(strstr(text, "Id: ask_0\n"));
	assert_non_null(strstr(text, "(2 older ones are left out)"));
	assert_non_null(strstr(text, "(cut; GET /v1/asks/ask_2 has all of it)"));
	assert_non_null(strstr(text, "older messages are left out"));
}

static void of_many_small_ones_the_newest_are_there(void **state)
{
	const struct answer yes = { .json = STR("{}"), .summary = STR("- Go?: Yes") };
	const struct settlement how = { .verb = SETTLE_ANSWER,
		.answer = &yes,
		.answered_by = STR("{\"kind\":\"human\"}") };
	struct session s = { .id = STR("ses_1"), .title = STR("T"), .settled = 5000 };
	struct resume r = { .arena = &kit };
	struct ask *a = settled("{'question':'Go?'}", &how);
	char id[16];

	(void)state;
	for (int i = 5000; i > 0 && !r.full; i--) {
		snprintf(id, sizeof id, "ask_%d", i);
		a->id = str_of(id);
		resume_add(&r, a);
	}
	assert_true(r.full);
	const char *text = kit_text(resume_text(&r, &s));
	assert_in_range(strlen(text), 200 * 1024, RESUME_MAX);
	assert_non_null(strstr(text, "Id: ask_5000\n"));
	assert_null(strstr(text, "Id: ask_1\n"));
	assert_non_null(strstr(
		text, kit_print("(%zu older ones are left out)", 5000 - r.settled_len)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(it_says_what_was_asked_and_who_decided),
		KIT_TEST(an_approval_shows_the_arguments_as_they_were_approved),
		KIT_TEST(the_thread_and_a_late_answer_are_told),
		KIT_TEST(what_is_too_much_loses_its_oldest_and_says_so),
		KIT_TEST(of_many_small_ones_the_newest_are_there),
	};

	return cmocka_run_group_tests_name("core/resume", tests, NULL, NULL);
}
