/* mail_reply.h - what a person wrote above the quote, and what it means for an ask. Pure. An answer
 * must be exact: what can be read in two ways, or in none, means nothing. */
#ifndef CORE_MAIL_REPLY_H
#define CORE_MAIL_REPLY_H

#include "core/ask/ask.h"

/* How the line begins, and ends, above which an answer is written. */
#define MAIL_RULE "-=-=-"

enum mail_verb {
	MAIL_MEANS_NOTHING,
	MAIL_MEANS_ANSWER,
	MAIL_MEANS_SKIP,
	MAIL_MEANS_ASK_BACK,
};

struct mail_meaning {
	enum mail_verb verb;
	bool decides;	 /* it approves or rejects */
	bool needs_note; /* the question wants one, which a mail cannot give */
	struct str body; /* JSON, as the verb's request takes it */
};

/* What stands above the quote, without blank lines around it. Quotes are known as Gmail, Outlook,
 * Apple Mail and Thunderbird write them, in English and French. */
struct str mail_reply_text(struct str text);
/* What that means for an ask with these questions. False: out of memory. */
bool mail_reply_read(struct str text, const struct ask_parts *, struct arena *,
	struct mail_meaning *out);

#endif
