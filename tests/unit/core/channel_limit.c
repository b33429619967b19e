/* What may be settled from a channel, whatever the person's role. */
#include "kit.h"

#include "core/ask/ask.h"
#include "core/notify/channel_limit.h"

static const struct principal ana = { .role = ROLE_MEMBER, .user = STR("usr_ana") };
static const struct channel_limit slack = {
	.approve = RISK_MEDIUM, .rejects = true, .room = 100
};
static const struct channel_limit push = {
	.approve = RISK_LOW, .few = true, .room = 100
};

/* Of the ask that is tried. */
static struct str digest;

/* The reason, "stale", or "" when it is let through; `answer` NULL: a skip. */
static const char *tried(
	const struct channel_limit *l, const char *ask, const char *answer)
{
	struct draft d = kit_drafted(ask);
	struct ask a = kit_ask(&d);
	struct answer given = { 0 };
	struct ask_parts parts;
	struct fault why = { 0 };
	enum err e;

	assert_int_equal(ask_parts(&a, &kit, &parts, NULL), OK);
	if (answer) given = kit_answered(&d, answer);
	a.digest = digest;
	e = channel_admit(l, &a, &parts, &ana, answer ? &given : NULL,
		answer ? kit_json(answer) : NULL, &kit, &why);
	if (e == ERR_STALE) return "stale";
	assert_true(!e || e == ERR_NOT_ENTITLED);
	return e ? kit_text(str_of(why.member_text)) : "";
}

#define APPROVAL(risk, more)                                                             \
	"{'kind': 'approval', 'operation': {'name': 'deploy', 'arguments': {}" risk      \
	"}" more "}"
#define YES "{'answer': {'value': 'approve'}}"
#define NO  "{'answer': {'value': 'reject'}}"

static void risk_decides_what_is_approved(void **state)
{
	static const struct {
		const char *ask, *answer, *slack, *push;
	} rows[] = {
		{ APPROVAL(", 'risk': 'low'", ""), YES, "", "" },
		{ APPROVAL("", ""), YES, "", "channel" },
		{ APPROVAL(", 'risk': 'medium'", ""), YES, "", "channel" },
		{ APPROVAL(", 'risk': 'high'", ""), YES, "channel", "channel" },
		{ APPROVAL(", 'risk': 'high'", ""), NO, "", "channel" },
		{ APPROVAL(", 'risk': 'high'", ""), NULL, "", "channel" },
		{ APPROVAL(", 'risk': 'critical'", ""), NO, "channel", "channel" },
		{ APPROVAL(", 'risk': 'critical'", ""), NULL, "channel", "channel" },
		{ APPROVAL(", 'risk': 'low'", ", 'sensitive': true"), YES, "channel",
			"channel" },
		{ "{'question': 'Go on?', 'type': 'boolean'}", "{'answer': true}", "",
			"" },
		{ "{'question': 'Go on?', 'type': 'boolean'}", NULL, "", "channel" },
		{ "{'question': 'Which?', 'options': ['a', 'b']}", "{'answer': 'a'}", "",
			"" },
		{ "{'question': 'Which?', 'options': ['a', 'b', 'c']}", "{'answer': 'a'}",
			"", "channel" },
		{ "{'question': 'Name?', 'type': 'text'}", "{'answer': 'x'}", "",
			"channel" },
		{ APPROVAL(", 'risk': 'low'", ""),
			"{'answer': 'approve', 'scope': {'for': '1h'}}", "channel",
			"channel" },
		{ APPROVAL(", 'risk': 'low'", ""),
			"{'answer': {'value': 'approve', 'arguments': {'x': 1}}}",
			"channel", "channel" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_string_equal(
			tried(&slack, rows[i].ask, rows[i].answer), rows[i].slack);
		assert_string_equal(
			tried(&push, rows[i].ask, rows[i].answer), rows[i].push);
	}
}

static void a_message_about_another_operation_is_stale(void **state)
{
	struct channel_limit l = slack;

	(void)state;
	digest = STR("sha256:0123456789abcdef0123");
	l.digest = STR("0123456789abcdef");
	assert_string_equal(tried(&l, APPROVAL(", 'risk': 'low'", ""), YES), "");
	l.digest = STR("0123456789abcdee");
	assert_string_equal(tried(&l, APPROVAL(", 'risk': 'low'", ""), YES), "stale");
	/* None is as stale as another one. */
	assert_string_equal(tried(&slack, APPROVAL(", 'risk': 'low'", ""), YES), "stale");
	assert_string_equal(
		tried(&slack, APPROVAL(", 'risk': 'low'", ""), NULL), "stale");
	digest = STR_NONE;
}

#define LONG                                                                             \
	"0123456789012345678901234567890123456789012345678901234567890123456789"         \
	"0123456789012345678901234567890123456789"

static void what_is_not_shown_whole_is_rejected_or_skipped_alone(void **state)
{
	static const struct {
		const char *ask, *answer, *slack;
	} rows[] = {
		{ APPROVAL("", ", 'context': {'diff': '+ one line'}"), YES, "" },
		{ APPROVAL("", ", 'context': {'diff': '" LONG "'}"), YES, "channel" },
		{ APPROVAL("", ", 'context': {'diff': '" LONG "'}"), NO, "" },
		{ APPROVAL("", ", 'context': {'diff': '" LONG "'}"), NULL, "" },
		{ APPROVAL("", ", 'context': {'error_details': '" LONG "'}"), YES,
			"channel" },
		/* What an agent says of it is no part of it. */
		{ APPROVAL("", ", 'context': {'text': '" LONG "'}"), YES, "" },
		{ "{'kind': 'approval', 'operation': {'name': 'x', 'arguments': {'a': '" LONG
		  "'}}}",
			YES, "channel" },
		/* Hidden characters are shown, and count as they are shown. */
		{ "{'kind': 'approval', 'operation': {'name': 'x', 'arguments': {'a': "
		  "'\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b'}}}",
			YES, "channel" },
		{ "{'kind': 'approval', 'questions': [{'key': 'a', 'type': 'approval', "
		  "'text': '" LONG "'}]}",
			YES, "channel" },
		{ "{'kind': 'error_recovery', 'question': 'Again?', 'type': 'boolean', "
		  "'context': {'error_details': '" LONG "'}}",
			"{'answer': true}", "channel" },
		{ "{'question': 'Again?', 'type': 'boolean', 'context': {'error_details': "
		  "'short'}}",
			"{'answer': true}", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(
			tried(&slack, rows[i].ask, rows[i].answer), rows[i].slack);
}

static const char *drawn(const char *operation)
{
	return kit_text(operation_draw(kit_json(operation), &kit));
}

static void an_operation_is_drawn_plain(void **state)
{
	(void)state;
	assert_string_equal(drawn("{'name': 'Bash', 'arguments': {'command': 'echo <x>', "
				  "'timeout': 5, 'ok': true}}"),
		"Bash\ncommand: echo <x>\ntimeout: 5\nok: true");
	/* Lines of a text cannot be taken for another argument. */
	assert_string_equal(
		drawn("{'name': 'Write', 'arguments': {'content': 'a\\nrisk: none'}}"),
		"Write\ncontent:\n  a\n  risk: none");
	assert_string_equal(
		drawn("{'name': 'sh', 'arguments': {'argv': ['rm', '-r', 'a b']}}"),
		"sh\nargv: rm -r 'a b'");
	assert_string_equal(
		drawn("{'name': 'x\\u202ey', 'arguments': {}}"), "x‹U+202E›y");
	assert_string_equal(
		drawn("{'name': 'list', 'arguments': [1]}"), "list\n[\n  1\n]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(risk_decides_what_is_approved),
		KIT_TEST(a_message_about_another_operation_is_stale),
		KIT_TEST(what_is_not_shown_whole_is_rejected_or_skipped_alone),
		KIT_TEST(an_operation_is_drawn_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
