/* term_dialog.h - answering an ask right where it was asked: the dialog on the terminal,
 * while others may answer elsewhere. Only a person who is logged in can; the first answer
 * wins. */
#ifndef CLI_TERM_DIALOG_H
#define CLI_TERM_DIALOG_H

#include "base/json.h"
#include "cli/cli.h"

struct term_dialog;

enum term_dialog_use {
	TERM_DIALOG_ASKED,  /* by a command: the person may leave it without deciding */
	TERM_DIALOG_RUN,    /* the same, by a run that the command follows */
	TERM_DIALOG_HOSTED, /* over an agent: it came by itself, and stays */
};

/* NULL when there is no terminal of ours in front. Without a login it says how to get
 * one, and is NULL, too. */
struct term_dialog *term_dialog_open(
	struct cli *, const struct json *ask, enum term_dialog_use);
/* What stands before the keys: how a run is doing. */
void term_dialog_status(struct term_dialog *, struct str);
/* What was shown before it: its last lines stand above the dialog. */
void term_dialog_above(struct term_dialog *, struct str text);
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
/* The person's own key has settled it. */
bool term_dialog_done(const struct term_dialog *);
/* What was filled in and not sent, in one sentence for the terminal; empty: nothing.
 * Lives as long as the dialog's cli. */
struct str term_dialog_unsent(const struct term_dialog *);

#endif
