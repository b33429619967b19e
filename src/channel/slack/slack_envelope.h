/* slack_envelope.h - what Slack says over Socket Mode, and how it is acknowledged. */
#ifndef CHANNEL_SLACK_ENVELOPE_H
#define CHANNEL_SLACK_ENVELOPE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/fault.h"
#include "base/json.h"

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
	const struct json *payload; /* of a call, as slack_payload.h reads it; or NULL */
	struct str reason;	    /* of a goodbye */
};

/* ERR_BAD_REQUEST: this is no JSON. */
enum err slack_envelope_read(
	struct str text, struct arena *, struct slack_envelope *out, struct fault *why);
/* `reply`: JSON for who submitted a form; empty: none. */
void slack_envelope_acknowledge(struct buf *, struct str id, struct str reply);

#endif
