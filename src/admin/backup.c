/* backup.c - copies a store from the caller's side. */
#include "admin/backup.h"

#include "store/db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *file_of(struct str store, char path[4096])
{
	struct str at = str_from(store, strlen("sqlite:"));

	snprintf(path, 4096, "%.*s", STR_ARGS(at));
	return path;
}

bool store_missing(struct str store)
{
	char path[4096];
	struct stat st;

	if (!str_starts(store, "sqlite:")) return false;
	return stat(file_of(store, path), &st) != 0 || st.st_size == 0;
}

static struct db *store_read(struct str store, struct fault *why)
{
	struct db_options options = { 0 };

	if (store_missing(store)) {
		fail(why, ERR_NOT_FOUND, "there is no store at %.*s",
			STR_ARGS(str_from(store, strlen("sqlite:"))));
		return NULL;
	}
	return db_open(store, DB_READ, &options, why);
}

enum err store_try(struct str store, struct fault *why)
{
	struct db *db = store_read(store, why);

	if (!db) return why->err;
	db_close(db);
	return OK;
}

/* A name that is free is taken at once, for the owner alone. */
static enum err beside_make(
	const char *path, char *beside, size_t size, struct fault *why)
{
	int fd, n = snprintf(beside, size, "%s.XXXXXX", path);

	if (n < 0 || (size_t)n >= size)
		return fail(why, ERR_INVALID, "%s: the name is too long", path);
	fd = mkstemp(beside);
	if (fd < 0) return fail(why, ERR_INVALID, "%s: %s", path, strerror(errno));
	close(fd);
	return OK;
}

static enum err beside_name(const char *beside, const char *path, struct fault *why)
{
	int fd = open(beside, O_RDONLY | O_CLOEXEC);
	bool synced = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0) close(fd);
	/* link refuses what is there, and where it is not known rename has looked before. */
	if (synced && link(beside, path) == 0) {
		unlink(beside);
		return OK;
	}
	if (synced && errno != EEXIST && access(path, F_OK) != 0 &&
		rename(beside, path) == 0)
		return OK;
	return fail(why, ERR_INVALID, "%s: %s", path, strerror(errno));
}

enum err store_backup(struct str store, const char *path, struct fault *why)
{
	char beside[4096];
	struct db *db = store_read(store, why);
	enum err e;

	if (!db) return why->err;
	umask(0077);
	e = beside_make(path, beside, sizeof beside, why);
	if (!e) {
		e = db->driver->backup(db, beside, why);
		if (!e) e = beside_name(beside, path, why);
		if (e) unlink(beside);
	}
	db_close(db);
	return e;
}
