#include "store/sqlite_wal.h"

#include "base/mem.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

enum { STEP = 65536 };

static int renew(sqlite3_file *f)
{
	char *bytes = mem_alloc(STEP);
	sqlite3_int64 size = 0, at = 0;
	int rc = bytes ? f->pMethods->xFileSize(f, &size) : SQLITE_NOMEM;

	while (rc == SQLITE_OK && at < size) {
		int n = size - at < STEP ? (int)(size - at) : STEP;

		rc = f->pMethods->xRead(f, bytes, n, at);
		if (rc == SQLITE_OK) rc = f->pMethods->xWrite(f, bytes, n, at);
		at += n;
	}
	if (rc == SQLITE_OK && size > 0) rc = f->pMethods->xSync(f, SQLITE_SYNC_FULL);
	mem_free(bytes);
	return rc;
}

/* A path as the VFS wants it: with two NULs behind, where it looks for parameters. */
static char *wal_path(const char *database)
{
	size_t len = strlen(database);
	char *path = mem_alloc(len + 8);

	if (path) snprintf(path, len + 8, "%s-wal", database);
	return path;
}

int wal_renew(const char *database, const char *vfs_name)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(vfs_name);
	char *path = wal_path(database);
	sqlite3_file *f = vfs ? mem_alloc((size_t)vfs->szOsFile) : NULL;
	int there = 0, rc = SQLITE_NOMEM;

	if (f && path) rc = vfs->xAccess(vfs, path, SQLITE_ACCESS_EXISTS, &there);
	if (rc == SQLITE_OK && there) {
		rc = vfs->xOpen(
			vfs, path, f, SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL, NULL);
		if (rc == SQLITE_OK) rc = renew(f);
		if (f->pMethods) f->pMethods->xClose(f);
	}
	mem_free(f);
	mem_free(path);
	return rc;
}
