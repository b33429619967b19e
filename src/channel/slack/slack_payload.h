/* slack_payload.h - what Slack sends to us: presses, forms, messages in threads; the envelopes they come
 * in over Socket Mode, and the signatures by HTTP. Prefix: slack_. */
#ifndef CHANNEL_SLACK_PAYLOAD_H
#define CHANNEL_SLACK_PAYLOAD_H

#include "base/arena.h"
#include "base/buf.h"
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

/* Which message: what a delivery keeps of the one that it posted. */
struct str slack_shown_at(struct str channel, struct str ts, struct arena *);

/* The same of JSON that came in an envelope. */
void slack_payload_take(const struct json *, struct slack_payload *out);

enum slack_envelope_kind {
	ENVELOPE_OTHER,	  /* nothing for us to do, and nothing to acknowledge */
	ENVELOPE_HELLO,	  /* the connection counts from now on */
	ENVELOPE_GOODBYE, /* it ends soon: another is to be opened before */
	ENVELOPE_CALL,	  /* a press, a form, an event: what else comes by HTTP */
};

/* Lies in the arena. */
struct slack_envelope {
	enum slack_envelope_kind kind;
	struct str id;		    /* of a call */
	const struct json *payload; /* of a call; or NULL */
	struct str reason;	    /* of a goodbye */
};

/* ERR_BAD_REQUEST: this is no JSON. */
enum err slack_envelope_read(
	struct str text, struct arena *, struct slack_envelope *out, struct fault *why);
/* `reply`: JSON for who submitted a form; empty: none. */
void slack_envelope_acknowledge(struct buf *, struct str id, struct str reply);

enum { SLACK_SKEW_S = 5 * 60 };

/* The headers X-Slack-Request-Timestamp and X-Slack-Signature over the body as it came. */
bool slack_signed(struct str secret, struct str timestamp, struct str signature,
	struct str body, int64_t now_s);

#endif
