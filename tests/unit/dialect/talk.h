/* talk.h - a whole talk in a dialect: a request becomes an ask, somebody settles it, and
 * the reply comes back. Through the real rules of core, without a store. */
#ifndef TESTS_UNIT_DIALECT_TALK_H
#define TESTS_UNIT_DIALECT_TALK_H

#include "dialect/dialect.h"
#include "kit.h"

struct talk {
	const struct dialect *dialect;
	bool strict;
	struct translated in;
	struct draft draft;
	struct ask ask;
};

enum { TALK_NOW_MS = 2000 };

/* Asks; must be understood. The request is JSON written with '. */
struct talk talk_open(const char *dialect, const char *request);
struct talk talk_open_json(
	const struct dialect *, const struct json *request, bool strict);
/* Must be refused; *why has it. */
void talk_refused(
	const char *dialect, const char *request, bool strict, struct fault *why);

/* How it is settled: "skip", "expire", "default", "cancel" (each may go on with ": the
 * reason"), or a settle body written with '. */
void talk_settle(struct talk *, const char *how);
void talk_answer(struct talk *, const struct json *body); /* must be right */

struct str talk_reply(const struct talk *); /* empty: none yet */
const char *talk_sum(const struct talk *);
/* A whole talk, and its reply compared with `expected`, written with '. */
void talk_check(
	const char *dialect, const char *request, const char *how, const char *expected);
/* tests/dialects/examples.json: {dialect: {"request", "answers", "default"?}}. */
const struct json *talk_examples(void);
struct str talk_file(struct arena *, const char *path); /* its text, in the arena */
/* One of the repairs contains `part`. */
void talk_repaired(const struct talk *, const char *part);

#endif
