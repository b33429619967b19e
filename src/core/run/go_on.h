/* go_on.h - an answer that is none yet: it was cut, or says nothing. The model is asked to go on by a
 * user's text, which is kept as a message of the run; a few times at most. Pure. */
#ifndef CORE_GO_ON_H
#define CORE_GO_ON_H

#include "base/json.h"
#include "core/run/message.h"

enum go_on {
	GO_ON_NOT,	/* the answer is whole */
	GO_ON_CUT,	/* in the middle of its words */
	GO_ON_CALL,	/* in a call of a tool, which was dropped */
	GO_ON_THOUGHTS, /* before its first word */
	GO_ON_EMPTY,	/* not a word, and no call */
	GO_ON_OUTPUT,	/* it does not fit the schema of the output */
	GO_ONS
};

/* How an answer ended. */
struct go_on_end {
	const struct json *parts;
	bool cut;	 /* at the greatest length */
	struct str call; /* the name of the call that was dropped for that; or empty */
	bool nothing;	 /* its provider says that it came to nothing, whatever it says */
};

enum go_on go_on_after(const struct go_on_end *);
/* May the model be asked again (not of OUTPUT, output.h), after these messages (the end of its thread before the answer, by
 * numbers)? Three times in a row, once for each of those that said nothing. */
bool go_on_may(
	enum go_on, const struct run_message *const *before, size_t len, struct arena *);
enum { GO_ON_TIMES = 3, GO_ON_LOOK = 2 * GO_ON_TIMES + 6 }; /* messages to look at */

/* The content of the message that asks; `call` as in go_on_end, or what does not fit. */
struct str go_on_content(enum go_on, struct str call, struct arena *);
#define OUTPUT_AGAIN "It is not the output yet"
/* Which of them a message is; GO_ON_NOT: somebody said it. */
enum go_on go_on_of(const struct run_message *, struct arena *);

#endif
