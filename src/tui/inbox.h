/* inbox.h - the terminal interface: the list of what waits, the ask that is open, the
 * sessions, all kept true by the event stream. */
#ifndef TUI_INBOX_H
#define TUI_INBOX_H

#include "client/client.h"
#include "tui/screen.h"

struct inbox_setup {
	struct client *client; /* as a person; borrowed */
	struct screen_setup screen;
	bool opens;  /* a new ask opens by itself when nothing else is going on */
	bool bell;   /* rings for a new ask */
	bool notify; /* the terminal's own notification for a new ask */
	/* The file in which drafts are kept; NUL-terminated, or empty. */
	struct str drafts;
};

/* Until the person leaves, or the client's stop_fd is readable. */
enum err inbox_run(const struct inbox_setup *, struct fault *why);

#endif
