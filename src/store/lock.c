#include "store/lock.h"

#include "store/db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

enum err store_lock(struct str url, int *fd, struct fault *why)
{
	char path[4096];
	int n, f;

	*fd = -1;
	if (store_url_is_shared(url)) return OK;
	n = snprintf(path, sizeof path, "%.*s.lock", STR_ARGS(str_from(url, 7)));
	if (n < 0 || n >= (int)sizeof path)
		return fail(why, ERR_INVALID, "the store's path is too long");
	f = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (f < 0) return fail(why, ERR_UNAVAILABLE, "%s: %s", path, strerror(errno));
	if (flock(f, LOCK_EX | LOCK_NB) == 0) {
		*fd = f;
		return OK;
	}
	close(f);
	return fail(why, ERR_BUSY, "the store %.*s is in use by another parley",
		STR_ARGS(str_from(url, 7)));
}

void store_unlock(int fd)
{
	if (fd >= 0) close(fd);
}
