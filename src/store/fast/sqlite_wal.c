/* sqlite_wal.c - a layer under SQLite's log: renews it on opening, gathers its writes. */
#include "store/fast/sqlite_wal.h"

#include "base/clock.h"
#include "base/mem.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* SQLite's own files take less than 128 KiB at once. */
enum { STEP = 65536, GATHER = 65536, HEAD = 32 };

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

/* ---- few writes ---- */

/* SQLite writes a page of the log with two calls. A run of them is one here. */
struct log {
	sqlite3_file file;   /* first */
	sqlite3_file *under; /* lies behind this */
	sqlite3_int64 at;    /* where in the file what is gathered belongs */
	char *bytes;	     /* GATHER of them */
	int len;
	bool later, owed; /* wal_sync_later */
	_Atomic int64_t sync_ns;
};

struct gather_vfs {
	sqlite3_vfs vfs; /* first */
	sqlite3_vfs *base;
	char name[64];
};

static struct log *log_of(sqlite3_file *f)
{
	return (struct log *)(void *)f;
}

/* What cannot be written is forgotten: its transaction is told, and fails. */
static int log_flush(struct log *l)
{
	int len = l->len;

	l->len = 0;
	return len ? l->under->pMethods->xWrite(l->under, l->bytes, len, l->at)
		   : SQLITE_OK;
}

static int log_write(sqlite3_file *f, const void *bytes, int len, sqlite3_int64 at)
{
	struct log *l = log_of(f);

	if (l->len && (at != l->at + l->len || len > GATHER - l->len)) {
		int rc = log_flush(l);

		if (rc != SQLITE_OK) return rc;
	}
	if (len > GATHER) return l->under->pMethods->xWrite(l->under, bytes, len, at);
	if (!l->len) l->at = at;
	memcpy(l->bytes + l->len, bytes, (size_t)len);
	l->len += len;
	return SQLITE_OK;
}

static int log_read(sqlite3_file *f, void *bytes, int len, sqlite3_int64 at)
{
	struct log *l = log_of(f);
	int rc = log_flush(l);

	return rc ? rc : l->under->pMethods->xRead(l->under, bytes, len, at);
}

static int log_sync_now(struct log *l, int flags)
{
	int64_t since = clock_mono_ns(), usual;
	int rc = l->under->pMethods->xSync(l->under, flags);

	usual = atomic_load_explicit(&l->sync_ns, memory_order_relaxed);
	usual += (clock_mono_ns() - since - usual) / 8;
	atomic_store_explicit(&l->sync_ns, usual, memory_order_relaxed);
	return rc;
}

/* A log that begins anew is synced once its head is written: before any page of it. */
static int log_sync(sqlite3_file *f, int flags)
{
	struct log *l = log_of(f);
	bool head = l->at == 0 && l->len == HEAD;
	int rc = log_flush(l);

	if (rc) return rc;
	if (!l->later || head) return log_sync_now(l, flags);
	l->owed = true;
	return SQLITE_OK;
}

static int log_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	struct log *l = log_of(f);
	int rc = log_flush(l);

	return rc ? rc : l->under->pMethods->xTruncate(l->under, size);
}

static int log_size(sqlite3_file *f, sqlite3_int64 *size)
{
	struct log *l = log_of(f);
	int rc = log_flush(l);

	return rc ? rc : l->under->pMethods->xFileSize(l->under, size);
}

static int log_close(sqlite3_file *f)
{
	struct log *l = log_of(f);

	log_flush(l);
	mem_free(l->bytes);
	return l->under->pMethods->xClose(l->under);
}

static int log_control(sqlite3_file *f, int op, void *arg)
{
	struct log *l = log_of(f);

	return l->under->pMethods->xFileControl(l->under, op, arg);
}

static int log_sector(sqlite3_file *f)
{
	struct log *l = log_of(f);

	return l->under->pMethods->xSectorSize(l->under);
}

static int log_device(sqlite3_file *f)
{
	struct log *l = log_of(f);

	return l->under->pMethods->xDeviceCharacteristics(l->under);
}

/* Nobody locks or maps a log. */
static const sqlite3_io_methods log_methods = {
	.iVersion = 1,
	.xClose = log_close,
	.xRead = log_read,
	.xWrite = log_write,
	.xTruncate = log_truncate,
	.xSync = log_sync,
	.xFileSize = log_size,
	.xFileControl = log_control,
	.xSectorSize = log_sector,
	.xDeviceCharacteristics = log_device,
};

void wal_sync_later(sqlite3_file *f, bool later)
{
	if (f && f->pMethods == &log_methods) log_of(f)->later = later;
}

bool wal_sync_owed(sqlite3_file *f)
{
	bool owed = f && f->pMethods == &log_methods && log_of(f)->owed;

	if (owed) log_of(f)->owed = false;
	return owed;
}

int wal_sync(sqlite3_file *f)
{
	return log_sync_now(log_of(f), SQLITE_SYNC_NORMAL);
}

int64_t wal_sync_ns(sqlite3_file *f)
{
	bool ours = f && f->pMethods == &log_methods;

	return ours ? atomic_load_explicit(&log_of(f)->sync_ns, memory_order_relaxed) : 0;
}

static int gather_open(
	sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
	sqlite3_vfs *base = ((struct gather_vfs *)(void *)vfs)->base;
	struct log *l = log_of(f);
	int rc;

	if (!(flags & SQLITE_OPEN_WAL))
		return base->xOpen(base, name, f, flags, out_flags);
	*l = (struct log){ .under = (sqlite3_file *)(void *)(l + 1) };
	l->bytes = mem_grow(NULL, GATHER);
	if (!l->bytes) return SQLITE_NOMEM;
	rc = base->xOpen(base, name, l->under, flags, out_flags);
	/* Without methods it is not closed. */
	if (l->under->pMethods)
		l->file.pMethods = &log_methods;
	else
		mem_free(l->bytes);
	return rc;
}

static struct gather_vfs *gather_make(sqlite3_vfs *base, const char *name)
{
	struct gather_vfs *g = mem_alloc(sizeof *g);

	if (!g) return NULL;
	g->vfs = *base;
	g->base = base;
	memcpy(g->name, name, sizeof g->name);
	g->vfs.zName = g->name;
	g->vfs.szOsFile = (int)sizeof(struct log) + base->szOsFile;
	g->vfs.xOpen = gather_open;
	if (sqlite3_vfs_register(&g->vfs, 0) == SQLITE_OK) return g;
	mem_free(g);
	return NULL;
}

const char *wal_gather(const char *vfs_name)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	sqlite3_vfs *base = sqlite3_vfs_find(vfs_name), *found;
	char name[sizeof((struct gather_vfs *)0)->name];

	if (!base) return vfs_name;
	snprintf(name, sizeof name, "gather-%s", base->zName);
	pthread_mutex_lock(&lock);
	found = sqlite3_vfs_find(name);
	if (!found) found = (sqlite3_vfs *)(void *)gather_make(base, name);
	pthread_mutex_unlock(&lock);
	return found ? found->zName : NULL;
}
