/* notify_fill.h - what a message to a person brings. Private to desk. */
#ifndef DESK_NOTIFY_FILL_H
#define DESK_NOTIFY_FILL_H

#include "desk/shared/inner.h"

/* `ask`, session title and workspace are there already, where it is about one. */
enum err notify_fill(
	struct task *, struct rows *, struct delivery_fill *, struct fault *);

/* The server's key of this name; ERR_UNAVAILABLE: it was not made yet. */
enum err fill_server_key(struct rows *, struct str name, struct str *out, struct fault *);

#endif
