/* reply.h - one question's value, understood. Private to core. */
#ifndef CORE_REPLY_H
#define CORE_REPLY_H

#include "core/ask/answer.h"
#include "core/shared/body.h"

struct reply {
	bool given;	   /* the question is answered; a note alone is no answer */
	uint32_t selected; /* a bit an option, so that order and repeats do not matter */
	struct str other;
	struct str text;	  /* a text answer, or the note */
	const struct json *value; /* a number or a boolean */
	enum decision decision;
	const struct json *arguments;
};

_Static_assert(OPTIONS_MAX <= 32, "a bit an option");

/* A shorthand or the full form; null is no answer. `required`, the note's
 * too, is not asked for. */
void reply_read(struct check *, const struct json_place *, const struct question *,
	const struct json *, struct reply *out);
/* The full form: {"selected": …, "other": …, "text": …, "value": …, "arguments": …}, what
 * is absent left out. */
void reply_write(struct json_writer *, const struct question *, const struct reply *);
/* The question's line of the summary, without a line end. */
void reply_sum(struct buf *, const struct question *, const struct reply *);

/* What counts when nobody answers, in the full form. An approval's may only be reject. */
struct str answer_default_read(struct check *, const struct json_place *,
	const struct question *, size_t len, const struct json *values, struct arena *);

/* Does a text have this form? */
bool format_fits(enum text_format, struct str);
const char *text_format_name(enum text_format);
bool text_format_read(struct str, enum text_format *);

#endif
