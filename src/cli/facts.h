/* facts.h - an object as people read it: a line for each member. */
#ifndef CLI_FACTS_H
#define CLI_FACTS_H

#include "cli/cli.h"

/* On stdout; what belongs to a member stands indented below it. */
void facts_print(struct cli *, const struct json *object);

#endif
