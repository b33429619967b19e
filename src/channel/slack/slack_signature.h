/* slack_signature.h - did Slack send this? */
#ifndef CHANNEL_SLACK_SIGNATURE_H
#define CHANNEL_SLACK_SIGNATURE_H

#include "base/str.h"

enum { SLACK_SKEW_S = 5 * 60 };

/* The headers X-Slack-Request-Timestamp and X-Slack-Signature over the body as it came. */
bool slack_signed(struct str secret, struct str timestamp, struct str signature,
	struct str body, int64_t now_s);

#endif
