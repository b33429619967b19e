/* Every text that core writes into a question by itself has its words in French. */
#include "text/own.h"

#include "text/msg.h"

#include "kit.h"

static void in_french(struct str key, struct str text)
{
	struct str said;

	msg_lang_set(LANG_EN);
	assert_true(str_eq(own_words(key, text, &kit), text));
	msg_lang_set(LANG_FR);
	said = own_words(key, text, &kit);
	assert_true(said.len > 0 && !str_eq(said, text));
	msg_lang_set(LANG_EN);
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
	msg_lang_set(LANG_FR);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_true(
			str_eq(own_words(rows[i].key, rows[i].text, &kit), rows[i].text));
	msg_lang_set(LANG_EN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(what_core_wrote_is_translated),
		KIT_TEST(what_an_agent_wrote_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
