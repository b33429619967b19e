/* question_kind.h - the types of questions. A type is one row of the table in question_kind.c:
 * its name, how it is answered, what it may have, how its answer is read and summed up. The
 * page, the terminal, mail, Slack, push and MCP know the few inputs and no types, so that a new
 * type with one of these inputs needs no line there. Prefixes: reply_, questions_. */
#ifndef CORE_QUESTION_KIND_H
#define CORE_QUESTION_KIND_H

#include "core/ask/question.h"

struct reply;
struct reply_reading;

/* How a question is answered. */
enum question_input {
	INPUT_TEXT,
	INPUT_NUMBER,
	INPUT_YES_NO,
	INPUT_ONE,	/* one of its options */
	INPUT_MANY,	/* several of its options */
	INPUT_DECISION, /* approve or reject, the operation's arguments with it */
};
enum { QUESTION_INPUTS = INPUT_DECISION + 1 };

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
	enum question_input input;
	/* What a question of this type may have besides what all have. */
	bool note, format, bounds;
	const char *pair[2];  /* yes and no, approve and reject, as JSON; NULL: neither */
	unsigned parts;	      /* bits of the parts its answer may hold */
	enum reply_part main; /* the part that a shorthand stands for */
	reply_fn *read;
	reply_sum_fn *sum;
};

const struct question_kind *question_kind(const struct question *);
/* Of a question as the ask shows it. */
const struct question_kind *question_kind_json(const struct json *question);
bool question_type_read(struct str name, enum question_type *out);
/* "text, number, … or approval" */
struct str question_types(struct arena *);

bool question_typed(const struct question *);	    /* a text or a number */
bool question_has_options(const struct question *); /* of which one or many are chosen */
bool question_many(const struct question *);
bool question_decides(const struct question *); /* it approves or rejects the operation */
/* No other question needs an answer, so that who decides has said all. */
bool questions_only_decide(const struct question *, size_t len);
/* Which of the pair `value` is: 0 or 1; -1: neither. */
int question_pair_row(const struct question *, const struct json *value);

/* reply.c */
reply_fn reply_read_text, reply_read_number, reply_read_boolean, reply_read_choices,
	reply_read_approval;
/* summary.c */
reply_sum_fn reply_sum_text, reply_sum_number, reply_sum_boolean, reply_sum_choices,
	reply_sum_approval;

#endif
