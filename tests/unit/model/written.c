/* written.c - a request made of messages that were written before is the request written anew. */
#include "model/model.h"
#include "unit.h"

#include <stdio.h>

enum { TURNS = 6, MESSAGES = 1 + 2 * TURNS };

static const enum model_wire wires[] = { WIRE_ANTHROPIC, WIRE_OPENAI,
	WIRE_OPENAI_RESPONSES, WIRE_GEMINI };

/* A person, then the model and the results of its tools in turns; now and then an empty one, and
 * once a person between two results. */
static struct model_message message_make(size_t i, char content[200])
{
	static const char *const calls =
		"[{\"type\":\"thought\",\"text\":\"hm\"},{\"type\":\"text\",\"text\":\"n%zu\"},"
		"{\"type\":\"tool_call\",\"id\":\"t%zu\",\"name\":\"todo\",\"arguments\":{\"a\":1}}]";
	static const char *const results =
		"[{\"type\":\"tool_result\",\"id\":\"t%zu\",\"name\":\"todo\",\"content\":\"%zu\"}]";
	enum model_role role = i == 0 || i == 5 ? MODEL_USER
			       : i % 2		? MODEL_ASSISTANT
						: MODEL_TOOL;

	if (i == 7)
		snprintf(content, 200, "[]");
	else if (role == MODEL_USER)
		snprintf(content, 200, "[{\"type\":\"text\",\"text\":\"Say %zu\"}]", i);
	else
		snprintf(content, 200, role == MODEL_TOOL ? results : calls, i / 2, i);
	return (struct model_message){ .role = role,
		.content = str_of(content),
		.kept = role == MODEL_ASSISTANT
				? STR("{\"wire\":\"anthropic\",\"parts\":[{\"seal\":\"s\"}]}")
				: STR_NONE,
		.kept_model = STR("m") };
}

static void request_of(struct buf *out, enum model_wire wire, struct str model,
	const struct model_message *messages, size_t len)
{
	struct model_request r = { .model = model,
		.system = STR("Be brief."),
		.messages = messages,
		.messages_len = len };
	struct fault why = { 0 };

	buf_clear(out);
	assert_int_equal(model_request_write(out, wire, &r, &why), OK);
}

static void messages_written_before_make_the_same_request(void **state)
{
	char contents[MESSAGES][200];
	struct model_message fresh[MESSAGES], kept[MESSAGES];
	struct model_written written[MESSAGES] = { 0 };
	struct buf a = { 0 }, b = { 0 };

	(void)state;
	for (size_t i = 0; i < MESSAGES; i++) {
		fresh[i] = kept[i] = message_make(i, contents[i]);
		kept[i].written = &written[i];
	}
	/* Every wire after the other, with one model and another: what is kept is of one. */
	for (size_t k = 0; k < 2 * sizeof wires / sizeof *wires; k++)
		for (size_t len = 1; len <= MESSAGES; len++) {
			struct str model = k % 2 ? STR("m") : STR("other");

			request_of(&a, wires[k / 2], model, fresh, len);
			request_of(&b, wires[k / 2], model, kept, len);
			assert_true(str_eq(buf_str(&a), buf_str(&b)));
		}
	assert_true(written[1].ready);
	/* The history is cut at its head. */
	request_of(&a, WIRE_GEMINI, STR("m"), fresh + 4, MESSAGES - 4);
	request_of(&b, WIRE_GEMINI, STR("m"), kept + 4, MESSAGES - 4);
	assert_true(str_eq(buf_str(&a), buf_str(&b)));
	for (size_t i = 0; i < MESSAGES; i++)
		buf_done(&written[i].bytes);
	buf_done(&a);
	buf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_written_before_make_the_same_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
