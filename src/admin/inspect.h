/* inspect.h - the check and the backup of a store, beside a server that may run: both read
 * the store by themselves and change nothing of it. */
#ifndef ADMIN_INSPECT_H
#define ADMIN_INSPECT_H

#include "base/arena.h"
#include "base/fault.h"
#include "base/progress.h"

int64_t inspect_schema(void); /* the version of the store that this program writes */
/* A store that is a file and not there, or empty, yet. */
bool inspect_missing(struct str url);
/* It is there and can be opened for reading. ERR_NOT_FOUND: there is none. `synced` is false when it has several hosts
 * and no commit waits for a standby. */
enum err inspect_try(struct str url, bool *synced, struct fault *why);

/* The report as JSON, in the arena. A file that is not a store, or of another schema, is a
 * finding, not an error. An error: the file could not be read. */
enum err inspect_check(struct str url, progress_fn *, void *ctx, struct arena *,
	struct str *report, struct fault *why);

/* Into a new file: written beside it, synced, checked, and only then given its name.
 * ERR_CONFLICT: there is something of that name. */
enum err inspect_backup(
	struct str url, struct str path, progress_fn *, void *ctx, struct fault *why);

#endif
