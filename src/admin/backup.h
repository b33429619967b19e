/* backup.h - a copy of a store that is a file, made by whoever asks for it: with the
 * caller's rights, in the caller's view of the disk. A server may run meanwhile. */
#ifndef ADMIN_BACKUP_H
#define ADMIN_BACKUP_H

#include "base/fault.h"
#include "base/str.h"

/* Writes beside `path` (NUL-terminated), 0600, syncs, then gives it its name. It never
 * replaces a file. */
enum err store_backup(struct str store, const char *path, struct fault *why);
/* The store is there and can be opened for reading. ERR_NOT_FOUND: there is none. */
enum err store_try(struct str store, struct fault *why);
/* A store that is a file and not there (or empty) yet. */
bool store_missing(struct str store);

#endif
