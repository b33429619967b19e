/* sqlite.c - the SQLite driver: one writing connection, which also checkpoints; every
 * other one is read-only and never does (SQLite before 3.51.3 can corrupt the log
 * otherwise).
 *
 * Commit is durable when it returns: WAL with synchronous=FULL. A COMMIT that fails with
 * an I/O error may yet be on the disk, so its outcome is unknown. One that fails because
 * the disk is full never wrote its last frame, so nothing is kept. */
#include "store/db.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "store/fast/sqlite_memory.h"
#include "store/fast/sqlite_wal.h"
#include "store/record.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUSY_MS = 2000, BACKUP_PAGES = 2000 };

/* A bigger log between checkpoints than SQLite's own choice: each costs two more syncs. */
enum { LOG_PAGES = 4000, LONE_PAGES = 200, QUICK_US = 1000 };

/* What a batch adds in long runs: done many rows a statement, whose cursors stay open
 * from row to row. Their text ends with the one tuple of VALUES. */
static const bool in_runs[SQL_COUNT + 1] = {
	[SQL_OF(RECORD_SESSIONS, RECORD_ADD_NEW)] = true,
	[SQL_OF(RECORD_ASKS, RECORD_ADD_NEW)] = true,
	[SQL_OF(RECORD_EVENTS, RECORD_ADD_NEW)] = true,
	[SQL_OF(RECORD_KEYS, RECORD_ADD_NEW)] = true,
};

/* The rows of such a statement: a run is cut into the longest of these, and what is left is
 * done one by one. */
static const size_t run_rows[] = { 32, 8, 2 };
enum { RUNS = sizeof run_rows / sizeof run_rows[0] };

struct prepared {
	sqlite3_stmt *stmt;
	int args[ARGS_MAX +
		 1]; /* index of $1, $2 … in this statement; 0: not used in it */
};

struct sqlite {
	struct db db; /* first */
	sqlite3 *handle;
	bool begun; /* a transaction of ours, though the engine may have ended it */
	int log_pages,
		log_limit; /* of the log now, and from which on it is checkpointed */
	int64_t commit_us; /* what commits took lately, on average */
	int64_t quick_us;  /* and what is quick */
	struct prepared prepared[SQL_COUNT];
	sqlite3_stmt *many[RUNS][SQL_COUNT];
};

static struct sqlite *sqlite_of(struct db *db)
{
	return (struct sqlite *)(void *)db;
}

static enum err sqlite_fail(struct sqlite *s, int rc, bool commit, struct fault *why)
{
	const char *text = sqlite3_errmsg(s->handle);

	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return fail(why, ERR_BUSY, "the store is locked: %s", text);
	case SQLITE_CONSTRAINT:
		return fail(why, ERR_BUSY, "refused by the store: %s", text);
	case SQLITE_FULL: return fail(why, ERR_UNAVAILABLE, "the disk is full");
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
		return fail(
			why, ERR_UNAVAILABLE, "the store cannot be written: %s", text);
	case SQLITE_NOMEM:
		/* The last frame may be on the disk already. */
		return fail(why, commit ? ERR_UNKNOWN : ERR_MEMORY,
			"out of memory in the store");
	case SQLITE_IOERR:
		return commit ? fail(why, ERR_UNKNOWN,
					"the disk failed at the commit: %s", text)
			      : fail(why, ERR_UNAVAILABLE, "the disk failed: %s", text);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return fail(why, ERR_UNAVAILABLE, "the store is damaged: %s", text);
	default: return fail(why, ERR_INTERNAL, "store: %s", text);
	}
}

/* $1 is looked up by name: SQLite numbers parameters by their first appearance. */
static enum err sqlite_prepare(
	struct sqlite *s, const struct call *call, struct prepared *p, struct fault *why)
{
	const char *text = call->sql == SQL_GIVEN ? call->text : sql_text(call->sql);
	char name[8];
	int rc;

	if (p->stmt) return OK;
	if (call->sql == SQL_BEGIN && s->db.mode == DB_WRITE) text = "BEGIN IMMEDIATE";
	rc = sqlite3_prepare_v3(
		s->handle, text, -1, SQLITE_PREPARE_PERSISTENT, &p->stmt, NULL);
	if (rc != SQLITE_OK) return sqlite_fail(s, rc, false, why);
	for (int i = 1; i <= ARGS_MAX; i++) {
		snprintf(name, sizeof name, "$%d", i);
		p->args[i] = sqlite3_bind_parameter_index(p->stmt, name);
	}
	return OK;
}

static int value_bind(sqlite3_stmt *stmt, int at, const struct val *v)
{
	switch (v->type) {
	case VAL_NULL: return sqlite3_bind_null(stmt, at);
	case VAL_INT: return sqlite3_bind_int64(stmt, at, v->integer);
	case VAL_TEXT:
		return sqlite3_bind_text(stmt, at, v->text.len ? v->text.at : "",
			(int)v->text.len, SQLITE_STATIC);
	case VAL_BYTES:
		return sqlite3_bind_blob(
			stmt, at, v->text.at, (int)v->text.len, SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

static int sqlite_bind(struct prepared *p, const struct val *args, int len)
{
	int rc = SQLITE_OK;

	assert(len <= ARGS_MAX);
	for (int i = 0; i < len && rc == SQLITE_OK; i++)
		if (p->args[i + 1]) rc = value_bind(p->stmt, p->args[i + 1], &args[i]);
	return rc;
}

/* ---- many rows at once ---- */

/* OR FAIL: the transaction is rolled back anyway, so that no statement's journal is
 * due. */
static void many_write(struct buf *out, struct str text, int args_len, size_t rows)
{
	int values = str_find(text, STR(" VALUES "));
	struct str head = str_first(text, (size_t)values),
		   tuple = str_from(text, (size_t)values + 8);

	buf_print(out, "INSERT OR FAIL %.*s VALUES ", STR_ARGS(str_from(head, 7)));
	for (size_t row = 0; row < rows; row++) {
		if (row) buf_add_char(out, ',');
		for (const char *at = tuple.at, *end = at + tuple.len; at < end;) {
			char *behind = NULL;

			if (*at == '$')
				buf_print(out, "?%ld",
					strtol(at + 1, &behind, 10) +
						(long)row * args_len);
			else
				buf_add_char(out, *at);
			at = behind ? behind : at + 1;
		}
	}
	buf_add_char(out, '\0');
}

static enum err many_prepare(
	struct sqlite *s, const struct call *call, int run, struct fault *why)
{
	struct buf text = { .max = 65536 };
	sqlite3_stmt **stmt = &s->many[run][call->sql];
	int rc = SQLITE_NOMEM;

	if (*stmt) return OK;
	many_write(&text, str_of(sql_text(call->sql)), call->args_len, run_rows[run]);
	if (!text.failed)
		rc = sqlite3_prepare_v3(
			s->handle, text.at, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL);
	buf_done(&text);
	return rc == SQLITE_OK ? OK : sqlite_fail(s, rc, false, why);
}

/* Which of run_rows the calls begin with; RUNS: with none. */
static int run_of(const struct call *calls, size_t len)
{
	size_t same = 1;
	int run = 0;

	if (!in_runs[calls[0].sql]) return RUNS;
	while (same < len && same < run_rows[0] && calls[same].sql == calls[0].sql)
		same++;
	while (run < RUNS && run_rows[run] > same)
		run++;
	return run;
}

static enum err sqlite_many(
	struct sqlite *s, struct call *calls, int run, struct fault *why)
{
	enum err e = many_prepare(s, calls, run, why);
	sqlite3_stmt *stmt = s->many[run][calls[0].sql];
	int rc = SQLITE_OK, at = 0;

	if (e) return e;
	for (size_t row = 0; row < run_rows[run]; row++) {
		for (int i = 0; i < calls[row].args_len && rc == SQLITE_OK; i++)
			rc = value_bind(stmt, ++at, &calls[row].args[i]);
		calls[row].changed = 1;
	}
	if (rc == SQLITE_OK) rc = sqlite3_step(stmt);
	if (rc != SQLITE_DONE) e = sqlite_fail(s, rc, false, why);
	sqlite3_reset(stmt);
	return e;
}

/* The file of the log. */
static sqlite3_file *sqlite_log(struct db *db)
{
	sqlite3_file *file = NULL;

	sqlite3_file_control(
		sqlite_of(db)->handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
	return file;
}

static void sqlite_sync_later(struct db *db, bool later)
{
	wal_sync_later(sqlite_log(db), later);
}

static void *sqlite_owes(struct db *db)
{
	sqlite3_file *log = sqlite_log(db);

	return wal_sync_owed(log) ? log : NULL;
}

static bool sqlite_sync(void *owed)
{
	return wal_sync(owed) == SQLITE_OK;
}

static int64_t sqlite_sync_ns(struct db *db)
{
	return wal_sync_ns(sqlite_log(db));
}

/* After each commit, instead of SQLite's own hook, which does the same. */
static int sqlite_logged(void *ctx, sqlite3 *handle, const char *name, int pages)
{
	struct sqlite *s = ctx;

	s->log_pages = pages;
	if (pages < s->log_limit) return SQLITE_OK;
	sqlite_sync_later(&s->db, false); /* the log before the database */
	sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return SQLITE_OK;
}

static void sqlite_rest(struct db *db)
{
	sqlite3_db_release_memory(sqlite_of(db)->handle);
}

static uint32_t sqlite_state(const struct db *base)
{
	const struct sqlite *db = (const struct sqlite *)base;
	uint32_t state = 0;

	sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_DATA_VERSION, &state);
	return state;
}

static bool sqlite_is_quick(const struct db *db)
{
	const struct sqlite *s = (const struct sqlite *)(const void *)db;

	return s->commit_us < s->quick_us && s->log_pages + LONE_PAGES < s->log_limit;
}

static enum err sqlite_call(struct sqlite *s, struct call *call, struct fault *why)
{
	struct prepared once = { 0 };
	struct prepared *p = call->sql == SQL_GIVEN ? &once : &s->prepared[call->sql];
	struct row row = { .db = &s->db };
	enum err e = sqlite_prepare(s, call, p, why);
	int rc;

	if (e) return e;
	rc = sqlite_bind(p, call->args, call->args_len);
	row.handle = p->stmt;
	row.columns = sqlite3_column_count(p->stmt);
	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(p->stmt);
		if (rc != SQLITE_ROW || !call->row) continue;
		e = call->row(call->ctx, &row, why);
		if (e) break;
	}
	if (!e && rc != SQLITE_DONE) e = sqlite_fail(s, rc, call->sql == SQL_COMMIT, why);
	call->changed = sqlite3_changes64(s->handle);
	sqlite3_reset(p->stmt);
	sqlite3_finalize(once.stmt);
	return e;
}

static enum err sqlite_commit(struct sqlite *s, struct call *call, struct fault *why)
{
	int64_t since = clock_mono_ns() / 1000;
	enum err e = sqlite_call(s, call, why);

	s->commit_us += (clock_mono_ns() / 1000 - since - s->commit_us) / 4;
	return e;
}

/* After FULL, IOERR or NOMEM the engine may have rolled back by itself: what follows
 * would then be kept statement by statement. */
static bool sqlite_torn(const struct sqlite *s)
{
	return s->begun && sqlite3_get_autocommit(s->handle);
}

/* One call, or a run of them; *done says how many. */
static enum err sqlite_next(
	struct sqlite *s, struct call *calls, size_t len, size_t *done, struct fault *why)
{
	enum sql sql = calls[0].sql;
	int run = run_of(calls, len);
	enum err e;

	*done = run < RUNS ? run_rows[run] : 1;
	if (sql == SQL_ROLLBACK) s->begun = false;
	if (sql == SQL_ROLLBACK && sqlite3_get_autocommit(s->handle)) return OK;
	if (sqlite_torn(s))
		return fail(why, ERR_UNAVAILABLE, "the disk failed before this");
	if (sql == SQL_COMMIT)
		e = sqlite_commit(s, calls, why);
	else
		e = run < RUNS ? sqlite_many(s, calls, run, why)
			       : sqlite_call(s, calls, why);
	if (!e && (sql == SQL_BEGIN || sql == SQL_COMMIT)) s->begun = sql == SQL_BEGIN;
	return e;
}

static enum err sqlite_run(
	struct db *db, struct call *calls, size_t len, struct fault *why)
{
	for (size_t i = 0, done; i < len; i += done) {
		enum err e = sqlite_next(sqlite_of(db), &calls[i], len - i, &done, why);

		if (!e && calls[i].must_change && !calls[i].changed)
			e = fail(why, ERR_BUSY, "somebody else was first");
		if (!e) continue;
		if (calls[i].sql == SQL_COMMIT && e != ERR_UNKNOWN) db_rollback(db);
		return e;
	}
	return OK;
}

static enum err sqlite_script(struct db *db, const char *sql, struct fault *why)
{
	struct sqlite *s = sqlite_of(db);
	int rc = sqlite3_exec(s->handle, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? OK : sqlite_fail(s, rc, false, why);
}

static enum err sqlite_now(struct db *db, int64_t *out)
{
	(void)db;
	*out = clock_now_ms();
	return OK;
}

static void sqlite_shut(struct db *db)
{
	struct sqlite *s = sqlite_of(db);

	for (int i = 0; i < SQL_COUNT; i++) {
		sqlite3_finalize(s->prepared[i].stmt);
		for (int run = 0; run < RUNS; run++)
			sqlite3_finalize(s->many[run][i]);
	}
	sqlite3_close(s->handle);
	mem_free(s);
}

/* The answer counts: after a failure SQLite may say "wal" and stay in another mode. */
static enum err sqlite_wal_on(struct sqlite *s, struct fault *why)
{
	sqlite3_stmt *stmt = NULL;
	int rc =
		sqlite3_prepare_v2(s->handle, "PRAGMA journal_mode=WAL", -1, &stmt, NULL);
	bool on = false;

	if (rc == SQLITE_OK) rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		on = strcmp((const char *)sqlite3_column_text(stmt, 0), "wal") == 0;
	sqlite3_finalize(stmt);
	if (rc != SQLITE_ROW) return sqlite_fail(s, rc, false, why);
	return on ? OK
		  : fail(why, ERR_UNAVAILABLE, "the store cannot use a write-ahead log");
}

static enum err sqlite_setup(
	struct sqlite *s, const struct db_options *o, struct fault *why)
{
	enum err e;

	sqlite3_extended_result_codes(s->handle, 1);
	sqlite3_busy_timeout(s->handle, BUSY_MS);
	if (s->db.mode == DB_READ)
		return sqlite_script(&s->db,
			"PRAGMA query_only=1; PRAGMA wal_autocheckpoint=0;"
			"PRAGMA cache_size=-2000",
			why);
	e = sqlite_wal_on(s, why);
	if (!e)
		e = sqlite_script(&s->db,
			o->weak_sync ? "PRAGMA synchronous=NORMAL"
				     : "PRAGMA synchronous=FULL",
			why);
	if (!e)
		e = sqlite_script(&s->db,
			"PRAGMA cache_size=-16000;"
			"PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=67108864",
			why);
	s->log_limit = o->log_pages ? o->log_pages : LOG_PAGES;
	s->quick_us = o->quick_us ? o->quick_us : QUICK_US;
	if (!e) sqlite3_wal_hook(s->handle, sqlite_logged, s);
	return e;
}

/* SQLite ignores errors of the directory's sync, so we do it ourselves once the files are
 * there: a store that is lost with its directory entry was never durable. */
static enum err sqlite_sync_folder(const char *path, struct fault *why)
{
	char folder[4096];
	const char *slash = strrchr(path, '/');
	int fd, rc;

	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
		slash ? path : ".");
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? -1 : fsync(fd);
	/* EINVAL: a file system that has nothing to sync there. */
	if (rc != 0 && errno != EINVAL)
		fail(why, ERR_UNAVAILABLE, "%s: %s", folder, strerror(errno));
	else
		rc = 0;
	if (fd >= 0) close(fd);
	return rc == 0 ? OK : ERR_UNAVAILABLE;
}

/* As a URI that says that nobody writes the file. */
static char *still_name(const char *path)
{
	struct buf b = { .max = 65536 };
	char *name;

	buf_add_text(&b, "file:");
	for (; *path; path++)
		if (strchr("?#%", *path))
			buf_print(&b, "%%%02X", (unsigned char)*path);
		else
			buf_add_char(&b, *path);
	buf_add_text(&b, "?immutable=1");
	name = b.failed ? NULL : mem_copy(b.at, b.len);
	buf_done(&b);
	return name;
}

static struct db *sqlite_open(
	const struct db_options *o, enum db_mode mode, struct fault *why)
{
	struct sqlite *s = mem_alloc(sizeof *s);
	char *path = mem_copy(o->url.at, o->url.len);
	char *name = path && o->still ? still_name(path) : path;
	int flags = mode == DB_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
				     : SQLITE_OPEN_READONLY;
	bool gathers = mode == DB_WRITE && !o->weak_sync;
	const char *vfs;
	int rc;

	sqlite_memory_use();
	vfs = gathers ? wal_gather(o->vfs) : o->vfs;
	if (!s || !name || (gathers && !vfs)) {
		mem_free(s);
		if (name != path) mem_free(name);
		mem_free(path);
		return no_memory(why);
	}
	s->db.driver = &sqlite_driver;
	s->db.mode = mode;
	rc = mode == DB_WRITE ? wal_renew(path, o->vfs) : SQLITE_OK;
	if (rc == SQLITE_OK)
		rc = sqlite3_open_v2(name, &s->handle,
			flags | SQLITE_OPEN_NOMUTEX | (o->still ? SQLITE_OPEN_URI : 0),
			vfs);
	if (rc != SQLITE_OK)
		fail(why, ERR_UNAVAILABLE, "store %s: %s", path,
			s->handle ? sqlite3_errmsg(s->handle) : sqlite3_errstr(rc));
	if (rc != SQLITE_OK || sqlite_setup(s, o, why) != OK ||
		(mode == DB_WRITE && !o->vfs && sqlite_sync_folder(path, why) != OK)) {
		sqlite_shut(&s->db);
		s = NULL;
	}
	if (name != path) mem_free(name);
	mem_free(path);
	return s ? &s->db : NULL;
}

/* No journal beside it: a file that is not whole is thrown away. */
static int backup_open(const char *path, sqlite3 **to)
{
	int rc = sqlite3_open_v2(path, to, SQLITE_OPEN_READWRITE, NULL);

	return rc != SQLITE_OK
		       ? rc
		       : sqlite3_exec(*to,
				 "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", NULL,
				 NULL, NULL);
}

static enum err sqlite_backup(struct db *db, const char *path, progress_fn *progress,
	void *ctx, struct fault *why)
{
	struct sqlite *s = sqlite_of(db);
	sqlite3 *to = NULL;
	sqlite3_backup *b = NULL;
	int rc = backup_open(path, &to);
	enum err e = OK;

	if (rc == SQLITE_OK) b = sqlite3_backup_init(to, "main", s->handle, "main");
	do {
		if (b) rc = sqlite3_backup_step(b, BACKUP_PAGES);
		if (b && progress)
			progress(ctx,
				sqlite3_backup_pagecount(b) - sqlite3_backup_remaining(b),
				sqlite3_backup_pagecount(b));
	} while (b && rc == SQLITE_OK);
	if (b) sqlite3_backup_finish(b);
	if (!b || rc != SQLITE_DONE)
		e = fail(why, ERR_UNAVAILABLE, "backup to %s: %s", path,
			to ? sqlite3_errmsg(to) : "out of memory");
	sqlite3_close(to);
	return e;
}

static enum err verify_said(const char *text, struct fault *why)
{
	return strcmp(text, "ok") == 0 ? OK
				       : fail(why, ERR_UNAVAILABLE, "store: %s", text);
}

static enum err sqlite_verify(struct db *db, struct fault *why)
{
	struct sqlite *s = sqlite_of(db);
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(s->handle, "PRAGMA integrity_check", -1, &stmt, NULL);
	enum err e = OK;

	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(stmt);
		if (rc == SQLITE_ROW && !e)
			e = verify_said((const char *)sqlite3_column_text(stmt, 0), why);
	}
	if (!e && rc != SQLITE_DONE) e = sqlite_fail(s, rc, false, why);
	sqlite3_finalize(stmt);
	return e;
}

static int64_t sqlite_row_int(const struct row *row, int column)
{
	return sqlite3_column_int64(row->handle, column);
}

static struct str sqlite_row_text(const struct row *row, int column)
{
	const char *at = sqlite3_column_blob(row->handle, column);

	return str_make(at, (size_t)sqlite3_column_bytes(row->handle, column));
}

static bool sqlite_row_packed(const struct row *row, int column)
{
	return sqlite3_column_type(row->handle, column) == SQLITE_BLOB;
}

const struct db_driver sqlite_driver = {
	.clustered = " WITHOUT ROWID",
	.row_key = "INTEGER PRIMARY KEY",
	.text = "TEXT",
	.open = sqlite_open,
	.close = sqlite_shut,
	.run = sqlite_run,
	.script = sqlite_script,
	.now_ms = sqlite_now,
	.rest = sqlite_rest,
	.sync_later = sqlite_sync_later,
	.sync_ns = sqlite_sync_ns,
	.owes = sqlite_owes,
	.sync = sqlite_sync,
	.state = sqlite_state,
	.is_quick = sqlite_is_quick,
	.backup = sqlite_backup,
	.verify = sqlite_verify,
	.row_int = sqlite_row_int,
	.row_text = sqlite_row_text,
	.row_packed = sqlite_row_packed,
};
