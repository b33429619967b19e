/* What may be settled from a channel, whatever the person's role. */
#include "kit.h"

#include "core/channel_limit.h"

static const struct principal ana = { .role = ROLE_MEMBER, .user = STR("usr_ana") };
static const struct channel_limit slack = { .approve = RISK_MEDIUM, .rejects = true };
static const struct channel_limit push = { .approve = RISK_LOW, .few = true };

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
	e = channel_admit(l, &a, &parts, &ana, answer ? &given : NULL,
		answer ? kit_json(answer) : NULL, &why);
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
	struct draft d = kit_drafted(APPROVAL(", 'risk': 'low'", ""));
	struct ask a = kit_ask(&d);
	struct channel_limit l = slack;

	(void)state;
	a.digest = STR("sha256:0123456789abcdef0123");
	assert_string_equal(kit_text(ask_short_digest(&a)), "0123456789abcdef");
	l.digest = STR("0123456789abcdee");
	assert_string_equal(tried(&l, APPROVAL(", 'risk': 'low'", ""), YES), "stale");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(risk_decides_what_is_approved),
		KIT_TEST(a_message_about_another_operation_is_stale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
