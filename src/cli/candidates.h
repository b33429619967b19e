/* candidates.h - what may stand behind a command, for the completions of shells. */
#ifndef CLI_CANDIDATES_H
#define CLI_CANDIDATES_H

#include "cli/cli.h"

/* A command line that prints what the first word behind the command may be, blanks or line ends
 * between, without single quotes or dollars; NULL: nothing is known of it. */
const char *candidates_source(struct cli *, const struct command *);

#endif
