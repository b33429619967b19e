#include "cutvfs.h"

#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct handle;

/* An open file, shared by its handles: what advisory locks and shared memory hang on. */
struct node {
	struct node *next;
	struct handle *handles;
	uint32_t file;	/* in live */
	bool dead;	/* the power was cut under it */
	bool temporary; /* has no name and no history */

	void **regions; /* shared memory, as long as a handle has mapped it */
	int regions_len;
	int mappers;
};

struct handle {
	sqlite3_file base; /* first */
	struct handle *next;
	struct node *node;
	int level;     /* SQLITE_LOCK_* */
	bool sync_dir; /* the next sync also syncs the directory */
	bool persist_wal;
	bool mapped;
	unsigned shared_slots; /* bits of shared-memory locks held */
	unsigned exclusive_slots;
};

struct plan {
	uint64_t calls;
	uint64_t fail_at; /* 0: never */
	bool onwards;
};

static const int fault_codes[CUT_FAULTS] = {
	[CUT_READ] = SQLITE_IOERR_READ,
	[CUT_WRITE] = SQLITE_IOERR_WRITE,
	[CUT_FULL] = SQLITE_FULL,
	[CUT_SYNC] = SQLITE_IOERR_FSYNC,
	[CUT_SYNC_DIR] = SQLITE_IOERR_DIR_FSYNC,
	[CUT_TRUNCATE] = SQLITE_IOERR_TRUNCATE,
	[CUT_OPEN] = SQLITE_CANTOPEN,
	[CUT_DELETE] = SQLITE_IOERR_DELETE,
};

/* Everything below is under the lock. `live` is what programs see: base of the history
 * and all its operations. */
static struct {
	pthread_mutex_t lock;
	struct cut_image live;
	struct cut_history *history;
	struct node *nodes;
	struct plan plans[CUT_FAULTS];
	uint64_t failures;
	unsigned sync_us;
} fs = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void fs_lock(void)
{
	pthread_mutex_lock(&fs.lock);
}

/* Returns rc, so that a method can end with it. */
static int fs_unlock(int rc)
{
	pthread_mutex_unlock(&fs.lock);
	return rc;
}

/* Lives: from switching on to power-off. */

static void fs_start(struct cut_image image)
{
	fs.live = cut_image_copy(&image);
	fs.history = cut_history_new(image);
}

static struct cut_history *fs_end(void)
{
	struct cut_history *h = fs.history;

	for (struct node *n = fs.nodes; n; n = n->next)
		n->dead = true;
	fs.nodes = NULL; /* the last handle of a dead node frees it */
	fs.history = NULL;
	cut_image_done(&fs.live);
	return h;
}

void cut_reset(void)
{
	fs_lock();
	cut_history_free(fs_end());
	fs_start((struct cut_image){ 0 });
	memset(fs.plans, 0, sizeof(fs.plans));
	fs.failures = 0;
	fs_unlock(0);
}

struct cut_history *cut_power_off(void)
{
	fs_lock();
	struct cut_history *h = fs_end();

	fs_start((struct cut_image){ 0 });
	fs_unlock(0);
	return h;
}

void cut_state(
	struct cut_history *h, uint64_t position, enum cut_choice choice, uint64_t seed)
{
	fs_lock();
	cut_history_free(fs_end());
	fs_start(cut_history_cut(h, position, choice, seed));
	fs_unlock(0);
}

uint64_t cut_position(void)
{
	fs_lock();
	uint64_t position = cut_history_length(fs.history);

	fs_unlock(0);
	return position;
}

/* Faults. */

void cut_fail_at(enum cut_fault kind, uint64_t n, bool onwards)
{
	fs_lock();
	fs.plans[kind] = (struct plan){ .fail_at = n, .onwards = onwards };
	fs_unlock(0);
}

void cut_fail_none(void)
{
	fs_lock();
	memset(fs.plans, 0, sizeof(fs.plans));
	fs.failures = 0;
	fs_unlock(0);
}

void cut_sync_takes(unsigned us)
{
	fs_lock();
	fs.sync_us = us;
	fs_unlock(0);
}

uint64_t cut_calls(enum cut_fault kind)
{
	fs_lock();
	uint64_t calls = fs.plans[kind].calls;

	fs_unlock(0);
	return calls;
}

uint64_t cut_failures(void)
{
	fs_lock();
	uint64_t failures = fs.failures;

	fs_unlock(0);
	return failures;
}

/* Counts a call; the error it must fail with, or SQLITE_OK. */
static int fault_check(enum cut_fault kind)
{
	struct plan *p = &fs.plans[kind];

	p->calls++;
	if (!p->fail_at) return SQLITE_OK;
	if (p->calls != p->fail_at && !(p->onwards && p->calls > p->fail_at))
		return SQLITE_OK;
	fs.failures++;
	return fault_codes[kind];
}

/* Files. */

static void record(const struct node *n, struct cut_op op)
{
	if (!n->temporary) cut_history_add(fs.history, op);
}

static struct handle *handle_of(sqlite3_file *file)
{
	return (struct handle *)(void *)file;
}

static struct cut_bytes *bytes_of(const struct node *n)
{
	return &fs.live.files[n->file];
}

static int file_read(sqlite3_file *file, void *out, int amount, sqlite3_int64 at)
{
	fs_lock();
	struct node *n = handle_of(file)->node;

	if (n->dead) return fs_unlock(SQLITE_IOERR_READ);
	int rc = fault_check(CUT_READ);

	if (rc != SQLITE_OK) return fs_unlock(rc);

	const struct cut_bytes *b = bytes_of(n);
	size_t want = (size_t)amount;
	size_t start = (size_t)at < b->len ? (size_t)at : b->len;
	size_t got = b->len - start < want ? b->len - start : want;

	if (got) memcpy(out, b->at + start, got);
	memset((char *)out + got, 0, want - got);
	return fs_unlock(got < want ? SQLITE_IOERR_SHORT_READ : SQLITE_OK);
}

static int file_write(sqlite3_file *file, const void *data, int amount, sqlite3_int64 at)
{
	fs_lock();
	struct node *n = handle_of(file)->node;
	size_t len = (size_t)amount;

	if (n->dead) return fs_unlock(SQLITE_IOERR_WRITE);
	int rc = fault_check(CUT_WRITE);
	int full = fault_check(CUT_FULL);

	if (rc == SQLITE_OK) rc = full;
	if (rc != SQLITE_OK) len /= 2;
	cut_image_write(&fs.live, n->file, (size_t)at, data, len);
	record(n, (struct cut_op){ CUT_OP_WRITE, n->file, (size_t)at, len,
			  (unsigned char *)(uintptr_t)data });
	return fs_unlock(rc);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	fs_lock();
	struct node *n = handle_of(file)->node;

	if (n->dead) return fs_unlock(SQLITE_IOERR_TRUNCATE);
	int rc = fault_check(CUT_TRUNCATE);

	if (rc != SQLITE_OK) return fs_unlock(rc);
	cut_image_resize(&fs.live, n->file, (size_t)size);
	record(n, (struct cut_op){ CUT_OP_RESIZE, n->file, (size_t)size });
	return fs_unlock(SQLITE_OK);
}

static int directory_sync(void)
{
	int rc = fault_check(CUT_SYNC_DIR);

	if (rc == SQLITE_OK)
		cut_history_add(fs.history, (struct cut_op){ .kind = CUT_OP_SYNC_DIR });
	return rc;
}

static int file_sync(sqlite3_file *file, int flags)
{
	(void)flags;
	fs_lock();
	struct handle *h = handle_of(file);
	unsigned us = fs.sync_us;

	if (us) {
		fs_unlock(SQLITE_OK);
		usleep(us);
		fs_lock();
	}
	if (h->node->dead) return fs_unlock(SQLITE_IOERR_FSYNC);
	int rc = fault_check(CUT_SYNC);

	record(h->node,
		(struct cut_op){ rc == SQLITE_OK ? CUT_OP_SYNC : CUT_OP_SYNC_FAILED,
			h->node->file });
	if (rc == SQLITE_OK && h->sync_dir) {
		directory_sync();
		h->sync_dir = false;
	}
	return fs_unlock(rc);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
	fs_lock();
	const struct node *n = handle_of(file)->node;

	if (n->dead) return fs_unlock(SQLITE_IOERR_FSTAT);
	*size = (sqlite3_int64)bytes_of(n)->len;
	return fs_unlock(SQLITE_OK);
}

/* Advisory locks. A handle's level is its own; what it may become depends on the highest
 * level among the others. */

static int highest_level(const struct node *n, const struct handle *but)
{
	int level = SQLITE_LOCK_NONE;

	for (const struct handle *h = n->handles; h; h = h->next)
		if (h != but && h->level > level) level = h->level;
	return level;
}

static int file_lock(sqlite3_file *file, int level)
{
	fs_lock();
	struct handle *h = handle_of(file);

	if (h->node->dead) return fs_unlock(SQLITE_IOERR_LOCK);
	if (level <= h->level) return fs_unlock(SQLITE_OK);

	int others = highest_level(h->node, h);

	if (others >= SQLITE_LOCK_PENDING ||
		(level >= SQLITE_LOCK_RESERVED && others >= SQLITE_LOCK_RESERVED))
		return fs_unlock(SQLITE_BUSY);
	if (level == SQLITE_LOCK_EXCLUSIVE && others >= SQLITE_LOCK_SHARED) {
		h->level = SQLITE_LOCK_PENDING; /* keeps new readers out */
		return fs_unlock(SQLITE_BUSY);
	}
	h->level = level;
	return fs_unlock(SQLITE_OK);
}

static int file_unlock(sqlite3_file *file, int level)
{
	fs_lock();
	struct handle *h = handle_of(file);

	if (level < h->level) h->level = level;
	return fs_unlock(SQLITE_OK);
}

static int file_reserved(sqlite3_file *file, int *out)
{
	fs_lock();
	*out = highest_level(handle_of(file)->node, NULL) >= SQLITE_LOCK_RESERVED;
	return fs_unlock(SQLITE_OK);
}

static int file_control(sqlite3_file *file, int op, void *arg)
{
	struct handle *h = handle_of(file);

	if (op != SQLITE_FCNTL_PERSIST_WAL) return SQLITE_NOTFOUND;
	fs_lock();
	if (*(int *)arg >= 0) h->persist_wal = *(int *)arg;
	*(int *)arg = h->persist_wal;
	return fs_unlock(SQLITE_OK);
}

static int file_sector(sqlite3_file *file)
{
	(void)file;
	return 4096;
}

static int file_device(sqlite3_file *file)
{
	(void)file;
	return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

/* Shared memory. It is gone with its last mapper, as the first one to map it on Unix
 * empties what it finds. */

static int shm_map(
	sqlite3_file *file, int region, int size, int extend, void volatile **out)
{
	fs_lock();
	struct handle *h = handle_of(file);
	struct node *n = h->node;

	*out = NULL;
	if (n->dead) return fs_unlock(SQLITE_IOERR_SHMMAP);
	if (!h->mapped) {
		h->mapped = true;
		n->mappers++;
	}
	if (region >= n->regions_len && !extend) return fs_unlock(SQLITE_OK);
	while (region >= n->regions_len) {
		void **grown = realloc(
			n->regions, ((size_t)n->regions_len + 1) * sizeof(*grown));

		if (!grown) return fs_unlock(SQLITE_NOMEM);
		n->regions = grown;
		n->regions[n->regions_len] = calloc(1, (size_t)size);
		if (!n->regions[n->regions_len]) return fs_unlock(SQLITE_NOMEM);
		n->regions_len++;
	}
	*out = n->regions[region];
	return fs_unlock(SQLITE_OK);
}

static int shm_lock(sqlite3_file *file, int first, int count, int flags)
{
	fs_lock();
	struct handle *h = handle_of(file);
	unsigned slots = ((1u << count) - 1) << first;
	unsigned shared = 0, exclusive = 0;

	if (flags & SQLITE_SHM_UNLOCK) {
		h->shared_slots &= ~slots;
		h->exclusive_slots &= ~slots;
		return fs_unlock(SQLITE_OK);
	}
	if (h->node->dead) return fs_unlock(SQLITE_IOERR_SHMLOCK);
	for (const struct handle *o = h->node->handles; o; o = o->next) {
		if (o == h) continue;
		shared |= o->shared_slots;
		exclusive |= o->exclusive_slots;
	}
	if (flags & SQLITE_SHM_SHARED) {
		if (slots & exclusive) return fs_unlock(SQLITE_BUSY);
		h->shared_slots |= slots;
	} else {
		if (slots & (shared | exclusive)) return fs_unlock(SQLITE_BUSY);
		h->exclusive_slots |= slots;
	}
	return fs_unlock(SQLITE_OK);
}

static void shm_barrier(sqlite3_file *file)
{
	(void)file;
	fs_lock(); /* a mutex orders memory between threads, also for tools that look on
		    */
	fs_unlock(0);
}

static void handle_unmap(struct handle *h)
{
	struct node *n = h->node;

	if (!h->mapped) return;
	h->mapped = false;
	h->shared_slots = h->exclusive_slots = 0;
	if (--n->mappers) return;
	for (int i = 0; i < n->regions_len; i++)
		free(n->regions[i]);
	free(n->regions);
	n->regions = NULL;
	n->regions_len = 0;
}

static int shm_unmap(sqlite3_file *file, int delete)
{
	(void)delete;
	fs_lock();
	handle_unmap(handle_of(file));
	return fs_unlock(SQLITE_OK);
}

/* Opening and closing. */

static void node_free(struct node *n)
{
	for (struct node **at = &fs.nodes; *at; at = &(*at)->next) {
		if (*at != n) continue;
		*at = n->next;
		break;
	}
	free(n);
}

static int file_close(sqlite3_file *file)
{
	fs_lock();
	struct handle *h = handle_of(file);
	struct node *n = h->node;

	handle_unmap(h);
	for (struct handle **at = &n->handles; *at; at = &(*at)->next) {
		if (*at != h) continue;
		*at = h->next;
		break;
	}
	if (!n->handles) node_free(n);
	return fs_unlock(SQLITE_OK);
}

static const sqlite3_io_methods file_methods = {
	.iVersion = 2,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_unlock,
	.xCheckReservedLock = file_reserved,
	.xFileControl = file_control,
	.xSectorSize = file_sector,
	.xDeviceCharacteristics = file_device,
	.xShmMap = shm_map,
	.xShmLock = shm_lock,
	.xShmBarrier = shm_barrier,
	.xShmUnmap = shm_unmap,
};

static struct node *node_get(uint32_t file, bool temporary)
{
	for (struct node *n = fs.nodes; n; n = n->next)
		if (n->file == file) return n;

	struct node *n = calloc(1, sizeof(*n));

	if (!n) return NULL;
	*n = (struct node){ .next = fs.nodes, .file = file, .temporary = temporary };
	fs.nodes = n;
	return n;
}

static void name_record(enum cut_op_kind kind, const char *name, uint32_t file)
{
	cut_history_add(fs.history, (struct cut_op){ kind, file, 0, strlen(name) + 1,
					    (unsigned char *)(uintptr_t)name });
}

/* The number of the file, made if need be; -1 when it is missing. */
static int64_t name_open(const char *name, int flags)
{
	int64_t file = name ? cut_image_find(&fs.live, name) : -1;

	if (file >= 0 || !(flags & SQLITE_OPEN_CREATE)) return file;
	file = cut_image_file(&fs.live);
	if (name) {
		cut_image_link(&fs.live, name, (uint32_t)file);
		name_record(CUT_OP_LINK, name, (uint32_t)file);
	}
	return file;
}

static int vfs_open(
	sqlite3_vfs *vfs, const char *name, sqlite3_file *out, int flags, int *out_flags)
{
	const int journals =
		SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
	struct handle *h = handle_of(out);

	(void)vfs;
	*h = (struct handle){ 0 };
	if (flags & SQLITE_OPEN_DELETEONCLOSE) name = NULL;
	fs_lock();
	int rc = fault_check(CUT_OPEN);
	int64_t file = rc == SQLITE_OK ? name_open(name, flags) : -1;
	struct node *n = file >= 0 ? node_get((uint32_t)file, !name) : NULL;

	if (!n) return fs_unlock(SQLITE_CANTOPEN);
	*h = (struct handle){
		.base.pMethods = &file_methods, .next = n->handles, .node = n
	};
	h->sync_dir = (flags & SQLITE_OPEN_CREATE) && (flags & journals);
	n->handles = h;
	if (out_flags) *out_flags = flags;
	return fs_unlock(SQLITE_OK);
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_dir)
{
	(void)vfs;
	fs_lock();
	int rc = fault_check(CUT_DELETE);

	if (rc != SQLITE_OK) return fs_unlock(rc);
	if (cut_image_find(&fs.live, name) < 0)
		return fs_unlock(SQLITE_IOERR_DELETE_NOENT);
	cut_image_unlink(&fs.live, name);
	name_record(CUT_OP_UNLINK, name, 0);
	return fs_unlock(sync_dir ? directory_sync() : SQLITE_OK);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
	(void)vfs;
	fs_lock();
	int64_t file = cut_image_find(&fs.live, name);

	/* On Unix an empty file does not "exist". */
	*out = file >= 0 &&
	       (flags != SQLITE_ACCESS_EXISTS || fs.live.files[file].len > 0);
	return fs_unlock(SQLITE_OK);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
	(void)vfs;
	int len = snprintf(out, (size_t)size, "%s%s", *name == '/' ? "" : "/", name);

	return len < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* Time, sleep and randomness are those of the default VFS. */

static sqlite3_vfs *system_vfs(const sqlite3_vfs *vfs)
{
	return vfs->pAppData;
}

static int vfs_randomness(sqlite3_vfs *vfs, int len, char *out)
{
	return system_vfs(vfs)->xRandomness(system_vfs(vfs), len, out);
}

static int vfs_sleep(sqlite3_vfs *vfs, int us)
{
	return system_vfs(vfs)->xSleep(system_vfs(vfs), us);
}

static int vfs_time(sqlite3_vfs *vfs, double *days)
{
	return system_vfs(vfs)->xCurrentTime(system_vfs(vfs), days);
}

static int vfs_time_ms(sqlite3_vfs *vfs, sqlite3_int64 *ms)
{
	return system_vfs(vfs)->xCurrentTimeInt64(system_vfs(vfs), ms);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *out)
{
	(void)vfs, (void)size, (void)out;
	return 0;
}

void cut_register(void)
{
	static sqlite3_vfs vfs = {
		.iVersion = 2,
		.szOsFile = sizeof(struct handle),
		.mxPathname = 512,
		.zName = "cut",
		.xOpen = vfs_open,
		.xDelete = vfs_delete,
		.xAccess = vfs_access,
		.xFullPathname = vfs_full_path,
		.xRandomness = vfs_randomness,
		.xSleep = vfs_sleep,
		.xCurrentTime = vfs_time,
		.xGetLastError = vfs_last_error,
		.xCurrentTimeInt64 = vfs_time_ms,
	};

	if (vfs.pAppData) return;
	vfs.pAppData = sqlite3_vfs_find(NULL);
	assert(vfs.pAppData);
	sqlite3_vfs_register(&vfs, 0);
	cut_reset();
}
