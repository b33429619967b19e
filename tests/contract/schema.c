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

static enum err row_refuse(void *ctx, const struct row *row, struct fault *why)
{
	(void)ctx, (void)row, (void)why;
	return ERR_MEMORY;
}

/* Whether the store skipped it, or worked it and the list had failed here: it can be used. */
static void a_statement_whose_first_list_failed_can_be_used(void **state)
{
	struct call refused[] = { { .sql = SQL_GIVEN,
					  .text = "SELECT nothing FROM nowhere" },
		{ .sql = SQL_WORKSPACE_NEWS } };
	struct call given_up[] = { { .sql = SQL_SCHEMA_VERSION, .row = row_refuse },
		{ .sql = SQL_WORKSPACES_LAST } };
	struct db *db = place_open(true);
	struct fault why = { 0 };

	(void)state;
	assert_int_not_equal(db_run(db, refused, 2, &why), OK);
	assert_int_equal(db_one(db, SQL_WORKSPACE_NEWS, NULL, 0, NULL, NULL, &why), OK);
	assert_int_equal(db_run(db, given_up, 2, &why), ERR_MEMORY);
	assert_int_equal(db_one(db, SQL_WORKSPACES_LAST, NULL, 0, NULL, NULL, &why), OK);
	db_close(db);
	place_done();
}

/* What SQLite says how it goes about a statement, line after line. */
static enum err plan_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	buf_print(ctx, "%.*s\n", STR_ARGS(row_text(row, 3)));
	return OK;
}

/* However many deliveries and runs there are, these read no more than what they are about. */
static void what_is_due_is_found_without_reading_all(void **state)
{
	static const struct {
		enum sql sql;
		const char *by;
	} ways[] = { { SQL_CONTACT_RECENT, "contact=? AND done_ms>?" },
		{ SQL_DELIVERIES_TO_CONTACT, "contact=? AND done_ms=?" },
		{ SQL_DELIVERY_NEXT, "deliveries_by_owner (kind=? AND owner=?)" },
		{ SQL_DELIVERY_OWNERS,
			"deliveries_by_owner (kind=? AND owner=? AND next_ms<?)" },
		{ SQL_DELIVERY_DUE,
			"deliveries_by_owner (kind=? AND owner=? AND next_ms<?)" },
		{ SQL_DELIVERY_HELD, "deliveries_due (lease_by=?)" },
		{ SQL_DELIVERY_LOST, "deliveries_due (lease_by>?)" },
		{ SQL_DELIVERY_LIST, "(ws=? AND id<?)" },
		{ SQL_DELIVERY_LIST_ENDED,
			"deliveries_by_status (ws=? AND status=? AND id<?)" },
		{ SQL_DELIVERY_LIST_WAITING,
			"deliveries_by_status (ws=? AND status=? AND id<?)" },
		{ SQL_DELIVERY_LIST_WAITING, "deliveries_by_owner (kind=?)" },
		{ SQL_DELIVERY_COUNT,
			"COVERING INDEX deliveries_by_status (ws=? AND status=?)" },
		{ SQL_OF(RECORD_DELIVERIES, RECORD_DELETE_OF_SESSION),
			"deliveries_once (ws=? AND ask=?)" },
		{ SQL_RUNS_OF_PARENT, "runs_by_parent (ws=? AND parent=?)" },
		{ SQL_CALLS_OF_MESSAGE,
			"tool_calls_by_session (ws=? AND session=? AND id>?)" },
		{ SQL_CALL_PAGE, "tool_calls_by_session (ws=? AND session=? AND id<?)" },
		{ SQL_RUN_HELD, "runs_held (lease_by=?)" },
		{ SQL_RUN_HELD_BY, "runs_held (lease_by=?)" },
		{ SQL_MEMORY_NUMBERED, "memories_by_number (ws=? AND n=?)" },
		{ SQL_MEMORY_OF_SESSION, "memories_by_session (ws=? AND session=?)" },
		{ SQL_OF(RECORD_MEMORIES, RECORD_DELETE_OF_SESSION),
			"memories_by_session (ws=? AND session=?)" },
		{ SQL_MEMORY_WORDS, "PRIMARY KEY (ws=? AND word>? AND word<?)" } };
	struct db *db;

	(void)state;
	if (!str_starts(str_of(place_fresh()), "sqlite:")) skip();
	db = place_open(true);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct buf text = { .max = 16384 }, plan = { .max = 16384 };
		struct call c = { .sql = SQL_GIVEN, .row = plan_row, .ctx = &plan };
		struct fault why = { 0 };

		buf_print(&text, "EXPLAIN QUERY PLAN %s", sql_text(ways[i].sql));
		c.text = buf_text(&text);
		if (db_run(db, &c, 1, &why)) fail_msg("%s: %s", c.text, why.detail);
		if (!strstr(buf_text(&plan), ways[i].by) ||
			strstr(buf_text(&plan), "SCAN deliveries") ||
			strstr(buf_text(&plan), "AUTOMATIC"))
			fail_msg("%s:\n%s", c.text, buf_text(&plan));
		buf_done(&text);
		buf_done(&plan);
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

static void old_ask(struct db *db, const char *id, const char *agent, const char *token)
{
	struct fault why = { 0 };
	char text[1024];

	snprintf(text, sizeof text,
		"INSERT INTO asks VALUES (1, '%s', 'ses_1', '', '%s', '%s', '', 'approval',"
		" 'pending', 'normal', 0, 0, '{}', '', '', '', '[]', '', '', 0, 1, 1, 0, 0, 0,"
		" '', '', '', '', '[]', '')",
		id, agent, token);
	if (db->driver->script(db, text, &why)) fail_msg("%s", why.detail);
}

struct old_found {
	struct arena arena;
	struct ask ask;
};

static enum err old_row(void *ctx, const struct row *row, struct fault *why)
{
	struct old_found *f = ctx;

	return ask_from_row(row, &f->arena, &f->ask, why);
}

static void old_ask_is(struct db *db, const char *id, const char *agent, const char *name,
	const char *requester)
{
	const struct val key[] = { val_int(1), val_text(str_of(id)) };
	struct old_found f = { 0 };

	assert_int_equal(
		db_one(db, SQL_OF(RECORD_ASKS, RECORD_GET), key, 2, old_row, &f, NULL),
		OK);
	assert_true(str_is(f.ask.agent, agent));
	assert_true(str_is(f.ask.agent_name, name));
	assert_true(str_is(f.ask.requester, requester));
	arena_done(&f.arena);
}

/* What people asked before asks went under their ids is theirs by their id; what an agent of
 * the same name asked stays the agent's. */
static void what_people_asked_goes_under_their_id(void **state)
{
	struct fault why = { 0 };
	struct db *db = place_open(false);

	(void)state;
	assert_int_equal(schema_migrate_to(db, 3, &why), OK);
	assert_int_equal(
		db->driver->script(db,
			"INSERT INTO users VALUES (1, 'usr_1', 'mia', 'member', '', '', 0, 0, 1);"
			"INSERT INTO tokens VALUES ('h1', 1, 'tok_1', 'token', 'member', 'mia',"
			" 'mia', 'usr_1', '', '', 1, 0, -1, 0);"
			"INSERT INTO tokens VALUES ('h2', 1, 'tok_2', 'token', 'agent', 'mia',"
			" 'mia', '', '', '', 1, 0, -1, 0);"
			"INSERT INTO tokens VALUES ('h3', 1, 'tok_3', 'token', 'member', 'mia',"
			" 'bot', 'usr_1', '', '', 1, 0, -1, 0)",
			&why),
		OK);
	old_ask(db, "ask_1", "mia", "tok_1");
	old_ask(db, "ask_2", "mia", "tok_2");
	old_ask(db, "ask_3", "bot", "tok_3");
	old_ask(db, "ask_4", "mia", "tok_gone");
	assert_int_equal(schema_migrate(db, &why), OK);
	old_ask_is(db, "ask_1", "usr_1", "mia", "usr_1");
	old_ask_is(db, "ask_2", "mia", "", "");
	old_ask_is(db, "ask_3", "bot", "", "usr_1");
	old_ask_is(db, "ask_4", "mia", "", "");
	db_close(db);
	place_done();
}

static const char seventh[] =
	"INSERT INTO contacts VALUES (1, 'con_1', 'usr_1', '', 'email', 'a@example.org', '', 'a', 1, 0, 0,"
	" '', 1, 0, '', '', 0, 0, 1);"
	"INSERT INTO contacts VALUES (1, 'con_2', 'usr_1', '', 'webhook', 'https://h.example', '', 'b', 1,"
	" 0, 0, '', 1, 0, '', '', 0, 0, 1);"
	"INSERT INTO contacts VALUES (1, 'con_3', 'usr_1', '', 'webhook', 'https://i.example', '', 'c', 1,"
	" 0, 0, '', 1, 0, '', '', 0, 0, 1);"
	"INSERT INTO deliveries (ws, id, session, ask, kind, target, status, attempts, next_ms, lease_ms,"
	" lease_by, last_error, last_status, created_ms, done_ms, contact)"
	" VALUES (1, 'dlv_1', 'ses_1', 'ask_1', 'webhook', '', 'done', 1, 0, 0, '', '', 200, 1, 1, 'con_2');"
	"INSERT INTO agents VALUES (1, 'agt_1', 'tells', '{\"name\":\"tells\",\"on_reject\":\"tell\"}',"
	" 1, 1, 1);"
	"INSERT INTO agents VALUES (1, 'agt_2', 'stops', '{\"name\":\"stops\",\"on_reject\":\"stop\"}',"
	" 1, 1, 1)";

static enum err tested_row(void *ctx, const struct row *row, struct fault *why)
{
	struct arena arena = { 0 };
	struct contact c;
	enum err e = record_read(&records[RECORD_CONTACTS], row, &arena, &c, why);

	if (!e && c.tested) *(int64_t *)ctx += c.id.at[c.id.len - 1] - '0';
	arena_done(&arena);
	return e;
}

static enum err body_row(void *ctx, const struct row *row, struct fault *why)
{
	struct arena arena = { 0 };
	struct agent_record a;
	enum err e = record_read(&records[RECORD_AGENTS], row, &arena, &a, why);

	if (!e) snprintf(ctx, 100, "%.*s", STR_ARGS(a.body));
	arena_done(&arena);
	return e;
}

static void agent_body_is(struct db *db, const char *id, const char *body)
{
	const struct val key[] = { val_int(1), val_text(str_of(id)) };
	char found[100] = "";

	assert_int_equal(db_one(db, SQL_OF(RECORD_AGENTS, RECORD_GET), key, 2, body_row,
				 found, NULL),
		OK);
	assert_string_equal(found, body);
}

/* Contacts that were verified or took a message count as tested; an agent that is to be told of
 * rejections, as all were unless they said otherwise, goes by the policy. */
static void a_store_of_the_seventh_schema_is_brought_up(void **state)
{
	const struct val ws[] = { val_int(1) };
	struct fault why = { 0 };
	struct db *db = place_open(false);
	int64_t tested = 0;

	(void)state;
	assert_int_equal(schema_migrate_to(db, 7, &why), OK);
	if (db->driver->script(db, seventh, &why)) fail_msg("%s", why.detail);
	assert_int_equal(schema_migrate(db, &why), OK);
	assert_int_equal(
		db_one(db, SQL_CONTACTS_OF, ws, 1, tested_row, &tested, NULL), OK);
	assert_int_equal(tested, 1 + 2);
	agent_body_is(db, "agt_1", "{\"name\":\"tells\",\"on_reject\":null}");
	agent_body_is(db, "agt_2", "{\"name\":\"stops\",\"on_reject\":\"stop\"}");
	db_close(db);
	place_done();
}

/* A step that failed half-way leaves the version it started from, and no table of its
 * own. */
static enum err marks_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	buf_print(ctx, "%.*s %lld %.*s;", STR_ARGS(row_text(row, 0)),
		(long long)row_int(row, 1), STR_ARGS(row_text(row, 2)));
	return OK;
}

/* Each workspace counts by itself, in the order of ids. */
static void notes_of_an_older_store_get_numbers_and_words(void **state)
{
	static const char notes[] =
		"INSERT INTO memories (ws, id, scope, agent, session, text, tags, search, created_ms)"
		" VALUES (1, 'mem_1', 'workspace', '', '', 'Green tea', '[\"drinks\"]', '', 1),"
		" (1, 'mem_2', 'workspace', '', '', 'tea, tea: Th\xc3\xa9', '[]', '', 1),"
		" (2, 'mem_3', 'workspace', '', '', 'tea', '', '', 1);";
	struct buf found = { .max = 4096 };
	struct fault why = { 0 };
	struct db *db = place_open(false);

	(void)state;
	assert_int_equal(schema_migrate_to(db, 13, &why), OK);
	if (db->driver->script(db, notes, &why)) fail_msg("%s", why.detail);
	if (schema_migrate(db, &why)) fail_msg("%s", why.detail);
	for (int ws = 1; ws <= 2; ws++)
		assert_int_equal(
			db_one(db, SQL_MEMORY_WORDS, ARGS(ws, STR("a"), STR("z")),
				marks_row, &found, &why),
			OK);
	assert_string_equal(
		buf_text(&found), "drinks 0 Ab;green 0 Ab;tea 0 AbAc;the 0 Ac;tea 0 Ab;");
	buf_done(&found);
	db_close(db);
	place_done();
}

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
		cmocka_unit_test(a_statement_whose_first_list_failed_can_be_used),
		cmocka_unit_test(what_is_due_is_found_without_reading_all),
		cmocka_unit_test(an_empty_store_is_brought_up_and_once_is_enough),
		cmocka_unit_test(a_newer_store_is_refused_with_a_clear_line),
		cmocka_unit_test(a_desk_does_not_open_a_newer_store),
		cmocka_unit_test(a_step_that_fails_leaves_nothing),
		cmocka_unit_test(what_people_asked_goes_under_their_id),
		cmocka_unit_test(a_store_of_the_seventh_schema_is_brought_up),
		cmocka_unit_test(notes_of_an_older_store_get_numbers_and_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
