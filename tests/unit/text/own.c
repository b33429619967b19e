/* Every text that core writes into a question by itself has its words in French. */
#include "text/own.h"

#include "text/msg.h"

#include "kit.h"

static void in_french(struct str key, struct str text)
{
	struct str said;

	assert_true(str_eq(own_words(key, text, LANG_EN, &kit), text));
	said = own_words(key, text, LANG_FR, &kit);
	assert_true(said.len > 0 && !str_eq(said, text));
}

static void what_core_wrote_is_translated(void **state)
{
	static const char *const bodies[] = {
		"{'kind':'error_recovery'}",
		"{'kind':'approval','operation':{'name':'a?b','arguments':{}}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		struct draft d = kit_drafted(bodies[i]);
		const struct question *q = d.questions;

		in_french(q->key, q->text);
		for (size_t o = 0; o < q->options_len; o++)
			in_french(q->key, q->options[o].label);
	}
	in_french(STR("decision"), STR("Approve?"));
}

static void what_a_run_says_is_translated(void **state)
{
	static const struct {
		const char *text, *id;
	} rows[] = {
		{ "deploy was interrupted", "web.own.recovery.interrupted" },
		{ "deploy reached a limit", "web.own.recovery.limit" },
		{ "deploy cannot continue", "web.own.recovery.stuck" },
		{ "The server stopped during this operation, which began at 08:00. It may "
		  "have taken effect.",
			"web.own.recovery.interrupted.about" },
		{ "No answer came during this operation, which began at 08:00. It may have "
		  "taken effect.",
			"web.own.recovery.unanswered.about" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct str said =
			own_words(STR("recovery"), str_of(rows[i].text), LANG_FR, &kit);
		struct str french = MSG_IN(&kit, LANG_FR, rows[i].id,
			{ "name", STR("deploy") }, { "time", STR("08:00") });

		assert_true(str_eq(said, french));
	}
}

static void what_an_agent_wrote_is_not(void **state)
{
	static const struct {
		struct str key, text;
	} rows[] = {
		{ STR("recovery"), STR("Retry twice") },
		{ STR("q1"), STR("Retry") },
		{ STR("decision"), STR("Approved?") },
		{ STR("decision"), STR("Approve ") },
		{ STR("q1"), STR("Approve this?") },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_true(str_eq(own_words(rows[i].key, rows[i].text, LANG_FR, &kit),
			rows[i].text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(what_core_wrote_is_translated),
		KIT_TEST(what_a_run_says_is_translated),
		KIT_TEST(what_an_agent_wrote_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
