#include "cli/value.h"

#include "unit.h"

static struct option places[] = {
	{ STR("st"), STR("Staging") },
	{ STR("pr"), STR("Production") },
	{ STR("3"), STR("Third, by id") },
};
static struct arena arena;
static struct buf out;
static struct fault why;

static struct question question(enum question_type type)
{
	bool choice = type == Q_CHOICE || type == Q_CHOICES;

	return (struct question){ .key = STR("q1"),
		.type = type,
		.required = true,
		.options = choice ? places : NULL,
		.options_len = choice ? 3 : 0 };
}

static enum err put(const struct question *q, struct spoken said)
{
	struct json_writer w = { .out = &out };

	buf_clear(&out);
	why = (struct fault){ 0 };
	return value_write(q, &said, &arena, &w, &why);
}

#define WORDS(...)                                                                       \
	{                                                                                \
		.words = (const struct str[]){ __VA_ARGS__ },                            \
		.len = sizeof((const struct str[]){ __VA_ARGS__ }) / sizeof(struct str)  \
	}
#define PUT(q, ...) put(&(q), (struct spoken)WORDS(__VA_ARGS__))

static int clean(void **state)
{
	(void)state;
	buf_done(&out);
	arena_done(&arena);
	return 0;
}

static void yes_and_no_in_both_languages(void **state)
{
	struct question q = question(Q_BOOLEAN);

	(void)state;
	CHECK_INT(PUT(q, STR("yes")), OK);
	CHECK_STR(buf_str(&out), "{\"value\":true}");
	CHECK_INT(PUT(q, STR(" N ")), OK);
	CHECK_STR(buf_str(&out), "{\"value\":false}");
	CHECK_INT(PUT(q, STR("oui")), OK);
	CHECK_STR(buf_str(&out), "{\"value\":true}");
	CHECK_INT(PUT(q, STR("perhaps")), ERR_INVALID);
	CHECK(strstr(why.detail, "perhaps") && strstr(why.detail, "yes or no"));
	CHECK_INT(PUT(q, STR("yes"), STR("no")), ERR_INVALID);
}

static void an_option_is_named_by_id_label_or_place(void **state)
{
	struct question q = question(Q_CHOICE);

	(void)state;
	CHECK_INT(PUT(q, STR("st")), OK);
	CHECK_STR(buf_str(&out), "{\"selected\":[\"st\"]}");
	CHECK_INT(PUT(q, STR("PRODUCTION")), OK);
	CHECK_STR(buf_str(&out), "{\"selected\":[\"pr\"]}");
	CHECK_INT(PUT(q, STR("2")), OK);
	CHECK_STR(buf_str(&out), "{\"selected\":[\"pr\"]}");
	CHECK_INT(PUT(q, STR("3")), OK);
	CHECK_STR(buf_str(&out), "{\"selected\":[\"3\"]}");
	CHECK_INT(PUT(q, STR("Third,"), STR("by id")), OK);
	CHECK_STR(buf_str(&out), "{\"selected\":[\"3\"]}");
	CHECK_INT(PUT(q, STR("mars")), ERR_INVALID);
	CHECK(strstr(why.detail, "st, pr, 3"));
	CHECK_INT(PUT(q, STR("4")), ERR_INVALID);
}

static void other_is_said_to_be_other(void **state)
{
	struct question q = question(Q_CHOICE);
	struct spoken both = WORDS(STR("st"));

	(void)state;
	q.other = true;
	CHECK_INT(PUT(q, STR("other:the"), STR("moon")), OK);
	CHECK_STR(buf_str(&out), "{\"selected\":[],\"other\":\"the moon\"}");
	CHECK_INT(PUT(q, STR("stagin")), ERR_INVALID);
	CHECK(strstr(why.detail, "--other"));
	CHECK_INT(PUT(q, STR("4")), ERR_INVALID);
	both.other = STR("and more");
	CHECK_INT(put(&q, both), ERR_INVALID);
	CHECK_INT(put(&q, (struct spoken){ .other = STR("2") }), OK);
	CHECK_STR(buf_str(&out), "{\"selected\":[],\"other\":\"2\"}");
}

static void several_options_by_words_or_commas(void **state)
{
	struct question q = question(Q_CHOICES);

	(void)state;
	CHECK_INT(PUT(q, STR("st"), STR("Production"), STR("st")), OK);
	CHECK_STR(buf_str(&out), "{\"selected\":[\"st\",\"pr\"]}");
	CHECK_INT(PUT(q, STR("1, 2,")), OK);
	CHECK_STR(buf_str(&out), "{\"selected\":[\"st\",\"pr\"]}");
	CHECK_INT(PUT(q, STR("Third, by id")), OK);
	CHECK_STR(buf_str(&out), "{\"selected\":[\"3\"]}");
	CHECK_INT(PUT(q, STR("st,mars")), ERR_INVALID);
	q.other = true;
	CHECK_INT(PUT(q, STR("st"), STR("other:mars, perhaps")), OK);
	CHECK_STR(buf_str(&out), "{\"selected\":[\"st\"],\"other\":\"mars, perhaps\"}");
}

static void nothing_chosen_is_only_for_what_is_not_required(void **state)
{
	struct question q = question(Q_CHOICES);

	(void)state;
	CHECK_INT(put(&q, (struct spoken){ 0 }), ERR_INVALID);
	q.required = false;
	CHECK_INT(put(&q, (struct spoken){ 0 }), OK);
}

static void numbers_keep_their_spelling(void **state)
{
	struct question q = question(Q_NUMBER);

	(void)state;
	CHECK_INT(PUT(q, STR("9007199254740993")), OK);
	CHECK_STR(buf_str(&out), "{\"value\":9007199254740993}");
	CHECK_INT(PUT(q, STR(" -1.50 ")), OK);
	CHECK_STR(buf_str(&out), "{\"value\":-1.50}");
	CHECK_INT(PUT(q, STR("1e")), ERR_INVALID);
	CHECK_INT(PUT(q, STR("\"1\"")), ERR_INVALID);
	CHECK_INT(PUT(q, STR("")), ERR_INVALID);
}

static void text_is_passed_on_as_it_is(void **state)
{
	struct question q = question(Q_TEXT);

	(void)state;
	CHECK_INT(PUT(q, STR("a \"b\"\n"), STR("ü")), OK);
	CHECK_STR(buf_str(&out), "{\"text\":\"a \\\"b\\\"\\n ü\"}");
	CHECK_INT(PUT(q, STR("yes")), OK);
	CHECK_STR(buf_str(&out), "{\"text\":\"yes\"}");
}

static void a_note_goes_beside_the_choice(void **state)
{
	struct question q = question(Q_CHOICE);
	struct spoken said = WORDS(STR("st"));

	(void)state;
	said.note = STR("tests first");
	CHECK_INT(put(&q, said), OK);
	CHECK_STR(buf_str(&out), "{\"selected\":[\"st\"],\"text\":\"tests first\"}");
}

static void approvals_take_edited_arguments(void **state)
{
	struct question q = question(Q_APPROVAL);
	struct spoken said = WORDS(STR("approve"));

	(void)state;
	CHECK_INT(json_read(STR("{\"a\":1}"), NULL, &arena, &said.arguments, NULL), OK);
	CHECK_INT(put(&q, said), OK);
	CHECK_STR(buf_str(&out), "{\"value\":\"approve\",\"arguments\":{\"a\":1}}");
	CHECK_INT(PUT(q, STR("Rejeter")), OK);
	CHECK_STR(buf_str(&out), "{\"value\":\"reject\"}");
	CHECK_INT(PUT(q, STR("refuser")), OK);
	CHECK_STR(buf_str(&out), "{\"value\":\"reject\"}");
	CHECK_INT(PUT(q, STR("maybe")), ERR_INVALID);
}

#define CASE(name) cmocka_unit_test_teardown(name, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(yes_and_no_in_both_languages),
		CASE(an_option_is_named_by_id_label_or_place),
		CASE(other_is_said_to_be_other),
		CASE(several_options_by_words_or_commas),
		CASE(nothing_chosen_is_only_for_what_is_not_required),
		CASE(numbers_keep_their_spelling),
		CASE(text_is_passed_on_as_it_is),
		CASE(a_note_goes_beside_the_choice),
		CASE(approvals_take_edited_arguments),
	};

	return RUN(tests);
}
