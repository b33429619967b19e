#include "cli/outcome.h"

#include "unit.h"

static struct arena arena;
static struct buf out;

static int clean(void **state)
{
	(void)state;
	buf_done(&out);
	arena_done(&arena);
	return 0;
}

static const struct json *ask(const char *text)
{
	const struct json *json = NULL;

	CHECK_INT(json_read(str_of(text), NULL, &arena, &json, NULL), OK);
	return json;
}

static struct str written(const char *text)
{
	buf_clear(&out);
	outcome_write(ask(text), &out);
	return buf_str(&out);
}

#define ONE(answer)                                                                      \
	"{\"status\":\"answered\",\"questions\":[{\"key\":\"q1\"}],\"answer\":{"         \
	"\"q1\":" answer "}}"

static void answers_are_plain_lines(void **state)
{
	(void)state;
	CHECK_STR(written(ONE("{\"value\":true}")), "yes\n");
	CHECK_STR(written(ONE("{\"value\":false}")), "no\n");
	CHECK_STR(written(ONE("{\"value\":1.50}")), "1.50\n");
	CHECK_STR(written(ONE("{\"value\":\"approve\"}")), "approve\n");
	CHECK_STR(written(ONE("{\"selected\":[\"a\",\"c\"]}")), "a\nc\n");
	CHECK_STR(written(ONE("{\"selected\":[],\"other\":\"The moon\"}")), "The moon\n");
	CHECK_STR(written(ONE("{\"text\":\"Ünï \\\"x\\\"\"}")), "Ünï \"x\"\n");
	CHECK_STR(written(ONE("{\"selected\":[\"a\"],\"text\":\"note\"}")), "a\nnote\n");
}

static void several_questions_are_named(void **state)
{
	(void)state;
	CHECK_STR(written("{\"questions\":[{\"key\":\"b\"},{\"key\":\"a\"},{\"key\":"
			  "\"c\"}],"
			  "\"answer\":{\"a\":{\"value\":true},\"b\":{\"selected\":[\"x\","
			  "\"y\"]}}}"),
		"b=x\nb=y\na=yes\n");
}

static void nothing_is_written_without_an_answer(void **state)
{
	(void)state;
	CHECK_STR(written("{\"questions\":[{\"key\":\"q1\"}],\"answer\":null}"), "");
}

static void the_exit_status_tells_the_outcome(void **state)
{
	(void)state;
	CHECK_INT(outcome_exit(ask(ONE("{\"value\":true}"))), EXIT_YES);
	CHECK_INT(outcome_exit(ask(ONE("{\"value\":false}"))), EXIT_NO);
	CHECK_INT(outcome_exit(ask(ONE("{\"value\":0}"))), EXIT_YES);
	CHECK_INT(outcome_exit(ask(ONE("{\"selected\":[\"no\"]}"))), EXIT_YES);
	CHECK_INT(outcome_exit(ask(ONE("{\"value\":\"approve\"}"))), EXIT_YES);
	CHECK_INT(outcome_exit(ask(ONE("{\"value\":\"reject\"}"))), EXIT_NO);
	CHECK_INT(outcome_exit(ask("{\"status\":\"skipped\",\"answer\":null}")), EXIT_NO);
	CHECK_INT(outcome_exit(ask("{\"status\":\"cancelled\"}")), EXIT_CANCELLED);
	CHECK_INT(outcome_exit(ask("{\"status\":\"expired\",\"answer\":null}")),
		EXIT_DEADLINE);
	CHECK_INT(outcome_exit(ask("{\"status\":\"expired\",\"answer\":"
				   "{\"q1\":{\"value\":false}}}")),
		EXIT_NO);
	CHECK_INT(outcome_exit(ask("{}")), EXIT_CANCELLED);
}

static void the_story_names_who_it_was(void **state)
{
	(void)state;
	CHECK_STR(outcome_story(ask("{\"status\":\"pending\"}"), &arena), "");
	CHECK_STR(
		outcome_story(ask("{\"status\":\"answered\",\"answered_by\":{\"kind\":"
				  "\"human\",\"name\":\"Ada\\u001b\",\"via\":\"web\"}}"),
			&arena),
		"Answered by Ada^[ (web).");
	CHECK_STR(outcome_story(ask("{\"status\":\"expired\",\"answered_by\":{\"kind\":"
				    "\"default\"}}"),
			  &arena),
		"The deadline passed; the default answer was used.");
	CHECK_STR(outcome_story(
			  ask("{\"status\":\"cancelled\",\"reason\":\"old\"}"), &arena),
		"Withdrawn. Reason: old");
}

#define CASE(name) cmocka_unit_test_teardown(name, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(answers_are_plain_lines),
		CASE(several_questions_are_named),
		CASE(nothing_is_written_without_an_answer),
		CASE(the_exit_status_tells_the_outcome),
		CASE(the_story_names_who_it_was),
	};

	return RUN(tests);
}
