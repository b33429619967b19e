/* inspect.c - opens a store for reading, whoever has it; checks it; copies it to a file.
 *
 * 1. A file that nobody has and that has no log beside it is read as it lies: nothing is
 *    made beside it, not even for a moment.
 * 2. A backup has its final name only once it was synced and checked. What is left of one
 *    that was killed has another name, and the next one removes it. */
#include "admin/inspect.h"

#include "base/clock.h"
#include "desk/check/check.h"
#include "store/lock.h"
#include "store/migrate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file ---- */

enum { HEADER_SIZE = 100, PATH_SIZE = 4096 };

static uint32_t big_endian(const uint8_t *at, size_t len)
{
	uint32_t n = 0;

	for (size_t i = 0; i < len; i++)
		n = n << 8 | at[i];
	return n;
}

/* How long the header says the file is; 0: it does not say. */
static int64_t header_length(const uint8_t *h)
{
	uint32_t page = big_endian(h + 16, 2), pages = big_endian(h + 28, 4);

	if (big_endian(h + 24, 4) != big_endian(h + 92, 4)) return 0;
	return (int64_t)(page == 1 ? 65536 : page) * pages;
}

/* What is wrong with it, in `wrong`; "" when it may be a store. `log`: there is one beside
 * it, so that the file alone does not tell its length. */
static void file_look(const char *path, bool log, char wrong[256])
{
	static const char magic[16] = "SQLite format 3";
	uint8_t header[HEADER_SIZE] = { 0 };
	struct stat st = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, header, sizeof header);

	wrong[0] = '\0';
	if (fd < 0)
		snprintf(wrong, 256, "%s", strerror(errno));
	else if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		snprintf(wrong, 256, "it is no file");
	else if (n == 0)
		snprintf(wrong, 256, "the file is empty");
	else if (n < 16 || memcmp(header, magic, sizeof magic) != 0)
		snprintf(wrong, 256, "it is no SQLite database");
	else if (n < HEADER_SIZE || (!log && st.st_size < header_length(header)))
		snprintf(wrong, 256, "the file is cut: %lld of %lld bytes are there",
			(long long)st.st_size, (long long)header_length(header));
	if (fd >= 0) close(fd);
}

static bool has_log(const char *path)
{
	char log[PATH_SIZE + 8];
	struct stat st;

	snprintf(log, sizeof log, "%s-wal", path);
	return stat(log, &st) == 0 && st.st_size > 0;
}

int64_t inspect_schema(void)
{
	return schema_newest();
}

bool inspect_missing(struct str url)
{
	char path[PATH_SIZE];
	struct stat st;

	if (store_url_is_shared(url)) return false;
	snprintf(path, sizeof path, "%.*s", STR_ARGS(str_from(url, 7)));
	return stat(path, &st) != 0 || st.st_size == 0;
}

/* ---- opening ---- */

struct inspected {
	struct db *db;
	int lock;
	char wrong[256]; /* why it is no store of ours; "" when it is */
};

static void schema_look(struct inspected *in)
{
	struct fault why = { 0 };
	int64_t version = -1;
	enum err e =
		db_one(in->db, SQL_SCHEMA_VERSION, NULL, 0, row_take_int, &version, &why);

	if (e == ERR_UNAVAILABLE)
		snprintf(in->wrong, sizeof in->wrong, "%.250s", why.detail);
	else if (e || version <= 0)
		snprintf(in->wrong, sizeof in->wrong,
			"it is another program's database, no store of Parley");
	else if (version != schema_newest())
		snprintf(in->wrong, sizeof in->wrong,
			"it has schema %lld, this parley works with %lld: %s",
			(long long)version, (long long)schema_newest(),
			version > schema_newest()
				? "check it with the newer parley that wrote it"
				: "start a server of this version on it once");
}

static void inspected_close(struct inspected *in)
{
	in->db = db_close(in->db);
	store_unlock(in->lock);
	in->lock = -1;
}

/* One snapshot for all that is read. */
static enum err inspected_open(struct inspected *in, struct str url, struct fault *why)
{
	struct db_options options = { .patient = true };
	struct fault locked = { 0 };
	enum err e;

	*in = (struct inspected){ .lock = -1 };
	if (!store_url_driver(url))
		return fail(why, ERR_INVALID,
			"store \"%.*s\": sqlite:PATH or "
			"postgresql://… is accepted",
			STR_ARGS(url));
	if (!store_url_is_shared(url)) {
		char path[PATH_SIZE];
		bool log;

		snprintf(path, sizeof path, "%.*s", STR_ARGS(str_from(url, 7)));
		log = has_log(path);
		file_look(path, log, in->wrong);
		if (in->wrong[0]) return OK;
		e = store_lock_shared(url, &in->lock, &locked);
		options.still = !e && !log;
	}
	in->db = db_open(url, DB_READ, &options, why);
	if (!in->db) return why->err;
	e = db_begin(in->db, why);
	if (!e) schema_look(in);
	return e;
}

enum err inspect_try(struct str url, bool *synced, struct fault *why)
{
	struct inspected in;
	enum err e;

	*synced = true;

	if (inspect_missing(url))
		return fail(why, ERR_NOT_FOUND, "there is no store at %.*s",
			STR_ARGS(str_from(url, 7)));
	e = inspected_open(&in, url, why);
	if (!e && in.wrong[0]) e = fail(why, ERR_UNAVAILABLE, "%s", in.wrong);
	if (!e && store_url_several(url)) e = db_synced(in.db, synced, why);
	inspected_close(&in);
	return e;
}

/* ---- the check ---- */

static enum err inspected_check(struct inspected *in, struct str url,
	progress_fn *progress, void *ctx, struct arena *arena, struct str *report,
	struct fault *why)
{
	struct rows rows = { 0 };
	struct checking c = { .rows = &rows, .progress = progress, .progress_ctx = ctx };
	struct json_writer w = { .out = &(struct buf){ 0 } };
	enum err e = OK;

	clock_init();
	rows_start(&rows, arena, in->db, NULL, clock_now_ms());
	if (in->wrong[0]) {
		check_found(&c, str_from(url, store_url_is_shared(url) ? 0 : 7), "%s",
			in->wrong);
		check_report(&c, &w);
	} else {
		e = check_store(&c, &w, why);
	}
	if (!e && (w.out->failed || arena->failed))
		e = fail(why, ERR_MEMORY, "out of memory");
	if (!e) *report = arena_str(arena, buf_str(w.out));
	buf_done(w.out);
	rows_done(&rows);
	return e;
}

enum err inspect_check(struct str url, progress_fn *progress, void *ctx,
	struct arena *arena, struct str *report, struct fault *why)
{
	struct inspected in;
	enum err e = inspected_open(&in, url, why);

	if (!e) e = inspected_check(&in, url, progress, ctx, arena, report, why);
	inspected_close(&in);
	return e;
}

/* ---- the backup ---- */

struct backup {
	char path[PATH_SIZE], folder[PATH_SIZE], partial[PATH_SIZE];
	int fd; /* of the partial file, locked while it is written */
};

static enum err backup_names(struct backup *b, struct str path, struct fault *why)
{
	const char *slash;
	int n = snprintf(b->path, sizeof b->path, "%.*s", STR_ARGS(path));

	slash = strrchr(b->path, '/');
	if (n <= 0 || n >= (int)sizeof b->path - 16 || (slash && !slash[1]))
		return fail(why, ERR_INVALID, "%s: no name of a file", b->path);
	snprintf(b->folder, sizeof b->folder, "%.*s",
		slash ? (int)(slash - b->path) + 1 : 2, slash ? b->path : "./");
	n = snprintf(b->partial, sizeof b->partial, "%.*s.%.*s.partial",
		(int)sizeof b->partial - 300, b->folder, 250,
		slash ? slash + 1 : b->path);
	return n < (int)sizeof b->partial ? OK : fail(why, ERR_INVALID, "too long");
}

static enum err backup_taken(const struct backup *b, struct fault *why)
{
	struct stat st;

	return lstat(b->path, &st) == 0
		       ? fail(why, ERR_CONFLICT, "%s already exists", b->path)
		       : OK;
}

/* Removes the unfinished file of a backup that was killed; one that still runs holds a lock on it. */
static enum err partial_clear(struct backup *b, struct fault *why)
{
	int fd = open(b->partial, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	bool free = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;

	if (free) unlink(b->partial);
	if (fd >= 0) close(fd);
	return free || (fd < 0 && errno == ENOENT)
		       ? OK
		       : fail(why, ERR_BUSY, "%s: another backup is written there",
				 b->partial);
}

static enum err partial_make(struct backup *b, struct fault *why)
{
	enum err e = partial_clear(b, why);

	if (e) return e;
	b->fd = open(
		b->partial, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (b->fd < 0 || flock(b->fd, LOCK_EX | LOCK_NB) != 0)
		return fail(why, ERR_UNAVAILABLE, "cannot write %s: %s", b->path,
			strerror(errno));
	return OK;
}

/* From here on it is only read. */
static enum err partial_sync(struct backup *b, struct fault *why)
{
	return fsync(b->fd) == 0 && flock(b->fd, LOCK_SH | LOCK_NB) == 0
		       ? OK
		       : fail(why, ERR_UNAVAILABLE, "%s: %s", b->partial,
				 strerror(errno));
}

/* It must be a store like any other, and nothing may be wrong with it. */
static enum err partial_check(struct backup *b, struct fault *why)
{
	struct arena arena = { 0 };
	struct str url = arena_print(&arena, "sqlite:%s", b->partial), report = STR_NONE;
	const struct json *json = NULL;
	enum err e = url.len ? OK : fail(why, ERR_MEMORY, "out of memory");

	if (!e) e = inspect_check(url, NULL, NULL, &arena, &report, why);
	if (!e) e = json_read(report, NULL, &arena, &json, why);
	if (!e && !json_is(json_get(json, "ok"), JSON_TRUE))
		e = fail(why, ERR_UNAVAILABLE, "the backup is not sound: %.*s",
			STR_ARGS(str_first(json_text_of(json, "detail"), 300)));
	arena_done(&arena);
	return e;
}

/* Nothing is replaced, whatever came there meanwhile. */
static enum err partial_rename(struct backup *b, struct fault *why)
{
	int rc = renameat2(AT_FDCWD, b->partial, AT_FDCWD, b->path, RENAME_NOREPLACE);
	int fd;

	if (rc != 0 && (errno == EINVAL || errno == ENOSYS)) {
		rc = link(b->partial, b->path);
		if (rc == 0) unlink(b->partial);
	}
	if (rc != 0 && errno == EEXIST)
		return fail(why, ERR_CONFLICT, "%s already exists", b->path);
	fd = rc == 0 ? open(b->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (rc == 0) rc = fd < 0 ? -1 : fsync(fd);
	if (fd >= 0) close(fd);
	return rc == 0 || errno == EINVAL
		       ? OK
		       : fail(why, ERR_UNAVAILABLE, "%s: %s", b->path, strerror(errno));
}

static enum err backup_write(struct backup *b, struct str url, progress_fn *progress,
	void *ctx, struct fault *why)
{
	struct inspected in;
	enum err e = inspected_open(&in, url, why);

	if (!e && in.wrong[0])
		e = fail(why, ERR_UNAVAILABLE, "%.*s: %s", STR_ARGS(str_from(url, 7)),
			in.wrong);
	if (!e) e = in.db->driver->backup(in.db, b->partial, progress, ctx, why);
	inspected_close(&in);
	return e;
}

enum err inspect_backup(struct str url, struct str path, progress_fn *progress, void *ctx,
	struct fault *why)
{
	struct backup b = { .fd = -1 };
	enum err e = backup_names(&b, path, why);

	if (!e) e = backup_taken(&b, why);
	if (!e) e = partial_make(&b, why);
	if (e) return e;
	e = backup_write(&b, url, progress, ctx, why);
	if (!e) e = partial_sync(&b, why);
	if (!e) e = partial_check(&b, why);
	if (!e) e = partial_rename(&b, why);
	if (e) unlink(b.partial);
	close(b.fd);
	return e;
}
