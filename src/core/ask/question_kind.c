/* question_kind.c - the table of question types. */
#include "core/ask/question_kind.h"

#include "base/keep.h"
#include "core/shared/body.h"

enum {
	SELECTED = 1 << PART_SELECTED,
	OTHER = 1 << PART_OTHER,
	TEXT = 1 << PART_TEXT,
	VALUE = 1 << PART_VALUE,
	ARGUMENTS = 1 << PART_ARGUMENTS
};

static const struct question_kind kinds[QUESTION_TYPES] = {
	[Q_TEXT] = { "text", INPUT_TEXT, .format = true, .bounds = true, .parts = TEXT,
		.main = PART_TEXT, .read = reply_read_text, .sum = reply_sum_text },
	[Q_NUMBER] = { "number", INPUT_NUMBER, .note = true, .bounds = true,
		.parts = VALUE | TEXT, .main = PART_VALUE, .read = reply_read_number,
		.sum = reply_sum_number },
	[Q_BOOLEAN] = { "boolean", INPUT_YES_NO, .note = true,
		.pair = { "true", "false" }, .parts = VALUE | TEXT, .main = PART_VALUE,
		.read = reply_read_boolean, .sum = reply_sum_boolean },
	[Q_CHOICE] = { "choice", INPUT_ONE, .note = true,
		.parts = SELECTED | OTHER | TEXT, .main = PART_SELECTED,
		.read = reply_read_choices, .sum = reply_sum_choices },
	[Q_CHOICES] = { "choices", INPUT_MANY, .note = true, .bounds = true,
		.parts = SELECTED | OTHER | TEXT, .main = PART_SELECTED,
		.read = reply_read_choices, .sum = reply_sum_choices },
	[Q_APPROVAL] = { "approval", INPUT_DECISION, .note = true,
		.pair = { "\"approve\"", "\"reject\"" },
		.parts = VALUE | TEXT | ARGUMENTS, .main = PART_VALUE,
		.read = reply_read_approval, .sum = reply_sum_approval },
};

const struct question_kind *question_kind(const struct question *q)
{
	return &kinds[q->type];
}

const struct question_kind *question_kind_json(const struct json *question)
{
	enum question_type type = Q_TEXT;

	question_type_read(json_text(json_get(question, "type")), &type);
	return &kinds[type];
}

ENUM_NAMES_IN(question_type, kinds, .name)

struct str question_types(struct arena *arena)
{
	struct buf b = { .max = 1024 };

	for (size_t i = 0; i < QUESTION_TYPES; i++)
		buf_print(&b, "%s%s",
			i == 0			 ? ""
			: i + 1 < QUESTION_TYPES ? ", "
						 : " or ",
			kinds[i].name);
	return buf_keep_done(&b, arena);
}

bool question_typed(const struct question *q)
{
	enum question_input input = question_kind(q)->input;

	return input == INPUT_TEXT || input == INPUT_NUMBER;
}

bool question_many(const struct question *q)
{
	return question_kind(q)->input == INPUT_MANY;
}

bool question_has_options(const struct question *q)
{
	return question_kind(q)->input == INPUT_ONE || question_many(q);
}

bool question_decides(const struct question *q)
{
	return question_kind(q)->input == INPUT_DECISION;
}

bool questions_only_decide(const struct question *q, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!question_decides(&q[i]) && q[i].required) return false;
	return true;
}

int question_pair_row(const struct question *q, const struct json *value)
{
	const char *const *pair = question_kind(q)->pair;
	struct buf b = { .max = 1024 };
	int row = -1;

	if (!pair[0] || !value) return -1;
	json_write(&b, value);
	for (int i = 0; !b.failed && i < 2; i++)
		if (str_is(buf_str(&b), pair[i])) row = i;
	buf_done(&b);
	return row;
}
