/* lists.c - the inbox against a simple model, page by page; and that whoever was told of
 * a write sees it in the next read. */
#include "place.h"
#include "random.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASKS = 120, START_MS = 5000000 };

/* What the model knows of an ask. Ids grow, so that the index is the age. */
struct known {
	char id[ID_SIZE];
	bool approval, pending;
	int risk;	     /* 0: none, then low … critical */
	int64_t deadline_ms; /* 0: none */
	int urgent;
	int answered; /* how it was settled, when not pending */
};

static struct known model[ASKS];

static uint32_t below(uint32_t n)
{
	static uint64_t state = 12345;

	return (uint32_t)random_below(&state, n);
}

static void model_ask(struct rig *r, struct known *k)
{
	static const char *const risks[] = { "", "low", "medium", "high", "critical" };
	char body[320], timeout[32] = "null";
	struct made made;

	k->approval = below(2);
	k->risk = k->approval ? 1 + (int)below(4) : 0;
	k->deadline_ms = below(3) ? 0 : (int64_t)(1 + below(600)) * 1000;
	k->urgent = below(4) == 0;
	if (k->deadline_ms)
		snprintf(timeout, sizeof timeout, "%lld",
			(long long)k->deadline_ms / 1000);
	if (k->approval)
		snprintf(body, sizeof body,
			"{'kind':'approval','operation':{'type':'tool','name':'shell','"
			"arguments':{},"
			"'risk':'%s'},'timeout':%s,'priority':'%s'}",
			risks[k->risk], timeout, k->urgent ? "urgent" : "normal");
	else
		snprintf(body, sizeof body,
			"{'question':'Number "
			"%d?','type':'boolean','timeout':%s,'priority':'%s'}",
			(int)(k - model), timeout, k->urgent ? "urgent" : "normal");
	if (k->deadline_ms) k->deadline_ms += clock_now_ms();
	made = rig_ask_body(r, body, NULL);
	assert_int_equal(made.err, OK);
	memcpy(k->id, made.id, ID_SIZE);
	k->pending = true;
}

static void model_fill(struct rig *r)
{
	clock_set(START_MS);
	for (size_t i = 0; i < ASKS; i++) {
		clock_set(START_MS + (int64_t)i * 7);
		model_ask(r, &model[i]);
	}
	for (size_t i = 0; i < ASKS; i++) {
		if (below(4)) continue;
		model[i].pending = false;
		model[i].answered = !model[i].approval && below(2);
		assert_int_equal(
			rig_settle(r, model[i].answered ? &use_answer : &use_skip,
				model[i].id, NULL),
			OK);
	}
}

/* All pages of a list, limit at a time; each id must be the next of `want`. */
static void list_is(struct rig *r, const char *query, int limit,
	const struct known **want, size_t len)
{
	char cursor[512] = "", full[800];
	size_t n = 0;

	do {
		struct outcome o;
		const struct json *items;

		snprintf(full, sizeof full, "%s&limit=%d%s%s", query, limit,
			cursor[0] ? "&cursor=" : "", cursor);
		rig_do(r, &(struct request){ &use_ask_list, r->mia, .query = full }, &o);
		if (!outcome_read(&o)) fail_msg("%s: %s", full, o.task.job.why.detail);
		items = json_get(o.json, "items");
		assert_in_range(items->count, 0, limit);
		for (uint32_t i = 0; i < items->count; i++, n++) {
			assert_true(n < len);
			if (!str_is(text_at(&items->items[i], "id"), want[n]->id))
				fail_msg("%s: item %zu is another", query, n);
		}
		snprintf(cursor, sizeof cursor, "%.*s",
			STR_ARGS(text_at(o.json, "next_cursor")));
		/* A page that is not full is the last. */
		assert_true(items->count == (uint32_t)limit || !cursor[0]);
		outcome_done(&o);
	} while (cursor[0]);
	assert_int_equal(n, len);
}

static size_t choose(
	const struct known **out, bool (*fits)(const struct known *), bool down)
{
	size_t len = 0;

	for (size_t i = 0; i < ASKS; i++) {
		const struct known *k = &model[down ? ASKS - 1 - i : i];

		if (fits(k)) out[len++] = k;
	}
	return len;
}

static bool is_pending(const struct known *k)
{
	return k->pending;
}

static bool is_answered(const struct known *k)
{
	return !k->pending && k->answered;
}

static bool is_any(const struct known *k)
{
	return k != NULL;
}

static bool is_urgent_approval(const struct known *k)
{
	return k->pending && k->approval && k->urgent;
}

static bool is_number_1x(const struct known *k)
{
	int n = (int)(k - model);

	return k->pending && !k->approval && (n == 1 || (n >= 10 && n < 20) || n >= 100);
}

static void lists_show_what_the_model_says(void **state)
{
	static const struct {
		const char *query;
		bool (*fits)(const struct known *);
		bool newest_first;
	} lists[] = {
		{ "status=pending", is_pending, false },
		{ "order=created", is_pending, false },
		{ "status=answered", is_answered, true },
		{ "status=all", is_any, true },
		{ "kind=approval&priority=urgent", is_urgent_approval, false },
		{ "q=nUMBER 1", is_number_1x, false },
	};
	static const int limits[] = { 1, 7, 50, 200 };
	struct rig *r = *state;
	const struct known *want[ASKS];

	model_fill(r);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		for (size_t j = 0; j < sizeof limits / sizeof *limits; j++)
			list_is(r, lists[i].query, limits[j], want,
				choose(want, lists[i].fits, lists[i].newest_first));
	clock_set(0);
}

static int64_t soon_ms;

static int urgency(const struct known *k)
{
	return k->risk == 4 || k->urgent ? 2 : k->risk == 3;
}

static int by_attention(const void *a, const void *b)
{
	const struct known *x = *(const struct known *const *)a;
	const struct known *y = *(const struct known *const *)b;
	bool x_soon = x->deadline_ms && x->deadline_ms <= soon_ms;
	bool y_soon = y->deadline_ms && y->deadline_ms <= soon_ms;

	if (x_soon != y_soon) return x_soon ? -1 : 1;
	if (urgency(x) != urgency(y)) return urgency(x) > urgency(y) ? -1 : 1;
	return x < y ? -1 : 1;
}

static void attention_is_deadline_then_urgency_then_age(void **state)
{
	static const int limits[] = { 1, 3, 10, 200 };
	struct rig *r = *state;
	const struct known *want[ASKS];
	size_t len;

	model_fill(r);
	soon_ms = clock_now_ms() + 5 * 60 * 1000;
	len = choose(want, is_pending, false);
	qsort(want, len, sizeof *want, by_attention);
	for (size_t j = 0; j < sizeof limits / sizeof *limits; j++)
		list_is(r, "order=attention", limits[j], want, len);
	clock_set(0);
}

/* ---- reads see acknowledged writes ---- */

struct checker {
	struct rig *r;
	int rounds, missed;
};

static void *ask_and_look(void *ctx)
{
	struct checker *c = ctx;

	for (int i = 0; i < c->rounds; i++) {
		struct made ask = rig_ask(c->r, NULL);

		c->missed += ask.err || strcmp(rig_status(c->r, ask.id), "pending") != 0;
		c->missed += rig_settle(c->r, &use_answer, ask.id, NULL) != OK;
		c->missed += strcmp(rig_status(c->r, ask.id), "answered") != 0;
	}
	return NULL;
}

static void a_read_sees_every_write_acknowledged_before_it(void **state)
{
	enum { THREADS = 4 };
	struct checker checkers[THREADS];
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++) {
		checkers[i] = (struct checker){ *state, 100, 0 };
		assert_int_equal(
			pthread_create(&threads[i], NULL, ask_and_look, &checkers[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(checkers[i].missed, 0);
	}
}

/* ---- deliveries by their status ---- */

enum { DELIVERIES = 100000, LISTED_MS = 10, LOOKS = 300 };

/* With these kinds and statuses, by their number i. */
static void deliveries_fill(struct rig *r, const char *kind, const char *status)
{
	char sql[1200];

	snprintf(sql, sizeof sql,
		"INSERT INTO deliveries (ws, id, session, ask, kind, target, status, attempts,"
		" next_ms, lease_ms, lease_by, last_error, last_status, created_ms, done_ms)"
		" WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
		" SELECT 1, 'dlv_' || SUBSTR('00000' || i, LENGTH('' || i)), 's', 'ask_' || i,"
		" CASE WHEN %s END, 't', CASE WHEN %s END, 1, 0, 0, '', '', -1, 0, 0 FROM n",
		DELIVERIES, kind, status);
	place_script(r, sql);
	/* PostgreSQL does it by itself, up to a minute later. */
	if (strncmp(r->place, "postgresql", 10) == 0)
		place_script(r, "ANALYZE deliveries");
}

/* What is listed: the numbers of the first, and how many; and the best time of as many looks as it
 * takes: on a busy machine most wait for a processor, but one that reads all is never quick. */
static void deliveries_are(
	struct rig *r, const char *query, const int *numbers, size_t len, bool more)
{
	int64_t best_ms = INT64_MAX;

	for (int look = 0; look < LOOKS && best_ms > LISTED_MS; look++) {
		int64_t since = clock_mono_ms();
		struct outcome o;
		const struct json *items;

		rig_do(r, &(struct request){ &use_delivery_list, r->ada, .query = query },
			&o);
		if (clock_mono_ms() - since < best_ms) best_ms = clock_mono_ms() - since;
		assert_true(outcome_read(&o));
		items = json_at(o.json, "items");
		assert_int_equal(items->count, len);
		for (size_t i = 0; i < len; i++) {
			char id[16];

			snprintf(id, sizeof id, "dlv_%06d", numbers[i]);
			assert_true(str_is(text_at(&items->items[i], "id"), id));
		}
		assert_int_equal(text_at(o.json, "next_cursor").len > 0, more);
		outcome_done(&o);
	}
	if (best_ms > LISTED_MS) fail_msg("%s took %lld ms", query, (long long)best_ms);
}

static void a_list_of_deliveries_reads_no_others(void **state)
{
	struct rig *r = *state;

	deliveries_fill(r, "i = 13 THEN 'route' ELSE 'webhook'",
		"i IN (5, 7) THEN 'dead' WHEN i IN (9, 11, 13) THEN 'waiting' ELSE 'done'");
	deliveries_are(r, "status=dead", (int[]){ 7, 5 }, 2, false);
	deliveries_are(r, "status=waiting", (int[]){ 13, 11, 9 }, 3, false);
	deliveries_are(r, "status=waiting&limit=2", (int[]){ 13, 11 }, 2, true);
	deliveries_are(r, "status=waiting&kind=webhook", (int[]){ 11, 9 }, 2, false);
	deliveries_are(r, "status=waiting&kind=route", (int[]){ 13 }, 1, false);
	deliveries_are(r, "status=dropped", NULL, 0, false);
	deliveries_are(r, "status=done&limit=2", (int[]){ 100000, 99999 }, 2, true);
	deliveries_are(r, "limit=1", (int[]){ 100000 }, 1, true);
}

/* Every open ask may have one that waits. */
static void a_list_of_deliveries_reads_few_steps_of_routes(void **state)
{
	struct rig *r = *state;

	deliveries_fill(r, "i IN (5, 7) THEN 'webhook' ELSE 'route'",
		"i = 5 THEN 'dead' ELSE 'waiting'");
	deliveries_are(r, "status=waiting&limit=2", (int[]){ 100000, 99999 }, 2, true);
	deliveries_are(r, "status=waiting&kind=webhook", (int[]){ 7 }, 1, false);
	deliveries_are(r, "status=dead", (int[]){ 5 }, 1, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALONE_TEST(lists_show_what_the_model_says),
		ALONE_TEST(attention_is_deadline_then_urgency_then_age),
		ALONE_TEST(a_list_of_deliveries_reads_no_others),
		ALONE_TEST(a_list_of_deliveries_reads_few_steps_of_routes),
		RIG_TEST(a_read_sees_every_write_acknowledged_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
