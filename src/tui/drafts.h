/* drafts.h - what was filled in and not sent, by ask; kept in a file for its owner
 * alone. */
#ifndef TUI_DRAFTS_H
#define TUI_DRAFTS_H

#include "base/table.h"
#include "tui/form.h"

struct drafts {
	struct table by_ask; /* id → struct draft_kept */
	struct str path;     /* NUL-terminated; empty: in memory alone */
	bool changed;
};

void drafts_open(struct drafts *, struct str path); /* path borrowed; reads the file */
/* Keeps what is in the form, or drops it when nothing is. */
void drafts_keep(struct drafts *, struct str ask, const struct form *);
bool drafts_fill(const struct drafts *, struct str ask, struct form *); /* false: none */
void drafts_drop(struct drafts *, struct str ask);
void drafts_close(struct drafts *); /* writes the file when something changed */

#endif
