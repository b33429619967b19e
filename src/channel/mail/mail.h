/* mail.h - what the files of the mail channel share. */
#ifndef CHANNEL_MAIL_H
#define CHANNEL_MAIL_H

#include "channel/inner.h"
#include "net/mail_server.h"
#include "serve/receiver.h"

/* Of the channel that sends. */
struct mail_sending {
	struct mail_server smtp;
	uint8_t key
		[SERVER_KEY_SIZE]; /* that the tokens of replies and of muting are made with */
	struct mailbox_reader *reader; /* NULL: no mailbox is read */
};

/* The thread that reads the mailbox, where there is one. */
enum err mailbox_reader_start(struct notify *, struct fault *why);
void mailbox_reader_stop(struct notify *);

extern const struct receiver mail_receiver;
route_fn mail_mute; /* the page behind the link that mutes a contact */

#endif
