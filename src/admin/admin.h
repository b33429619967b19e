/* admin.h - users, tokens, workspaces, backup, check: on the store when no server runs,
 * and through the server's own 0600 socket when one does. The lock beside the store
 * tells. */
#ifndef ADMIN_ADMIN_H
#define ADMIN_ADMIN_H

#include "base/json.h"

struct admin;
struct use;

/* The use case that serves a request of administration, and the id in its path; NULL: none. The
 * server's table of routes, which is above us. */
typedef const struct use *admin_use_fn(
	struct str method, struct str path, struct str *id);

/* Makes data directory (0700) and store when they are not there. `served`: what is asked for is
 * known to a running server only (its configuration, its keys), so one of this data directory
 * is asked also where the store could be opened beside it. */
struct admin *admin_open(struct str store, struct str data, struct str workspace,
	bool served, admin_use_fn *, struct fault *why);
struct admin *admin_close(struct admin *); /* NULL is fine; returns NULL */

/* One request of the HTTP contract, by whoever holds the machine. The reply's JSON lives
 * in the arena; *out is NULL for an empty one. `method` and `path` as over HTTP. */
enum err admin_do(struct admin *, const char *method, struct str path, struct str body,
	struct arena *, const struct json **out, struct fault *why);

/* "unix:…/parley.sock" of a data directory. A path too long for a socket's address goes
 * by way of an open handle on the folder, which stays open. */
struct str admin_local_address(struct str data, struct arena *);

/* Directory with mode 0700, its parents with the usual one. */
enum err folder_make(struct str path, struct fault *why);

#endif
