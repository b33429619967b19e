/* feed.c - who is told, in which order, and what happens when something was missed. */
#include "desk/shared/feed.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- what is told ---- */

/* Events first … last of a workspace, about `ask`, as a clerk would tell them. */
static struct committed *batch(
	int64_t ws, int64_t first, int64_t last, const char *ask, const char *summary)
{
	static struct kept_ask kept;
	size_t len = (size_t)(last - first + 1);
	struct committed *t = calloc(1, sizeof *t + len * sizeof t->events[0]);

	kept.ask.summary = str_of(summary);
	t->refs = 1;
	t->len = len;
	for (size_t i = 0; i < len; i++) {
		t->events[i].event = (struct event){ .ws = ws,
			.n = first + (int64_t)i,
			.type = "ask.answered",
			.ask = str_of(ask) };
		t->events[i].ask = summary ? &kept : NULL;
	}
	return t;
}

static void tell(struct feed *f, struct committed *t)
{
	feed_tell(f, t);
	free(t);
}

/* ---- waiters ---- */

struct person {
	struct waiter waiter; /* first */
	struct feed *feed;
	int woken;
	char shown[16];
	bool stubborn; /* parks itself again when woken */
};

static void person_wake(struct waiter *w, const struct committed_event *told)
{
	struct person *p = (struct person *)w;

	assert_false(w->parked);
	p->woken++;
	snprintf(p->shown, sizeof p->shown, "%.*s",
		STR_ARGS(told ? told->ask->ask.summary : STR_NONE));
	if (p->stubborn) assert_true(feed_park(p->feed, w, str_of(w->ask)));
}

static void park(struct feed *f, struct person *p, const char *ask)
{
	p->waiter.wake = person_wake;
	p->feed = f;
	assert_true(feed_park(f, &p->waiter, str_of(ask)));
}

static bool person_is_second(const struct waiter *w, void *ctx)
{
	return w == ctx || str_is(STR("ask_2"), w->ask);
}

static void person_out(struct waiter *w)
{
	struct person *p = (struct person *)w;

	assert_false(w->parked);
	p->woken += 100;
}

static void those_who_are_expelled_are_no_longer_parked_and_nobody_else_wakes(
	void **state)
{
	struct feed f = { 0 };
	struct person a = { 0 }, b = { 0 }, other = { 0 };

	(void)state;
	feed_expel(&f, person_is_second, NULL, person_out);
	park(&f, &a, "ask_1");
	park(&f, &b, "ask_1");
	park(&f, &other, "ask_2");
	feed_expel(&f, person_is_second, &b.waiter, person_out);
	assert_int_equal(f.waiters, 1);
	tell(&f, batch(1, 1, 1, "ask_1", "x"));
	assert_int_equal(a.woken, 1);
	assert_int_equal(b.woken, 100);
	assert_int_equal(other.woken, 100);
	feed_done(&f);
}

static void a_waiter_is_woken_once_with_what_is_shown(void **state)
{
	struct feed f = { 0 };
	struct person a = { 0 }, b = { 0 }, other = { 0 };

	(void)state;
	park(&f, &a, "ask_1");
	park(&f, &b, "ask_1");
	park(&f, &other, "ask_2");
	assert_int_equal(f.waiters, 3);
	tell(&f, batch(1, 1, 1, "ask_1", "one"));
	tell(&f, batch(1, 2, 2, "ask_1", "two"));
	assert_int_equal(a.woken, 1);
	assert_int_equal(b.woken, 1);
	assert_int_equal(other.woken, 0);
	assert_string_equal(a.shown, "one");
	assert_int_equal(f.waiters, 1);
	feed_unpark(&f, &other.waiter);
	feed_unpark(&f, &other.waiter);
	assert_int_equal(f.waiters, 0);
	feed_done(&f);
}

/* What changed of an ask but is not shown (it was claimed, say) ends no wait. */
static void an_event_that_shows_nothing_wakes_nobody(void **state)
{
	struct feed f = { 0 };
	struct person a = { 0 };

	(void)state;
	park(&f, &a, "ask_1");
	tell(&f, batch(1, 1, 1, "ask_1", NULL));
	assert_int_equal(a.woken, 0);
	feed_unpark(&f, &a.waiter);
	feed_done(&f);
}

static void a_woken_waiter_may_park_again_and_is_not_woken_twice(void **state)
{
	struct feed f = { 0 };
	struct person a = { .stubborn = true }, b = { .stubborn = true };

	(void)state;
	park(&f, &a, "ask_1");
	park(&f, &b, "ask_1");
	tell(&f, batch(1, 1, 1, "ask_1", "one"));
	assert_int_equal(a.woken, 1);
	assert_int_equal(b.woken, 1);
	assert_int_equal(f.waiters, 2);
	feed_tell(&f, NULL);
	assert_int_equal(a.woken, 2);
	assert_string_equal(a.shown, "");
	feed_unpark(&f, &a.waiter);
	feed_unpark(&f, &b.waiter);
	feed_done(&f);
}

/* Events 2 and 3 were told to nobody: one of them may have settled what it waits for. */
static void a_gap_wakes_every_waiter_to_look(void **state)
{
	struct feed f = { 0 };
	struct person a = { 0 };

	(void)state;
	tell(&f, batch(1, 1, 1, "ask_9", NULL));
	park(&f, &a, "ask_1");
	tell(&f, batch(1, 4, 4, "ask_9", NULL));
	assert_int_equal(a.woken, 1);
	assert_string_equal(a.shown, "");
	feed_done(&f);
}

static void many_waiters_come_and_go(void **state)
{
	enum { PEOPLE = 3000 };
	struct feed f = { 0 };
	struct person *all = calloc(PEOPLE, sizeof *all);
	char ask[ID_SIZE];

	(void)state;
	for (int i = 0; i < PEOPLE; i++) {
		snprintf(ask, sizeof ask, "ask_%d", i / 3);
		park(&f, &all[i], ask);
	}
	for (int i = 0; i < PEOPLE; i += 2)
		feed_unpark(&f, &all[i].waiter);
	for (int i = 0; i < PEOPLE / 3; i++) {
		snprintf(ask, sizeof ask, "ask_%d", i);
		tell(&f, batch(1, i + 1, i + 1, ask, "x"));
	}
	for (int i = 0; i < PEOPLE; i++)
		assert_int_equal(all[i].woken, i % 2);
	assert_int_equal(f.waiters, 0);
	free(all);
	feed_done(&f);
}

static void without_memory_a_waiter_is_refused_or_parked_and_never_half(void **state)
{
	(void)state;
	for (uint64_t n = 1; n < 8; n++) {
		struct feed f = { 0 };
		struct person people[40] = { 0 };
		int parked = 0, woken = 0;

		mem_fail_at(n, 1);
		for (int i = 0; i < 40; i++) {
			people[i].waiter.wake = person_wake;
			parked += feed_park(&f, &people[i].waiter, STR("ask_1"));
		}
		assert_int_equal(f.waiters, parked);
		mem_fail_at(0, 0);
		feed_tell(&f, NULL);
		for (int i = 0; i < 40; i++)
			woken += people[i].woken;
		assert_int_equal(woken, parked);
		feed_done(&f);
	}
}

/* ---- followers ---- */

struct reader {
	struct follower follower; /* first */
	struct feed *feed;
	int64_t told[64], last;
	int len, calls, lost;
	bool leaves; /* unfollows when told */
};

static void reader_told(
	struct follower *w, const struct committed_event *events, size_t len)
{
	struct reader *r = (struct reader *)w;

	r->calls++;
	for (size_t i = 0; i < len; i++)
		r->told[r->len++] = events[i].event.n;
	/* Each follows the one before, or something was missed. */
	for (int i = r->len - (int)len + 1; i < r->len; i++)
		assert_int_equal(r->told[i], r->told[i - 1] + 1);
	assert_int_equal(r->told[r->len - 1], w->seen);
	if (r->leaves) feed_unfollow(r->feed, w);
}

static void reader_lost(struct follower *w)
{
	assert_false(w->live);
	((struct reader *)w)->lost++;
}

/* From the log, up to n. */
static void reads(struct reader *r, int64_t n)
{
	r->follower.seen = r->last = n;
}

static void follow(struct feed *f, struct reader *r, int64_t ws, int64_t seen)
{
	r->feed = f;
	r->follower.ws = ws;
	reads(r, seen);
	r->follower.told = reader_told;
	r->follower.lost = reader_lost;
	feed_follow(f, &r->follower);
}

static void a_live_follower_is_told_every_event_of_its_workspace(void **state)
{
	struct feed f = { 0 };
	struct reader one = { 0 }, two = { 0 };

	(void)state;
	follow(&f, &one, 1, 0);
	follow(&f, &two, 2, 5);
	assert_true(feed_live(&f, &one.follower));
	assert_true(feed_live(&f, &two.follower));
	tell(&f, batch(1, 1, 3, NULL, NULL));
	tell(&f, batch(2, 6, 6, NULL, NULL));
	tell(&f, batch(1, 4, 4, NULL, NULL));
	assert_int_equal(one.len, 4);
	assert_int_equal(one.calls, 2);
	assert_int_equal(one.follower.seen, 4);
	assert_int_equal(two.len, 1);
	assert_int_equal(two.told[0], 6);
	feed_unfollow(&f, &one.follower);
	tell(&f, batch(1, 5, 5, NULL, NULL));
	assert_int_equal(one.len, 4);
	feed_unfollow(&f, &two.follower);
	assert_int_equal(f.followers_len, 0);
	feed_done(&f);
}

/* It read up to 3 while 4 was told: it is not live, or it would miss 4. */
static void who_is_behind_must_read_on(void **state)
{
	struct feed f = { 0 };
	struct reader r = { 0 };

	(void)state;
	follow(&f, &r, 1, 0);
	tell(&f, batch(1, 1, 4, NULL, NULL));
	assert_int_equal(r.len, 0);
	reads(&r, 3);
	assert_false(feed_live(&f, &r.follower));
	tell(&f, batch(1, 5, 5, NULL, NULL));
	assert_int_equal(r.len, 0);
	reads(&r, 5);
	assert_true(feed_live(&f, &r.follower));
	tell(&f, batch(1, 6, 6, NULL, NULL));
	assert_int_equal(r.len, 1);
	feed_unfollow(&f, &r.follower);
	feed_done(&f);
}

/* It read the log further than was told: what it has seen is not told again. */
static void who_is_ahead_is_told_nothing_twice(void **state)
{
	struct feed f = { 0 };
	struct reader r = { 0 };

	(void)state;
	tell(&f, batch(1, 1, 2, NULL, NULL));
	follow(&f, &r, 1, 5);
	assert_true(feed_live(&f, &r.follower));
	tell(&f, batch(1, 3, 5, NULL, NULL));
	assert_int_equal(r.len, 0);
	tell(&f, batch(1, 6, 6, NULL, NULL));
	assert_int_equal(r.len, 1);
	assert_int_equal(r.told[0], 6);
	reads(&r, 8);
	tell(&f, batch(1, 7, 10, NULL, NULL));
	assert_int_equal(r.len, 3);
	assert_int_equal(r.told[1], 9);
	feed_unfollow(&f, &r.follower);
	feed_done(&f);
}

static void a_gap_sends_followers_back_to_the_log(void **state)
{
	struct feed f = { 0 };
	struct reader one = { 0 }, two = { 0 };

	(void)state;
	follow(&f, &one, 1, 0);
	follow(&f, &two, 2, 0);
	assert_true(feed_live(&f, &one.follower));
	assert_true(feed_live(&f, &two.follower));
	tell(&f, batch(1, 1, 1, NULL, NULL));
	tell(&f, batch(1, 3, 4, NULL, NULL));
	assert_int_equal(one.len, 1);
	assert_int_equal(one.lost, 1);
	assert_int_equal(one.follower.seen, 1);
	assert_int_equal(two.lost, 0);
	/* It read 2 to 4, and goes on. */
	reads(&one, 4);
	assert_true(feed_live(&f, &one.follower));
	tell(&f, batch(1, 5, 5, NULL, NULL));
	assert_int_equal(one.len, 2);
	/* Something was lost, nobody knows what: all look. */
	feed_tell(&f, NULL);
	assert_int_equal(one.lost, 2);
	assert_int_equal(two.lost, 1);
	feed_unfollow(&f, &one.follower);
	feed_unfollow(&f, &two.follower);
	feed_done(&f);
}

static void a_follower_may_leave_when_it_is_told(void **state)
{
	struct feed f = { 0 };
	struct reader readers[3] = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		follow(&f, &readers[i], 1, 0);
		assert_true(feed_live(&f, &readers[i].follower));
		readers[i].leaves = i != 1;
	}
	tell(&f, batch(1, 1, 1, NULL, NULL));
	tell(&f, batch(1, 2, 2, NULL, NULL));
	assert_int_equal(readers[0].len, 1);
	assert_int_equal(readers[1].len, 2);
	assert_int_equal(readers[2].len, 1);
	assert_int_equal(f.followers_len, 1);
	feed_unfollow(&f, &readers[1].follower);
	feed_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			those_who_are_expelled_are_no_longer_parked_and_nobody_else_wakes),
		cmocka_unit_test(a_waiter_is_woken_once_with_what_is_shown),
		cmocka_unit_test(an_event_that_shows_nothing_wakes_nobody),
		cmocka_unit_test(a_woken_waiter_may_park_again_and_is_not_woken_twice),
		cmocka_unit_test(a_gap_wakes_every_waiter_to_look),
		cmocka_unit_test(many_waiters_come_and_go),
		cmocka_unit_test(
			without_memory_a_waiter_is_refused_or_parked_and_never_half),
		cmocka_unit_test(a_live_follower_is_told_every_event_of_its_workspace),
		cmocka_unit_test(who_is_behind_must_read_on),
		cmocka_unit_test(who_is_ahead_is_told_nothing_twice),
		cmocka_unit_test(a_gap_sends_followers_back_to_the_log),
		cmocka_unit_test(a_follower_may_leave_when_it_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
