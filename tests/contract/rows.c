/* rows.c - what the store itself refuses: changes decided on an older version, and what
 * must be unique. Each job here is made for the test, over the clerk's own interface. */
#include "place.h"

#include "store/migrate.h"

struct trial {
	struct job job; /* first */
	enum err (*decide)(struct trial *, struct rows *, struct fault *);
	const char *id, *session;
	int tries; /* how often it was decided */
};

static enum err trial_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct trial *t = (struct trial *)(void *)job;

	t->tries++;
	return t->decide(t, rows, why);
}

static void trial_done(struct job *job)
{
	(void)job;
}

static void trial_needs(struct job *job, struct wants *w)
{
	struct trial *t = (struct trial *)(void *)job;

	if (t->id) wants_ask(w, 1, str_of(t->id));
	if (t->session) wants_session(w, 1, str_of(t->session));
}

static const struct job_kind trial_kind = {
	.name = "trial", .flags = JOB_OPEN, .needs = trial_needs, .decide = trial_decide
};

static enum err trial_run(struct clerk *c, struct trial *t)
{
	t->job.kind = &trial_kind;
	t->job.done = trial_done;
	t->job.link.next = NULL;
	clerk_work(c, &t->job.link);
	arena_done(&t->job.arena);
	buf_done(&t->job.out);
	return t->job.err;
}

static struct clerk *clerk_on_place(void)
{
	struct clerk *c = clerk_new(
		&(struct clerk_options){ .url = str_of(place_fresh()), .mode = DB_WRITE },
		NULL);
	static const uint8_t start[SHA256_SIZE];
	const struct val ws[] = { val_int(1), val_text(STR("one")), val_int(1),
		val_int(0), val_bytes(start, SHA256_SIZE), val_int(0), val_int(0),
		val_int(0), val_int(0), val_int(0) };

	assert_non_null(c);
	assert_int_equal(schema_migrate(clerk_db(c), NULL), OK);
	assert_int_equal(db_one(clerk_db(c), SQL_OF(RECORD_WORKSPACES, RECORD_ADD), ws,
				 10, NULL, NULL, NULL),
		OK);
	return c;
}

static void clerk_gone(struct clerk *c)
{
	clerk_free(c);
	place_done();
}

static enum err number_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	*(int64_t *)ctx = row_int(row, 0);
	return OK;
}

static char made_session[ID_SIZE], made_ask[ID_SIZE];

static struct session *new_session(struct rows *rows, const char *external)
{
	struct session *s = rows_new_session(rows, 1);

	s->title = s->agent = s->token = STR("x");
	s->metadata = STR("{}");
	s->external_id = str_of(external);
	if (external) rows_name_external(rows, s);
	memcpy(made_session, s->id.at, s->id.len);
	rows_event(rows, "session.created", s, NULL, STR_NONE);
	return s;
}

static struct ask *new_ask(struct rows *rows, const struct session *s, bool exclusive)
{
	struct ask *a = rows_new_ask(rows, 1);

	a->session = s->id;
	a->agent = a->token = STR("x");
	a->fixed = STR("{}");
	a->assignees = a->replies = STR("[]");
	a->exclusive = exclusive;
	memcpy(made_ask, a->id.at, a->id.len);
	rows_event(rows, "ask.created", s, a, STR_NONE);
	return a;
}

static enum err make_both(struct trial *t, struct rows *rows, struct fault *why)
{
	(void)t, (void)why;
	new_ask(rows, new_session(rows, NULL), true);
	return OK;
}

/* ---- conditional updates ---- */

/* An UPDATE of this ask on the condition of `version`; how many rows it changed. */
static int64_t ask_overtaken(struct db *on, const struct ask *a, int64_t version)
{
	const struct record *r = &records[RECORD_ASKS];
	struct ask other = *a;
	struct val args[ARGS_MAX];
	struct call call = { .sql = SQL_OF(RECORD_ASKS, RECORD_UPDATE), .args = args };

	other.status = ASK_SKIPPED;
	other.version = version + 1;
	args[0] = val_int(a->ws);
	args[1] = val_text(a->id);
	args[2] = val_int(version);
	call.args_len = 3;
	for (int i = 0; i < r->columns_len; i++)
		if (r->columns[i].flags & CHANGES)
			args[call.args_len++] = record_val(&r->columns[i], &other);
	assert_int_equal(db_run(on, &call, 1, NULL), OK);
	return call.changed;
}

/* A counter from `before` to `after`, and how the list ends in which that must change a row. */
static enum err counter_moved(struct db *db, int64_t before, int64_t after)
{
	static const uint8_t hash[SHA256_SIZE] = { 1 };
	const struct val first[] = { val_int(1), val_int(0), val_int(5),
		val_bytes(hash, SHA256_SIZE) };
	const struct val second[] = { val_int(1), val_int(before), val_int(after),
		val_bytes(hash, SHA256_SIZE) };
	struct call list[] = {
		{ .sql = SQL_BEGIN },
		{ .sql = SQL_COUNTER_MOVE,
			.args = first,
			.args_len = 4,
			.must_change = true },
		{ .sql = SQL_COUNTER_MOVE,
			.args = second,
			.args_len = 4,
			.must_change = true },
		{ .sql = SQL_COMMIT },
	};
	enum err e;

	db_turn(db, TURN_ALL);
	e = db_run(db, list, 4, NULL);
	db_rollback(db);
	return e;
}

static int64_t counter_now(struct db *db)
{
	const struct val one[] = { val_int(1) };
	int64_t last = -1;

	assert_int_equal(
		db_one(db, SQL_COUNTER_GET, one, 1, number_row, &last, NULL), OK);
	return last;
}

static void a_list_ends_with_what_must_change_a_row_and_does_not(void **state)
{
	struct clerk *c = clerk_on_place();

	(void)state;
	assert_int_equal(counter_moved(clerk_db(c), 7, 9), ERR_BUSY);
	assert_int_equal(counter_now(clerk_db(c)), 0); /* its COMMIT was not done */
	assert_int_equal(counter_moved(clerk_db(c), 5, 6), OK);
	assert_int_equal(counter_now(clerk_db(c)), 6);
	clerk_gone(c);
}

/* Changes no row: the list of what must fails, and of what need not does not. */
static void a_statement_that_must_change_a_row_may_also_be_one_that_need_not(void **state)
{
	static const uint8_t hash[SHA256_SIZE];
	const struct val nowhere[] = { val_int(1), val_int(7), val_int(8),
		val_bytes(hash, SHA256_SIZE) };
	struct clerk *c = clerk_on_place();

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct call call = { .sql = SQL_COUNTER_MOVE,
			.args = nowhere,
			.args_len = 4,
			.must_change = i % 2 };

		assert_int_equal(
			db_run(clerk_db(c), &call, 1, NULL), i % 2 ? ERR_BUSY : OK);
		if (!(i % 2)) assert_int_equal(call.changed, 0);
	}
	clerk_gone(c);
}

static enum err change_in_vain(struct trial *t, struct rows *rows, struct fault *why)
{
	struct ask *a = rows_ask(rows, 1, str_of(t->id));
	struct session *s = rows_session(rows, 1, a->session);

	(void)why;
	/* Somebody else was first, once: as another node would be between load and write.
	 */
	if (t->tries == 1) ask_overtaken(rows->db, a, a->version);
	a->status = ASK_ANSWERED;
	a->answer = STR("{}");
	a->version++;
	rows_event(rows, "ask.answered", s, a, STR_NONE);
	return OK;
}

static void a_change_decided_on_an_older_version_is_decided_anew(void **state)
{
	struct clerk *c = clerk_on_place();
	struct trial make = { .decide = make_both },
		     change = { .decide = change_in_vain };
	const struct val one[] = { val_int(1) };
	int64_t events = 0;

	(void)state;
	assert_int_equal(trial_run(c, &make), OK);
	change.id = made_ask;
	assert_int_equal(trial_run(c, &change), OK);
	/* The first try was rolled back with all it wrote, the second found the row as it
	 * was. */
	assert_int_equal(change.tries, 2);
	db_one(clerk_db(c), SQL_EVENT_LAST, one, 1, number_row, &events, NULL);
	assert_int_equal(events, 3);
	clerk_gone(c);
}

static struct arena read_arena;

static enum err ask_read_row(void *ctx, const struct row *row, struct fault *why)
{
	return ask_from_row(row, &read_arena, ctx, why);
}

static void a_version_that_has_passed_changes_nothing(void **state)
{
	struct clerk *c = clerk_on_place();
	struct trial make = { .decide = make_both };
	struct ask a = { 0 };

	(void)state;
	assert_int_equal(trial_run(c, &make), OK);
	const struct val get[] = { val_int(1), val_text(str_of(made_ask)) };
	db_one(clerk_db(c), SQL_ASK_GET, get, 2, ask_read_row, &a, NULL);
	assert_int_equal(ask_overtaken(clerk_db(c), &a, 7), 0);
	db_one(clerk_db(c), SQL_ASK_GET, get, 2, ask_read_row, &a, NULL);
	assert_int_equal(a.status, ASK_PENDING);
	assert_int_equal(ask_overtaken(clerk_db(c), &a, 1), 1);
	arena_done(&read_arena);
	clerk_gone(c);
}

/* ---- unique indexes ---- */

static enum err make_exclusive(struct trial *t, struct rows *rows, struct fault *why)
{
	struct session *s = rows_session(rows, 1, str_of(t->session));

	(void)why;
	new_ask(rows, s, true);
	return OK;
}

static enum err make_parallel(struct trial *t, struct rows *rows, struct fault *why)
{
	(void)why;
	new_ask(rows, rows_session(rows, 1, str_of(t->session)), false);
	return OK;
}

static void two_open_exclusive_asks_of_a_session_are_refused(void **state)
{
	struct clerk *c = clerk_on_place();
	struct trial make = { .decide = make_both }, again = { .decide = make_exclusive },
		     beside = { .decide = make_parallel };
	char session[ID_SIZE];

	(void)state;
	assert_int_equal(trial_run(c, &make), OK);
	memcpy(session, made_session, ID_SIZE);
	again.session = beside.session = session;
	assert_int_equal(trial_run(c, &again), ERR_BUSY);
	assert_true(again.tries > 1);
	assert_int_equal(trial_run(c, &beside), OK);
	clerk_gone(c);
}

static enum err make_named(struct trial *t, struct rows *rows, struct fault *why)
{
	(void)t, (void)why;
	new_session(rows, "claude-1");
	return OK;
}

static void an_external_id_is_one_session(void **state)
{
	struct clerk *c = clerk_on_place();
	struct trial first = { .decide = make_named }, second = { .decide = make_named },
		     nameless = { .decide = make_both };

	(void)state;
	assert_int_equal(trial_run(c, &first), OK);
	assert_int_equal(trial_run(c, &second), ERR_BUSY);
	/* Those without one are many. */
	assert_int_equal(trial_run(c, &nameless), OK);
	clerk_gone(c);
}

static enum err make_key(struct trial *t, struct rows *rows, struct fault *why)
{
	const struct key_record record = { .ws = 1,
		.token = STR("tok"),
		.path = STR("/p"),
		.key = STR("k"),
		.status = 201,
		.result = STR("{}") };

	(void)t, (void)why;
	assert_non_null(rows_new(rows, RECORD_KEYS, &record));
	return OK;
}

static void an_idempotency_key_is_one_record(void **state)
{
	struct clerk *c = clerk_on_place();
	struct trial first = { .decide = make_key }, second = { .decide = make_key };

	(void)state;
	assert_int_equal(trial_run(c, &first), OK);
	assert_int_equal(trial_run(c, &second), ERR_BUSY);
	clerk_gone(c);
}

/* ---- batches ---- */

static enum err add_user(struct trial *t, struct rows *rows, struct fault *why)
{
	const struct user u = { .ws = 1,
		.id = str_of(t->job.ctx),
		.name = str_of(t->job.ctx),
		.role = ROLE_MEMBER };

	(void)why;
	return rows_new(rows, RECORD_USERS, &u) ? OK : ERR_MEMORY;
}

static void one_statement_that_fails_spares_the_other_jobs(void **state)
{
	struct clerk *c = clerk_on_place();
	static const char *const names[] = { "a", "b", "b", "c" };
	static const enum err fates[] = { OK, OK, ERR_BUSY, OK };
	struct trial jobs[4] = { 0 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		jobs[i].job.kind = &trial_kind;
		jobs[i].job.done = trial_done;
		jobs[i].job.ctx = (void *)(uintptr_t)names[i];
		jobs[i].job.link.next = i < 3 ? &jobs[i + 1].job.link : NULL;
		jobs[i].decide = add_user;
	}
	clerk_work(c, &jobs[0].job.link);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(jobs[i].job.err, fates[i]);
	/* All together once, then one by one; the one that never fits, a few times. */
	assert_int_equal(jobs[0].tries, 2);
	assert_int_equal(jobs[3].tries, 2);
	assert_true(jobs[2].tries > 2);
	clerk_gone(c);
}

static enum err fails_itself(struct trial *t, struct rows *rows, struct fault *why)
{
	(void)t, (void)rows;
	why->err = ERR_CONFLICT;
	return ERR_CONFLICT;
}

static void a_job_that_fails_by_itself_does_not_disturb_the_others(void **state)
{
	struct clerk *c = clerk_on_place();
	struct trial jobs[2] = { { .decide = fails_itself }, { .decide = make_both } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		jobs[i].job.kind = &trial_kind;
		jobs[i].job.done = trial_done;
	}
	jobs[0].job.link.next = &jobs[1].job.link;
	clerk_work(c, &jobs[0].job.link);
	assert_int_equal(jobs[0].job.err, ERR_CONFLICT);
	assert_int_equal(jobs[1].job.err, OK);
	assert_int_equal(jobs[1].tries, 1);
	clerk_gone(c);
}

static enum err makes_and_fails(struct trial *t, struct rows *rows, struct fault *why)
{
	struct ask *a = t->id ? rows_ask(rows, 1, str_of(t->id)) : NULL;

	if (a) {
		a->status = ASK_CANCELLED;
		a->version++;
	}
	new_ask(rows, new_session(rows, "half"), true);
	rows_raise_revocations(rows, 1);
	return fails_itself(t, rows, why);
}

static enum err count_all(struct trial *t, struct rows *rows, struct fault *why)
{
	const struct val one[] = { val_int(1) };
	struct ask *a = rows_ask(rows, 1, str_of(t->id));

	assert_int_equal(a->status, ASK_PENDING);
	return rows_query(rows, SQL_EVENT_LAST, one, 1, number_row, t->job.ctx, why);
}

/* Whatever it did before it failed: no later job of the batch sees it, nothing is written. */
static void a_job_that_fails_leaves_nothing_behind(void **state)
{
	struct clerk *c = clerk_on_place();
	struct trial make = { .decide = make_both }, jobs[2] = { 0 };
	const struct val one[] = { val_int(1) };
	char id[ID_SIZE];
	int64_t before = 0, seen = 0, after = 0;

	(void)state;
	assert_int_equal(trial_run(c, &make), OK);
	memcpy(id, made_ask, ID_SIZE);
	db_one(clerk_db(c), SQL_EVENT_LAST, one, 1, number_row, &before, NULL);
	jobs[0] = (struct trial){ .decide = makes_and_fails, .id = id };
	jobs[1] = (struct trial){ .decide = count_all, .id = id };
	jobs[1].job.ctx = &seen;
	for (size_t i = 0; i < 2; i++) {
		jobs[i].job.kind = &trial_kind;
		jobs[i].job.done = trial_done;
	}
	jobs[0].job.link.next = &jobs[1].job.link;
	clerk_work(c, &jobs[0].job.link);
	assert_int_equal(jobs[0].job.err, ERR_CONFLICT);
	assert_int_equal(jobs[1].job.err, OK);
	db_one(clerk_db(c), SQL_EVENT_LAST, one, 1, number_row, &after, NULL);
	assert_int_equal(after, before);
	clerk_gone(c);
}

static enum err wants_too_much(struct trial *t, struct rows *rows, struct fault *why)
{
	(void)t, (void)why;
	return arena_alloc(rows->arena, (size_t)1 << 30) ? OK : ERR_MEMORY;
}

static void a_job_that_uses_up_the_memory_of_its_batch_fails_alone(void **state)
{
	struct clerk *c = clerk_on_place();
	struct trial jobs[3] = { { .decide = make_both }, { .decide = wants_too_much },
		{ .decide = make_both } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		jobs[i].job.kind = &trial_kind;
		jobs[i].job.done = trial_done;
		jobs[i].job.link.next = i < 2 ? &jobs[i + 1].job.link : NULL;
	}
	clerk_work(c, &jobs[0].job.link);
	assert_int_equal(jobs[0].job.err, OK);
	assert_int_equal(jobs[1].job.err, ERR_MEMORY);
	assert_int_equal(jobs[2].job.err, OK);
	clerk_gone(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_ends_with_what_must_change_a_row_and_does_not),
		cmocka_unit_test(
			a_statement_that_must_change_a_row_may_also_be_one_that_need_not),
		cmocka_unit_test(a_change_decided_on_an_older_version_is_decided_anew),
		cmocka_unit_test(a_version_that_has_passed_changes_nothing),
		cmocka_unit_test(two_open_exclusive_asks_of_a_session_are_refused),
		cmocka_unit_test(an_external_id_is_one_session),
		cmocka_unit_test(an_idempotency_key_is_one_record),
		cmocka_unit_test(one_statement_that_fails_spares_the_other_jobs),
		cmocka_unit_test(a_job_that_fails_by_itself_does_not_disturb_the_others),
		cmocka_unit_test(a_job_that_fails_leaves_nothing_behind),
		cmocka_unit_test(a_job_that_uses_up_the_memory_of_its_batch_fails_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
