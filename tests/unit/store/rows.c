/* rows.c - the rows of a batch: one copy of each, found again, written and read back
 * whole. */
#include "store/rows.h"

#include "store/migrate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOW_MS = 5000 };

static struct db *db;
static struct arena arena;
static struct ids ids;
static struct rows rows;
static struct table seen;
static char folder[32], place[64];

static int begin(void **state)
{
	static const uint8_t start[SHA256_SIZE];
	const struct val ws[] = { val_int(1), val_text(STR("one")), val_int(1),
		val_int(0), val_bytes(start, SHA256_SIZE), val_int(0), val_int(0),
		val_int(0), val_int(0), val_int(0) };

	(void)state;
	snprintf(folder, sizeof folder, "/tmp/rows-XXXXXX");
	if (!mkdtemp(folder)) return -1;
	snprintf(place, sizeof place, "sqlite:%s/p.db", folder);
	db = db_open(str_of(place), DB_WRITE, NULL, NULL);
	if (!db || schema_migrate(db, NULL)) return -1;
	if (db_one(db, SQL_OF(RECORD_WORKSPACES, RECORD_ADD), ws, 10, NULL, NULL, NULL))
		return -1;
	ids_seed(&ids, 7);
	rows_start(&rows, &arena, db, &ids, NOW_MS);
	return 0;
}

static int end(void **state)
{
	(void)state;
	rows_done(&rows);
	table_done(&seen);
	arena_done(&arena);
	db = db_close(db);
	unlink(place + strlen("sqlite:"));
	rmdir(folder);
	return 0;
}

/* Writes what there is, and starts over with nothing loaded. */
static void next_batch(void)
{
	struct fault why = { 0 };

	assert_int_equal(db_begin(db, &why), OK);
	if (rows_write(&rows, &why)) fail_msg("%s", why.detail);
	rows_start(&rows, &arena, db, &ids, NOW_MS + 1);
}

static struct wants wants_start(void)
{
	table_clear(&seen);
	return (struct wants){ .rows = &rows, .seen = seen };
}

static void wants_end(struct wants *w)
{
	seen = w->seen;
	assert_false(w->failed);
	assert_int_equal(rows_load(&rows, w, NULL), OK);
}

static struct session *full_session(void)
{
	struct session *s = rows_new_session(&rows, 1);

	s->title = STR("Title");
	s->agent = STR("builder");
	s->token = STR("tok_1");
	s->project = STR("project");
	s->external_id = STR("outside");
	s->metadata = STR("{\"a\":1}");
	s->on_settled = STR("{\"webhook\":\"https://x\"}");
	s->progress = STR("{\"text\":\"half\"}");
	s->search = STR("title");
	s->parallel = true;
	s->status = SESSION_WAITING_FOR_INPUT;
	s->open_input = 3;
	s->open_blocking = 2;
	s->open_approval = 4;
	s->open_other = 5;
	s->settled = 6;
	rows_name_external(&rows, s);
	return s;
}

static struct ask *full_ask(const struct session *s)
{
	struct ask *a = rows_new_ask(&rows, 1);

	a->session = s->id;
	a->run = STR("run_1");
	a->agent = s->agent;
	a->token = s->token;
	a->project = s->project;
	a->kind = ASK_APPROVAL;
	a->priority = PRIORITY_URGENT;
	a->risk = RISK_HIGH;
	a->exclusive = true;
	a->fixed = STR("{\"questions\":[]}");
	a->search = STR("deploy");
	a->digest = STR("sha256:x");
	a->approved_digest = STR("sha256:y");
	a->assignees = STR("[\"usr_1\"]");
	a->claimed_user = STR("usr_2");
	a->claimed_name = STR("mia");
	a->claimed_until_ms = 77;
	a->deadline_ms = 88;
	a->settled_ms = 0;
	a->used_ms = 99;
	a->answer = STR("{\"q\":1}");
	a->answered_by = STR("{\"kind\":\"human\"}");
	a->summary = STR("- q: 1");
	a->reason = STR("so");
	a->replies = STR("[{}]");
	return a;
}

#define SAME(a, b) assert_true(str_eq((a), (b)))

/* A value of its own for every column; words and types need one that exists. */
static void column_fill(const struct record *r, int i, int salt, void *record)
{
	const struct column *c = &r->columns[i];
	void *at = (char *)record + c->offset;
	struct str text = arena_print(&arena, "%s-%s-%d", r->table, c->name, salt);

	switch (c->type) {
	case COLUMN_INT: *(int64_t *)at = 1000 * (i + 1) + salt; break;
	case COLUMN_BOOL: *(bool *)at = true; break;
	case COLUMN_TEXT:
	case COLUMN_BYTES: *(struct str *)at = text; break;
	case COLUMN_HASH: memset(at, i * 16 + salt, SHA256_SIZE); break;
	case COLUMN_RISK: *(int *)at = RISK_HIGH; break;
	case COLUMN_WORD: *(int *)at = 1; break;
	case COLUMN_EVENT_TYPE: *(const char **)at = event_types[1]; break;
	}
}

static void columns_fill(const struct record *r, int salt, bool all, void *record)
{
	for (int i = 0; i < r->stored_len; i++)
		if (all || ((r->columns[i].flags & CHANGES) &&
				   strcmp(r->columns[i].name, "version") != 0))
			column_fill(r, i, salt, record);
}

static bool vals_same(const struct val *a, const struct val *b)
{
	return a->type == b->type && a->integer == b->integer && str_eq(a->text, b->text);
}

static void records_same(const struct record *r, const void *a, const void *b)
{
	for (int i = 0; i < r->stored_len; i++) {
		struct val x = record_val(&r->columns[i], a),
			   y = record_val(&r->columns[i], b);

		if (!vals_same(&x, &y) && strcmp(r->columns[i].name, "version") != 0)
			fail_msg("%s.%s", r->table, r->columns[i].name);
	}
}

/* The record again, from the store. */
static const void *read_back(enum record_id id, const void *was)
{
	const struct record *r = &records[id];
	struct val key[RECORD_KEYS_MAX];

	for (int i = 0; i < r->keys_len; i++)
		key[i] = record_val(&r->columns[i], was);
	assert_int_equal(
		rows_fetch(&rows, id, SQL_OF(id, RECORD_GET), key, r->keys_len, NULL),
		OK);
	return rows_find(&rows, id, record_name(r, was, &arena));
}

union any {
	struct ask ask;
	struct session session;
	struct event event;
	struct user user;
	struct token token;
	struct delivery delivery;
	struct workspace workspace;
	struct key_record key;
	struct run run;
	struct run_message message;
	struct tool_call tool_call;
};

static void every_record_is_read_back_as_it_was_written(void **state)
{
	(void)state;
	for (int id = 0; id < RECORD_COUNT; id++) {
		const struct record *r = &records[id];
		union any was = { 0 };

		columns_fill(r, 1, true, &was);
		assert_non_null(rows_new(&rows, (enum record_id)id, &was));
		next_batch();
		records_same(r, &was, read_back((enum record_id)id, &was));
	}
}

static void every_column_that_changes_is_written_and_no_other(void **state)
{
	(void)state;
	for (int id = 0; id < RECORD_COUNT; id++) {
		const struct record *r = &records[id];
		union any was = { 0 }, changed;

		if (!r->version_at) continue;
		columns_fill(r, 2, true, &was);
		assert_non_null(rows_new(&rows, (enum record_id)id, &was));
		next_batch();
		columns_fill(r, 3, false,
			rows_change(&rows, read_back((enum record_id)id, &was)));
		next_batch();
		changed = was;
		columns_fill(r, 3, false, &changed);
		records_same(r, &changed, read_back((enum record_id)id, &was));
		assert_int_equal(
			record_version(r, read_back((enum record_id)id, &was)), 2);
	}
}

static void a_deleted_record_is_gone_at_once_and_for_good(void **state)
{
	(void)state;
	for (int id = 0; id < RECORD_COUNT; id++) {
		const struct record *r = &records[id];
		union any was = { 0 };
		const void *found;

		columns_fill(r, 4, true, &was);
		assert_non_null(rows_new(&rows, (enum record_id)id, &was));
		next_batch();
		found = read_back((enum record_id)id, &was);
		rows_delete(&rows, found);
		assert_null(rows_find(
			&rows, (enum record_id)id, record_name(r, &was, &arena)));
		next_batch();
		assert_null(read_back((enum record_id)id, &was));
	}
}

static void a_session_is_found_by_its_name_outside(void **state)
{
	const struct session was = *full_session();
	struct wants w;
	struct session *s;

	(void)state;
	next_batch();
	w = wants_start();
	wants_external(&w, 1, STR("builder"), STR("outside"));
	wants_end(&w);
	s = rows_session(&rows, 1, was.id);
	assert_non_null(s);
	assert_ptr_equal(rows_external(&rows, 1, STR("builder"), STR("outside")), s);
	assert_null(rows_external(&rows, 2, STR("builder"), STR("outside")));
	/* Another agent's name for another session is in nobody's way. */
	assert_null(rows_external(&rows, 1, STR("other"), STR("outside")));
}

/* ---- what a job did is undone ---- */

static void a_rollback_leaves_rows_events_and_counters_as_they_were(void **state)
{
	struct session *s = full_session();
	struct str id = full_ask(s)->id, session = s->id;
	const struct user member = {
		.ws = 1, .id = STR("usr_1"), .name = STR("mia"), .role = ROLE_MEMBER
	};
	struct user *u;
	struct ask *a;

	(void)state;
	rows_new(&rows, RECORD_USERS, &member);
	next_batch();
	assert_int_equal(rows_fetch_ask(&rows, 1, id, &a, NULL), OK);
	rows_savepoint(&rows);
	a = rows_ask(&rows, 1, id);
	a->status = ASK_SKIPPED;
	a->version++;
	s = rows_session(&rows, 1, session);
	s->title = STR("Other");
	rows_touch_session(&rows, s);
	rows_event(&rows, "ask.skipped", s, a, STR_NONE);
	u = rows_change(&rows, read_back(RECORD_USERS, &member));
	u->role = ROLE_OWNER;
	full_ask(rows_new_session(&rows, 1));
	rows_raise_revocations(&rows, 1);
	rows_delete(&rows, s);
	assert_null(rows_ask(&rows, 1, id));
	rows_rollback(&rows);

	assert_false(rows_dirty(&rows));
	assert_int_equal(rows_ask(&rows, 1, id)->status, ASK_PENDING);
	assert_int_equal(rows_ask(&rows, 1, id)->version, 1);
	SAME(rows_session(&rows, 1, session)->title, STR("Title"));
	assert_int_equal(((const struct user *)read_back(RECORD_USERS, &member))->role,
		ROLE_MEMBER);
	assert_null(rows_next(&rows, RECORD_SESSIONS, rows_session(&rows, 1, session)));
	next_batch();
	assert_int_equal(rows_fetch_ask(&rows, 1, id, &a, NULL), OK);
	assert_int_equal(a->status, ASK_PENDING);
}

static void what_was_done_before_a_savepoint_stays(void **state)
{
	struct str id = full_ask(full_session())->id;
	struct ask *a;

	(void)state;
	next_batch();
	assert_int_equal(rows_fetch_ask(&rows, 1, id, &a, NULL), OK);
	a->status = ASK_EXPIRED;
	a->version++;
	rows_event(&rows, "ask.expired", rows_session(&rows, 1, a->session), a, STR_NONE);
	rows_savepoint(&rows);
	a = rows_ask(&rows, 1, id);
	a->reason = STR("too late");
	rows_event(
		&rows, "ask.answered", rows_session(&rows, 1, a->session), a, STR_NONE);
	rows_rollback(&rows);
	assert_int_equal(rows.so_far.staged_len, 1);
	next_batch();
	assert_int_equal(rows_fetch_ask(&rows, 1, id, &a, NULL), OK);
	assert_int_equal(a->status, ASK_EXPIRED);
	SAME(a->reason, STR("so"));
}

static void a_name_that_was_undone_is_free_again(void **state)
{
	(void)state;
	rows_savepoint(&rows);
	full_session();
	assert_non_null(rows_external(&rows, 1, STR("builder"), STR("outside")));
	rows_rollback(&rows);
	assert_null(rows_external(&rows, 1, STR("builder"), STR("outside")));
	full_session();
	assert_non_null(rows_external(&rows, 1, STR("builder"), STR("outside")));
	next_batch();
}

static void what_changed_is_written_and_what_did_not_is_not_dirty(void **state)
{
	struct str id = full_ask(full_session())->id;
	struct wants w;
	struct ask *a;

	(void)state;
	assert_true(rows_dirty(&rows));
	next_batch();
	assert_false(rows_dirty(&rows));
	w = wants_start();
	wants_ask(&w, 1, id);
	wants_end(&w);
	assert_false(rows_dirty(&rows));
	a = rows_ask(&rows, 1, id);
	a->status = ASK_SKIPPED;
	a->version++;
	rows_touch_session(&rows, rows_session(&rows, 1, a->session));
	assert_true(rows_dirty(&rows));
	next_batch();
	assert_int_equal(rows_fetch_ask(&rows, 1, id, &a, NULL), OK);
	assert_int_equal(a->status, ASK_SKIPPED);
	assert_int_equal(a->version, 2);
	assert_int_equal(rows_session(&rows, 1, a->session)->version, 2);
}

static void what_is_wanted_twice_is_loaded_once(void **state)
{
	struct str id = full_ask(full_session())->id;
	struct wants w;
	size_t len;

	(void)state;
	next_batch();
	w = wants_start();
	wants_ask(&w, 1, id);
	len = w.len;
	wants_ask(&w, 1, id);
	assert_int_equal(w.len, len);
	/* The same id elsewhere is another row, and is not there. */
	wants_ask(&w, 2, id);
	assert_true(w.len > len);
	wants_end(&w);
	assert_non_null(rows_ask(&rows, 1, id));
	assert_null(rows_ask(&rows, 2, id));
	assert_null(rows_ask(&rows, 1, STR("ask_none")));
}

static void open_asks_come_in_their_order_and_settled_ones_do_not(void **state)
{
	struct session *s = full_session();
	struct str ids_made[3], session;
	struct wants w;
	struct ask *a = NULL;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		a = full_ask(s);
		a->exclusive = false;
		if (i == 1) a->status = ASK_ANSWERED;
		ids_made[i] = a->id;
	}
	session = s->id;
	next_batch();
	w = wants_start();
	wants_open_asks(&w, 1, session);
	wants_end(&w);
	a = rows_next_ask(&rows, 1, session, NULL);
	assert_non_null(a);
	SAME(a->id, ids_made[0]);
	a = rows_next_ask(&rows, 1, session, a);
	assert_non_null(a);
	SAME(a->id, ids_made[2]);
	assert_null(rows_next_ask(&rows, 1, session, a));
}

static void a_deleted_session_takes_all_that_is_its(void **state)
{
	struct ask *a = full_ask(full_session());
	struct str id = a->id, session = a->session;
	struct session *s;

	(void)state;
	next_batch();
	assert_int_equal(rows_fetch_session(&rows, 1, session, &s, NULL), OK);
	rows_delete(&rows, s);
	assert_true(rows_session_deleted(&rows, session));
	assert_true(rows_dirty(&rows));
	next_batch();
	assert_int_equal(rows_fetch_session(&rows, 1, session, &s, NULL), ERR_NOT_FOUND);
	assert_int_equal(rows_fetch_ask(&rows, 1, id, &a, NULL), ERR_NOT_FOUND);
}

static void a_key_is_found_with_what_was_kept(void **state)
{
	struct key_record record = { .ws = 1,
		.token = STR("tok"),
		.path = STR("/p"),
		.key = STR("k"),
		.status = 201,
		.session = STR("ses_1"),
		.result = STR("{\"ask\":\"ask_1\"}") };
	const struct key_record *found;
	struct wants w;

	(void)state;
	memset(record.body, 9, SHA256_SIZE);
	assert_non_null(rows_new(&rows, RECORD_KEYS, &record));
	/* Two jobs of one batch meet here already. */
	assert_non_null(rows_key(&rows, 1, STR("tok"), STR("/p"), STR("k")));
	next_batch();
	w = wants_start();
	wants_key(&w, 1, STR("tok"), STR("/p"), STR("k"));
	wants_key(&w, 1, STR("tok"), STR("/other"), STR("k"));
	wants_end(&w);
	found = rows_key(&rows, 1, STR("tok"), STR("/p"), STR("k"));
	assert_non_null(found);
	assert_int_equal(found->status, 201);
	SAME(found->result, record.result);
	assert_memory_equal(found->body, record.body, SHA256_SIZE);
	assert_null(rows_key(&rows, 1, STR("tok"), STR("/other"), STR("k")));
}

static void a_deletion_that_finds_nothing_is_decided_anew(void **state)
{
	const struct user u = {
		.ws = 1, .id = STR("usr_1"), .name = STR("mia"), .role = ROLE_MEMBER
	};
	const struct val key[] = { val_int(1), val_text(u.id), val_int(1) };
	struct fault why = { 0 };

	(void)state;
	rows_new(&rows, RECORD_USERS, &u);
	next_batch();
	rows_delete(&rows, read_back(RECORD_USERS, &u));
	/* Another was first. */
	assert_int_equal(
		db_one(db, SQL_OF(RECORD_USERS, RECORD_DELETE), key, 3, NULL, NULL, NULL),
		OK);
	assert_int_equal(db_begin(db, NULL), OK);
	assert_int_equal(rows_write(&rows, &why), ERR_BUSY);
	db_rollback(db);
}

int main(void)
{
#define ROWS_TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		ROWS_TEST(every_record_is_read_back_as_it_was_written),
		ROWS_TEST(every_column_that_changes_is_written_and_no_other),
		ROWS_TEST(a_deleted_record_is_gone_at_once_and_for_good),
		ROWS_TEST(a_session_is_found_by_its_name_outside),
		ROWS_TEST(a_rollback_leaves_rows_events_and_counters_as_they_were),
		ROWS_TEST(what_was_done_before_a_savepoint_stays),
		ROWS_TEST(a_name_that_was_undone_is_free_again),
		ROWS_TEST(what_changed_is_written_and_what_did_not_is_not_dirty),
		ROWS_TEST(what_is_wanted_twice_is_loaded_once),
		ROWS_TEST(open_asks_come_in_their_order_and_settled_ones_do_not),
		ROWS_TEST(a_deleted_session_takes_all_that_is_its),
		ROWS_TEST(a_key_is_found_with_what_was_kept),
		ROWS_TEST(a_deletion_that_finds_nothing_is_decided_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
