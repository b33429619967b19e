/* foreign.h - asking in the shape of another system: its request in, its reply out. */
#ifndef CLI_FOREIGN_H
#define CLI_FOREIGN_H

#include "cli/asking.h"

/* As --dialect says, with the request in the first word or on stdin; the reply goes to
 * stdout. Returns the exit status. */
int foreign_ask(struct asking *);

#endif
