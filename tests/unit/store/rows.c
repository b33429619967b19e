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
	const struct val ws[] = { val_text(STR("one")), val_int(1),
		val_bytes(start, SHA256_SIZE) };

	(void)state;
	snprintf(folder, sizeof folder, "/tmp/rows-XXXXXX");
	if (!mkdtemp(folder)) return -1;
	snprintf(place, sizeof place, "sqlite:%s/p.db", folder);
	db = db_open(str_of(place), DB_WRITE, NULL, NULL);
	if (!db || schema_migrate(db, NULL)) return -1;
	if (db_one(db, SQL_WORKSPACE_ADD, ws, 3, NULL, NULL, NULL)) return -1;
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
	assert_true(rows_name_external(&rows, s));
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

static void a_session_is_read_back_as_it_was_written(void **state)
{
	const struct session was = *full_session();
	struct wants w;
	struct session *s;

	(void)state;
	next_batch();
	w = wants_start();
	wants_session(&w, 1, was.id);
	wants_end(&w);
	s = rows_session(&rows, 1, was.id);
	assert_non_null(s);
	SAME(s->title, was.title);
	SAME(s->agent, was.agent);
	SAME(s->token, was.token);
	SAME(s->project, was.project);
	SAME(s->external_id, was.external_id);
	SAME(s->metadata, was.metadata);
	SAME(s->on_settled, was.on_settled);
	SAME(s->progress, was.progress);
	SAME(s->search, was.search);
	assert_int_equal(s->parallel, was.parallel);
	assert_int_equal(s->status, was.status);
	assert_int_equal(s->open_input, was.open_input);
	assert_int_equal(s->open_blocking, was.open_blocking);
	assert_int_equal(s->open_approval, was.open_approval);
	assert_int_equal(s->open_other, was.open_other);
	assert_int_equal(s->settled, was.settled);
	assert_int_equal(s->version, 1);
	assert_int_equal(s->created_ms, NOW_MS);
	/* Its name outside finds the same copy. */
	assert_ptr_equal(rows_external(&rows, 1, STR("outside")), s);
	assert_null(rows_external(&rows, 2, STR("outside")));
}

static void an_ask_is_read_back_as_it_was_written(void **state)
{
	const struct ask was = *full_ask(full_session());
	struct wants w;
	struct ask *a;

	(void)state;
	next_batch();
	w = wants_start();
	wants_ask(&w, 1, was.id);
	wants_end(&w);
	a = rows_ask(&rows, 1, was.id);
	assert_non_null(a);
	SAME(a->session, was.session);
	SAME(a->run, was.run);
	SAME(a->agent, was.agent);
	SAME(a->token, was.token);
	SAME(a->project, was.project);
	SAME(a->fixed, was.fixed);
	SAME(a->search, was.search);
	SAME(a->digest, was.digest);
	SAME(a->approved_digest, was.approved_digest);
	SAME(a->assignees, was.assignees);
	SAME(a->claimed_user, was.claimed_user);
	SAME(a->claimed_name, was.claimed_name);
	SAME(a->answer, was.answer);
	SAME(a->answered_by, was.answered_by);
	SAME(a->summary, was.summary);
	SAME(a->reason, was.reason);
	SAME(a->replies, was.replies);
	assert_int_equal(a->kind, was.kind);
	assert_int_equal(a->status, was.status);
	assert_int_equal(a->priority, was.priority);
	assert_int_equal(a->risk, was.risk);
	assert_int_equal(a->exclusive, was.exclusive);
	assert_int_equal(a->claimed_until_ms, was.claimed_until_ms);
	assert_int_equal(a->deadline_ms, was.deadline_ms);
	assert_int_equal(a->used_ms, was.used_ms);
	assert_int_equal(a->version, 1);
	/* Its session came along. */
	assert_non_null(rows_session(&rows, 1, was.session));
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
	rows_delete_session(&rows, s);
	assert_true(rows_session_deleted(&rows, session));
	assert_true(rows_dirty(&rows));
	next_batch();
	assert_int_equal(rows_fetch_session(&rows, 1, session, &s, NULL), ERR_NOT_FOUND);
	assert_int_equal(rows_fetch_ask(&rows, 1, id, &a, NULL), ERR_NOT_FOUND);
}

static void a_key_is_found_with_what_was_kept(void **state)
{
	struct key_record record = { .status = 201,
		.session = STR("ses_1"),
		.result = STR("{\"ask\":\"ask_1\"}") };
	struct key_record *found;
	struct wants w;

	(void)state;
	memset(record.body, 9, SHA256_SIZE);
	assert_true(rows_add_key(&rows, 1, STR("tok"), STR("/p"), STR("k"), &record));
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

static void an_extra_that_must_change_something_is_decided_anew(void **state)
{
	const struct val args[] = { val_int(1), val_text(STR("tok_none")) };
	struct fault why = { 0 };

	(void)state;
	assert_true(rows_extra(&rows, SQL_TOKEN_DELETE, args, 2, true));
	assert_int_equal(db_begin(db, NULL), OK);
	assert_int_equal(rows_write(&rows, &why), ERR_BUSY);
	db_rollback(db);
}

int main(void)
{
#define ROWS_TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		ROWS_TEST(a_session_is_read_back_as_it_was_written),
		ROWS_TEST(an_ask_is_read_back_as_it_was_written),
		ROWS_TEST(what_changed_is_written_and_what_did_not_is_not_dirty),
		ROWS_TEST(what_is_wanted_twice_is_loaded_once),
		ROWS_TEST(open_asks_come_in_their_order_and_settled_ones_do_not),
		ROWS_TEST(a_deleted_session_takes_all_that_is_its),
		ROWS_TEST(a_key_is_found_with_what_was_kept),
		ROWS_TEST(an_extra_that_must_change_something_is_decided_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
