/* turns.c - whose turn a batch has, and who comes along, on a store that several processes
 * write to. */
#include "place.h"

#include <semaphore.h>

static struct db *other; /* another process, as the store sees it */

static int shared_rig(void **state, bool one_writer)
{
	static struct rig rig;
	struct fault why = { 0 };

	rig = (struct rig){ 0 };
	*state = &rig;
	if (!store_url_is_shared(str_of(place_fresh()))) return 0;
	if (!rig_open(&rig, &(struct rig_options){
				    .place = place_again(), .one_writer = one_writer }))
		fail_msg("%s", rig.why.detail);
	other = db_open(str_of(rig.place), DB_WRITE, NULL, &why);
	if (!other) fail_msg("%s", why.detail);
	other->late = true;
	return 0;
}

static int rig_of_lanes(void **state)
{
	return shared_rig(state, false);
}

static int rig_of_one_writer(void **state)
{
	return shared_rig(state, true);
}

static int shared_rig_done(void **state)
{
	struct rig *r = *state;

	other = db_close(other);
	if (r->desk) rig_close(r);
	place_done();
	return 0;
}

static enum err number_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	*(int64_t *)ctx = row_int(row, 0);
	return OK;
}

static int64_t other_counts(const char *text)
{
	struct call call = { .sql = SQL_GIVEN, .text = text, .row = number_row };
	struct fault why = { 0 };
	int64_t n = -1;

	call.ctx = &n;
	if (db_run(other, &call, 1, &why)) fail_msg("%s", why.detail);
	return n;
}

/* ---- several workspaces in one batch ---- */

static int64_t has_all;

/* Is the lock of all held by one alone? Its key is one number, those of shards are two. */
static enum err look_decide(struct job *job, struct rows *rows, struct fault *why)
{
	(void)job, (void)rows, (void)why;
	has_all = other_counts(
		"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
		" AND granted AND mode = 'ExclusiveLock' AND objsubid = 1"
		" AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
	return OK;
}

static const struct use use_look_open =
	WRITES("look", 0, JOB_OPEN, NULL, look_decide, NULL, NULL);
static const struct use use_look = WRITES("look", 0, 0, NULL, look_decide, NULL, NULL);

static void a_batch_of_several_shards_has_the_turn_of_all(void **state)
{
	struct rig *r = *state;
	static struct outcome o[2];
	const struct request one_shard[] = { { &use_look, r->agent },
		{ &use_look, r->stranger } };
	const struct request several[] = { { &use_look, r->agent }, { &use_look_open } };

	if (!r->desk) skip();
	rig_batch(r, one_shard, o, 2);
	assert_int_equal(o[0].task.job.batch, o[1].task.job.batch);
	assert_int_equal(has_all, 0);
	for (size_t i = 0; i < 2; i++)
		outcome_done(&o[i]);
	rig_batch(r, several, o, 2);
	assert_int_equal(o[0].task.job.batch, o[1].task.job.batch);
	assert_int_equal(has_all, 1);
	for (size_t i = 0; i < 2; i++)
		outcome_done(&o[i]);
}

/* ---- who comes along ---- */

static void post_done(struct job *job)
{
	sem_post(job->ctx);
}

static void ask_put(struct rig *r, const char *who, struct outcome *o, sem_t *done)
{
	assert_true(rig_fill(&(struct request){ &use_ask, who, .body = ASK_PLAIN }, o));
	o->task.job.ctx = done;
	o->task.job.done = post_done;
	desk_put(r->desk, &use_ask, &o->task);
}

/* The first one's credential cannot be read until the others wait behind it. */
static void who_comes_while_their_credential_is_looked_up_comes_along(void **state)
{
	struct rig *r = *state;
	static struct outcome o[4];
	struct call hold[] = { { .sql = SQL_BEGIN },
		{ .sql = SQL_GIVEN,
			.text = "LOCK TABLE tokens IN ACCESS EXCLUSIVE MODE" } };
	char why[256] = "";
	sem_t done;

	if (!r->desk) skip();
	assert_int_equal(rig_ask(r, NULL).err, OK); /* whose lane it is is known then */
	assert_int_equal(
		rig_do(r, &(struct request){ &use_ask, r->stranger, .body = ASK_PLAIN },
			&o[3]),
		OK);
	outcome_done(&o[3]);
	sem_init(&done, 0, 0);
	assert_int_equal(db_run(other, hold, 2, NULL), OK);
	ask_put(r, r->agent, &o[0], &done);
	while (!other_counts("SELECT count(*) FROM pg_locks WHERE NOT granted"
			     " AND relation = 'tokens'::regclass"))
		continue;
	ask_put(r, r->stranger, &o[1], &done);
	ask_put(r, r->agent, &o[2], &done);
	ask_put(r, r->agent, &o[3], &done);
	db_rollback(other);
	for (size_t i = 0; i < 4; i++)
		while (sem_wait(&done) != 0)
			continue;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(o[i].task.job.err, OK);
	assert_int_equal(o[0].task.job.batch, o[2].task.job.batch);
	assert_int_equal(o[0].task.job.batch, o[3].task.job.batch);
	assert_int_not_equal(o[0].task.job.batch, o[1].task.job.batch);
	for (size_t i = 0; i < 4; i++)
		outcome_done(&o[i]);
	if (rig_check(r, why) < 0) fail_msg("%s", why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_batch_of_several_shards_has_the_turn_of_all, rig_of_one_writer,
			shared_rig_done),
		cmocka_unit_test_setup_teardown(
			who_comes_while_their_credential_is_looked_up_comes_along,
			rig_of_lanes, shared_rig_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
