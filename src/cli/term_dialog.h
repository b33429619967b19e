/* term_dialog.h - answering an ask right where it was asked: the dialog on the terminal,
 * while others may answer elsewhere. Only a person who is logged in can; the first answer
 * wins.
 */
#ifndef CLI_TERM_DIALOG_H
#define CLI_TERM_DIALOG_H

#include "base/json.h"
#include "cli/cli.h"

struct term_dialog;

/* NULL when there is no terminal of ours in front. Without a login it says how to get
 * one, and is NULL, too. `may_leave`: the person may leave the dialog without deciding.
 */
struct term_dialog *term_dialog_open(
	struct cli *, const struct json *ask, bool may_leave);
/* Gives the terminal back; NULL is fine; returns NULL. */
struct term_dialog *term_dialog_free(struct term_dialog *);
/* Readable when there is something to do, at least every second; -1 once the person left
 * the dialog. */
int term_dialog_input_fd(const struct term_dialog *);
/* The ask has changed; or something is to be said, in the dialog while it is there. */
void term_dialog_update(struct term_dialog *, const struct json *ask);
void term_dialog_say(struct term_dialog *, struct str text); /* empty: nothing any more */
/* True when the ask is settled by what was pressed, or was by another: *ask is that, as
 * long as the place's cli lives. */
bool term_dialog_input(struct term_dialog *, const struct json **ask);

#endif
