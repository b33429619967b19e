/* slack_form.h - a form in Slack (a modal view): the questions of an ask, and what a person filled in. */
#ifndef CHANNEL_SLACK_FORM_H
#define CHANNEL_SLACK_FORM_H

#include "channel/slack/slack_message.h"

/* The view of views.open. `title` is one line that names the ask. */
void slack_form_write(struct json_writer *, const struct slack_message *, struct arena *);
/* The view that asks why it is rejected, and the answer {"answer": …} of what was filled in. */
void slack_reject_write(
	struct json_writer *, const struct slack_message *, struct arena *);
struct str slack_reject_answer(const struct json *values, struct arena *);
/* A view that only says something; the form in whose place it stands has ended. */
void slack_form_says(struct json_writer *, enum lang, struct str text, struct arena *);
/* {"answers": {…}} of a form's values, in the arena; fields that were left empty are left out. */
struct str slack_form_answers(
	const struct json *values, const struct ask_parts *, struct arena *);
/* {"response_action": "errors", "errors": {…}}: every item of the fault beside its field. */
void slack_form_errors(struct json_writer *, const struct fault *,
	const struct ask_parts *, enum lang, struct arena *);

#endif
