/* settling.c - one way out of pending, once: in one batch, in many, by the clock, again.
 */
#include "place.h"

#include "base/clock.h"
#include "core/session/session.h"

#include <stdio.h>

/* ---- in one batch ---- */

static void two_answers_in_a_batch_have_one_winner(void **state)
{
	struct rig *r = *state;
	struct made ask = rig_ask(r, NULL);
	struct request both[] = {
		{ &use_answer, r->mia, ask.id, "{'answer':true}" },
		{ &use_answer, r->noa, ask.id, "{'answer':false}" },
		{ &use_skip, r->noa, ask.id, "{}" },
		{ &use_cancel, r->agent, ask.id, "{}" },
	};
	static struct outcome o[4];

	rig_batch(r, both, o, 4);
	assert_int_equal(o[0].err, OK);
	for (size_t i = 1; i < 4; i++) {
		assert_int_equal(o[i].err, ERR_CONFLICT);
		assert_true(outcome_read(&o[i]));
		assert_true(str_is(text_at(o[i].winner, "status"), "answered"));
		assert_true(str_is(text_at(o[i].winner, "answered_by.name"), "mia"));
		assert_true(json_is(json_at(o[i].winner, "answer.q1.value"), JSON_TRUE));
	}
	for (size_t i = 0; i < 4; i++)
		outcome_done(&o[i]);
	assert_string_equal(rig_status(r, ask.id), "answered");
	assert_int_equal(
		rig_count_events(r, ask.id, "ask.answered,ask.skipped,ask.cancelled"), 1);
}

/* A batch that asks, and one that settles and asks again in the same session. */
static void an_ask_settled_in_a_batch_makes_room_for_the_next(void **state)
{
	struct rig *r = *state;
	struct made ask = rig_ask(r, NULL);
	char body[160];
	static struct outcome o[3];

	snprintf(body, sizeof body, "{'session':'%s','question':'And?','type':'boolean'}",
		ask.session);
	struct request all[] = {
		{ &use_ask, r->agent, .body = body },
		{ &use_answer, r->mia, ask.id, "{'answer':true}" },
		{ &use_ask, r->agent, .body = body },
	};

	rig_batch(r, all, o, 3);
	assert_int_equal(o[0].err, ERR_CONFLICT);
	assert_int_equal(o[1].err, OK);
	assert_int_equal(o[2].err, OK);
	for (size_t i = 0; i < 3; i++)
		outcome_done(&o[i]);
}

static void a_session_deleted_in_a_batch_takes_its_asks(void **state)
{
	struct rig *r = *state;
	struct made ask = rig_ask(r, "k");
	static struct outcome o[3];
	char why[256] = "";
	struct request all[] = {
		{ &use_answer, r->mia, ask.id, "{'answer':true}" },
		{ &use_session_delete, r->agent, ask.session },
		{ &use_skip, r->noa, ask.id, "{}" },
	};

	rig_batch(r, all, o, 3);
	assert_int_equal(o[0].err, OK);
	assert_int_equal(o[1].err, OK);
	assert_int_equal(o[2].err, ERR_NOT_FOUND);
	for (size_t i = 0; i < 3; i++)
		outcome_done(&o[i]);
	assert_string_equal(rig_status(r, ask.id), "");
	if (rig_check(r, why) < 0) fail_msg("%s", why);
	/* Its keys went with it: the same key is a new ask. */
	struct made next = rig_ask(r, "k");

	assert_int_equal(next.err, OK);
	assert_string_not_equal(next.id, ask.id);
}

/* ---- again ---- */

static void the_same_key_twice_in_a_batch_is_one_ask(void **state)
{
	struct rig *r = *state;
	struct request q = { &use_ask, r->agent, .body = ASK_PLAIN, .key = "once" };
	struct request twice[] = { q, q,
		{ &use_ask, r->agent, .body = "{'question':'Other?'}", .key = "once" },
		{ &use_ask, r->stranger, .body = ASK_PLAIN, .key = "once" } };
	static struct outcome o[4];

	rig_batch(r, twice, o, 4);
	for (size_t i = 0; i < 4; i++)
		if (i != 2) assert_true(outcome_read(&o[i]));
	assert_true(str_eq(text_at(o[0].json, "id"), text_at(o[1].json, "id")));
	assert_int_equal(o[1].task.job.status, 201);
	assert_int_equal(o[2].err, ERR_INVALID);
	/* Another token's keys are its own. */
	assert_false(str_eq(text_at(o[0].json, "id"), text_at(o[3].json, "id")));
	for (size_t i = 0; i < 4; i++)
		outcome_done(&o[i]);
}

static void a_key_remembers_across_restarts_and_tells_how_it_is_now(void **state)
{
	struct rig *r = *state;
	struct made ask = rig_ask(r, "ask-1");
	struct outcome o;

	assert_int_equal(rig_settle(r, &use_answer, ask.id, "answer-1"), OK);
	assert_true(rig_reopen(r));
	assert_int_equal(rig_do(r,
				 &(struct request){ &use_ask, r->agent, .body = ASK_PLAIN,
					 .key = "ask-1" },
				 &o),
		OK);
	assert_true(outcome_read(&o));
	assert_true(str_is(text_at(o.json, "id"), ask.id));
	assert_true(str_is(text_at(o.json, "status"), "answered"));
	assert_int_equal(o.task.job.status, 201);
	outcome_done(&o);
	assert_int_equal(rig_settle(r, &use_answer, ask.id, "answer-1"), OK);
	assert_int_equal(rig_settle(r, &use_answer, ask.id, "answer-2"), ERR_CONFLICT);
	assert_int_equal(rig_count_events(r, ask.id, "ask.answered"), 1);
}

/* ---- by the clock ---- */

enum { START_MS = 1000000 };

static void a_deadline_fires_once_and_never_early(void **state)
{
	struct rig *r = *state;
	struct made plain, with_default;

	clock_set(START_MS);
	plain = rig_ask_body(r, "{'question':'a?','type':'boolean','timeout':10}", NULL);
	with_default = rig_ask_body(r,
		"{'questions':[{'key':'q','text':'b?','type':'boolean'}],'timeout':20,"
		"'default':{'q':true}}",
		NULL);
	assert_int_equal(desk_deadlines(r->desk), 1000);
	clock_set(START_MS + 9999);
	assert_int_equal(desk_deadlines(r->desk), 1);
	assert_string_equal(rig_status(r, plain.id), "pending");
	clock_set(START_MS + 10000);
	desk_deadlines(r->desk);
	assert_string_equal(rig_status(r, plain.id), "expired");
	assert_string_equal(rig_status(r, with_default.id), "pending");
	clock_set(START_MS + 20000);
	while (desk_deadlines(r->desk) == 0)
		continue;
	assert_int_equal(desk_deadlines(r->desk), -1);
	assert_string_equal(rig_status(r, with_default.id), "expired");
	assert_int_equal(rig_count_events(r, plain.id, "ask.expired"), 1);
	assert_int_equal(rig_count_events(r, with_default.id, "ask.expired"), 1);
	clock_set(0);
}

static void deadlines_missed_while_down_fire_at_the_start(void **state)
{
	enum { ASKS = 250 }; /* more than one turn takes */
	struct rig *r = *state;
	char why[256] = "";
	int64_t before;

	clock_set(START_MS);
	before = rig_check(r, why);
	for (int i = 0; i < ASKS; i++)
		assert_int_equal(
			rig_ask_body(r, "{'question':'a?','type':'boolean','timeout':10}",
				NULL)
				.err,
			OK);
	rig_shut(r);
	clock_set(START_MS + 3600 * 1000);
	assert_true(rig_reopen(r));
	while (desk_deadlines(r->desk) == 0)
		continue;
	assert_int_equal(desk_deadlines(r->desk), -1);
	/* session.created, ask.created, ask.expired, session.status each. */
	assert_int_equal(rig_check(r, why), before + ASKS * 4);
	clock_set(0);
}

/* The clock's own turn has not come yet, but the time has. */
static void an_answer_after_the_deadline_is_too_late(void **state)
{
	struct rig *r = *state;
	struct made ask;
	struct outcome o;

	clock_set(START_MS);
	ask = rig_ask_body(r, "{'question':'a?','type':'boolean','timeout':10}", NULL);
	clock_set(START_MS + 10000);
	rig_do(r, &(struct request){ &use_answer, r->mia, ask.id, "{'answer':true}" },
		&o);
	assert_int_equal(o.err, ERR_CONFLICT);
	assert_true(outcome_read(&o));
	assert_true(str_is(text_at(o.winner, "status"), "expired"));
	outcome_done(&o);
	assert_string_equal(rig_status(r, ask.id), "expired");
	desk_deadlines(r->desk);
	assert_int_equal(rig_count_events(r, ask.id, "ask.expired,ask.answered"), 1);
	clock_set(0);
}

/* A clock that was set back makes the silence of a running session end earlier than the desk
 * expected when it heard of the session before. */
static void silence_is_counted_by_the_clock_that_was_set_back(void **state)
{
	struct rig *r = *state;

	for (int asks = 0; asks < 2; asks++) {
		char body[160];
		struct made s;
		struct outcome o;

		clock_set(START_MS + 3600 * 1000);
		s = rig_session(r, "{'title':'Work'}");
		rig_do(r,
			&(struct request){ &use_session_patch, r->agent, s.id,
				"{'status':'running'}" },
			&o);
		assert_int_equal(o.err, OK);
		outcome_done(&o);
		assert_true(desk_deadlines(r->desk) > 0);
		clock_set(START_MS);
		snprintf(body, sizeof body,
			"{'session':'%s','kind':'non_blocking','question':'Ok?',"
			"'type':'boolean'}",
			s.id);
		if (asks)
			rig_do(r, &(struct request){ &use_ask, r->agent, NULL, body },
				&o);
		else
			rig_do(r,
				&(struct request){ &use_session_progress, r->agent, s.id,
					"{'text':'half'}" },
				&o);
		assert_int_equal(o.err, OK);
		outcome_done(&o);
		clock_set(START_MS + SESSION_HEARD_MS);
		while (desk_deadlines(r->desk) == 0)
			continue;
		rig_do(r, &(struct request){ &use_session_get, r->ada, s.id }, &o);
		assert_true(outcome_read(&o));
		assert_true(str_is(text_at(o.json, "status"), "idle"));
		outcome_done(&o);
	}
	clock_set(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(two_answers_in_a_batch_have_one_winner),
		RIG_TEST(an_ask_settled_in_a_batch_makes_room_for_the_next),
		RIG_TEST(a_session_deleted_in_a_batch_takes_its_asks),
		RIG_TEST(the_same_key_twice_in_a_batch_is_one_ask),
		RIG_TEST(a_key_remembers_across_restarts_and_tells_how_it_is_now),
		ALONE_TEST(a_deadline_fires_once_and_never_early),
		ALONE_TEST(deadlines_missed_while_down_fire_at_the_start),
		ALONE_TEST(an_answer_after_the_deadline_is_too_late),
		ALONE_TEST(silence_is_counted_by_the_clock_that_was_set_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
