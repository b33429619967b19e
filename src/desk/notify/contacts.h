/* contacts.h - what other use cases do with contacts. Private to desk. */
#ifndef DESK_CONTACTS_H
#define DESK_CONTACTS_H

#include "core/notify/contact.h"
#include "desk/shared/inner.h"

/* Removes every contact of a user or team that goes, and what a user wanted. */
enum err contacts_drop(
	struct rows *, int64_t ws, struct str user, struct str team, struct fault *);
/* ERR_CHANNEL_OFF unless this channel is configured. */
enum err channel_on(const struct task *, enum delivery_kind, struct fault *);
bool channel_listed(const char *names, struct str name); /* with commas between them */
/* A new code, to the contact's address. ERR_RATE: it had enough of them. */
enum err contact_code_send(struct rows *, struct contact *, struct fault *);

#endif
