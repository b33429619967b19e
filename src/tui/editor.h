/* editor.h - a longer text in the person's own editor ($VISUAL, $EDITOR, else vi). */
#ifndef TUI_EDITOR_H
#define TUI_EDITOR_H

#include "tui/screen.h"

/* The screen is lent to the editor meanwhile. `suffix` tells it what it edits (".json").
 * False: it could not be run, failed, or the text is too long; *out is as it was. */
bool editor_run(struct screen *, struct str text, const char *suffix, struct buf *out);

#endif
