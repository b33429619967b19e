/* mail_in.h - replies that came by mail: who they are from, what they mean, and what becomes of
 * the ask. */
#ifndef DESK_MAIL_IN_H
#define DESK_MAIL_IN_H

#include "desk/desk.h"

enum mail_outcome {
	MAIL_TAKEN,	 /* it settled, voted, or asked back */
	MAIL_UNCLEAR,	 /* not understood: a mail says what is accepted */
	MAIL_REFUSED,	 /* understood, and not allowed by mail, or to this person */
	MAIL_CLOSED,	 /* the ask is settled already */
	MAIL_AUTOMATIC,	 /* a program wrote it */
	MAIL_FORGED,	 /* no token of ours, another sender, or nobody vouches for it */
	MAIL_UNREADABLE, /* beyond the bounds, or no message */
	MAIL_OUTCOMES
};
const char *mail_outcome_name(enum mail_outcome);

/* Takes a message; the calling thread waits, and is no clerk's and no loop's. `recipient`: whom
 * it came for, as the mail server said beside it; or empty. An error: the store could not be
 * asked or written, try again. */
enum err mail_in_receive(struct desk *, struct str raw, struct str recipient,
	enum mail_outcome *out, struct fault *why);

/* use_mailbox_claim, in task.checked: one process reads a mailbox at a time. */
struct mailbox_claim {
	struct str name, by;
	bool alone;	   /* no other process has this store: whoever held it is gone */
	const char *reads; /* the message that is read from now on; NULL: as it was */
	bool ours;	   /* found: this process reads it */
	char reading[32];  /* found: the message that was being read */
};
extern const struct use use_mailbox_claim;

/* May this caller hand one over? The mail server of this machine may. */
extern const struct use use_mail_in;

#endif
