/* mail_body.h - the two forms of a mail's text: plain, and HTML that looks at home in light and
 * dark. Pure. HTML has no images, no scripts, and nothing that is fetched. */
#ifndef CHANNEL_MAIL_BODY_H
#define CHANNEL_MAIL_BODY_H

#include "channel/notify_text.h"

/* Texts that are empty are left out. */
struct mail_words {
	struct str rule;   /* the line above which an answer is written */
	struct str notice; /* what was wrong with a reply */
	const struct notify_words *told;
	struct str how; /* how to reply; many lines */
	struct str footer;
	struct str mute_url,
		mute; /* where the contact is muted, and what the link says */
};

void mail_plain_add(struct buf *, const struct mail_words *);
void mail_html_add(struct buf *, const struct mail_words *);

#endif
