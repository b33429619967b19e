/* value.h - what a person wrote in a shell, as the answer to a question. */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include "core/ask/question.h"

struct spoken {
	const struct str *words;
	size_t len;
	struct str other;	      /* the text of Other; empty: none */
	struct str note;	      /* empty: none */
	const struct json *arguments; /* an approval's, edited; NULL: as they were */
};

/* Writes the full form ({"selected": […], "other": …, "text": …, "value": …}). An option
 * is named by id, label (in any case) or its number from 1 on; where the question takes
 * Other, "other:TEXT" is its text, and any other word is a mistake. ERR_INVALID: why is a sentence that says what is
 * accepted; what was written until then must be thrown away. */
enum err value_write(const struct question *, const struct spoken *, struct arena *,
	struct json_writer *, struct fault *why);

/* The option that a word names; NULL: none. */
const struct option *option_find(const struct question *, struct str word);

#endif
