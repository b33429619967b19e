/* slack_form.h - a form in Slack (a modal view): the questions of an ask, and what a person filled in. */
#ifndef CHANNEL_SLACK_FORM_H
#define CHANNEL_SLACK_FORM_H

#include "channel/slack/slack_message.h"

/* The view of views.open, in the arena: the questions, or (PRESS_REJECT) why it is rejected. `title` is one
 * line that names the ask. */
struct str slack_form_write(
	const struct slack_message *, enum slack_button_verb, struct arena *);
/* The answer {"answer": …} of what was filled in when it was rejected. */
struct str slack_reject_answer(const struct json *values, struct arena *);
/* A view that only says something; the form in whose place it stands has ended. */
struct str slack_form_says(struct str text, enum lang, struct arena *);
/* {"answers": {…}} of a form's values, in the arena; fields that were left empty are left out. */
struct str slack_form_answers(
	const struct json *values, const struct ask_parts *, struct arena *);
/* {"response_action": "errors", "errors": {…}}: every item of the fault beside its field. */
struct str slack_form_errors(
	const struct fault *, const struct ask_parts *, enum lang, struct arena *);

#endif
