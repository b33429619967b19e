/* press.h - what a button of a message or a form carries: the ask, what was shown of it, and what the
 * button does. */
#ifndef SLACK_PRESS_H
#define SLACK_PRESS_H

#include "core/channel_limit.h"

enum press_verb {
	PRESS_NONE,
	PRESS_APPROVE,
	PRESS_HOUR, /* approve, and the same for an hour */
	PRESS_REJECT,
	PRESS_YES,
	PRESS_NO,
	PRESS_OPTION,
	PRESS_SKIP,
	PRESS_FORM, /* opens the form */
};

struct press {
	struct str ask, digest; /* digest: ask_short_digest; may be empty */
	enum press_verb verb;
	size_t option; /* of PRESS_OPTION */
};

/* "ask_….0123456789abcdef.option3", in the arena. */
struct str press_write(const struct press *, struct arena *);
/* Its last part alone, which no two buttons of a message share. */
struct str press_action(const struct press *, struct arena *);
bool press_read(struct str value, struct press *out); /* borrows */
/* The body that settles it, {"answer": …}; empty: the verb answers nothing of this ask. */
struct str press_answer(const struct press *, const struct ask_parts *, struct arena *);

#endif
