/* webhook_format.h - where a webhook goes and what it says there. */
#ifndef CHANNEL_WEBHOOK_FORMAT_H
#define CHANNEL_WEBHOOK_FORMAT_H

#include "channel/inner.h"

struct str webhook_body(struct claimed *);
const char *webhook_url(struct claimed *);
bool webhook_signed(
	const struct claimed *); /* only who designed the format can check it */
struct str ntfy_topic(struct str url);

#endif
