/* push_text.h - what a push message says, and which buttons it has: JSON for the page's worker. */
#ifndef CHANNEL_PUSH_TEXT_H
#define CHANNEL_PUSH_TEXT_H

#include "channel/inner.h"

enum {
	PUSH_SMALL =
		512, /* bytes with the delimiter: messages are padded to one of two */
	PUSH_LARGE = 3052,
};

/* At most PUSH_LARGE - 1 bytes, in the delivery's arena. */
struct str push_text(struct claimed *);

#endif
