/* refusal.h - what the server found wrong in a body, said by what the person gave. */
#ifndef CLI_REFUSAL_H
#define CLI_REFUSAL_H

#include "cli/cli.h"

/* On stderr. The fault has items, in the person's language. */
void refusal_say(const struct cli *, const struct fault *);

#endif
