/* administer.h - where a verb that administers works. */
#ifndef CLI_ADMINISTER_H
#define CLI_ADMINISTER_H

#include "cli/cli.h"

extern const struct flag admin_flags[]; /* workspace, json */

/* The store, or the server that the environment names. What fails is said, and ends the program. */
void administer_open(struct cli *);
/* The login link of a user that was made or changed; without a running server the part that is
 * known. */
void administer_link_print(struct cli *, const struct json *user);

#endif
