/* runs.c - what holds for runs whoever works on them: leases, waits, verdicts, approvals, sub-agents,
 * cancels. Names of processes stand for nodes. PARLEY_LONG=1 tries many times as much. */
#include "run_kit.h"

#include "base/clock.h"
#include "core/run/agent.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MINUTE = 60 * 1000 };

#define APPEND	 CALL("t2", "test_append", "{'path':'/x','text':'line'}")
#define QUESTION CALL("t3", "ask_user_question", "{'questions':[{'question':'Eh?'}]}")

/* ---- leases ---- */

/* Nothing is written by who lost the run: not a turn, nor trouble, nor a call. */
static void stale_refused(struct rig *r, struct held old)
{
	char arguments[512];
	bool started;

	assert_int_equal(run_rig_turn(r, &old, "[" TEXT("too late") "]"), ERR_CONFLICT);
	assert_int_equal(run_rig_turn(r, &old, "[" TODO "]"), ERR_CONFLICT);
	assert_int_equal(run_rig_trouble(r, &old, TROUBLE_OVERLOADED), ERR_CONFLICT);
	assert_int_equal(run_rig_begin(r, &old, 0, &started, arguments), ERR_CONFLICT);
	assert_false(started);
	assert_int_equal(run_rig_calls(r, &old), ERR_CONFLICT);
}

static void who_lost_the_lease_changes_nothing(void **state)
{
	struct rig *r = prepared(state);
	struct held old, heir, none[8];
	char run[ID_SIZE];
	bool lost[1];

	run_rig_start(r, "boss", run);
	old = claimed(r, "a/1");
	assert_int_equal(run_rig_claim(r, "b/1", none, 8), 0);
	clock_set(CLOCK_START_MS + RUN_LEASE_MS + 1);
	heir = claimed(r, "b/1");
	assert_int_equal(run_rig_renew(r, "a/1", &old, lost, 1), OK);
	assert_true(lost[0]);
	stale_refused(r, old);
	assert_int_equal(run_rig_turn(r, &heir, "[" TODO "]"), OK);
	stale_refused(r, old);
	assert_int_equal(run_rig_turn(r, &heir, "[" TEXT("done") "]"), OK);
	assert_string_equal(run_rig_status(r, run), "completed");
	assert_int_equal(number(r, "SELECT COUNT(*) FROM tasks"), 1);
	assert_int_equal(
		number(r, "SELECT COUNT(*) FROM messages WHERE role = 'assistant'"), 2);
}

/* A thread that does not know that its process gave the run back and has it again. */
static void a_run_claimed_again_by_the_same_process_is_another_hold(void **state)
{
	struct rig *r = prepared(state);
	struct held old, again;
	struct outcome o;
	char run[ID_SIZE];
	struct made session = run_rig_start(r, "boss", run);
	bool lost[2];

	old = claimed(r, "a/1");
	rig_do(r,
		&(struct request){ &use_message_send, r->mia, session.id,
			"{'content':'louder','when':'now'}" },
		&o);
	assert_int_equal(o.err, OK);
	outcome_done(&o);
	again = claimed(r, "a/1");
	stale_refused(r, old);
	struct held both[] = { old, again };
	assert_int_equal(run_rig_renew(r, "a/1", both, lost, 2), OK);
	assert_true(lost[0]);
	assert_false(lost[1]);
	assert_int_equal(run_rig_turn(r, &again, "[" TEXT("LOUD") "]"), OK);
	assert_int_equal(
		number(r, "SELECT COUNT(*) FROM messages WHERE role = 'assistant'"), 1);
}

/* The outcome of its commit was unknown, or there was no thread for it. */
static void what_a_process_holds_and_does_not_work_on_is_queued_again(void **state)
{
	struct rig *r = prepared(state);
	struct held first, none[8];
	char run[ID_SIZE];

	run_rig_start(r, "boss", run);
	first = claimed(r, "a/1");
	assert_int_equal(run_rig_renew(r, "a/1", NULL, NULL, 0), OK);
	assert_string_equal(run_rig_status(r, run), "queued");
	assert_int_equal(run_rig_claim(r, "a/1", none, 8), 0); /* not at once */
	clock_set(CLOCK_START_MS + 2000);
	struct held again = claimed(r, "a/1");
	stale_refused(r, first);
	assert_int_equal(run_rig_turn(r, &again, "[" TEXT("done") "]"), OK);
}

/* ---- waiting ---- */

static void a_run_that_waits_is_a_row_and_goes_on_with_the_answer(void **state)
{
	struct rig *r = prepared(state);
	struct held h, none[8];
	char run[ID_SIZE];

	run_rig_start(r, "boss", run);
	h = claimed(r, "a/1");
	assert_int_equal(run_rig_turn(r, &h, "[" QUESTION "]"), OK);
	assert_int_equal(h.step, RUN_STEP_REST);
	assert_string_equal(run_rig_status(r, run), "waiting");
	assert_int_equal(
		number(r,
			"SELECT COUNT(*) FROM runs WHERE lease_by > '' OR lease_ms > 0"),
		0);
	clock_set(CLOCK_START_MS + 100 * MINUTE);
	assert_int_equal(run_rig_claim(r, "a/1", none, 8), 0);
	assert_int_equal(answer(r, open_ask(r).id, "{'answers':{'q1':'yes'}}"), OK);
	assert_string_equal(run_rig_status(r, run), "queued"); /* in that commit */
	h = claimed(r, "b/1");
	assert_int_equal(h.step, RUN_STEP_MODEL);
}

/* ---- claims that go along ---- */

/* A process with an idle thread. */
struct along {
	struct task task;
	struct run_claim claim;
	bool away;   /* it has none now */
	bool broken; /* what it claims cannot be told to it */
	int done, woken;
	enum err err;	 /* of the last one */
	struct held got; /* by it */
};

static void along_done(struct job *job)
{
	struct along *a = job->ctx;

	a->done++;
	a->err = job->err;
	a->got = (struct held){ 0 };
	if (!job->err && a->claim.len) a->got = run_rig_held(&a->claim.works[0]);
	job->arena.failed = false;
	rig_task_done(&a->task);
}

static struct task *along_claim(void *ctx)
{
	struct along *a = ctx;

	a->claim = (struct run_claim){
		.by = STR("a/1"), .node = STR("a"), .free = 64, .take = 1, .along = true
	};
	a->task = (struct task){ .checked = &a->claim };
	a->task.job.done = along_done;
	a->task.job.ctx = a;
	a->task.job.arena.failed = a->broken;
	return a->away ? NULL : &a->task;
}

static void along_woken(void *ctx)
{
	((struct along *)ctx)->woken++;
}

/* One commit where there were two: the answer, and that somebody goes on with it. */
static void what_queues_a_run_claims_it_for_who_waits_for_work(void **state)
{
	struct rig *r = prepared(state);
	struct along a = { 0 };
	char run[ID_SIZE], other[ID_SIZE];

	if (getenv("PARLEY_TEST_STORE")) skip(); /* on PostgreSQL other nodes wait, too */
	run_listen(r->desk, &(struct run_hooks){ &a, along_woken, along_claim });
	run_rig_start(r, "boss", run);
	assert_string_equal(run_rig_status(r, run), "running");
	assert_string_equal(a.got.run, run);
	assert_int_equal(run_rig_turn(r, &a.got, "[" QUESTION "]"), OK);
	assert_string_equal(run_rig_status(r, run), "waiting");
	assert_int_equal(answer(r, open_ask(r).id, "{'answers':{'q1':'yes'}}"), OK);
	assert_string_equal(run_rig_status(r, run), "running");
	assert_int_equal(a.got.step, RUN_STEP_MODEL);
	assert_int_equal(run_rig_turn(r, &a.got, "[" TEXT("done") "]"), OK);
	assert_string_equal(run_rig_status(r, run), "completed");
	assert_int_equal(a.done, 2);
	assert_int_equal(a.woken, 0); /* there is nothing else to be claimed */
	/* Who waited before comes first: an ordinary claim takes both. */
	a.away = true;
	run_rig_start(r, "boss", run);
	assert_int_equal(a.woken, 1);
	a.away = false;
	run_rig_start(r, "boss", other);
	assert_string_equal(run_rig_status(r, other), "queued");
	assert_int_equal(a.woken, 2);
	run_listen(r->desk, NULL);
}

static void a_claim_that_fails_disturbs_nothing_that_it_went_along_with(void **state)
{
	struct rig *r = prepared(state);
	struct along a = { .broken = true };
	char run[ID_SIZE], why[512] = "";

	if (getenv("PARLEY_TEST_STORE")) skip();
	run_listen(r->desk, &(struct run_hooks){ &a, along_woken, along_claim });
	assert_int_equal(run_rig_start(r, "boss", run).err, OK);
	assert_int_not_equal(a.err, OK);
	assert_string_equal(run_rig_status(r, run), "queued");
	assert_int_equal(a.woken, 1);
	assert_int_equal(
		number(r, "SELECT COUNT(*) FROM events WHERE type = 'run.started'"), 0);
	run_listen(r->desk, NULL);
	assert_string_equal(claimed(r, "a/1").run, run);
	assert_true(rig_check(r, why) > 0);
}

/* ---- the gate ---- */

static void policy_put(struct rig *r, int version, const char *members)
{
	struct outcome o;
	char body[256];

	snprintf(body, sizeof body, "{'version':%d,%s}", version, members);
	rig_do(r, &(struct request){ &use_policy_put, r->ada, .body = body }, &o);
	assert_int_equal(o.err, OK);
	outcome_done(&o);
}

static void a_verdict_is_made_by_the_settings_of_the_commit(void **state)
{
	struct rig *r = prepared(state);
	struct held h;
	char run[ID_SIZE];
	bool shown;

	policy_put(r, 0, "'mode':'auto'");
	run_rig_start(r, "helper", run);
	h = claimed(r, "a/1");
	policy_put(r, 1, "'mode':'manual'"); /* while the model thinks */
	assert_int_equal(run_rig_turn(r, &h, "[" TODO "]"), OK);
	assert_string_equal(run_rig_status(r, run), "waiting");
	policy_put(r, 2, "'mode':'auto'"); /* too late for this call */
	assert_string_equal(run_rig_status(r, run), "waiting");
	assert_int_equal(number(r, "SELECT COUNT(*) FROM tasks"), 0);
	assert_int_equal(
		number(r, "SELECT COUNT(*) FROM tool_calls WHERE status = 'waiting'"), 1);
	assert_int_equal(
		said(r, h.session, "\"verdict\":{\"effect\":\"ask\"", &shown), OK);
	assert_true(shown);
	assert_int_equal(
		answer(r, open_ask(r).id, "{'answers':{'decision':'approve'}}"), OK);
	h = claimed(r, "a/1");
	assert_int_equal(number(r, "SELECT COUNT(*) FROM tasks"), 1);
	assert_int_equal(run_rig_turn(r, &h, "[" TODO "]"), OK); /* allowed by now */
	assert_int_equal(number(r, "SELECT COUNT(*) FROM tasks"), 2);
}

/* Changes something of a call after it was approved, as somebody could who writes to the store. */
static void mutate(struct rig *r, uint64_t *random, const struct held *h)
{
	static const char *const columns[] = { "arguments", "approved_arguments", "name",
		"category" };
	size_t which = random_below(random, 4);
	int n = (int)random_below(random, 1000000);
	char value[160], sql[400];

	if (which == 2)
		snprintf(value, sizeof value, n % 2 ? "todo" : "test_append%d", n);
	else if (which == 3)
		snprintf(value, sizeof value, "%s", n % 2 ? "file_ops" : "mcp");
	else if (n % 4 == 0)
		snprintf(
			value, sizeof value, "{\"path\":\"/x/%d\",\"text\":\"line\"}", n);
	else if (n % 4 == 1)
		snprintf(value, sizeof value, "{\"path\":\"/x\",\"text\":\"line%d\"}", n);
	else if (n % 4 == 2)
		snprintf(value, sizeof value,
			"{\"path\":\"/x\",\"text\":\"line\",\"more\":%d}", n);
	else
		snprintf(value, sizeof value, "{\"path\":\"/x\"}");
	snprintf(sql, sizeof sql,
		"UPDATE tool_calls SET %s = '%s' WHERE ws = %lld AND session = '%s'",
		columns[which], value, (long long)h->ws, h->session);
	place_script(r, sql);
}

static void what_was_changed_after_its_approval_does_not_run(void **state)
{
	const int times = getenv("PARLEY_LONG")		? 10000
			  : getenv("PARLEY_TEST_STORE") ? 40
							: 200;
	struct rig *r = *state;
	uint64_t random = 7;

	r->options.weak_sync = true; /* it is not about the disk */
	assert_true(rig_reopen(r));
	assert_true(run_rig_prepare(r));

	for (int i = 0; i < times; i++) {
		struct held h;
		char run[ID_SIZE], arguments[512];
		bool started = false;

		run_rig_start(r, "helper", run);
		h = claimed(r, "a/1");
		assert_int_equal(run_rig_turn(r, &h, "[" APPEND "]"), OK);
		assert_int_equal(h.step, RUN_STEP_REST);
		assert_int_equal(
			answer(r, open_ask(r).id, "{'answers':{'decision':'approve'}}"),
			OK);
		if (i % 20) mutate(r, &random, &h);
		h = claimed(r, "a/1");
		if (h.step == RUN_STEP_CALLS)
			assert_int_equal(
				run_rig_begin(r, &h, 0, &started, arguments), OK);
		assert_int_equal(started, i % 20 == 0); /* untouched, it runs */
		if (started) {
			assert_string_equal(
				arguments, "{\"path\":\"/x\",\"text\":\"line\"}");
			assert_int_equal(run_rig_begin(r, &h, 0, &started, arguments),
				ERR_CONFLICT);
		}
		assert_int_equal(run_rig_cancel(r, run), OK);
	}
	assert_int_equal(number(r, "SELECT COUNT(*) FROM tool_calls WHERE attempts > 0"),
		times / 20);
}

/* ---- sub-agents ---- */

static void sub_agents_never_nest(void **state)
{
	static const char *const tries[] = {
		CALL("n1", "delegate_task", "{'agent':'boss','task':'x'}"),
		CALL("n2", "spawn_agent", "{'name':'x','prompt':'y','task':'z'}"),
		CALL("n3", "spawn_agent",
			"{'name':'x','prompt':'y','task':'z','tools':['spawn_agent']}"),
		CALL("n4", "parallel_tasks", "{'tasks':[{'agent':'boss','task':'x'}]}"),
		CALL("n5", "Delegate_Task", "{'agent':'boss','task':'x'}"),
		CALL("n6", "todo",
			"{'operation':'create','name':'x','agent':'boss','task':'x'}"),
	};
	static const char *const starts[] = {
		CALL("s1", "delegate_task", "{'agent':'boss','task':'x'}"),
		CALL("s2", "spawn_agent",
			"{'name':'x','prompt':'y','task':'z','tools':['delegate_task',"
			"'spawn_agent','parallel_tasks','todo']}"),
		CALL("s3", "parallel_tasks",
			"{'tasks':[{'agent':'boss','task':'x'},{'prompt':'p','task':'y'}]}"),
	};
	struct rig *r = prepared(state);

	for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
		struct held h, children[4];
		char run[ID_SIZE], content[512];
		size_t len;

		run_rig_start(r, "boss", run);
		h = claimed(r, "a/1");
		snprintf(content, sizeof content, "[%s]", starts[s]);
		assert_int_equal(run_rig_turn(r, &h, content), OK);
		len = run_rig_claim(r, "b/1", children, 4);
		assert_int_equal(len, s == 2 ? 2 : 1);
		for (size_t i = 0; i < len; i++)
			for (size_t t = 0; t < sizeof tries / sizeof *tries; t++) {
				assert_true(children[i].child);
				snprintf(content, sizeof content, "[%s]", tries[t]);
				assert_int_equal(
					run_rig_turn(r, &children[i], content), OK);
				assert_int_equal(children[i].step, RUN_STEP_MODEL);
			}
		for (size_t i = 0; i < len; i++)
			assert_int_equal(
				run_rig_turn(r, &children[i], "[" TEXT("ok") "]"), OK);
		h = claimed(r, "a/1");
		assert_int_equal(run_rig_turn(r, &h, "[" TEXT("done") "]"), OK);
	}
	assert_int_equal(
		number(r, "SELECT COUNT(*) FROM runs c JOIN runs p ON p.id = c.parent"
			  " WHERE p.parent > ''"),
		0);
	assert_int_equal(number(r, "SELECT COUNT(*) FROM runs"), 7);
}

/* In the queue, at the model, with a tool of class once begun, at a question, ended. */
static void cancel_ends_the_whole_tree_in_one_commit(void **state)
{
	struct rig *r = prepared(state);
	struct held h, c[8];
	char run[ID_SIZE], arguments[512], content[1024] = "";
	bool started;

	for (int i = 0; i < 8; i++)
		snprintf(content + strlen(content), sizeof content - strlen(content),
			"%s{'agent':'boss','task':'Part %d'}", i ? "," : "", i);
	run_rig_start(r, "boss", run);
	h = claimed(r, "a/1");
	char all[1200];
	snprintf(all, sizeof all,
		"[{'type':'tool_call','id':'p','name':'parallel_tasks','arguments':{'tasks':[%s]}}]",
		content);
	assert_int_equal(run_rig_turn(r, &h, all), OK);
	assert_int_equal(run_rig_claim(r, "b/1", c, 6), 6);
	assert_int_equal(run_rig_turn(r, &c[0], "[" TEXT("ok") "]"), OK);
	assert_int_equal(run_rig_turn(r, &c[1], "[" QUESTION "]"), OK);
	assert_int_equal(run_rig_turn(r, &c[2], "[" APPEND "]"), OK);
	assert_int_equal(run_rig_begin(r, &c[2], 0, &started, arguments), OK);
	assert_true(started);
	assert_int_equal(run_rig_turn(r, &c[3], "[" APPEND "," QUESTION "]"), OK);
	assert_int_equal(run_rig_cancel(r, run), OK);
	assert_int_equal(
		number(r, "SELECT COUNT(*) FROM runs WHERE status <> 'cancelled'"), 1);
	assert_int_equal(number(r, "SELECT COUNT(*) FROM runs WHERE lease_by > ''"), 0);
	assert_int_equal(
		number(r, "SELECT COUNT(*) FROM asks WHERE status = 'pending'"), 0);
	assert_int_equal(number(r, "SELECT COUNT(*) FROM tool_calls WHERE status IN "
				   "('pending','waiting','started','interrupted')"),
		0);
	for (int i = 1; i < 6; i++)
		stale_refused(r, c[i]);
	assert_int_equal(run_rig_claim(r, "a/1", c, 8), 0);
	assert_int_equal(run_rig_cancel(r, run), ERR_CONFLICT);
}

/* ---- cut ---- */

static void a_call_that_was_cut_is_decided_by_a_person_each_time(void **state)
{
	struct rig *r = prepared(state);
	int64_t now_ms = CLOCK_START_MS;
	char run[ID_SIZE], arguments[512];
	struct held h;
	bool started;

	run_rig_start(r, "boss", run);
	h = claimed(r, "a/1");
	assert_int_equal(run_rig_turn(r, &h, "[" APPEND "]"), OK);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(run_rig_begin(r, &h, 0, &started, arguments), OK);
		assert_true(started);
		clock_set(now_ms += RUN_LEASE_MS + 1); /* its process is gone */
		assert_int_equal(run_rig_claim(r, i % 2 ? "a/9" : "b/9", &h, 1), 0);
		assert_int_equal(run_rig_claim(r, i % 2 ? "a/9" : "b/9", &h, 1), 0);
		assert_string_equal(run_rig_status(r, run), "waiting");
		assert_int_equal(number(r, "SELECT COUNT(*) FROM asks WHERE fixed"
					   " LIKE '%which began at 2%Z. It may%'"),
			i + 1);
		assert_int_equal(
			answer(r, open_ask(r).id, "{'answers':{'recovery':'retry'}}"),
			OK);
		h = claimed(r, "c/1");
		assert_int_equal(h.step, RUN_STEP_CALLS);
	}
	assert_int_equal(run_rig_begin(r, &h, 0, &started, arguments), OK);
	assert_int_equal(run_rig_calls(r, &h), OK);
	assert_int_equal(number(r, "SELECT attempts FROM tool_calls"), 4);
}

/* ---- retention ---- */

/* A commit whose outcome is unknown was kept, or was not: who did the work tells it again, and no
 * person is asked. */
static void what_the_store_did_not_answer_is_told_again(void **state)
{
	struct rig *r = prepared(state);
	struct held h, before;
	char run[ID_SIZE], arguments[512];
	bool started;

	run_rig_start(r, "boss", run);
	h = claimed(r, "a/1");
	assert_int_equal(run_rig_turn(r, &h, "[" APPEND "]"), OK);
	assert_int_equal(run_rig_begin(r, &h, 0, &started, arguments), OK);
	assert_true(started);
	/* Another thread would not be told that it may. */
	assert_int_equal(run_rig_begin(r, &h, 0, &started, arguments), ERR_CONFLICT);
	h.again = true;
	assert_int_equal(run_rig_begin(r, &h, 0, &started, arguments), OK);
	assert_true(started);
	assert_string_equal(arguments, "{\"path\":\"/x\",\"text\":\"line\"}");
	before = h;
	assert_int_equal(run_rig_calls(r, &h), OK);
	assert_int_equal(h.step, RUN_STEP_MODEL);
	h = before;
	assert_int_equal(run_rig_calls(r, &h), OK);
	assert_int_equal(h.step, RUN_STEP_MODEL);
	assert_int_equal(number(r, "SELECT COUNT(*) FROM asks"), 0);
	assert_int_equal(number(r, "SELECT COUNT(*) FROM events WHERE type LIKE "
				   "'run.tool_%'"),
		2);
	assert_int_equal(number(r, "SELECT attempts FROM tool_calls"), 1);
	assert_int_equal(run_rig_turn(r, &h, "[" TEXT("done") "]"), OK);
	assert_string_equal(run_rig_status(r, run), "completed");
}

static void retain_after(struct rig *r, int64_t days)
{
	static struct retention at;
	struct task t = { 0 };

	clock_set(CLOCK_START_MS + days * 24 * 60 * MINUTE);
	for (at = (struct retention){ 0 }; !at.over;) {
		assert_int_equal(rig_tell(r, &use_retain_find, &t, &at), OK);
		for (; at.next < at.len; at.next += RETENTION_BATCH)
			assert_int_equal(rig_tell(r, &use_retain, &t, &at), OK);
	}
	rig_task_done(&t);
}

static void what_is_over_is_kept_as_long_as_the_policy_says(void **state)
{
	static const char *const tables[] = { "runs", "messages", "tool_calls", "tasks",
		"asks", "sessions" };
	struct rig *r = prepared(state);
	char over[ID_SIZE], open[ID_SIZE], sql[64], why[256];
	struct held h;

	run_rig_start(r, "boss", over);
	h = claimed(r, "a");
	assert_int_equal(run_rig_turn(r, &h, "[" TODO "]"), OK);
	assert_int_equal(run_rig_turn(r, &h, "[" TEXT("Done") "]"), OK);
	assert_string_equal(run_rig_status(r, over), "completed");
	run_rig_start(r, "boss", open);
	h = claimed(r, "a");
	assert_int_equal(run_rig_turn(r, &h, "[" QUESTION "]"), OK);
	retain_after(r, 100); /* for ever, until the policy says otherwise */
	assert_int_equal(number(r, "SELECT COUNT(*) FROM runs"), 2);
	policy_put(r, 0, "'retention':{'settled':'30d'}");
	retain_after(r, 29);
	assert_int_equal(number(r, "SELECT COUNT(*) FROM runs"), 2);
	retain_after(r, 31);
	assert_int_equal(number(r, "SELECT COUNT(*) FROM runs"), 1);
	assert_string_equal(run_rig_status(r, open), "waiting");
	assert_int_equal(number(r, "SELECT COUNT(*) FROM tasks"), 0);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM %s", tables[i]);
		assert_true(number(r, sql) <= 2);
	}
	assert_true(rig_check(r, why) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLOCK_TEST(who_lost_the_lease_changes_nothing),
		CLOCK_TEST(a_run_claimed_again_by_the_same_process_is_another_hold),
		CLOCK_TEST(what_a_process_holds_and_does_not_work_on_is_queued_again),
		CLOCK_TEST(a_run_that_waits_is_a_row_and_goes_on_with_the_answer),
		CLOCK_TEST(what_queues_a_run_claims_it_for_who_waits_for_work),
		CLOCK_TEST(a_claim_that_fails_disturbs_nothing_that_it_went_along_with),
		CLOCK_TEST(a_verdict_is_made_by_the_settings_of_the_commit),
		CLOCK_TEST(what_was_changed_after_its_approval_does_not_run),
		CLOCK_TEST(sub_agents_never_nest),
		CLOCK_TEST(cancel_ends_the_whole_tree_in_one_commit),
		CLOCK_TEST(a_call_that_was_cut_is_decided_by_a_person_each_time),
		CLOCK_TEST(what_the_store_did_not_answer_is_told_again),
		CLOCK_TEST(what_is_over_is_kept_as_long_as_the_policy_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
