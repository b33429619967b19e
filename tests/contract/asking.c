/* asking.c - asking the same thing again, and asking at home. */
#include "place.h"
#include "raw_sql.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static void ask(struct rig *r, const char *who, const char *same, const char *home,
	struct outcome *o)
{
	struct request q = { &use_ask, who, .body = ASK_PLAIN, .dedupe_key = same,
		.default_session = home };

	assert_int_equal(rig_do(r, &q, o), OK);
	assert_true(outcome_read(o));
}

static void assert_same(const struct outcome *a, const struct outcome *b, bool same)
{
	assert_int_equal(str_eq(a->task.ask, b->task.ask), same);
}

static void the_same_question_is_the_same_ask_until_its_answer_is_had(void **state)
{
	struct rig *r = *state;
	static struct outcome o[6];
	char id[ID_SIZE];

	ask(r, r->agent, "same-1", NULL, &o[0]);
	ask(r, r->agent, "same-1", NULL, &o[1]);
	ask(r, r->agent, "same-2", NULL, &o[2]);
	ask(r, r->stranger, "same-1", NULL, &o[3]);
	assert_int_equal(o[0].task.job.status, 201);
	assert_int_equal(o[1].task.job.status, 200);
	assert_same(&o[0], &o[1], true);
	assert_same(&o[0], &o[2], false);
	assert_same(&o[0], &o[3], false);
	snprintf(id, sizeof id, "%.*s", STR_ARGS(o[0].task.ask));
	assert_int_equal(rig_settle(r, &use_answer, id, NULL), OK);
	/* Nobody was told: who asks again is. After that it is another question. */
	ask(r, r->agent, "same-1", NULL, &o[4]);
	assert_int_equal(o[4].task.job.status, 200);
	assert_same(&o[0], &o[4], true);
	ask(r, r->agent, "same-1", NULL, &o[5]);
	assert_int_equal(o[5].task.job.status, 201);
	assert_same(&o[0], &o[5], false);
	for (size_t i = 0; i < 6; i++)
		outcome_done(&o[i]);
}

static void the_same_question_twice_in_a_batch_is_one_ask(void **state)
{
	struct rig *r = *state;
	struct request q = { &use_ask, r->agent, .body = ASK_PLAIN,
		.dedupe_key = "twice" };
	struct request both[] = { q, q };
	static struct outcome o[2];

	rig_batch(r, both, o, 2);
	assert_int_equal(o[0].err, OK);
	assert_int_equal(o[1].err, OK);
	assert_same(&o[0], &o[1], true);
	for (size_t i = 0; i < 2; i++)
		outcome_done(&o[i]);
}

/* Two blocking asks in a default session: it is parallel. Another agent's of the same name is
 * another session. */
static void a_default_session_is_made_once_and_is_parallel(void **state)
{
	struct rig *r = *state;
	struct request q = { &use_ask, r->agent, .body = ASK_PLAIN,
		.default_session = "mcp:there" };
	struct request three[] = { q, q, q };
	static struct outcome o[5];
	struct request foreign = q, by_id = q;
	char session[ID_SIZE];

	rig_batch(r, three, o, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(o[i].err, OK);
		assert_true(outcome_read(&o[i]));
		assert_true(str_eq(
			text_at(o[i].json, "session"), text_at(o[0].json, "session")));
	}
	foreign.who = r->stranger;
	assert_int_equal(rig_do(r, &foreign, &o[3]), OK);
	assert_true(outcome_read(&o[3]));
	assert_false(
		str_eq(text_at(o[3].json, "session"), text_at(o[0].json, "session")));
	snprintf(
		session, sizeof session, "%.*s", STR_ARGS(text_at(o[0].json, "session")));
	by_id.default_session = session;
	assert_int_equal(rig_do(r, &by_id, &o[4]), OK);
	assert_true(outcome_read(&o[4]));
	assert_true(str_is(text_at(o[4].json, "session"), session));
	for (size_t i = 0; i < 5; i++)
		outcome_done(&o[i]);
}

static void a_default_session_that_ended_is_opened_again(void **state)
{
	struct rig *r = *state;
	static struct outcome o[3];
	char session[ID_SIZE];

	ask(r, r->agent, NULL, "mcp:ended", &o[0]);
	snprintf(
		session, sizeof session, "%.*s", STR_ARGS(text_at(o[0].json, "session")));
	struct request end = { &use_session_cancel, r->agent, session, "{}" };
	assert_int_equal(rig_do(r, &end, &o[1]), OK);
	ask(r, r->agent, NULL, "mcp:ended", &o[2]);
	assert_true(str_is(text_at(o[2].json, "session"), session));
	for (size_t i = 0; i < 3; i++)
		outcome_done(&o[i]);
}

/* ---- where it is worked ---- */

static pthread_t worked_on;
static atomic_bool worked;

static void note_thread(struct job *job)
{
	(void)job;
	worked_on = pthread_self();
	atomic_store(&worked, true);
}

/* The writing clerk must sleep first. */
static bool asked_here(struct rig *r)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	static struct outcome o;
	struct turn turn = { 0 };

	nanosleep(&pause, NULL);
	assert_true(
		rig_fill(&(struct request){ &use_ask, r->agent, .body = ASK_PLAIN }, &o));
	atomic_store(&worked, false);
	o.task.job.done = note_thread;
	desk_put_in_turn(r->desk, &turn, &use_ask, &o.task);
	desk_end_turn(r->desk, &turn, true);
	while (!atomic_load(&worked))
		nanosleep(&pause, NULL);
	assert_int_equal(o.task.job.err, OK);
	outcome_done(&o);
	return pthread_equal(worked_on, pthread_self());
}

static void a_lone_ask_is_worked_where_it_came_in_if_commits_are_quick(void **state)
{
	struct rig *r = *state;
	int here = 0;

	r->options.quick = true;
	assert_true(rig_reopen(r));
	for (int i = 0; i < 200 && here < 3; i++)
		here += asked_here(r);
	assert_int_equal(here > 0, !desk_is_shared(r->desk));
}

/* What the only writer wrote a moment before it need not read, unless it is not the only one. */
static void a_row_that_somebody_else_changed_is_read_again(void **state)
{
	struct rig *r = *state;
	struct made made = rig_ask(r, NULL);
	static struct outcome o;

	assert_int_equal(made.err, OK);
	assert_true(raw_write(r->place, "UPDATE sessions SET title = 'Changed by hand'"));
	assert_int_equal(rig_do(r,
				 &(struct request){ &use_answer, r->mia, made.id,
					 .body = "{'answer':true}" },
				 &o),
		OK);
	assert_true(outcome_read(&o));
	assert_true(str_is(text_at(o.json, "ask.session_title"), "Changed by hand"));
	outcome_done(&o);
}

/* ---- who was let in a moment ago ---- */

/* A new token of the role, with its id; it has asked once, so that it is known. */
static void newcomer(
	struct rig *r, const char *role, char secret[SECRET_SIZE], char id[ID_SIZE])
{
	struct outcome o;
	char body[80];

	snprintf(body, sizeof body, "{'role':'%s','name':'new'}", role);
	assert_int_equal(
		rig_do(r, &(struct request){ &use_token_create, r->ada, .body = body },
			&o),
		OK);
	assert_true(outcome_read(&o));
	memcpy(secret, o.task.secret, SECRET_SIZE);
	snprintf(id, ID_SIZE, "%.*s", STR_ARGS(text_at(o.json, "id")));
	outcome_done(&o);
}

static enum err asks(struct rig *r, const char *who)
{
	struct outcome o;
	enum err e = rig_do(r, &(struct request){ &use_ask, who, .body = ASK_PLAIN }, &o);

	outcome_done(&o);
	return e;
}

static enum err does(
	struct rig *r, const struct use *use, const char *id, const char *body)
{
	struct outcome o;
	enum err e = rig_do(r, &(struct request){ use, r->ada, id, body }, &o);

	outcome_done(&o);
	return e;
}

static void who_asked_a_moment_ago_is_let_in_no_longer_than_they_may(void **state)
{
	struct rig *r = *state;
	char secret[SECRET_SIZE], id[ID_SIZE];

	newcomer(r, "agent", secret, id);
	assert_int_equal(asks(r, secret), OK);
	assert_int_equal(asks(r, secret), OK);
	assert_int_equal(does(r, &use_token_delete, id, NULL), OK);
	assert_int_equal(asks(r, secret), ERR_NO_TOKEN);

	/* By somebody else who writes the store. */
	newcomer(r, "agent", secret, id);
	assert_int_equal(asks(r, secret), OK);
	place_script(r, "UPDATE tokens SET expires_ms = 1 WHERE name = 'new'");
	assert_int_equal(asks(r, secret), ERR_NO_TOKEN);
}

static void a_right_that_was_lost_is_lost_at_once(void **state)
{
	struct rig *r = *state;
	char user[ID_SIZE];
	struct outcome o;

	assert_int_equal(rig_do(r, &(struct request){ &use_me, r->mia }, &o), OK);
	assert_true(outcome_read(&o));
	snprintf(user, sizeof user, "%.*s", STR_ARGS(text_at(o.json, "user.id")));
	outcome_done(&o);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			rig_settle(r, &use_answer, rig_ask(r, NULL).id, NULL), OK);
	assert_int_equal(does(r, &use_user_patch, user, "{'role':'viewer'}"), OK);
	assert_int_equal(
		rig_settle(r, &use_answer, rig_ask(r, NULL).id, NULL), ERR_NOT_ENTITLED);
	assert_int_equal(does(r, &use_user_patch, user, "{'role':'member'}"), OK);
	assert_int_equal(rig_settle(r, &use_answer, rig_ask(r, NULL).id, NULL), OK);
	assert_int_equal(does(r, &use_user_patch, user, "{'disabled':true}"), OK);
	assert_int_equal(
		rig_settle(r, &use_answer, rig_ask(r, NULL).id, NULL), ERR_NO_TOKEN);
}

static atomic_int ahead;

static void ahead_count(struct job *job)
{
	assert_int_equal(job->err, OK);
	atomic_fetch_add(&ahead, 1);
}

/* What was decided may be made ready before it is durable; not where another node may void it. */
static void what_was_decided_goes_ahead_of_its_commit(void **state)
{
	struct rig *r = *state;
	struct request two[] = {
		{ &use_ask, r->agent, .body = ASK_PLAIN, .ahead = ahead_count },
		{ &use_ask, r->agent, .body = "{'questions':7}", .ahead = ahead_count },
	};
	static struct outcome o[2];

	atomic_store(&ahead, 0);
	rig_batch(r, two, o, 2);
	assert_int_equal(o[0].err, OK);
	assert_int_not_equal(o[1].err, OK);
	assert_int_equal(atomic_load(&ahead), desk_is_shared(r->desk) ? 0 : 1);
	for (size_t i = 0; i < 2; i++)
		outcome_done(&o[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(the_same_question_is_the_same_ask_until_its_answer_is_had),
		RIG_TEST(the_same_question_twice_in_a_batch_is_one_ask),
		RIG_TEST(a_default_session_is_made_once_and_is_parallel),
		RIG_TEST(a_default_session_that_ended_is_opened_again),
		RIG_TEST(a_row_that_somebody_else_changed_is_read_again),
		RIG_TEST(a_lone_ask_is_worked_where_it_came_in_if_commits_are_quick),
		RIG_TEST(who_asked_a_moment_ago_is_let_in_no_longer_than_they_may),
		RIG_TEST(a_right_that_was_lost_is_lost_at_once),
		RIG_TEST(what_was_decided_goes_ahead_of_its_commit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
