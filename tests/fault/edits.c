/* edits.c - random edits of a store file, one at a time, past the program: `check` finds
 * each. PARLEY_LONG=1: 10,000 of them. PARLEY_SEED repeats the choices.
 *
 * The columns of `unseen` are those that no event tells of; an edit there is not tried.
 * docs/RESULTS.md says why. */
#include "desk_rig.h"
#include "random.h"

#include "desk/check.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* last: it makes `fail` a macro */

enum { COLUMNS_MAX = 48, SQL_SIZE = 4096, EDITS = 1500, EDITS_LONG = 10000 };

struct edited_table {
	const char *name;
	const char *key[2]; /* after ws, or alone for workspaces */
	int keys;
	const char *unseen; /* columns, with a blank around each */
	const char *flags;  /* likewise; their numbers are read as yes and no */
};

static const struct edited_table tables[] = {
	{ "workspaces", { "id" }, 1,
		" name created_ms revocations old_events policy_version ", " " },
	{ "sessions", { "ws", "id" }, 2,
		" version updated_ms for_ask heard_ms run run_open spent error ended_ms ",
		" parallel sensitive " },
	{ "asks", { "ws", "id" }, 2, " version settled_user route ", " exclusive " },
	{ "events", { "place" }, 1, " ", " " },
};

enum { TABLES = sizeof tables / sizeof *tables };

static struct rig rig;
static sqlite3 *writer;
static struct db *reader;
static uint64_t chance;

static int below(int n)
{
	return (int)random_below(&chance, (uint64_t)n);
}

/* ---- a store with something of everything ---- */

static void must(enum err e)
{
	assert_int_equal(e, OK);
}

static void put(const struct use *use, const char *who, const char *id, const char *body)
{
	struct outcome o;

	if (rig_do(&rig, &(struct request){ use, who, id, body }, &o) != OK)
		fail_msg("%s: %s", use->job.name, o.task.job.why.detail);
	outcome_done(&o);
}

static void user_of(const char *token, char out[ID_SIZE])
{
	struct outcome o;

	must(rig_do(&rig, &(struct request){ &use_me, token }, &o));
	assert_true(outcome_read(&o));
	snprintf(out, ID_SIZE, "%.*s", STR_ARGS(text_at(o.json, "user.id")));
	outcome_done(&o);
}

static void furnish_session(bool deleted)
{
	struct made s = rig_session(&rig,
		"{'title':'Work','parallel':true,'project':'p','external_id':'x',"
		"'metadata':{'a':1},'on_settled':{'webhook':'https://hook.example/'}}");
	char body[256];
	struct made made[6];
	char mia[ID_SIZE];

	must(s.err);
	put(&use_session_progress, rig.agent, s.id, "{'text':'half','step':1,'steps':2}");
	for (int i = 0; i < 6; i++) {
		snprintf(body, sizeof body,
			i == 5 ? "{'session':'%s','kind':'approval','operation':{'type':'tool',"
				 "'name':'rm','arguments':{'f':'x'},'risk':'high'}}"
			       : "{'session':'%s','question':'Go?','type':'boolean',"
				 "'timeout':3600,'context':{'text':'because'}}",
			s.id);
		made[i] = rig_ask_body(&rig, body, NULL);
		must(made[i].err);
	}
	must(rig_settle(&rig, &use_answer, made[0].id, NULL));
	must(rig_settle(&rig, &use_skip, made[1].id, NULL));
	must(rig_settle(&rig, &use_cancel, made[2].id, NULL));
	put(&use_claim, rig.mia, made[3].id, NULL);
	put(&use_reply, rig.mia, made[3].id, "{'text':'What for?'}");
	put(&use_extend, rig.ada, made[4].id, "{'timeout':7200}");
	user_of(rig.mia, mia);
	snprintf(body, sizeof body, "{'assignees':['%s']}", mia);
	put(&use_assign, rig.ada, made[4].id, body);
	put(&use_answer, rig.mia, made[5].id, "{'answer':'approve'}");
	if (deleted) must(rig_delete(&rig, s.id));
}

/* Answered, and then asked again by an agent that had not had the answer. */
static void furnish_asked_again(void)
{
	struct request q = { &use_ask, rig.agent, .body = "{'question':'Again?'}",
		.dedupe_key = "again" };
	char id[2][ID_SIZE];

	for (int i = 0; i < 2; i++) {
		struct outcome o;

		must(rig_do(&rig, &q, &o));
		snprintf(id[i], ID_SIZE, "%.*s", STR_ARGS(o.task.ask));
		outcome_done(&o);
		if (i == 0) put(&use_answer, rig.mia, id[0], "{'answer':'Yes, again'}");
	}
	assert_string_equal(id[0], id[1]);
}

static void furnish(void)
{
	if (!rig_open(&rig, &(struct rig_options){ 0 })) fail_msg("%s", rig.why.detail);
	furnish_session(true);
	furnish_session(false);
	furnish_asked_again();
	must(rig_ask(&rig, "key").err);
	/* What the desk writes later (fetched_ms) is not to meet the edits. */
	assert_true(rig_reopen(&rig));
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
static bool row_pick(const struct edited_table *t, struct row_copy *out)
{
	static char names[COLUMNS_MAX][32];
	char sql[SQL_SIZE];
	sqlite3_stmt *stmt;
	int rows;

	snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", t->name);
	stmt = prepared(sql);
	sqlite3_step(stmt);
	rows = sqlite3_column_int(stmt, 0);
	sqlite3_finalize(stmt);
	if (!rows) return false;
	snprintf(sql, sizeof sql, "SELECT * FROM %s LIMIT 1 OFFSET %d", t->name,
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

static bool row_insert(const struct edited_table *t, const struct row_copy *r)
{
	char sql[SQL_SIZE];
	int at = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?1", t->name);
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

static void row_delete(const struct edited_table *t, const struct row_copy *r)
{
	char sql[SQL_SIZE];
	int at = snprintf(sql, sizeof sql, "DELETE FROM %s WHERE ", t->name);
	sqlite3_stmt *stmt;

	for (int k = 0; k < t->keys; k++)
		at += snprintf(sql + at, sizeof sql - (size_t)at, "%s%s IS ?%d",
			k ? " AND " : "", t->key[k], k + 1);
	stmt = prepared(sql);
	for (int k = 0; k < t->keys; k++)
		for (int i = 0; i < r->len; i++)
			if (strcmp(columns[i], t->key[k]) == 0)
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
	case SQLITE_BLOB: {
		sqlite3_value *text = evaluated(bytes[below(4)], now, other), *blob;

		blob = evaluated("CAST(?1 AS BLOB)", text, NULL);
		sqlite3_value_free(text);
		return blob;
	}
	default: return sqlite3_value_dup(now);
	}
}

static bool among(const char *list, const char *column)
{
	char word[40];

	snprintf(word, sizeof word, " %s ", column);
	return strstr(list, word) != NULL;
}

/* The same JSON with other blanks says the same; an empty object says nothing. */
static bool same_meaning(sqlite3_value *before, sqlite3_value *after)
{
	struct arena arena = { 0 };
	struct str texts[] = { str_of((const char *)sqlite3_value_text(before)),
		str_of((const char *)sqlite3_value_text(after)) };
	const struct json *json[2];
	bool same;

	if (str_is(texts[0], "{}") && !texts[1].len) return true;
	same = json_read(texts[0], NULL, &arena, &json[0], NULL) == OK &&
	       json_read(texts[1], NULL, &arena, &json[1], NULL) == OK &&
	       json_equal(json[0], json[1]);
	arena_done(&arena);
	return same;
}

enum edit_kind { EDIT_COLUMN, EDIT_DELETE, EDIT_INSERT };

struct edit {
	enum edit_kind kind;
	const struct edited_table *table;
	struct row_copy before, after;
	char what[SQL_SIZE];
};

/* False: nothing to be edited this time. */
static bool edit_column(struct edit *e, struct row_copy *other)
{
	int i = below(e->before.len);

	if (among(e->table->unseen, columns[i])) return false;
	sqlite3_value_free(e->after.at[i]);
	e->after.at[i] = among(e->table->flags, columns[i])
				 ? evaluated("?1 = 0", e->before.at[i], NULL)
				 : changed(e->before.at[i], other->at[i]);
	snprintf(e->what, sizeof e->what, "%s.%s: %.300s -> %.300s", e->table->name,
		columns[i], (const char *)sqlite3_value_text(e->before.at[i]),
		(const char *)sqlite3_value_text(e->after.at[i]));
	return !same_value(e->before.at[i], e->after.at[i]) &&
	       !same_meaning(e->before.at[i], e->after.at[i]);
}

/* A copy of the row under another key. */
static bool edit_insert(struct edit *e)
{
	const char *key = e->table->key[e->table->keys - 1];

	for (int i = 0; i < e->before.len; i++)
		if (strcmp(columns[i], key) == 0) {
			bool number =
				sqlite3_value_type(e->before.at[i]) == SQLITE_INTEGER;

			sqlite3_value_free(e->after.at[i]);
			e->after.at[i] = evaluated(number ? "?1 + 1000" : "?1 || 'x'",
				e->before.at[i], NULL);
		}
	snprintf(e->what, sizeof e->what, "%s: a copy of a row", e->table->name);
	return true;
}

static bool edit_pick(struct edit *e)
{
	struct row_copy other = { 0 };
	bool ok;

	*e = (struct edit){ .table = &tables[below(TABLES)],
		.kind = below(12)  ? EDIT_COLUMN
			: below(2) ? EDIT_DELETE
				   : EDIT_INSERT };
	if (!row_pick(e->table, &other) || !row_pick(e->table, &e->before)) return false;
	e->after.len = e->before.len;
	for (int i = 0; i < e->before.len; i++)
		e->after.at[i] = sqlite3_value_dup(e->before.at[i]);
	snprintf(e->what, sizeof e->what, "%s: a row is gone", e->table->name);
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
	struct checking c = { .db = reader, .arena = &arena };
	struct fault why = { 0 };

	if (check_store(&c, &w, &why)) fail_msg("check: %s", why.detail);
	arena_done(&arena);
	buf_done(&out);
	return c.found;
}

static void every_edit_is_found(void **state)
{
	const char *seed = getenv("PARLEY_SEED");
	int want = getenv("PARLEY_LONG") ? EDITS_LONG : EDITS, made = 0, missed = 0;
	struct fault why = { 0 };

	(void)state;
	chance = seed ? strtoull(seed, NULL, 10) : 1;
	furnish();
	assert_int_equal(sqlite3_open(rig.place + strlen("sqlite:"), &writer), SQLITE_OK);
	sqlite3_exec(writer, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
	reader = db_open(str_of(rig.place), DB_READ, NULL, &why);
	assert_non_null(reader);
	assert_int_equal(findings(), 0);
	while (made < want) {
		struct edit e;

		if (edit_pick(&e) && edit_make(&e)) {
			made++;
			if (!findings()) {
				missed++;
				print_error("not found: %s\n", e.what);
			}
			edit_undo(&e);
		}
		edit_done(&e);
	}
	assert_int_equal(findings(), 0);
	print_message("%d edits\n", made);
	db_close(reader);
	sqlite3_close(writer);
	rig_close(&rig);
	assert_int_equal(missed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_edit_is_found) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
