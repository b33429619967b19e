/* mailbox.h - a mailbox read by IMAP: what is unseen, one message, and that it was seen. The thread
 * that calls waits. One connection is kept for the next call. */
#ifndef NET_MAILBOX_H
#define NET_MAILBOX_H

#include <stdatomic.h>

#include "base/buf.h"
#include "net/mail_server.h"

struct mailbox;

/* The server is borrowed. Its URL names the folder. `stop`: a call ends within a second or so of
 * its being set. */
struct mailbox *mailbox_new(
	const struct mail_server *, const atomic_bool *stop, struct fault *why);
struct mailbox *mailbox_free(struct mailbox *); /* NULL is fine; returns NULL */
/* The numbers of messages that nobody has seen, at most `max`. */
enum err mailbox_unseen(
	struct mailbox *, int64_t *uids, size_t max, size_t *len, struct fault *why);
/* One message; the server marks it as seen by this. `out` fails when it is longer than out->max. */
enum err mailbox_fetch(struct mailbox *, int64_t uid, struct buf *out, struct fault *why);
enum err mailbox_mark(struct mailbox *, int64_t uid, bool seen, struct fault *why);

#endif
