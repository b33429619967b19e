/* users.h - users, as several verbs look for them. */
#ifndef CLI_VERB_USERS_H
#define CLI_VERB_USERS_H

#include "cli/resource.h"

extern const struct resource users;

/* The user of this id or name. EXIT_YES, or said. */
int user_pick(struct cli *, struct str who, struct str *id);

#endif
