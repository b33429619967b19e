/* slack_payload.h - what Slack sends to us: presses, forms, messages in threads. */
#ifndef CHANNEL_SLACK_PAYLOAD_H
#define CHANNEL_SLACK_PAYLOAD_H

#include "base/arena.h"
#include "base/fault.h"
#include "base/json.h"

enum slack_kind {
	SLACK_OTHER,	 /* nothing for us to do */
	SLACK_VERIFY,	 /* url_verification: the challenge is sent back */
	SLACK_PRESSED,	 /* a button of a message */
	SLACK_SUBMITTED, /* a form */
	SLACK_SAID,	 /* a person's message in a thread */
	SLACK_GREETED,	 /* a person's message to the app, in no thread */
};

/* Texts lie in the arena. Empty: not there. */
struct slack_payload {
	enum slack_kind kind;
	struct str team, user;
	struct str challenge;
	/* pressed */
	struct str value, response_url, trigger;
	/* submitted: what the form was opened with, and its fields */
	struct str metadata;
	const struct json *values;
	/* said, and the message that a press was on */
	struct str channel, ts, text;
	/* The same for a request that Slack repeats. */
	struct str once;
};

/* `body`: JSON, or a form with the member `payload`. ERR_BAD_REQUEST: neither. What is JSON, and
 * not for us, is SLACK_OTHER. */
enum err slack_payload_read(
	struct str body, struct arena *, struct slack_payload *out, struct fault *why);

/* The same of JSON that came in an envelope. */
void slack_payload_take(const struct json *, struct slack_payload *out);

#endif
