/* answer.h - what a person said: checked, made normal, and summed up for a model. */
#ifndef CORE_ANSWER_H
#define CORE_ANSWER_H

#include "core/ask/question.h"

enum decision { DECISION_NONE, DECISION_APPROVE, DECISION_REJECT };

struct answer {
	struct str json; /* {"env": {"selected": ["staging"]}, …} in question order */
	struct str summary;	/* "- Environment: Staging", a line a question */
	enum decision decision; /* APPROVE only if every approval question says so */
	const struct json *arguments; /* edited by the person, or NULL */
};

/* Checks the members of a settle body: {"answers": {key: value}} or {"answer": value} for
 * a single question; `body` is the whole body, pointers are into it ("/answers/env").
 * Wrong type, unknown option or question, missing required, too long: ERR_INVALID with
 * all items. Values may be shorthands; the result is always the full form. */
enum err answer_check(const struct question *, size_t len, const struct json *body,
	struct arena *, struct answer *out, struct fault *why);
/* The same for a bare object of key → value that stands at pointer `at` ("/default"). */
enum err answer_check_at(const struct question *, size_t len, const struct json *values,
	const char *at, struct arena *, struct answer *out, struct fault *why);
/* One value against one question, as for prefill: `required` is not asked for. */
enum err answer_check_one(const struct question *, const struct json *value,
	const char *at, struct arena *, struct fault *why);

#endif
