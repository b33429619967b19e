/* settle.h - answer, skip and cancel: one call, and what became of the ask. */
#ifndef CLI_VERB_SETTLE_H
#define CLI_VERB_SETTLE_H

#include "cli/cli.h"

/* POSTs the body to the ask's `tail` ("/answer") and says what happened. When another was
 * first it says who and what: EXIT_NO. */
int settle(struct cli *, struct str id, const char *tail, struct str body);

#endif
