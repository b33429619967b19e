/* place.h - answering an ask right where it was asked: the dialog on the terminal, while
 * others may answer elsewhere. Only a person who is logged in can; the first answer wins.
 */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include "base/json.h"
#include "cli/cli.h"

struct place;

/* NULL when there is no terminal of ours in front. Without a login it says how to get
 * one, and is NULL, too. `may_leave`: the person may leave the dialog without deciding.
 */
struct place *place_open(struct cli *, const struct json *ask, bool may_leave);
/* Gives the terminal back; NULL is fine; returns NULL. */
struct place *place_free(struct place *);
/* Readable when there is something to do, at least every second; -1 once the person left
 * the dialog. */
int place_input_fd(const struct place *);
/* The ask has changed; or something is to be said, in the dialog while it is there. */
void place_update(struct place *, const struct json *ask);
void place_say(struct place *, struct str text); /* empty: nothing any more */
/* True when the ask is settled by what was pressed, or was by another: *ask is that, as
 * long as the place's cli lives. */
bool place_input(struct place *, const struct json **ask);

#endif
