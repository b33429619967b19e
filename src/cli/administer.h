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
/* All items of a list, page by page: `path` has a query already. */
int administer_list(
	struct cli *, struct str path, const struct json ***items, size_t *len);
/* {"items": […]} with all of them, for --json. */
void print_items(const struct json *const *items, size_t len);
/* The projects of a team or a token, with blanks between. */
struct str project_names(struct cli *, const struct json *of);
/* A row of a table on the terminal, or tabs between cells in a pipe. */
void print_cells(struct cli *, const char *const *heads, const int *widths,
	const struct str *cells, size_t len);
/* The user of this id or name; EXIT_UNKNOWN_ID when there is none. */
int administer_user(struct cli *, struct str who, struct str *id);
/* The address people know the server under, for links; empty when none runs. */
struct str administer_url(struct cli *);
void print_json(const struct json *);
/* The end of a command that says nothing when it is done; with --json what it changed, {}
 * when that is gone. */
int administer_done(struct cli *, int status, const struct json *reply);
/* What /test found, a line a check; the exit status says whether all is well. */
int print_checks(struct cli *, const struct json *reply);
/* All of a file, or with "-" of stdin. False: why not. */
bool file_whole(struct cli *, struct str path, struct str *out, struct fault *why);
struct str text_json(struct cli *, struct str); /* as a JSON string */
struct str path_with(struct cli *, const char *path, struct str id);

#endif
