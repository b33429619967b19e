/* place.h - answering an ask right where it was asked: plain lines on the terminal, while
 * others may answer elsewhere. Only a person who is logged in can; the first answer wins.
 */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include "base/json.h"
#include "cli/cli.h"

struct place;

/* NULL when there is no terminal of ours in front, or the ask has several questions.
 * Without a login it says how to get one, and is NULL, too. */
struct place *place_open(struct cli *, const struct json *ask);
struct place *place_free(struct place *); /* NULL is fine; returns NULL */
int place_input_fd(const struct place *); /* -1 once the person typed Ctrl-D */
void place_prompt(struct place *);	  /* nothing once it is closed */
void place_leave(struct place *);	  /* goes to a fresh line, for a message */
/* A line is there. True when the ask is settled by it, or was by another: *ask is that,
 * as long as the place's cli lives. */
bool place_input(struct place *, const struct json **ask);

#endif
