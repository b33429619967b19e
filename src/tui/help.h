/* help.h - the keys by screen, and what the marks mean, as a page that scrolls. */
#ifndef TUI_HELP_H
#define TUI_HELP_H

#include "tui/key.h"
#include "tui/screen.h"

enum help_part {
	HELP_EVERYWHERE,
	HELP_INBOX,
	HELP_ASK,
	HELP_TEXT,
	HELP_SESSIONS,
	HELP_HISTORY,
	HELP_MARKS,
	HELP_PARTS,
};

/* { 0 } is closed. */
struct help {
	bool on;
	bool alone; /* a dialog without an inbox: only what can be pressed there */
	enum help_part here; /* the screen it was opened on, which is explained first */
	size_t top;	     /* the first row in sight */
};

void help_open(struct help *, enum help_part here, bool alone);
/* Scrolls; any other key closes it. */
void help_key(struct help *, const struct key *, size_t height);
void help_draw(struct help *, struct screen *, const struct area *);

#endif
