/* wal.c - what is written to a log is gathered, and is there when it is synced. */
#include "store/fast/sqlite_wal.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE = 4096, PAGES = 100, BIG = 100000 };

struct log_test {
	char folder[32], database[64], path[64];
	sqlite3_file *file;
};

static int log_set_up(void **state)
{
	struct log_test *t = calloc(1, sizeof *t);
	sqlite3_vfs *vfs = sqlite3_vfs_find(wal_gather(NULL));

	snprintf(t->folder, sizeof t->folder, "/tmp/wal-XXXXXX");
	assert_non_null(mkdtemp(t->folder));
	snprintf(t->database, sizeof t->database, "%s/p.db", t->folder);
	snprintf(t->path, sizeof t->path, "%s/p.db-wal", t->folder);
	fclose(fopen(t->database, "w")); /* whose mode the log takes over */
	t->file = calloc(1, (size_t)vfs->szOsFile);
	assert_int_equal(
		vfs->xOpen(vfs, t->path, t->file,
			SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL,
			NULL),
		SQLITE_OK);
	*state = t;
	return 0;
}

static int log_tear_down(void **state)
{
	struct log_test *t = *state;

	t->file->pMethods->xClose(t->file);
	unlink(t->path);
	unlink(t->database);
	rmdir(t->folder);
	free(t->file);
	free(t);
	return 0;
}

static void write_at(struct log_test *t, char byte, int len, sqlite3_int64 at)
{
	char bytes[BIG];

	memset(bytes, byte, sizeof bytes);
	assert_int_equal(t->file->pMethods->xWrite(t->file, bytes, len, at), SQLITE_OK);
}

static char byte_at(struct log_test *t, sqlite3_int64 at)
{
	char byte = 0;

	assert_int_equal(t->file->pMethods->xRead(t->file, &byte, 1, at), SQLITE_OK);
	return byte;
}

static long long size_on_disk(const struct log_test *t)
{
	struct stat st;

	assert_int_equal(stat(t->path, &st), 0);
	return st.st_size;
}

static void a_sync_brings_all_to_the_file(void **state)
{
	struct log_test *t = *state;

	for (int i = 0; i < 10; i++)
		write_at(t, 'a', PAGE, i * PAGE);
	assert_int_equal(size_on_disk(t), 0);
	assert_int_equal(
		t->file->pMethods->xSync(t->file, SQLITE_SYNC_NORMAL), SQLITE_OK);
	assert_int_equal(size_on_disk(t), 10 * PAGE);
}

static void what_was_written_is_read(void **state)
{
	struct log_test *t = *state;

	for (int i = 0; i < PAGES; i++)
		write_at(t, (char)('0' + i % 10), PAGE, i * PAGE);
	for (int i = 0; i < PAGES; i++)
		assert_int_equal(byte_at(t, i * PAGE + 7), '0' + i % 10);
}

static void what_was_written_last_stays(void **state)
{
	struct log_test *t = *state;

	write_at(t, 'a', 2 * PAGE, 0);
	write_at(t, 'b', PAGE, PAGE);
	write_at(t, 'c', 24, 100);
	assert_int_equal(byte_at(t, 99), 'a');
	assert_int_equal(byte_at(t, 100), 'c');
	assert_int_equal(byte_at(t, 124), 'a');
	assert_int_equal(byte_at(t, PAGE), 'b');
	write_at(t, 'd', BIG, 50);
	assert_int_equal(byte_at(t, 49), 'a');
	assert_int_equal(byte_at(t, 50 + BIG - 1), 'd');
}

static void its_size_counts_what_is_gathered(void **state)
{
	struct log_test *t = *state;
	sqlite3_int64 size = 0;

	write_at(t, 'a', PAGE, 0);
	assert_int_equal(t->file->pMethods->xFileSize(t->file, &size), SQLITE_OK);
	assert_int_equal(size, PAGE);
	write_at(t, 'a', PAGE, PAGE);
	assert_int_equal(t->file->pMethods->xTruncate(t->file, 100), SQLITE_OK);
	assert_int_equal(size_on_disk(t), 100);
}

/* Else a power cut may keep pages of a log whose head still is that of the log before it. */
static void the_head_of_a_log_is_synced_at_once_though_commits_are_owed(void **state)
{
	struct log_test *t = *state;

	wal_sync_later(t->file, true);
	write_at(t, 'h', 32, 0);
	assert_int_equal(
		t->file->pMethods->xSync(t->file, SQLITE_SYNC_NORMAL), SQLITE_OK);
	assert_false(wal_sync_owed(t->file));
	write_at(t, 'p', PAGE, 32);
	assert_int_equal(
		t->file->pMethods->xSync(t->file, SQLITE_SYNC_NORMAL), SQLITE_OK);
	assert_true(wal_sync_owed(t->file));
	assert_false(wal_sync_owed(t->file));
}

static void a_vfs_is_made_once(void **state)
{
	(void)state;
	assert_ptr_equal(wal_gather(NULL), wal_gather(NULL));
	assert_ptr_equal(wal_gather("unix"), wal_gather(NULL));
	assert_ptr_not_equal(wal_gather("unix-none"), wal_gather(NULL));
}

#define LOG_TEST(name) cmocka_unit_test_setup_teardown(name, log_set_up, log_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOG_TEST(a_sync_brings_all_to_the_file),
		LOG_TEST(what_was_written_is_read),
		LOG_TEST(what_was_written_last_stays),
		LOG_TEST(its_size_counts_what_is_gathered),
		LOG_TEST(the_head_of_a_log_is_synced_at_once_though_commits_are_owed),
		cmocka_unit_test(a_vfs_is_made_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
