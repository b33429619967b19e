/* users.h - users, as several verbs look for them. */
#ifndef CLI_VERB_USERS_H
#define CLI_VERB_USERS_H

#include "cli/resource.h"

extern const struct resource users;

/* The id of the user of this id or name; without one the program ends. */
struct str user_pick(struct cli *, struct str who);

#endif
