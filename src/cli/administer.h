/* administer.h - what the verbs that administer share. */
#ifndef CLI_ADMINISTER_H
#define CLI_ADMINISTER_H

#include "admin/admin.h"
#include "cli/cli.h"

extern const struct flag admin_flags[]; /* workspace, json */

/* One request to the desk, by the store or the running server; says what failed. The exit
 * status; *out may be NULL for an empty reply. */
int administer(struct cli *, const char *method, struct str path, struct str body,
	const struct json **out);
/* The user of this id or name; EXIT_UNKNOWN_ID when there is none. */
int administer_user(struct cli *, struct str who, struct str *id);
/* The address people know the server under, for links; empty when none runs. */
struct str administer_url(struct cli *);
void print_json(const struct json *);
struct str text_json(struct cli *, struct str); /* as a JSON string */
struct str path_with(struct cli *, const char *path, struct str id);

#endif
