/* postgres.c - the PostgreSQL driver: connections, the clock, hints to other nodes. How
 * statements travel is in postgres_run.c.
 *
 * Time is the database's: the one clock that all nodes share. Between two trips it is
 * reckoned from our own steady clock and never runs ahead, so nothing fires early. */
#include "store/postgres.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/mem.h"

#include <endian.h>
#include <poll.h>
#include <stdio.h>

enum { VERSION_MIN = 150000, PAUSE_MS = 50 };

/* ---- opening ---- */

/* What the place may say otherwise: a peer that has vanished is noticed within seconds,
 * and of several hosts it is the one that may be written to. */
static const char *const keywords[] = { "application_name", "connect_timeout",
	"keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout",
	"target_session_attrs", "client_encoding", "dbname", NULL };
static const char *const values[] = { "parley", "3", "3", "1", "3", "6000", "read-write",
	"UTF8", NULL /* the place */, NULL };
enum { PLACE_AT = sizeof values / sizeof *values - 2 };

/* Acknowledged is durable, and a transaction sees what it must, whatever the database's defaults.
 * A node that vanished in the middle of its turn gives it up within seconds. */
static const char session_text[] =
	"SELECT set_config('synchronous_commit', 'on', false)"
	" WHERE current_setting('synchronous_commit') IN ('off', 'local');"
	"SET lock_timeout = '6s'; SET idle_in_transaction_session_timeout = '3s';"
	"SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 1;"
	"SET tcp_keepalives_count = 3; SET tcp_user_timeout = '6s'; SET jit = off";
static const char read_text[] = "SET default_transaction_isolation = 'repeatable read';"
				"SET default_transaction_read_only = on";
static const char write_text[] = "SET default_transaction_isolation = 'read committed';"
				 "SET default_transaction_read_only = off";

static void notice_take(void *ctx, const PGresult *r)
{
	struct postgres *p = ctx;
	const char *severity = PQresultErrorField(r, PG_DIAG_SEVERITY_NONLOCALIZED);

	p->warned |= severity && strcmp(severity, "WARNING") == 0;
}

static enum err plain_run(struct postgres *p, const char *sql, struct fault *why)
{
	PGresult *r = PQexec(p->conn, sql);
	ExecStatusType status = PQresultStatus(r);
	enum err e = OK;

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		e = postgres_fail(p, r, false, why);
	PQclear(r);
	return e;
}

static enum err postgres_setup(
	struct postgres *p, const struct db_options *o, struct fault *why)
{
	const char *encoding = PQparameterStatus(p->conn, "server_encoding");
	enum err e;

	if (PQserverVersion(p->conn) < VERSION_MIN)
		return fail(why, ERR_UNAVAILABLE,
			"PostgreSQL %d.%d is too old: 15 or newer is wanted",
			PQserverVersion(p->conn) / 10000,
			PQserverVersion(p->conn) % 10000);
	if (!encoding || strcmp(encoding, "UTF8") != 0)
		return fail(why, ERR_UNAVAILABLE,
			"the database has the encoding %s: UTF8 is wanted",
			encoding ? encoding : "?");
	e = plain_run(p, session_text, why);
	if (!e) e = plain_run(p, postgres_own, why);
	if (!e) e = plain_run(p, p->db.mode == DB_READ ? read_text : write_text, why);
	if (!e && o->patient)
		e = plain_run(p, "SET idle_in_transaction_session_timeout = 0", why);
	if (!e && (!PQenterPipelineMode(p->conn) || PQsetnonblocking(p->conn, 1) != 0))
		e = postgres_fail(p, NULL, false, why);
	return e ? e : postgres_hear(p, why);
}

static void postgres_close(struct db *db)
{
	PQfinish(postgres_of(db)->conn);
	mem_free(db);
}

/* libpq explains in several lines; the last says what happened. */
static enum err connect_fail(const struct postgres *p, struct fault *why)
{
	struct str text = str_trim(str_of(p->conn ? PQerrorMessage(p->conn) : "")), line;
	struct str last = STR("out of memory");

	while (str_cut(&text, '\n', &line))
		if (str_trim(line).len) last = str_trim(line);
	return fail(why, ERR_UNAVAILABLE, "store: %.*s", STR_ARGS(last));
}

static PGconn *postgres_connect(struct str rest)
{
	const char *with[sizeof values / sizeof *values];
	struct arena arena = { 0 };
	struct str url = arena_print(&arena, "postgresql:%.*s", STR_ARGS(rest));
	PGconn *conn = NULL;

	memcpy(with, values, sizeof with);
	with[PLACE_AT] = url.at;
	if (url.len) conn = PQconnectdbParams(keywords, with, 1);
	arena_done(&arena);
	return conn;
}

static struct db *postgres_open(
	const struct db_options *o, enum db_mode mode, struct fault *why)
{
	struct postgres *p = mem_alloc(sizeof *p);
	enum err e;

	if (!p) return no_memory(why);
	p->db.driver = &postgres_driver;
	p->db.mode = mode;
	p->conn = postgres_connect(o->url);
	if (PQstatus(p->conn) == CONNECTION_OK) {
		PQsetNoticeReceiver(p->conn, notice_take, p);
		e = postgres_setup(p, o, why);
	} else {
		e = connect_fail(p, why);
	}
	if (!e) return &p->db;
	postgres_close(&p->db);
	return NULL;
}

/* ---- beside the lists ---- */

static enum err postgres_script(struct db *db, const char *sql, struct fault *why)
{
	struct postgres *p = postgres_of(db);
	enum err e = postgres_settle(p, why);

	if (e) return e;
	if (!PQexitPipelineMode(p->conn) || PQsetnonblocking(p->conn, 0) != 0)
		return postgres_fail(p, NULL, false, why);
	e = plain_run(p, sql, why);
	if (!p->db.lost &&
		(!PQenterPipelineMode(p->conn) || PQsetnonblocking(p->conn, 1) != 0))
		p->db.lost = true;
	return e;
}

static enum err postgres_now(struct db *db, int64_t *out)
{
	struct postgres *p = postgres_of(db);

	*out = clock_tested(p->clock_ms + clock_mono_ms() - p->heard_ms);
	return OK;
}

static enum err postgres_backup(struct db *db, const char *path, progress_fn *progress,
	void *ctx, struct fault *why)
{
	(void)db, (void)path, (void)progress, (void)ctx;
	return fail(
		why, ERR_INVALID, "this store is PostgreSQL's: back it up with pg_dump");
}

/* The database checks its own pages (initdb --data-checksums, pg_amcheck). */
static enum err postgres_verify(struct db *db, struct fault *why)
{
	(void)db, (void)why;
	return OK;
}

/* ---- hints ---- */

/* A transaction of its own, and no reason to wait for the disk. */
static enum err postgres_hint(struct db *db, struct str hint, struct fault *why)
{
	struct postgres *p = postgres_of(db);
	char text[8000]; /* PostgreSQL takes no more */

	snprintf(text, sizeof text, "%.*s", STR_ARGS(hint));
	return postgres_say(p, "hint", text, NULL, NULL, why);
}

static const char listen_text[] = "SET synchronous_commit = off; LISTEN parley";

/* True: some were there. */
static bool hints_take(struct postgres *p, transient_fn *heard, void *ctx)
{
	bool any = false;
	PGnotify *n;

	while ((n = PQnotifies(p->conn)) != NULL) {
		if (n->be_pid != PQbackendPID(p->conn)) {
			heard(ctx, str_of(n->extra));
			any = true;
		}
		PQfreemem(n);
	}
	return any;
}

static enum err postgres_await(struct db *db, int fd, int64_t ms, transient_fn *heard,
	void *ctx, struct fault *why)
{
	struct postgres *p = postgres_of(db);
	int64_t end_ms = clock_mono_ms() + ms, left_ms = ms;
	enum err e = p->listening ? OK : postgres_script(db, listen_text, why);

	p->listening = !e;
	while (!e && !hints_take(p, heard, ctx) && left_ms >= 0) {
		struct pollfd fds[] = { { PQsocket(p->conn), POLLIN, 0 },
			{ fd, POLLIN, 0 } };
		int n = poll(fds, 2, (int)left_ms);

		if (n > 0 && fds[0].revents && !PQconsumeInput(p->conn))
			e = postgres_fail(p, NULL, false, why);
		if (n == 0 || (n > 0 && fds[1].revents)) break;
		left_ms = end_ms - clock_mono_ms();
	}
	return e;
}

/* ---- rows ---- */

static struct str postgres_row_text(const struct row *row, int column)
{
	const struct postgres_row *at = row->handle;

	return str_make(PQgetvalue(at->result, at->at, column),
		(size_t)PQgetlength(at->result, at->at, column));
}

static int64_t postgres_row_int(const struct row *row, int column)
{
	struct str s = postgres_row_text(row, column);
	uint64_t wide = 0;
	uint32_t narrow = 0;

	if (s.len == sizeof wide) {
		memcpy(&wide, s.at, sizeof wide);
		return (int64_t)be64toh(wide);
	}
	if (s.len == sizeof narrow) memcpy(&narrow, s.at, sizeof narrow);
	return (int32_t)be32toh(narrow);
}

const struct db_driver postgres_driver = {
	.clustered = "",
	.row_key = "BIGINT PRIMARY KEY",
	.text = "TEXT COLLATE \"C\"",
	.pause_ms = PAUSE_MS,
	.open = postgres_open,
	.close = postgres_close,
	.run = postgres_run,
	.script = postgres_script,
	.now_ms = postgres_now,
	.backup = postgres_backup,
	.verify = postgres_verify,
	.hint = postgres_hint,
	.await = postgres_await,
	.row_int = postgres_row_int,
	.row_text = postgres_row_text,
};
