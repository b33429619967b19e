/* lock.c - takes the lock on the database file itself: whoever comes by another name, a
 * hard or a symbolic link, meets it, too.
 *
 * SQLite's own locks are of another kind (fcntl) and go when any descriptor of the file is
 * closed in this process. So the lock outlives every connection. */
#include "store/lock.h"

#include "store/db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static enum err lock_take(struct str url, int flags, int kind, int *fd, struct fault *why)
{
	char path[4096];
	int n, f;

	*fd = -1;
	if (store_url_is_shared(url)) return OK;
	n = snprintf(path, sizeof path, "%.*s", STR_ARGS(str_from(url, 7)));
	if (n < 0 || n >= (int)sizeof path)
		return fail(why, ERR_INVALID, "the store's path is too long");
	f = open(path, flags | O_CLOEXEC | O_NOCTTY, 0600);
	if (f < 0) return fail(why, ERR_UNAVAILABLE, "%s: %s", path, strerror(errno));
	if (flock(f, kind | LOCK_NB) == 0) {
		*fd = f;
		return OK;
	}
	close(f);
	return fail(why, ERR_BUSY, "the store %s is in use by another parley", path);
}

enum err store_lock(struct str url, int *fd, struct fault *why)
{
	return lock_take(url, O_RDWR | O_CREAT, LOCK_EX, fd, why);
}

enum err store_lock_shared(struct str url, int *fd, struct fault *why)
{
	return lock_take(url, O_RDONLY, LOCK_SH, fd, why);
}

void store_unlock(int fd)
{
	if (fd >= 0) close(fd);
}
