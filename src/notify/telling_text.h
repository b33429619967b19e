/* telling_text.h - a message to a person in words, in their language. */
#ifndef NOTIFY_TELLING_TEXT_H
#define NOTIFY_TELLING_TEXT_H

#include "notify/inner.h"

/* Strings lie in the delivery's arena. Agents' text is made harmless: no control bytes, hidden
 * characters shown. */
struct telling_words {
	enum lang lang;
	struct str title;   /* one line */
	struct str subject; /* the same for every message of an ask */
	struct str text;    /* many; without the link */
	struct str code;    /* the operation, a part of `text`; empty: there is none */
	struct str url;	    /* of the ask; of the page where it is about none */
	struct str open;    /* what a button that opens the url says */
};

/* `max`: bytes of the text at most, a little more than 2,000 at least. Never cut: the first
 * 1,500 characters of an operation, and the countdown. */
void telling_text(struct claimed *, size_t max, struct telling_words *out);

#endif
