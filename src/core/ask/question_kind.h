/* question_kind.h - the types of questions: what each may have, how it is answered and summed
 * up. A type is one row of the table in question_kind.c. Private to core but for
 * question_kind(), which forms ask. */
#ifndef CORE_QUESTION_KIND_H
#define CORE_QUESTION_KIND_H

#include "core/ask/question.h"

struct reply;
struct reply_reading;

/* The parts of an answer in its full form. */
enum reply_part {
	PART_SELECTED,
	PART_OTHER,
	PART_TEXT,
	PART_VALUE,
	PART_ARGUMENTS,
	REPLY_PARTS
};

/* Reads the parts of one value into the reply; what is wrong goes to the reading's check. */
typedef void reply_fn(struct reply_reading *, struct reply *);
/* The answer's words in the summary. */
typedef void reply_sum_fn(struct buf *, const struct question *, const struct reply *);

struct question_kind {
	const char *name;
	/* What a question of this type may have besides what all have. */
	bool options, other, note, format, bounds;
	bool typed;	      /* answered by writing, not by choosing */
	bool many;	      /* several choices at once */
	unsigned parts;	      /* bits of the parts its answer may hold */
	enum reply_part main; /* the part that a shorthand stands for */
	reply_fn *read;
	reply_sum_fn *sum;
};

const struct question_kind *question_kind(enum question_type);
bool question_type_read(struct str name, enum question_type *out);

/* reply.c */
reply_fn reply_read_text, reply_read_number, reply_read_boolean, reply_read_choices,
	reply_read_approval;
/* summary.c */
reply_sum_fn reply_sum_text, reply_sum_number, reply_sum_boolean, reply_sum_choices,
	reply_sum_approval;

#endif
