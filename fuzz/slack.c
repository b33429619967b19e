/* slack.c - what Slack sends: payloads, values of buttons, forms. What is read of a form is a body
 * that the answer's own reader takes or refuses. */
#include "channel/slack/slack_form.h"
#include "channel/slack/slack_payload.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct option options[] = { { STR("a"), STR("A") },
		{ STR("b"), STR("B") } };
	static struct question questions[] = {
		{ .key = STR("why"), .text = STR("Why?"), .type = Q_TEXT },
		{ .key = STR("n"), .text = STR("How many?"), .type = Q_NUMBER },
		{ .key = STR("env"),
			.text = STR("Where?"),
			.type = Q_CHOICE,
			.options = options,
			.options_len = 2,
			.other = true },
		{ .key = STR("parts"),
			.text = STR("What?"),
			.type = Q_CHOICES,
			.options = options,
			.options_len = 2 },
		{ .key = STR("ok"),
			.text = STR("Sure?"),
			.type = Q_APPROVAL,
			.note = true },
	};
	static const struct ask_parts parts = { .questions = questions,
		.questions_len = sizeof questions / sizeof *questions };
	struct str body = { (const char *)data, size };
	struct arena arena = { 0 };
	struct slack_payload p;
	struct slack_button press, again;
	const struct json *json;
	struct answer answer;

	if (slack_payload_read(body, &arena, &p, NULL) == OK) {
		if (slack_button_read(p.value, &press)) {
			assert(slack_button_read(
				slack_button_write(&press, &arena), &again));
			assert(again.verb == press.verb && again.option == press.option);
			slack_button_answer(&press, &parts, &arena);
		}
		assert(json_read(slack_form_answers(p.values, &parts, &arena), NULL,
			       &arena, &json, NULL) == OK);
		answer_check(questions, parts.questions_len, json, &arena, &answer, NULL);
		assert(json_read(slack_reject_answer(p.values, &arena), NULL, &arena,
			       &json, NULL) == OK);
	}
	arena_done(&arena);
	return 0;
}
