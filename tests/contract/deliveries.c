/* deliveries.c - what is called when an ask is settled: staged once, claimed by one,
 * taken over when who claimed it is gone. Two names of processes stand for two nodes. */
#include "place.h"

#include "base/clock.h"
#include "desk/delivery.h"

#include <stdio.h>

enum { MINUTE = 60 * 1000, HOST_MAX = 2, SLOTS = 64 };

static int64_t slots = SLOTS;	 /* that a process has free */
static size_t claimed_strangers; /* of the last claim: webhooks to "stranger…" */

/* How many of each kind this process gets; the first of them is copied to *first. */
static size_t claim(struct rig *r, const char *by, struct delivery *first)
{
	static struct {
		char id[ID_SIZE], session[ID_SIZE], ask[ID_SIZE];
	} texts[4]; /* of the last firsts */
	static size_t firsts;
	static struct task t;
	struct delivery_claim c = { .by = str_of(by),
		.room = { [DELIVERY_WEBHOOK] = { slots, 8 },
			[DELIVERY_RESUMER] = { slots, 8 } },
		.host_max = HOST_MAX,
		.lost = true };
	size_t len;

	assert_int_equal(rig_tell(r, &use_delivery_claim, &t, &c), OK);
	len = c.len;
	claimed_strangers = 0;
	for (size_t i = 0; i < len; i++)
		claimed_strangers +=
			str_starts(c.deliveries[i].target, "https://stranger");
	if (len && first) {
		char *id = texts[firsts % 4].id, *session = texts[firsts % 4].session,
		     *ask = texts[firsts % 4].ask;

		firsts++;
		*first = c.deliveries[0];
		snprintf(id, ID_SIZE, "%.*s", STR_ARGS(first->id));
		snprintf(session, ID_SIZE, "%.*s", STR_ARGS(first->session));
		snprintf(ask, ID_SIZE, "%.*s", STR_ARGS(first->ask));
		first->id = str_of(id);
		first->session = str_of(session);
		first->ask = str_of(ask);
		first->target = STR("target");
		first->contact = first->contact.len ? STR("con_1") : STR_NONE;
	}
	rig_task_done(&t);
	return len;
}

static struct delivery_outcome report(struct rig *r, const struct delivery *d,
	const char *by, enum delivery_ending ending)
{
	static struct task t;
	struct delivery_outcome o = {
		.delivery = d, .by = str_of(by), .ending = ending, .status = 200
	};
	struct delivery_report all = { .outcomes = &o, .len = 1 };

	assert_int_equal(rig_tell(r, &use_delivery_report, &t, &all), OK);
	rig_task_done(&t);
	return o;
}

static const char webhook[] =
	"{'title':'T','on_settled':{'webhook':'https://h.example'}}";
static const char resumer[] = "{'title':'T','on_settled':{'resumer':'claude'}}";

/* Staged as a settlement would: resumers are not configured here. */
static void settle_in(struct rig *r, const char *body)
{
	char ask[200], change[300];
	struct made session = rig_session(r, body == resumer ? "{'title':'T'}" : body);
	struct made made;

	assert_int_equal(session.err, OK);
	if (body == resumer) {
		snprintf(change, sizeof change,
			"UPDATE sessions SET on_settled = '{\"resumer\":\"claude\"}'"
			" WHERE id = '%s'",
			session.id);
		place_script(r, change);
	}
	snprintf(ask, sizeof ask, "{'session':'%s','question':'Q','type':'boolean'}",
		session.id);
	made = rig_ask_body(r, ask, NULL);
	assert_int_equal(made.err, OK);
	assert_int_equal(rig_settle(r, &use_answer, made.id, NULL), OK);
	assert_int_equal(rig_settle(r, &use_skip, made.id, NULL), ERR_CONFLICT);
}

static void a_settlement_is_claimed_by_one(void **state)
{
	struct rig *r = *state;
	struct delivery d;

	settle_in(r, webhook);
	assert_int_equal(claim(r, "a", &d), 1);
	assert_int_equal(claim(r, "b", NULL), 0);
	assert_int_equal(claim(r, "a", NULL), 0);
	assert_true(report(r, &d, "a", ENDED_WELL).ours);
	clock_set(CLOCK_START_MS + 10 * MINUTE);
	assert_int_equal(claim(r, "b", NULL), 0);
}

static void a_lease_that_ran_out_is_taken_over(void **state)
{
	struct rig *r = *state;
	struct delivery d, again;

	settle_in(r, webhook);
	assert_int_equal(claim(r, "a", &d), 1);
	clock_set(CLOCK_START_MS + DELIVERY_LEASE_MS - 1);
	assert_int_equal(claim(r, "b", NULL), 0);
	clock_set(CLOCK_START_MS + DELIVERY_LEASE_MS);
	assert_int_equal(claim(r, "a", NULL), 0); /* it is at it itself */
	assert_int_equal(claim(r, "b", &again), 1);
	assert_int_equal(again.attempts, 2);
	assert_false(report(r, &again, "a", ENDED_WELL).ours);
	assert_true(report(r, &again, "b", ENDED_WELL).ours);
}

static bool renew_loses(struct rig *r, const struct delivery *d, const char *by)
{
	static struct task t;
	bool lost = false;
	struct delivery_renewal renewal = { str_of(by), &d, &lost, 1 };

	assert_int_equal(rig_tell(r, &use_delivery_renew, &t, &renewal), OK);
	rig_task_done(&t);
	return lost;
}

static void a_renewed_lease_lasts(void **state)
{
	struct rig *r = *state;
	struct delivery d;

	settle_in(r, webhook);
	assert_int_equal(claim(r, "a", &d), 1);
	clock_set(CLOCK_START_MS + DELIVERY_LEASE_MS - 1);
	assert_false(renew_loses(r, &d, "a"));
	assert_true(renew_loses(r, &d, "b"));
	clock_set(CLOCK_START_MS + DELIVERY_LEASE_MS + 1);
	assert_int_equal(claim(r, "b", NULL), 0);
	assert_int_equal(rig_delete(r, d.session.at), OK);
	assert_true(renew_loses(r, &d, "a"));
}

static void what_ended_badly_waits_and_then_is_dead(void **state)
{
	struct rig *r = *state;
	int64_t now = CLOCK_START_MS;
	struct delivery d;

	settle_in(r, webhook);
	for (int n = 1;; n++) {
		struct delivery_outcome o;

		assert_int_equal(claim(r, "a", &d), 1);
		assert_int_equal(d.attempts, n);
		o = report(r, &d, "a", ENDED_BADLY);
		assert_true(o.ours);
		assert_int_equal(claim(r, "a", NULL), 0);
		clock_set(now += (int64_t)30 * 3600 * 1000);
		if (!o.dead) continue;
		assert_int_equal(n, 11);
		break;
	}
	assert_int_equal(claim(r, "a", NULL), 0);
}

static void a_resumer_is_begun_once(void **state)
{
	struct rig *r = *state;
	struct delivery d;

	settle_in(r, resumer);
	assert_int_equal(claim(r, "a", &d), 1);
	assert_int_equal(d.kind, DELIVERY_RESUMER);
	clock_set(CLOCK_START_MS + 10 * MINUTE);
	assert_int_equal(claim(r, "a", NULL), 0); /* who runs it knows better */
	assert_int_equal(claim(r, "b", NULL), 0); /* lost: nobody runs it again */
	assert_false(report(r, &d, "a", ENDED_WELL).ours);
	assert_int_equal(rig_count_events(r, d.ask.at, "session.resuming"), 1);
	assert_int_equal(rig_count_events(r, d.ask.at, "session.resumed"), 1);
}

#define TO(host) "{'title':'T','on_settled':{'webhook':'https://" host "'}}"

static void a_host_gets_its_share_and_no_more(void **state)
{
	struct rig *r = *state;
	struct delivery d;

	for (int i = 0; i < 5; i++)
		settle_in(r, i % 2 ? TO("SLOW.example/a") : TO("slow.example:8443/b?c"));
	assert_int_equal(claim(r, "a", &d), HOST_MAX);
	assert_int_equal(claim(r, "a", NULL), 0);
	settle_in(r, TO("quick.example"));
	assert_int_equal(claim(r, "a", NULL), 1);
	settle_in(r, resumer);
	assert_int_equal(claim(r, "a", NULL), 1);
	/* Another node has a share of its own, and gets what comes behind it. */
	settle_in(r, TO("quick.example"));
	assert_int_equal(claim(r, "b", NULL), HOST_MAX + 1);
	assert_true(report(r, &d, "a", ENDED_WELL).ours);
	assert_int_equal(claim(r, "a", NULL), 1);
}

static void a_full_host_hides_nobody(void **state)
{
	struct rig *r = *state;

	for (int i = 0; i < 80; i++)
		settle_in(r, TO("slow.example"));
	clock_set(CLOCK_START_MS + 1);
	settle_in(r, TO("quick.example"));
	assert_int_equal(claim(r, "a", NULL), HOST_MAX + 1);
	assert_int_equal(claim(r, "a", NULL), 0);
}

static void settle_as(struct rig *r, const char *token, const char *body)
{
	char kept[SECRET_SIZE];

	memcpy(kept, r->agent, sizeof kept);
	memmove(r->agent, token, sizeof kept);
	settle_in(r, body);
	memcpy(r->agent, kept, sizeof kept);
}

/* Ten hosts, none of them full: it is the agent who has too much under way. */
static void an_agent_gets_its_share_and_no_more(void **state)
{
	struct rig *r = *state;
	struct delivery d;
	char body[100];

	slots = 8;
	for (int i = 0; i < 10; i++) {
		snprintf(body, sizeof body,
			"{'title':'T','on_settled':{'webhook':'https://h%d.example'}}",
			i);
		settle_in(r, body);
	}
	assert_int_equal(claim(r, "a", &d), 4);
	slots = 4;
	assert_int_equal(claim(r, "a", NULL), 0);
	clock_set(CLOCK_START_MS + 1);
	settle_as(r, r->stranger, TO("other.example"));
	assert_int_equal(claim(r, "a", NULL), 1);
	for (int i = 0; i < 10; i++)
		settle_in(r, resumer);
	settle_as(r, r->stranger, resumer);
	assert_int_equal(claim(r, "a", NULL), 3); /* two of one agent, one of the other */
	assert_true(report(r, &d, "a", ENDED_WELL).ours);
	slots = 5;
	assert_int_equal(claim(r, "a", NULL), 3); /* a webhook and two resumers */
	slots = SLOTS;
}

static void owners_take_turns(void **state)
{
	struct rig *r = *state;
	char body[100];

	for (int i = 0; i < 40; i++) {
		snprintf(body, sizeof body,
			"{'title':'T','on_settled':{'webhook':'https://h%d.example'}}",
			i);
		settle_in(r, body);
	}
	clock_set(CLOCK_START_MS + 1);
	for (int i = 0; i < 4; i++)
		settle_as(r, r->stranger,
			i % 2 ? TO("stranger.example") : TO("stranger.test"));
	assert_int_equal(claim(r, "a", NULL), 8);
	assert_int_equal(claimed_strangers, 4); /* though forty waited before them */
}

static void reply_to(struct rig *r, const char *ask)
{
	struct outcome o;

	assert_int_equal(rig_do(r,
				 &(struct request){ &use_reply, r->mia, ask,
					 .body = "{'text':'Which one?'}" },
				 &o),
		OK);
	outcome_done(&o);
}

/* Two news for one stopped agent: it is resumed for the first, then for the second. */
static void a_session_is_resumed_one_at_a_time(void **state)
{
	struct rig *r = *state;
	struct made session = rig_session(r, "{'title':'T'}"), ask;
	struct delivery d;
	char text[300];

	snprintf(text, sizeof text,
		"UPDATE sessions SET on_settled = '{\"resumer\":\"claude\"}' WHERE id = '%s'",
		session.id);
	place_script(r, text);
	snprintf(text, sizeof text, "{'session':'%s','question':'Q','type':'boolean'}",
		session.id);
	ask = rig_ask_body(r, text, NULL);
	reply_to(r, ask.id);
	reply_to(r, ask.id);
	assert_int_equal(rig_settle(r, &use_answer, ask.id, NULL), OK);
	for (int n = 1; n <= 3; n++) {
		assert_int_equal(claim(r, "a", &d), 1);
		assert_int_equal(d.purpose, n < 3 ? DELIVERY_REPLIED : DELIVERY_SETTLED);
		assert_int_equal(d.round, n < 3 ? n : 0);
		assert_int_equal(claim(r, "b", NULL), 0);
		assert_true(report(r, &d, "a", ENDED_WELL).ours);
	}
	assert_int_equal(claim(r, "a", NULL), 0);
}

static void what_was_never_begun_is_as_if_not_claimed(void **state)
{
	struct rig *r = *state;
	struct delivery d;

	settle_in(r, resumer);
	assert_int_equal(claim(r, "a", &d), 1);
	assert_true(report(r, &d, "a", ENDED_UNMADE).ours);
	clock_set(CLOCK_START_MS + MINUTE);
	assert_int_equal(claim(r, "b", &d), 1);
	assert_int_equal(d.attempts, 1);
}

static void a_deleted_session_owes_nothing(void **state)
{
	struct rig *r = *state;
	struct delivery d;

	settle_in(r, webhook);
	settle_in(r, webhook);
	assert_int_equal(claim(r, "a", &d), 2);
	assert_int_equal(rig_delete(r, d.session.at), OK);
	assert_false(report(r, &d, "a", ENDED_BADLY).ours);
	clock_set(CLOCK_START_MS + 10 * MINUTE);
	assert_int_equal(claim(r, "b", NULL), 1);
}

/* A contact, and a message to it about every ask. */
static void messages_stage(struct rig *r)
{
	place_script(r,
		"INSERT INTO contacts VALUES (1, 'con_1', 'usr_1', '', 'webhook',"
		" 'https://h.example', 'parley', 'phone', 1, 0, 0, '', 1, 0, '', '', 0, 0, 1, 1)");
	place_script(r,
		"INSERT INTO deliveries (ws, id, session, ask, kind, target, status, attempts,"
		" next_ms, lease_ms, lease_by, last_error, last_status, created_ms, done_ms,"
		" host, purpose, owner, user_id, contact)"
		" SELECT ws, 'dlv_' || substr(id, 5), session, id, 'webhook', 'phone', 'waiting', 0,"
		" 1, 0, '', '', -1, 1, 0, 'h.example', 'ask', '1/con_1', 'usr_1', 'con_1'"
		" FROM asks");
}

static bool fill_loses(struct rig *r, const struct delivery *d, const char *by)
{
	static struct task t;
	struct delivery_fill fill = { .delivery = d, .by = str_of(by) };

	rig_tell(r, &use_delivery_fill, &t, &fill);
	rig_task_done(&t);
	return fill.lost;
}

/* Who was held up for longer than its lease sends nothing more. */
static void what_another_has_or_may_have_is_not_begun(void **state)
{
	struct rig *r = *state;
	struct delivery d, again;

	settle_in(r, webhook);
	assert_int_equal(claim(r, "a", &d), 1);
	assert_false(fill_loses(r, &d, "a"));
	clock_set(CLOCK_START_MS + DELIVERY_LEASE_MS);
	assert_true(fill_loses(r, &d, "a"));
	assert_false(renew_loses(r, &d, "a"));
	assert_false(fill_loses(r, &d, "a"));
	clock_set(CLOCK_START_MS + 2 * DELIVERY_LEASE_MS);
	assert_int_equal(claim(r, "b", &again), 1);
	assert_true(fill_loses(r, &d, "a"));
	assert_false(fill_loses(r, &again, "b"));
}

/* `sent`: the other node sends the message again and reports it before the ask is settled; or it
 * finds the ask settled, and drops the message. */
static void message_overtaken(struct rig *r, bool sent)
{
	struct made ask = rig_ask_body(r, "{'question':'Q','type':'boolean'}", NULL);
	struct delivery late, d;

	place_script(r, "UPDATE asks SET route = 'rt_1'");
	messages_stage(r);
	assert_int_equal(claim(r, "a", &late), 1);
	clock_set(CLOCK_START_MS + DELIVERY_LEASE_MS);
	if (sent) {
		assert_int_equal(claim(r, "b", &d), 1);
		assert_true(report(r, &d, "b", ENDED_WELL).ours);
	}
	assert_int_equal(rig_settle(r, &use_answer, ask.id, NULL), OK);
	assert_int_equal(claim(r, "b", &d), 1);
	assert_int_equal(d.purpose, DELIVERY_SETTLED);
	assert_false(report(r, &late, "a", ENDED_UNMADE).ours); /* it did not come */
	assert_int_equal(claim(r, "b", NULL), 0);
	/* Its end is told once more, however often this is reported before it is begun. */
	assert_true(report(r, &d, "b", ENDED_WELL).ours);
	assert_false(report(r, &late, "a", ENDED_WELL).ours);
	assert_false(report(r, &late, "a", ENDED_WELL).ours);
	assert_int_equal(claim(r, "b", &d), 1);
	assert_int_equal(d.purpose, DELIVERY_SETTLED);
	assert_int_equal(d.round, 1);
	assert_true(report(r, &d, "b", ENDED_WELL).ours);
	assert_int_equal(claim(r, "b", NULL), 0);
}

static void the_end_follows_what_came_after_it(void **state)
{
	message_overtaken(*state, true);
}

static void the_end_follows_what_was_dropped_and_came(void **state)
{
	message_overtaken(*state, false);
}

/* A storm: what is too much for a minute is looked at once, as many in a claim as there is room for. */
static void what_becomes_part_of_a_summary_is_not_claimed_again(void **state)
{
	enum { ASKS = 30, RATE = 10, ROOM = 8, CLAIMS = ASKS / ROOM + 2 };
	static struct task t;
	struct rig *r = *state;
	struct made session = rig_session(r, "{'title':'T','parallel':true}");
	size_t begun = 0, held = 0, claims = 0;
	char body[200];

	snprintf(body, sizeof body, "{'session':'%s','question':'Q','type':'boolean'}",
		session.id);
	for (int i = 0; i < ASKS; i++)
		assert_int_equal(rig_ask_body(r, body, NULL).err, OK);
	messages_stage(r);
	for (bool more = true; more; claims++) {
		struct delivery_claim c = { .by = STR("a"),
			.room = { [DELIVERY_WEBHOOK] = { SLOTS, ROOM } },
			.host_max = SLOTS };

		assert_true(claims <= CLAIMS);
		assert_int_equal(rig_tell(r, &use_delivery_claim, &t, &c), OK);
		begun += c.len;
		held += (size_t)c.held;
		more = c.len || c.held;
		rig_task_done(&t);
	}
	assert_int_equal(begun, RATE);
	assert_int_equal(held, ASKS - RATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLOCK_TEST(a_settlement_is_claimed_by_one),
		CLOCK_TEST(a_lease_that_ran_out_is_taken_over),
		CLOCK_TEST(a_renewed_lease_lasts),
		CLOCK_TEST(what_ended_badly_waits_and_then_is_dead),
		CLOCK_TEST(a_resumer_is_begun_once),
		CLOCK_TEST(a_host_gets_its_share_and_no_more),
		CLOCK_TEST(a_full_host_hides_nobody),
		CLOCK_TEST(an_agent_gets_its_share_and_no_more),
		CLOCK_TEST(owners_take_turns),
		CLOCK_TEST(a_session_is_resumed_one_at_a_time),
		CLOCK_TEST(what_was_never_begun_is_as_if_not_claimed),
		CLOCK_TEST(a_deleted_session_owes_nothing),
		CLOCK_TEST(what_another_has_or_may_have_is_not_begun),
		CLOCK_TEST(the_end_follows_what_came_after_it),
		CLOCK_TEST(the_end_follows_what_was_dropped_and_came),
		CLOCK_TEST(what_becomes_part_of_a_summary_is_not_claimed_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
