/* notify_text.h - a message to a person in words, in their language. */
#ifndef CHANNEL_NOTIFY_TEXT_H
#define CHANNEL_NOTIFY_TEXT_H

#include "channel/inner.h"
#include "core/ask/ask.h"

/* Strings lie in the delivery's arena. Agents' text is made harmless: no control bytes, hidden
 * characters shown. */
struct notify_words {
	enum lang lang;
	struct str title;   /* one line */
	struct str subject; /* the same for every message of an ask */
	struct str text;    /* many; without the link */
	/* Operation, diff and error, parts of `text` one after the other; empty: there is none. */
	struct str code[DETAIL_PARTS];
	struct str url;	 /* of the ask; of the page where it is about none */
	struct str open; /* what a button that opens the url says */
};

/* `room`: bytes for operation, diff and error, which are shown whole if they fit. All other words of
 * the ask get what is left of it, and 2,000 bytes more. Never cut: the countdown. */
void notify_text(struct claimed *, size_t room, struct notify_words *out);

#endif
