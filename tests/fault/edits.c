/* edits.c - random edits of a store file, one at a time, past the program: `check` finds
 * each. PARLEY_LONG=1: 10,000 of them. PARLEY_SEED repeats the choices.
 *
 * Every table of the store is edited. What no event tells of is in `untold`; docs/LIMITS.md says
 * why. Edits there are tried, too: what `check` finds of them all does not belong there. */
#include "furnish.h"
#include "random.h"

#include "desk/check/check.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* last: it makes `fail` a macro */

enum { COLUMNS_MAX = 80, SQL_SIZE = 4096, EDITS = 500, EDITS_LONG = 10000 };
/* A column that is edited so often and always found is told of. */
enum { ENOUGH = 30, TALLIES_MAX = 512 };

/* Of a table: columns, with a blank around each. NULL: all of them, and rows that come and go. */
static const struct untold {
	const char *table, *columns;
} untold[] = {
	{ "workspaces", " created_ms revocations old_events policy_version " },
	{ "users", " last_login_ms views version " },
	{ "tokens", " last_used_ms version " },
	{ "teams", " version " },
	{ "sessions", " updated_ms for_ask heard_ms error ended_ms on_ended version " },
	{ "asks", " route version " },
	{ "rules", " hits last_hit_ms uses_left version " },
	{ "stops", " version " },
	{ "policies", " version " },
	{ "presets", " version " },
	{ "contacts",
		" name muted tested broken broken_ms last_used_ms code code_ms code_tries"
		" version " },
	{ "routes", " version " },
	{ "server_keys", " created_ms version " },
	{ "agents", " version " },
	{ "providers", " version " },
	{ "tools", " version " },
	{ "signing_keys", " version " },
	{ "holds", " version " },
	{ "mcp_servers", " version " },
	{ "runs",
		" call label agent turn attempt waits_for wake_ms"
		" tries trouble_ms left_out cut_upto cut_each lease_ms lease_by"
		" owner provider model progress report error recovery limits message first"
		" notes said language reasoning tree_tokens tree_cost tree_ms held_tokens"
		" held_cost tree_held_tokens tree_held_cost wasted below sent_bytes sent_tokens"
		" context_tokens context_max tools_used tools roster mcp_calls queued_ms started_ms"
		" ended_ms worked_ms notes trace version " },
	{ "messages", NULL },
	{ "mandates", " version " },
	{ "tool_calls",
		" approved_arguments ask child status result answer error attempts started_ms"
		" ended_ms until_ms server via sent same behind owner delivered_ms task version " },
	{ "tasks", NULL },
	{ "memories", NULL },
	{ "memory_words", NULL },
	{ "prices", NULL },
	{ "model_lists", NULL },
	{ "mcp_lists", NULL },
	{ "marks", NULL },
	{ "notify_people", NULL },
	{ "starts", NULL },
	{ "fetched", NULL },
	{ "deliveries", NULL },
	{ "idempotency", NULL },
	{ "mailboxes", NULL },
	{ "channels", NULL },
	{ "nodes", NULL },
	{ "leases", NULL },
	{ "tallies", NULL },
	{ "alerts", NULL },
	{ "mcp_ended", NULL },
};

static struct rig rig;
static sqlite3 *writer;
static struct db *reader;
static uint64_t chance;

static int below(int n)
{
	return (int)random_below(&chance, (uint64_t)n);
}

/* ---- rows, whatever their table ---- */

struct row_copy {
	sqlite3_value *at[COLUMNS_MAX];
	int len;
};

static const char *columns[COLUMNS_MAX]; /* of the row read last */

static sqlite3_stmt *prepared(const char *sql)
{
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(writer, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(writer));
	return stmt;
}

static void row_done(struct row_copy *r)
{
	for (int i = 0; i < r->len; i++)
		sqlite3_value_free(r->at[i]);
	*r = (struct row_copy){ 0 };
}

/* A row of the table by chance; false: it has none. */
static bool row_pick(const struct record *t, struct row_copy *out)
{
	static char names[COLUMNS_MAX][32];
	char sql[SQL_SIZE];
	sqlite3_stmt *stmt;
	int rows;

	snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", t->table);
	stmt = prepared(sql);
	sqlite3_step(stmt);
	rows = sqlite3_column_int(stmt, 0);
	sqlite3_finalize(stmt);
	if (!rows) return false;
	snprintf(sql, sizeof sql, "SELECT * FROM %s LIMIT 1 OFFSET %d", t->table,
		below(rows));
	stmt = prepared(sql);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	out->len = sqlite3_column_count(stmt);
	for (int i = 0; i < out->len; i++) {
		out->at[i] = sqlite3_value_dup(sqlite3_column_value(stmt, i));
		snprintf(names[i], sizeof names[i], "%s", sqlite3_column_name(stmt, i));
		columns[i] = names[i];
	}
	sqlite3_finalize(stmt);
	return true;
}

static bool row_insert(const struct record *t, const struct row_copy *r)
{
	char sql[SQL_SIZE];
	int at = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?1", t->table);
	sqlite3_stmt *stmt;
	bool ok;

	for (int i = 1; i < r->len; i++)
		at += snprintf(sql + at, sizeof sql - (size_t)at, ", ?%d", i + 1);
	snprintf(sql + at, sizeof sql - (size_t)at, ")");
	stmt = prepared(sql);
	for (int i = 0; i < r->len; i++)
		sqlite3_bind_value(stmt, i + 1, r->at[i]);
	ok = sqlite3_step(stmt) == SQLITE_DONE;
	sqlite3_finalize(stmt);
	return ok;
}

static void row_delete(const struct record *t, const struct row_copy *r)
{
	char sql[SQL_SIZE];
	int at = snprintf(sql, sizeof sql, "DELETE FROM %s WHERE ", t->table);
	sqlite3_stmt *stmt;

	for (int k = 0; k < t->keys_len; k++)
		at += snprintf(sql + at, sizeof sql - (size_t)at, "%s%s IS ?%d",
			k ? " AND " : "", t->columns[k].name, k + 1);
	stmt = prepared(sql);
	for (int k = 0; k < t->keys_len; k++)
		for (int i = 0; i < r->len; i++)
			if (strcmp(columns[i], t->columns[k].name) == 0)
				sqlite3_bind_value(stmt, k + 1, r->at[i]);
	assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
	assert_int_equal(sqlite3_changes(writer), 1);
	sqlite3_finalize(stmt);
}

/* ---- edits ---- */

/* The value of `SELECT expression`, with the present one as ?1 and another row's as ?2. */
static sqlite3_value *evaluated(
	const char *expression, sqlite3_value *now, sqlite3_value *other)
{
	char sql[SQL_SIZE];
	sqlite3_stmt *stmt;
	sqlite3_value *value;

	snprintf(sql, sizeof sql, "SELECT %s", expression);
	stmt = prepared(sql);
	sqlite3_bind_value(stmt, 1, now);
	if (sqlite3_bind_parameter_count(stmt) > 1) sqlite3_bind_value(stmt, 2, other);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	value = sqlite3_value_dup(sqlite3_column_value(stmt, 0));
	sqlite3_finalize(stmt);
	/* What was joined is text. */
	if (sqlite3_value_type(now) == SQLITE_BLOB &&
		sqlite3_value_type(value) == SQLITE_TEXT) {
		sqlite3_value *text = value;

		value = evaluated("CAST(?1 AS BLOB)", text, NULL);
		sqlite3_value_free(text);
	}
	return value;
}

static bool same_value(sqlite3_value *a, sqlite3_value *b)
{
	return sqlite3_value_type(a) == sqlite3_value_type(b) &&
	       sqlite3_value_bytes(a) == sqlite3_value_bytes(b) &&
	       (sqlite3_value_bytes(a) == 0 ||
		       memcmp(sqlite3_value_blob(a), sqlite3_value_blob(b),
			       (size_t)sqlite3_value_bytes(a)) == 0);
}

/* Another value of the same type. */
static sqlite3_value *changed(sqlite3_value *now, sqlite3_value *other)
{
	static const char *const numbers[] = { "?1 + 1", "?1 - 1", "0", "1", "-1",
		"?1 + 86400000", "9223372036854775807", "?2 + 0 * ?1" };
	static const char *const texts[] = { "?1 || ' '", "?1 || 'x'", "substr(?1, 2)",
		"substr(?1, 1, length(?1) - 1)", "substr(?1, 1, 0)",
		"?2 || substr(?1, 1, 0)", "upper(?1)", "replace(?1, 'e', 'a')",
		"replace(?1, 'true', 'false')", "replace(?1, 'mia', 'noa')",
		"'approved' || substr(?1, 1, 0)" };
	static const char *const bytes[] = { "CAST(x'00' || ?1 AS BLOB)",
		"CAST(substr(?1, 2) || x'00' AS BLOB)",
		"zeroblob(32) || substr(?1, 1, 0)", "?2 || substr(?1, 1, 0)" };

	switch (sqlite3_value_type(now)) {
	case SQLITE_INTEGER: return evaluated(numbers[below(8)], now, other);
	case SQLITE_TEXT: return evaluated(texts[below(11)], now, other);
	case SQLITE_BLOB: return evaluated(bytes[below(4)], now, other);
	default: return sqlite3_value_dup(now);
	}
}

static bool among(const char *list, const char *column)
{
	char word[40];

	snprintf(word, sizeof word, " %s ", column);
	return strstr(list, word) != NULL;
}

/* Bytes become text when they are read as such. */
static const char *shown(sqlite3_value *v)
{
	return sqlite3_value_type(v) == SQLITE_BLOB ? "bytes"
						    : (const char *)sqlite3_value_text(v);
}

/* The same JSON with other blanks says the same; an empty object says nothing. */
static bool same_meaning(sqlite3_value *before, sqlite3_value *after)
{
	struct arena arena = { 0 };
	struct str texts[] = { str_of(shown(before)), str_of(shown(after)) };
	const struct json *json[2];
	bool same;

	if (str_is(texts[0], "{}") && !texts[1].len) return true;
	same = json_read(texts[0], NULL, &arena, &json[0], NULL) == OK &&
	       json_read(texts[1], NULL, &arena, &json[1], NULL) == OK &&
	       json_equal(json[0], json[1]);
	arena_done(&arena);
	return same;
}

/* Its numbers are read as yes and no. */
static bool is_flag(const struct record *t, const char *column)
{
	for (int i = 0; i < t->columns_len; i++)
		if (strcmp(t->columns[i].name, column) == 0)
			return t->columns[i].type == COLUMN_BOOL;
	return false;
}

/* Columns of which no event tells; NULL: of none of this table. */
static const char *untold_of(const struct record *t)
{
	for (size_t i = 0; i < sizeof untold / sizeof *untold; i++)
		if (strcmp(untold[i].table, t->table) == 0) return untold[i].columns;
	return " ";
}

enum edit_kind { EDIT_COLUMN, EDIT_DELETE, EDIT_INSERT };

struct edit {
	enum edit_kind kind;
	const struct record *table;
	struct row_copy before, after;
	bool told;   /* an event tells of what is edited */
	bool listed; /* a column of which none does, of a table of which some do */
	char part[96], what[SQL_SIZE];
};

/* False: nothing to be edited this time. */
static bool edit_column(struct edit *e, struct row_copy *other)
{
	int i = below(e->before.len);

	e->listed = e->told && among(untold_of(e->table), columns[i]);
	e->told = e->told && !e->listed;
	snprintf(e->part, sizeof e->part, "%s.%s", e->table->table, columns[i]);
	sqlite3_value_free(e->after.at[i]);
	e->after.at[i] = is_flag(e->table, columns[i])
				 ? evaluated("?1 = 0", e->before.at[i], NULL)
				 : changed(e->before.at[i], other->at[i]);
	snprintf(e->what, sizeof e->what, "%s.%s: %.300s -> %.300s", e->table->table,
		columns[i], shown(e->before.at[i]), shown(e->after.at[i]));
	return !same_value(e->before.at[i], e->after.at[i]) &&
	       !same_meaning(e->before.at[i], e->after.at[i]);
}

/* A copy of the row under another key. */
static bool edit_insert(struct edit *e)
{
	static const char *const another[] = { [SQLITE_INTEGER] = "?1 + 1000",
		[SQLITE_TEXT] = "?1 || 'x'",
		[SQLITE_BLOB] = "substr(x'00' || ?1, 1, 32)" };
	const char *key = e->table->columns[e->table->keys_len - 1].name;

	for (int i = 0; i < e->before.len; i++)
		if (strcmp(columns[i], key) == 0) {
			sqlite3_value_free(e->after.at[i]);
			e->after.at[i] =
				evaluated(another[sqlite3_value_type(e->before.at[i])],
					e->before.at[i], NULL);
		}
	snprintf(e->what, sizeof e->what, "%s: a copy of a row", e->table->table);
	return true;
}

static bool edit_pick(struct edit *e)
{
	struct row_copy other = { 0 };
	bool ok;

	*e = (struct edit){ .table = &records[below(RECORD_COUNT)],
		.kind = below(12)  ? EDIT_COLUMN
			: below(2) ? EDIT_DELETE
				   : EDIT_INSERT };
	if (!row_pick(e->table, &other) || !row_pick(e->table, &e->before)) return false;
	e->after.len = e->before.len;
	for (int i = 0; i < e->before.len; i++)
		e->after.at[i] = sqlite3_value_dup(e->before.at[i]);
	e->told = untold_of(e->table) != NULL;
	snprintf(e->part, sizeof e->part, "rows of %s", e->table->table);
	snprintf(e->what, sizeof e->what, "%s: a row is gone", e->table->table);
	ok = e->kind == EDIT_COLUMN   ? edit_column(e, &other)
	     : e->kind == EDIT_INSERT ? edit_insert(e)
				      : true;
	row_done(&other);
	return ok;
}

static void edit_done(struct edit *e)
{
	row_done(&e->before);
	row_done(&e->after);
}

/* False: the store itself refuses it, by its constraints. */
static bool edit_make(const struct edit *e)
{
	if (e->kind != EDIT_INSERT) row_delete(e->table, &e->before);
	if (e->kind == EDIT_DELETE || row_insert(e->table, &e->after)) return true;
	if (e->kind != EDIT_INSERT) assert_true(row_insert(e->table, &e->before));
	return false;
}

static void edit_undo(const struct edit *e)
{
	if (e->kind != EDIT_DELETE) row_delete(e->table, &e->after);
	if (e->kind != EDIT_INSERT) assert_true(row_insert(e->table, &e->before));
}

static int64_t findings(void)
{
	struct arena arena = { 0 };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct rows rows = { 0 };
	struct checking c = { .rows = &rows };
	struct fault why = { 0 };

	rows_start(&rows, &arena, reader, NULL, 0);
	if (check_store(&c, &w, &why)) fail_msg("check: %s", why.detail);
	rows_done(&rows);
	arena_done(&arena);
	buf_done(&out);
	return c.found;
}

/* ---- what came of them, by column ---- */

struct tally {
	char part[96];
	bool told, listed;
	int made, missed;
};

static struct tally tallies[TALLIES_MAX];
static int tallies_len;

static struct tally *tally_of(const struct edit *e)
{
	struct tally *t = tallies;

	while (t < tallies + tallies_len && strcmp(t->part, e->part) != 0)
		t++;
	if (t < tallies + tallies_len) return t;
	assert_true(tallies_len < TALLIES_MAX);
	tallies_len++;
	snprintf(t->part, sizeof t->part, "%s", e->part);
	t->told = e->told;
	t->listed = e->listed;
	return t;
}

static void edit_try(const struct edit *e)
{
	struct tally *t = tally_of(e);
	bool missed = !findings();

	t->made++;
	t->missed += missed;
	if (missed && e->told) print_error("not found: %s\n", e->what);
}

/* How many of the edits that events tell of were made. */
static int made_of_told(void)
{
	int made = 0;

	for (int i = 0; i < tallies_len; i++)
		if (tallies[i].told) made += tallies[i].made;
	return made;
}

/* Of columns that are told of none may be missed; of the others some are. */
static int wrong_tallies(void)
{
	int wrong = 0;

	for (int i = 0; i < tallies_len; i++) {
		const struct tally *t = &tallies[i];
		bool found = t->listed && t->made >= ENOUGH && !t->missed;

		if (found) print_error("%s: check finds every edit\n", t->part);
		if (getenv("PARLEY_TALLIES"))
			print_message("%s %s: %d of %d missed\n",
				t->told ? "told" : "untold", t->part, t->missed, t->made);
		wrong += found || (t->told && t->missed);
	}
	return wrong;
}

static void every_edit_is_found(void **state)
{
	const char *seed = getenv("PARLEY_SEED");
	int want = getenv("PARLEY_LONG") ? EDITS_LONG : EDITS;
	struct fault why = { 0 };

	(void)state;
	chance = seed ? strtoull(seed, NULL, 10) : 1;
	if (!rig_open(&rig, &(struct rig_options){ .alone = true }))
		fail_msg("%s", rig.why.detail);
	furnish(&rig);
	assert_int_equal(sqlite3_open(rig.place + strlen("sqlite:"), &writer), SQLITE_OK);
	sqlite3_exec(writer, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
	reader = db_open(str_of(rig.place), DB_READ, NULL, &why);
	assert_non_null(reader);
	assert_int_equal(findings(), 0);
	while (made_of_told() < want) {
		struct edit e;

		if (edit_pick(&e) && edit_make(&e)) {
			edit_try(&e);
			edit_undo(&e);
		}
		edit_done(&e);
	}
	assert_int_equal(findings(), 0);
	print_message("%d edits\n", made_of_told());
	db_close(reader);
	sqlite3_close(writer);
	rig_close(&rig);
	assert_int_equal(wrong_tallies(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_edit_is_found) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
