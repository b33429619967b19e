/* administer.h - where a verb that administers works. */
#ifndef CLI_ADMINISTER_H
#define CLI_ADMINISTER_H

#include "cli/cli.h"

extern const struct flag admin_flags[]; /* workspace, json */

/* The store, or the server that the environment names. EXIT_YES, or said. */
int administer_open(struct cli *);
/* The address people know the server under, for links; empty when none runs. */
struct str administer_url(struct cli *);

#endif
