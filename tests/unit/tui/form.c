#include "tui/form.h"

#include "base/utf8.h"
#include "unit.h"

static struct arena arena;
static struct form form;

/* Opens a form over the `questions` of an ask, as agents write them. */
static void open_form(const char *questions)
{
	struct question *list = NULL;
	const struct json *json = NULL;
	struct fault why = { 0 };

	form_close(&form);
	assert_int_equal(json_read(str_of(questions), NULL, &arena, &json, &why), OK);
	list = ARENA_ARRAY(&arena, struct question, json->count);
	for (uint32_t i = 0; i < json->count; i++)
		assert_int_equal(question_read(&json->items[i], "", false, i + 1, &arena,
					 &list[i], &why),
			OK);
	CHECK(form_open(&form, list, json->count));
	form.armed = true;
}

static enum wish hit(enum key_name name)
{
	return form_key(&form, &(struct key){ .name = name });
}

static enum wish press(int32_t letter)
{
	return form_key(&form, &(struct key){ .name = K_CHAR, .point = letter });
}

static void type(const char *text)
{
	struct str rest = str_of(text);

	for (int32_t c; (c = utf8_next(&rest)) >= 0;)
		press(c);
}

static void paste(const char *text)
{
	for (; *text; text++) {
		struct key k = { .name = *text == '\r' ? K_ENTER : K_CHAR,
			.point = *text,
			.pasted = true };

		CHECK_INT(form_key(&form, &k), WISH_NONE);
	}
}

static struct str answer(void)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	form_answer(&form, &w);
	struct str kept = arena_str(&arena, buf_str(&out));
	buf_done(&out);
	return kept;
}

static void flawed(const char *id)
{
	CHECK(form.flaw.id);
	CHECK_STR(str_of(form.flaw.id), id);
}

static int teardown(void **state)
{
	(void)state;
	form_close(&form);
	arena_done(&arena);
	return 0;
}

#define CHOICE                                                                           \
	"{\"key\":\"env\",\"header\":\"Environment\",\"text\":\"Where?\","               \
	"\"type\":\"choice\",\"options\":[{\"id\":\"s\",\"label\":\"Staging\"},"         \
	"{\"id\":\"p\",\"label\":\"Production\"}]"
#define CHOICES                                                                          \
	"{\"key\":\"tests\",\"text\":\"Which?\",\"type\":\"choices\",\"options\":["      \
	"{\"id\":\"u\",\"label\":\"Unit\"},{\"id\":\"a\",\"label\":\"Api\"}]"
#define TEXT "{\"key\":\"why\",\"text\":\"Why?\",\"type\":\"text\""

static void enter_on_a_lone_choice_submits_it(void **state)
{
	(void)state;
	open_form("[" CHOICE "}]");
	hit(K_DOWN);
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
	CHECK_STR(answer(), "{\"env\":{\"selected\":[\"p\"]}}");
}

static void space_chooses_without_sending(void **state)
{
	(void)state;
	open_form("[" CHOICE "}]");
	CHECK_INT(press(' '), WISH_NONE);
	CHECK(form_row_chosen(&form, 0, 0));
	CHECK_INT(press('2'), WISH_NONE);
	CHECK(!form_row_chosen(&form, 0, 0) && form_row_chosen(&form, 0, 1));
	CHECK_INT(hit(K_TAB), WISH_NONE);
	CHECK_INT(hit(K_RIGHT), WISH_NONE);
}

static void several_are_toggled_and_confirmed(void **state)
{
	(void)state;
	open_form("[" CHOICES "}]");
	CHECK_INT(hit(K_ENTER), WISH_NONE);
	flawed("web.form.flaw.choices");
	press(' ');
	hit(K_DOWN);
	press(' ');
	hit(K_UP);
	press(' ');
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
	CHECK_STR(answer(), "{\"tests\":{\"selected\":[\"a\"]}}");
}

static void other_opens_a_line_and_keeps_its_text(void **state)
{
	(void)state;
	open_form("[" CHOICE ",\"other\":true}]");
	hit(K_END);
	CHECK_INT(hit(K_ENTER), WISH_NONE);
	CHECK_INT(form.mode, FORM_OTHER);
	CHECK_INT(hit(K_ENTER), WISH_NONE);
	flawed("web.form.flaw.other");
	type("the moon");
	CHECK(!form.flaw.id);
	CHECK_INT(hit(K_ESCAPE), WISH_NONE);
	CHECK_INT(form.mode, FORM_CHOOSE);
	press('1');
	CHECK_STR(answer(), "{\"env\":{\"selected\":[\"s\"]}}");
	press('3');
	CHECK_INT(form.mode, FORM_CHOOSE);
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
	CHECK_STR(answer(), "{\"env\":{\"other\":\"the moon\"}}");
}

static void leaving_an_empty_other_unchooses_it(void **state)
{
	(void)state;
	open_form("[" CHOICES ",\"other\":true}]");
	press('1');
	press('3');
	CHECK_INT(form.mode, FORM_OTHER);
	hit(K_ESCAPE);
	CHECK(!form_row_chosen(&form, 0, 2));
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
}

static void escape_goes_back_and_never_decides(void **state)
{
	(void)state;
	open_form("[" CHOICE "}]");
	CHECK_INT(hit(K_ESCAPE), WISH_LEAVE);
	CHECK_INT(form.mode, FORM_CHOOSE);
	CHECK_INT(press('s'), WISH_NONE);
	CHECK_INT(form.mode, FORM_SKIP);
	CHECK_INT(hit(K_ENTER), WISH_NONE);
	CHECK_INT(form.mode, FORM_CHOOSE);
	press('s');
	CHECK_INT(hit(K_ESCAPE), WISH_NONE);
	CHECK_INT(form.mode, FORM_CHOOSE);
	press('s');
	CHECK_INT(press('n'), WISH_NONE);
	CHECK_INT(form.mode, FORM_CHOOSE);
	press('s');
	CHECK_INT(press('y'), WISH_SKIP);
}

static void where_it_cannot_be_left_escape_asks(void **state)
{
	(void)state;
	open_form("[" CHOICE "}]");
	form.stays = true;
	CHECK_INT(hit(K_ESCAPE), WISH_NONE);
	CHECK_INT(form.mode, FORM_SKIP);
	CHECK_INT(hit(K_ESCAPE), WISH_NONE);
	CHECK_INT(form.mode, FORM_CHOOSE);
	hit(K_ESCAPE);
	CHECK_INT(press('y'), WISH_SKIP);
}

static void a_text_is_skipped_by_a_key_that_types_nothing(void **state)
{
	(void)state;
	open_form("[{\"key\":\"t\",\"text\":\"?\",\"type\":\"text\"}]");
	type("half");
	CHECK_INT(hit(K_SKIP), WISH_NONE);
	CHECK_INT(form.mode, FORM_SKIP);
	CHECK_INT(press('n'), WISH_NONE);
	CHECK_INT(form.mode, FORM_WRITE);
	CHECK_INT(hit(K_ESCAPE), WISH_LEAVE);
	CHECK_STR(answer(), "{\"t\":{\"text\":\"half\"}}");
}

static void nothing_is_decided_before_it_is_armed_and_that_is_told(void **state)
{
	(void)state;
	open_form("[" CHOICE "}]");
	form.armed = false;
	CHECK_INT(hit(K_ENTER), WISH_EARLY);
	press('s');
	CHECK_INT(press('y'), WISH_EARLY);
	form.armed = true;
	CHECK_INT(press('y'), WISH_SKIP);
}

static void several_questions_end_in_a_review(void **state)
{
	(void)state;
	open_form("[" CHOICE "}," CHOICES "}," TEXT "}]");
	CHECK_INT(hit(K_ENTER), WISH_NONE);
	CHECK_INT(form.at, 1);
	press(' ');
	hit(K_ENTER);
	CHECK_INT(form.mode, FORM_WRITE);
	type("because");
	CHECK_INT(hit(K_ENTER), WISH_NONE);
	CHECK_INT(form.mode, FORM_REVIEW);
	hit(K_LEFT);
	CHECK_INT(form.at, 2);
	hit(K_HOME);
	hit(K_LEFT);
	CHECK_INT(form.at, 1);
	hit(K_LEFT);
	CHECK_INT(form.at, 0);
	hit(K_RIGHT);
	hit(K_RIGHT);
	hit(K_TAB);
	CHECK_INT(form.mode, FORM_REVIEW);
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
	CHECK_STR(answer(),
		"{\"env\":{\"selected\":[\"s\"]},\"tests\":{\"selected\":[\"u\"]"
		"},\"why\":{\"text\":\"because\"}}");
}

static void a_row_of_the_review_leads_to_its_question(void **state)
{
	(void)state;
	open_form("[" CHOICE "}," CHOICES ",\"required\":false}]");
	hit(K_ENTER);
	hit(K_TAB);
	CHECK_INT(form.mode, FORM_REVIEW);
	hit(K_HOME);
	CHECK_INT(hit(K_ENTER), WISH_NONE);
	CHECK_INT(form.at, 0);
}

static void what_the_agent_knows_is_shown_chosen(void **state)
{
	(void)state;
	open_form("[" CHOICE ",\"prefill\":\"p\"}]");
	CHECK(form_row_chosen(&form, 0, 1));
	CHECK_INT(form.entries[0].row, 1);
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
	open_form("[" CHOICES ",\"other\":true,\"prefill\":[\"u\",\"more\"]}]");
	CHECK_STR(answer(), "{\"tests\":{\"selected\":[\"u\"],\"other\":\"more\"}}");
	open_form("[" TEXT ",\"prefill\":\"so\"}]");
	CHECK_STR(answer(), "{\"why\":{\"text\":\"so\"}}");
}

static void a_note_is_asked_for_before_it_is_sent(void **state)
{
	(void)state;
	open_form("[" CHOICE ",\"note\":{\"required\":true}}]");
	CHECK_INT(hit(K_ENTER), WISH_NONE);
	CHECK_INT(form.mode, FORM_NOTE);
	CHECK_INT(hit(K_ENTER), WISH_NONE);
	flawed("web.form.flaw.note");
	type("careful");
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
	CHECK_STR(answer(), "{\"env\":{\"selected\":[\"s\"],\"text\":\"careful\"}}");
}

static void an_optional_note_may_stay_empty(void **state)
{
	(void)state;
	open_form("[" CHOICE ",\"note\":{}}]");
	hit(K_ENTER);
	CHECK_INT(form.mode, FORM_NOTE);
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
}

static void numbers_are_checked(void **state)
{
	(void)state;
	open_form("[{\"key\":\"n\",\"text\":\"How many?\",\"type\":\"number\",\"min\":1,"
		  "\"max\":5}]");
	type("many");
	CHECK_INT(hit(K_ENTER), WISH_NONE);
	flawed("web.form.flaw.number");
	hit(K_ERASE_LINE);
	type("7");
	hit(K_ENTER);
	flawed("web.form.flaw.most");
	hit(K_BACKSPACE);
	type("0");
	hit(K_ENTER);
	flawed("web.form.flaw.least");
	hit(K_BACKSPACE);
	type("2.5");
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
	CHECK_STR(answer(), "{\"n\":{\"value\":2.5}}");
}

static void yes_and_no_are_keys(void **state)
{
	(void)state;
	open_form("[{\"key\":\"go\",\"text\":\"Go?\",\"type\":\"boolean\"}]");
	CHECK_INT(press('n'), WISH_NONE);
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
	CHECK_STR(answer(), "{\"go\":{\"value\":false}}");
	press('y');
	CHECK_STR(answer(), "{\"go\":{\"value\":true}}");
}

static void pasted_text_is_never_a_command(void **state)
{
	(void)state;
	open_form("[" CHOICE "}]");
	paste("y\rs\r1\r");
	CHECK(!form_question_given(&form, 0));
	open_form("[" TEXT "}]");
	paste("one\rtwo\r");
	CHECK_STR(answer(), "{\"why\":{\"text\":\"one\\ntwo\\n\"}}");
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
}

#define APPROVAL "[{\"key\":\"decision\",\"text\":\"May it?\",\"type\":\"approval\"}]"

static void an_approval_is_decided_by_its_keys(void **state)
{
	(void)state;
	open_form(APPROVAL);
	CHECK_INT(press('e'), WISH_ARGUMENTS);
	CHECK_INT(press('r'), WISH_NONE);
	CHECK_INT(form.mode, FORM_NOTE);
	type("too late");
	hit(K_ESCAPE);
	CHECK_INT(press('a'), WISH_SUBMIT);
	CHECK_STR(answer(), "{\"decision\":{\"value\":\"approve\"}}");
	CHECK_INT(press('r'), WISH_NONE);
	CHECK_INT(form.mode, FORM_NOTE);
	CHECK_STR(
		answer(), "{\"decision\":{\"value\":\"reject\",\"text\":\"too late\"}}");
	hit(K_ESCAPE);
	buf_add_text(&form.arguments, "{\"x\":1}");
	press('a');
	CHECK_STR(answer(),
		"{\"decision\":{\"value\":\"approve\",\"arguments\":{\"x\":1}}}");
}

static void a_risky_approval_takes_two_presses(void **state)
{
	(void)state;
	open_form("[{\"key\":\"decision\",\"text\":\"Run it?\",\"type\":\"approval\"}]");
	form.twice = true;
	CHECK_INT(press('a'), WISH_NONE);
	CHECK_INT(form.mode, FORM_CONFIRM);
	CHECK_INT(hit(K_ESCAPE), WISH_NONE);
	CHECK_INT(press('a'), WISH_NONE);
	CHECK_INT(press('a'), WISH_SUBMIT);
	CHECK_INT(press('r'), WISH_NONE);
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
}

static void one_answer_for_many_is_confirmed_once(void **state)
{
	(void)state;
	open_form("[" CHOICE "}]");
	form.asks = 3;
	CHECK_INT(hit(K_ENTER), WISH_NONE);
	CHECK_INT(form.mode, FORM_CONFIRM);
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
}

static void letters_that_came_together_decide_nothing(void **state)
{
	struct key a = { .name = K_CHAR, .point = 'a', .together = true };
	struct key y = { .name = K_CHAR, .point = 'y', .together = true };

	(void)state;
	open_form("[{\"key\":\"decision\",\"text\":\"Run it?\",\"type\":\"approval\"}]");
	CHECK_INT(form_key(&form, &a), WISH_NONE);
	press('s');
	CHECK_INT(form.mode, FORM_SKIP);
	CHECK_INT(form_key(&form, &y), WISH_NONE);
	CHECK_INT(form.mode, FORM_SKIP);
	CHECK_INT(press('y'), WISH_SKIP);
}

static void a_critical_approval_takes_reading_and_two_presses(void **state)
{
	(void)state;
	open_form(APPROVAL);
	form.critical = true;
	CHECK_INT(press('a'), WISH_NONE);
	flawed("web.approval.unread");
	form.read = true;
	CHECK_INT(press('a'), WISH_NONE);
	CHECK_INT(form.mode, FORM_CONFIRM);
	CHECK_INT(hit(K_ESCAPE), WISH_NONE);
	CHECK_INT(form.mode, FORM_CHOOSE);
	press('a');
	form.armed = false;
	CHECK_INT(press('a'), WISH_EARLY);
	form.armed = true;
	CHECK_INT(press('a'), WISH_SUBMIT);
	press('r');
	CHECK_INT(hit(K_ENTER), WISH_SUBMIT);
}

static void a_draft_comes_back_as_it_was(void **state)
{
	struct buf kept = { 0 };
	struct json_writer w = { .out = &kept };
	const struct json *json;

	(void)state;
	open_form("[" CHOICE ",\"other\":true},{\"key\":\"n\",\"text\":\"?\","
		  "\"type\":\"number\"}]");
	press('3');
	type("else");
	hit(K_ESCAPE);
	press('2');
	hit(K_ENTER);
	type("no number");
	form_draft(&form, &w);
	open_form("[" CHOICE ",\"other\":true},{\"key\":\"n\",\"text\":\"?\","
		  "\"type\":\"number\"}]");
	CHECK_INT(json_read(buf_str(&kept), NULL, &arena, &json, NULL), OK);
	form_fill(&form, json);
	CHECK(form_row_chosen(&form, 0, 1));
	CHECK_STR(line_text(&form.entries[0].other), "else");
	CHECK_STR(line_text(&form.entries[1].text), "no number");
	buf_done(&kept);
}

#define FORM_TEST(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORM_TEST(enter_on_a_lone_choice_submits_it),
		FORM_TEST(space_chooses_without_sending),
		FORM_TEST(several_are_toggled_and_confirmed),
		FORM_TEST(other_opens_a_line_and_keeps_its_text),
		FORM_TEST(leaving_an_empty_other_unchooses_it),
		FORM_TEST(escape_goes_back_and_never_decides),
		FORM_TEST(where_it_cannot_be_left_escape_asks),
		FORM_TEST(a_text_is_skipped_by_a_key_that_types_nothing),
		FORM_TEST(nothing_is_decided_before_it_is_armed_and_that_is_told),
		FORM_TEST(several_questions_end_in_a_review),
		FORM_TEST(a_row_of_the_review_leads_to_its_question),
		FORM_TEST(what_the_agent_knows_is_shown_chosen),
		FORM_TEST(a_note_is_asked_for_before_it_is_sent),
		FORM_TEST(an_optional_note_may_stay_empty),
		FORM_TEST(numbers_are_checked),
		FORM_TEST(yes_and_no_are_keys),
		FORM_TEST(pasted_text_is_never_a_command),
		FORM_TEST(an_approval_is_decided_by_its_keys),
		FORM_TEST(a_risky_approval_takes_two_presses),
		FORM_TEST(one_answer_for_many_is_confirmed_once),
		FORM_TEST(letters_that_came_together_decide_nothing),
		FORM_TEST(a_critical_approval_takes_reading_and_two_presses),
		FORM_TEST(a_draft_comes_back_as_it_was),
	};

	return RUN(tests);
}
