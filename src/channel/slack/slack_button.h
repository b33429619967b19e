/* slack_button.h - what a button of a message or a form carries: the ask, what was shown of it, and what the
 * button does. */
#ifndef CHANNEL_SLACK_BUTTON_H
#define CHANNEL_SLACK_BUTTON_H

#include "core/notify/channel_limit.h"

enum slack_button_verb {
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

struct slack_button {
	struct str ask, digest; /* digest: ask_short_digest; may be empty */
	enum slack_button_verb verb;
	size_t option; /* of PRESS_OPTION */
};

/* "ask_….0123456789abcdef.option3", in the arena. */
struct str slack_button_write(const struct slack_button *, struct arena *);
/* Its last part alone, which no two buttons of a message share. */
struct str slack_button_action(const struct slack_button *, struct arena *);
bool slack_button_read(struct str value, struct slack_button *out); /* borrows */
/* The body that settles it, {"answer": …}; empty: the verb answers nothing of this ask. */
struct str slack_button_answer(
	const struct slack_button *, const struct ask_parts *, struct arena *);

#endif
