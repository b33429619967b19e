/* schema.c - every statement fits the schema, and any older store is brought up to it. */
#include "place.h"

#include "store/migrate.h"
#include "store/record.h"

#include <stdio.h>
#include <stdlib.h>

/* The highest of the statement's parameters; each that it has becomes the filler. */
static int args_fill(const char *text, struct val filler, struct val args[ARGS_MAX])
{
	int most = 0;

	for (; (text = strchr(text, '$')); text++) {
		int n = atoi(text + 1);

		args[n - 1] = filler;
		if (n > most) most = n;
	}
	return most;
}

/* Zeros where the engine lets any value stand for any other, NULLs where it is strict. */
static enum err statement_try(
	struct db *db, enum sql sql, struct val filler, struct fault *why)
{
	struct val args[ARGS_MAX];
	enum err e = db_begin(db, why);
	int len;

	for (size_t i = 0; i < ARGS_MAX; i++)
		args[i] = val_int(0);
	len = args_fill(sql_text(sql), filler, args);
	if (!e) e = db_one(db, sql, args, len, NULL, NULL, why);
	db_rollback(db);
	return e == ERR_BUSY ? OK : e;
}

static void every_statement_prepares(void **state)
{
	struct db *db = place_open(true);

	(void)state;
	for (int sql = 0; sql < SQL_COUNT; sql++) {
		struct fault why = { 0 };

		if (sql < SQL_RECORDS) assert_non_null(sql_text((enum sql)sql));
		if (!sql_text((enum sql)sql)) continue; /* a record that never changes */
		if (sql == SQL_BEGIN || sql == SQL_COMMIT || sql == SQL_ROLLBACK)
			continue;
		if (statement_try(db, (enum sql)sql, val_int(0), &why) &&
			statement_try(db, (enum sql)sql, (struct val){ 0 }, &why))
			fail_msg("statement %d: %s", sql, why.detail);
	}
	db_close(db);
	place_done();
}

static int64_t version_of(struct db *db)
{
	int64_t version = -1;

	assert_int_equal(schema_version(db, &version, NULL), OK);
	return version;
}

static void an_empty_store_is_brought_up_and_once_is_enough(void **state)
{
	struct fault why = { 0 };
	struct db *db = place_open(false);

	(void)state;
	assert_int_equal(version_of(db), 0);
	assert_int_equal(schema_migrate(db, &why), OK);
	assert_int_equal(version_of(db), schema_newest());
	assert_int_equal(schema_migrate(db, &why), OK);
	assert_int_equal(version_of(db), schema_newest());
	db_close(db);
	place_done();
}

static void a_newer_store_is_refused_with_a_clear_line(void **state)
{
	struct fault why = { 0 };
	struct db *db = place_open(true);
	const struct val next[] = { val_int(schema_newest() + 1) };
	char number[32];

	(void)state;
	assert_int_equal(db_one(db, SQL_SCHEMA_SET, next, 1, NULL, NULL, &why), OK);
	assert_int_equal(schema_migrate(db, &why), ERR_CONFLICT);
	assert_non_null(strstr(why.detail, "newer parley"));
	snprintf(number, sizeof number, "schema %lld", (long long)schema_newest() + 1);
	assert_non_null(strstr(why.detail, number));
	assert_int_equal(version_of(db), schema_newest() + 1);
	db_close(db);
	place_done();
}

/* The desk says the same line, and leaves the store as it is. */
static void a_desk_does_not_open_a_newer_store(void **state)
{
	struct rig r;
	struct db *db = place_open(true);
	const struct val next[] = { val_int(schema_newest() + 1) };
	char place[256];

	(void)state;
	assert_int_equal(db_one(db, SQL_SCHEMA_SET, next, 1, NULL, NULL, NULL), OK);
	db_close(db);
	r = (struct rig){ 0 };
	snprintf(place, sizeof place, "%s", place_again());
	assert_false(
		rig_open(&r, &(struct rig_options){ .place = place, .alone = true }));
	assert_non_null(strstr(r.why.detail, "newer parley"));
	rig_close(&r);
	place_done();
}

/* A step that failed half-way leaves the version it started from, and no table of its
 * own. */
static void a_step_that_fails_leaves_nothing(void **state)
{
	struct fault why = { 0 };
	struct db *db = place_open(false);

	(void)state;
	assert_int_equal(
		db->driver->script(db, "CREATE TABLE events (of_another BIGINT)", &why),
		OK);
	assert_int_not_equal(schema_migrate(db, &why), OK);
	assert_int_equal(version_of(db), 0);
	assert_int_not_equal(
		db->driver->script(db, "SELECT id FROM workspaces", &why), OK);
	assert_int_equal(db->driver->script(db, "DROP TABLE events", &why), OK);
	assert_int_equal(schema_migrate(db, &why), OK);
	assert_int_equal(version_of(db), schema_newest());
	db_close(db);
	place_done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_statement_prepares),
		cmocka_unit_test(an_empty_store_is_brought_up_and_once_is_enough),
		cmocka_unit_test(a_newer_store_is_refused_with_a_clear_line),
		cmocka_unit_test(a_desk_does_not_open_a_newer_store),
		cmocka_unit_test(a_step_that_fails_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
