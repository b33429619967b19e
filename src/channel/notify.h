/* notify.h - makes deliveries: people told, webhooks sent, resumers run, on a thread of its own.
 * What there is to do is in the store; nothing is kept here that a crash could lose. */
#ifndef CHANNEL_NOTIFY_H
#define CHANNEL_NOTIFY_H

#include "core/delivery/resumer.h"
#include "core/shared/settings.h"
#include "desk/desk.h"
#include "net/process.h"
#include "text/lang.h"

/* Texts and what is pointed to are borrowed, and must outlive the deliverer. */
struct notify_settings {
	struct settings set;		     /* its url is how the server is reached */
	bool isolated;			     /* programs are: net/process.h */
	const struct process_hidden *hidden; /* from isolated resumers */
	size_t hidden_len;
	bool shared;	 /* other processes write to the store, too */
	struct str node; /* what this one is called, after a restart as well */
};

struct notify;

/* Listens to the desk from now on. The desk is borrowed. */
struct notify *notify_new(
	struct desk *, const struct notify_settings *, struct fault *why);
enum err notify_start(struct notify *, struct fault *why);
/* Takes nothing more on; from any thread. Webhooks under way get some seconds, resumers end. */
void notify_stop(struct notify *);
/* Stops it and waits until it has; before the desk is closed. NULL is fine; returns
 * NULL. */
struct notify *notify_free(struct notify *);

#endif
