/* editor.h - a longer text in the person's own editor ($VISUAL, $EDITOR, else vi): what a
 * dialog lets one edit at length. The screen is lent to the editor meanwhile. */
#ifndef TUI_EDITOR_H
#define TUI_EDITOR_H

#include "tui/dialog.h"

void editor_line(struct dialog *, struct screen *);	 /* the text being typed */
void editor_arguments(struct dialog *, struct screen *); /* the operation's, as JSON */

#endif
