/* question_kind.c - the table of question types. */
#include "core/ask/question_kind.h"

enum {
	SELECTED = 1 << PART_SELECTED,
	OTHER = 1 << PART_OTHER,
	TEXT = 1 << PART_TEXT,
	VALUE = 1 << PART_VALUE,
	ARGUMENTS = 1 << PART_ARGUMENTS
};

static const struct question_kind kinds[] = {
	[Q_TEXT] = { "text", .format = true, .bounds = true, .typed = true, .parts = TEXT,
		.main = PART_TEXT, .read = reply_read_text, .sum = reply_sum_text },
	[Q_NUMBER] = { "number", .note = true, .bounds = true, .typed = true,
		.parts = VALUE | TEXT, .main = PART_VALUE, .read = reply_read_number,
		.sum = reply_sum_number },
	[Q_BOOLEAN] = { "boolean", .note = true, .parts = VALUE | TEXT,
		.main = PART_VALUE, .read = reply_read_boolean,
		.sum = reply_sum_boolean },
	[Q_CHOICE] = { "choice", .options = true, .other = true, .note = true,
		.parts = SELECTED | OTHER | TEXT, .main = PART_SELECTED,
		.read = reply_read_choices, .sum = reply_sum_choices },
	[Q_CHOICES] = { "choices", .options = true, .other = true, .note = true,
		.bounds = true, .many = true, .parts = SELECTED | OTHER | TEXT,
		.main = PART_SELECTED, .read = reply_read_choices,
		.sum = reply_sum_choices },
	[Q_APPROVAL] = { "approval", .note = true, .parts = VALUE | TEXT | ARGUMENTS,
		.main = PART_VALUE, .read = reply_read_approval,
		.sum = reply_sum_approval },
};

const struct question_kind *question_kind(enum question_type type)
{
	return &kinds[type];
}

const char *question_type_name(enum question_type type)
{
	return kinds[type].name;
}

bool question_type_read(struct str name, enum question_type *out)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (str_is(name, kinds[i].name)) {
			*out = (enum question_type)i;
			return true;
		}
	return false;
}
