/* self.c - proves the power cuts themselves, with plain SQLite: what SQLite promises must
 * hold in every state, and what it does not promise must be seen to fail in some. */
#include "sweep.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BATCHES_MAX = 512 };

/* A writer's work: numbered batches of rows, each one transaction. */
struct work {
	const char *journal;
	const char *synchronous;
	int batches;
	bool start_may_break; /* broken is forgiven while nothing is acknowledged */

	/* Out: batch number of each acknowledgement. */
	struct acks acks;
	int acked[BATCHES_MAX];
};

static int batch_rows(int batch)
{
	return 1 + batch * 7 % 5;
}

static sqlite3 *cut_open(int flags)
{
	sqlite3 *db;
	int rc = sqlite3_open_v2("/test.db", &db, flags, "cut");

	if (rc != SQLITE_OK) {
		sqlite3_close(db);
		return NULL;
	}
	sqlite3_busy_timeout(db, 5000);
	return db;
}

static bool run(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool __attribute__((format(printf, 2, 3)))
run_format(sqlite3 *db, const char *format, ...)
{
	char sql[512];
	va_list args;

	va_start(args, format);
	vsnprintf(sql, sizeof(sql), format, args);
	va_end(args);
	return run(db, sql);
}

/* One number; -1 when there is none. */
static int64_t ask_int(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st;
	int64_t n = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK) return -1;
	if (sqlite3_step(st) == SQLITE_ROW) n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

/* The pragma answers with the mode that is; a change that failed is no error. */
static bool journal_set(sqlite3 *db, const char *mode)
{
	char sql[64];
	sqlite3_stmt *st;
	bool set = false;

	snprintf(sql, sizeof(sql), "PRAGMA journal_mode = %s", mode);
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK) return false;
	if (sqlite3_step(st) == SQLITE_ROW)
		set = strcmp((const char *)sqlite3_column_text(st, 0), mode) == 0;
	return sqlite3_finalize(st) == SQLITE_OK && set;
}

static bool writer_setup(sqlite3 *db, const struct work *w)
{
	return journal_set(db, w->journal) &&
	       run_format(db, "PRAGMA synchronous = %s", w->synchronous) &&
	       run(db, "PRAGMA wal_autocheckpoint = 20; PRAGMA journal_size_limit = "
		       "40000;"
		       "BEGIN;"
		       "CREATE TABLE IF NOT EXISTS row(id INTEGER PRIMARY KEY, batch "
		       "INT, body);"
		       "CREATE INDEX IF NOT EXISTS row_batch ON row(batch, id);"
		       "CREATE TABLE IF NOT EXISTS counter(id INTEGER PRIMARY KEY, n "
		       "INT);"
		       "INSERT OR IGNORE INTO counter VALUES (1, 0);"
		       "COMMIT");
}

/* Every fourth batch also drops the bodies of an old one, so that pages come free. */
static bool batch_write(sqlite3 *db, int batch)
{
	bool ok = run(db, "BEGIN IMMEDIATE");

	for (int i = 0; ok && i < batch_rows(batch); i++)
		ok = run_format(db,
			"INSERT INTO row(batch, body) VALUES (%d, zeroblob(%d))", batch,
			(batch * 577 + i * 211) % 3000);
	if (ok && batch % 4 == 0)
		ok = run_format(
			db, "UPDATE row SET body = '' WHERE batch = %d", batch / 2);
	return ok && run(db, "UPDATE counter SET n = n + 1") && run(db, "COMMIT");
}

/* NULL when it fails. A connection whose change to WAL failed is closed, never tried
 * again: it would then answer "wal" and go on with a rollback journal. */
static sqlite3 *writer_open(const struct work *w)
{
	sqlite3 *db = cut_open(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);

	if (!db || writer_setup(db, w)) return db;
	sqlite3_close(db);
	return NULL;
}

/* Goes on after a failure, as nothing acknowledged may suffer from it. */
static void work_run(struct work *w)
{
	sqlite3 *db = NULL;

	assert_in_range(w->batches, 1, BATCHES_MAX - 1);
	for (int batch = 1; batch <= w->batches; batch++) {
		if (!db) db = writer_open(w);
		if (!db) continue;
		if (batch_write(db, batch)) {
			w->acked[w->acks.len] = batch;
			acks_add(&w->acks);
		} else if (!sqlite3_get_autocommit(db)) {
			run(db, "ROLLBACK");
		}
	}
	sqlite3_close(db);
}

/* Batches are there wholly or not at all, and the counter knows how many. */
static enum verdict rows_look(sqlite3 *db, bool there[BATCHES_MAX])
{
	enum verdict v = INTACT;
	int64_t batches = 0;
	sqlite3_stmt *st;

	if (ask_int(db, "SELECT count(*) FROM sqlite_schema") == 0) return INTACT;
	if (sqlite3_prepare_v2(db, "SELECT batch, count(*) FROM row GROUP BY batch", -1,
		    &st, NULL) != SQLITE_OK)
		return BROKEN;
	while (sqlite3_step(st) == SQLITE_ROW) {
		int batch = sqlite3_column_int(st, 0);

		there[batch % BATCHES_MAX] = true;
		batches++;
		if (sqlite3_column_int(st, 1) != batch_rows(batch)) v = BROKEN;
	}
	if (sqlite3_finalize(st) != SQLITE_OK) v = BROKEN;
	return ask_int(db, "SELECT n FROM counter") == batches ? v : BROKEN;
}

static enum verdict work_look(void *ctx, uint64_t position)
{
	const struct work *w = ctx;
	bool there[BATCHES_MAX] = { false };
	sqlite3 *db = cut_open(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);

	if (!db) return BROKEN;
	enum verdict v = rows_look(db, there);

	/* integrity_check's row is "ok", or else a complaint. */
	if (ask_int(db, "SELECT count(*) FROM pragma_integrity_check"
			" WHERE integrity_check = 'ok'") != 1)
		v = BROKEN;
	sqlite3_close(db);

	size_t due = acks_due(&w->acks, position);

	if (v == BROKEN && w->start_may_break && due == 0) return INTACT;
	for (size_t i = 0; v == INTACT && i < due; i++)
		if (!there[w->acked[i]]) v = LOST;
	return v;
}

/* Works, cuts the power, sweeps. */
static struct sweep work_sweep(struct work *w, uint64_t states)
{
	cut_reset();
	work_run(w);
	assert_int_equal(w->acks.len, w->batches);

	struct sweep s = { .history = cut_power_off(),
		.look = work_look,
		.ctx = w,
		.states = sweep_states(states),
		.seed = 1 };

	sweep_run(&s);
	print_message("%s, %s: %" PRIu64 " cuts over %" PRIu64 " operations: %" PRIu64
		      " lost, %" PRIu64 " broken\n",
		w->journal, w->synchronous, s.tried, cut_history_length(s.history),
		s.lost, s.broken);
	if (s.broken) fail_msg("%s", s.first);
	s.history = cut_history_free(s.history);
	acks_done(&w->acks);
	return s;
}

static void wal_with_full_sync_loses_nothing(void **state)
{
	struct work w = { .journal = "wal", .synchronous = "full", .batches = 200 };
	struct sweep s = work_sweep(&w, 3500);

	(void)state;
	if (s.lost) fail_msg("%s", s.first);
	assert_true(s.tried >= 2000);
}

static void wal_with_normal_sync_loses_acknowledged_rows(void **state)
{
	struct work w = { .journal = "wal", .synchronous = "normal", .batches = 100 };

	(void)state;
	assert_true(work_sweep(&w, 1000).lost > 0);
}

static void a_rollback_journal_with_extra_sync_loses_nothing(void **state)
{
	struct work w = { .journal = "delete", .synchronous = "extra", .batches = 60 };
	struct sweep s = work_sweep(&w, 2000);

	(void)state;
	if (s.lost) fail_msg("%s", s.first);
}

/* Without "extra" the removal of the journal is not synced: it comes back, and with it
 * the state before the commit. */
static void a_rollback_journal_with_full_sync_may_come_back(void **state)
{
	struct work w = { .journal = "delete", .synchronous = "full", .batches = 60 };

	(void)state;
	assert_true(work_sweep(&w, 1000).lost > 0);
}

static void without_a_directory_sync_the_files_may_be_gone(void **state)
{
	struct work w = { .journal = "wal", .synchronous = "full", .batches = 20 };

	(void)state;
	cut_reset();
	cut_fail_at(CUT_SYNC_DIR, 1, true);
	work_run(&w);
	cut_fail_none();

	struct cut_history *h = cut_power_off();

	cut_state(h, cut_history_length(h), CUT_NONE, 0);
	assert_int_equal(work_look(&w, cut_history_length(h)), LOST);
	cut_state(h, cut_history_length(h), CUT_ALL, 0);
	assert_int_equal(work_look(&w, cut_history_length(h)), INTACT);
	cut_history_free(h);
	acks_done(&w.acks);
}

/* Readers beside the writer. */

struct reader {
	pthread_t thread;
	const bool *stop;
	bool failed;
	int looks;
};

static void *reader_run(void *ctx)
{
	struct reader *r = ctx;
	sqlite3 *db = cut_open(SQLITE_OPEN_READONLY);
	int64_t seen = 0;

	r->failed = !db || !run(db, "PRAGMA wal_autocheckpoint = 0");
	/* At least one look, however late its turn comes. */
	while (!r->failed && (!r->looks || !__atomic_load_n(r->stop, __ATOMIC_ACQUIRE))) {
		run(db, "BEGIN");
		int64_t n = ask_int(db, "SELECT n FROM counter");
		int64_t batches = ask_int(db, "SELECT count(DISTINCT batch) FROM row");

		run(db, "COMMIT");
		r->failed = n < seen || n != batches;
		seen = n;
		r->looks++;
	}
	sqlite3_close(db);
	return NULL;
}

static void readers_in_other_threads_see_whole_batches(void **state)
{
	struct work w = { .journal = "wal", .synchronous = "full", .batches = 100 };
	bool stop = false;
	struct reader readers[3] = { { .stop = &stop }, { .stop = &stop },
		{ .stop = &stop } };

	(void)state;
	cut_reset();
	sqlite3 *local_admin = writer_open(&w); /* so that readers find the tables */

	assert_non_null(local_admin);
	for (size_t i = 0; i < 3; i++)
		pthread_create(&readers[i].thread, NULL, reader_run, &readers[i]);
	work_run(&w);
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	for (size_t i = 0; i < 3; i++) {
		pthread_join(readers[i].thread, NULL);
		assert_false(readers[i].failed);
		assert_true(readers[i].looks > 0);
	}
	assert_int_equal(w.acks.len, w.batches);

	struct sweep s = { .history = cut_power_off(),
		.look = work_look,
		.ctx = &w,
		.states = sweep_states(500),
		.seed = 9 };

	sqlite3_close(local_admin); /* its power is gone */
	sweep_run(&s);
	if (s.lost || s.broken) fail_msg("%s", s.first);
	cut_history_free(s.history);
	acks_done(&w.acks);
}

static void a_lock_keeps_the_second_writer_out(void **state)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

	(void)state;
	for (int wal = 0; wal < 2; wal++) {
		cut_reset();
		sqlite3 *a = cut_open(flags), *b = cut_open(flags);

		sqlite3_busy_timeout(b, 0);
		assert_true(run(a, wal ? "PRAGMA journal_mode = wal" : "SELECT 1"));
		assert_true(run(a,
			"CREATE TABLE t(x); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)"));
		assert_false(run(b, "BEGIN IMMEDIATE"));
		assert_int_equal(sqlite3_errcode(b), SQLITE_BUSY);
		assert_int_equal(ask_int(b, "SELECT count(*) FROM t"), 0);
		assert_true(run(a, "COMMIT"));
		assert_true(run(b, "BEGIN IMMEDIATE; INSERT INTO t VALUES (2); COMMIT"));
		assert_int_equal(ask_int(a, "SELECT count(*) FROM t"), 2);
		sqlite3_close(a);
		sqlite3_close(b);
	}
}

/* Let the nth call fail, for every n; the writer goes on, and nothing acknowledged
 * suffers, with or without a power cut after it.
 *
 * Syncs that fail while the database is created may leave none: SQLite deletes the
 * journal of an empty database, though its being empty was never synced. */
static void fault_try(enum cut_fault kind, bool onwards)
{
	uint64_t met = 1;

	for (uint64_t n = 1; met; n++) {
		struct work w = { .journal = "wal",
			.synchronous = "full",
			.batches = 16,
			.start_may_break = kind == CUT_SYNC };

		cut_reset();
		cut_fail_at(kind, n, onwards);
		work_run(&w);
		met = cut_failures();
		cut_fail_none();

		struct sweep s = { .history = cut_power_off(),
			.look = work_look,
			.ctx = &w,
			.states = sweep_states(5),
			.seed = n };

		cut_state(s.history, cut_history_length(s.history), CUT_ALL, 0);
		enum verdict live = work_look(&w, UINT64_MAX);

		sweep_run(&s);
		if (live != INTACT || s.lost || s.broken)
			fail_msg("fault %d at call %" PRIu64 "%s: %s", (int)kind, n,
				onwards ? " and on" : "",
				*s.first ? s.first : "without a cut");
		cut_history_free(s.history);
		acks_done(&w.acks);
	}
}

static void after_any_fault_what_was_acknowledged_is_there(void **state)
{
	static const enum cut_fault kinds[] = { CUT_READ, CUT_WRITE, CUT_FULL, CUT_SYNC,
		CUT_TRUNCATE, CUT_OPEN, CUT_DELETE };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		fault_try(kinds[i], false);
		fault_try(kinds[i], true);
	}
}

static int setup(void **state)
{
	(void)state;
	cut_register();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cut_reset();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wal_with_full_sync_loses_nothing),
		cmocka_unit_test(wal_with_normal_sync_loses_acknowledged_rows),
		cmocka_unit_test(a_rollback_journal_with_extra_sync_loses_nothing),
		cmocka_unit_test(a_rollback_journal_with_full_sync_may_come_back),
		cmocka_unit_test(without_a_directory_sync_the_files_may_be_gone),
		cmocka_unit_test(readers_in_other_threads_see_whole_batches),
		cmocka_unit_test(a_lock_keeps_the_second_writer_out),
		cmocka_unit_test(after_any_fault_what_was_acknowledged_is_there),
	};

	return cmocka_run_group_tests_name("power cuts", tests, setup, teardown);
}
