/* settle.c - many threads want to settle the same asks, and the clock does too: one wins,
 * the others learn who, the log says so once, and the session counts right. */
#include "desk_rig.h"

#include "base/clock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__SANITIZE_THREAD__)
enum { SLOWER = 4 };
#else
enum { SLOWER = 1 };
#endif

enum {
	ASKS = 4, /* of a round, in one session */
	SETTLERS = 5,
	THREADS = SETTLERS + 1, /* and the clock */
	ROUND_MS = 10000,
	DEADLINE_MS = 1000,
};

static const int64_t start_ms = INT64_C(1700000000000);

static int rounds(void)
{
	int n = (getenv("PARLEY_LONG") ? 25000 : 2500) / SLOWER;

	/* Elsewhere than in a file a round takes many times as long. */
	return getenv("PARLEY_TEST_STORE") ? n / 25 : n;
}

static const struct settler {
	const struct use *use;
	size_t token; /* offset in struct rig */
	const char *body, *status, *name;
} settlers[SETTLERS] = {
	{ &use_answer, offsetof(struct rig, mia), "{'answer':true}", "answered", "mia" },
	{ &use_answer, offsetof(struct rig, noa), "{'answer':false}", "answered", "noa" },
	{ &use_answer, offsetof(struct rig, ada), "{'answer':true}", "answered", "ada" },
	{ &use_skip, offsetof(struct rig, noa), "{'reason':'no'}", "skipped", "noa" },
	{ &use_cancel, offsetof(struct rig, agent), "{'reason':'no'}", "cancelled",
		NULL },
};

struct race {
	struct rig rig;
	pthread_barrier_t gate;
	atomic_bool over;
	int round;
	char session[ID_SIZE];
	char asks[ASKS][ID_SIZE];
	struct outcome outcomes[SETTLERS][ASKS];
	atomic_llong settled_told; /* settling events that were told */
	int wins[SETTLERS + 1];	   /* the last: the clock's */
	char *all;		   /* ids of all asks, in their order */
	size_t all_len;
};

static bool is_settling(const char *type)
{
	return strcmp(type, "ask.answered") == 0 || strcmp(type, "ask.skipped") == 0 ||
	       strcmp(type, "ask.expired") == 0 || strcmp(type, "ask.cancelled") == 0;
}

static void race_told(void *ctx, struct committed *told)
{
	struct race *race = ctx;

	for (size_t i = 0; i < told->len; i++)
		race->settled_told += is_settling(told->events[i].event.type);
}

/* ---- one round ---- */

/* Each starts at another ask, so that they meet in ever new ways. */
static void settler_turn(struct race *race, size_t me)
{
	const struct settler *s = &settlers[me];

	for (size_t i = 0; i < ASKS; i++) {
		size_t k = (i + me * (size_t)race->round) % ASKS;
		struct request q = { s->use, (const char *)&race->rig + s->token,
			race->asks[k], s->body };

		rig_do(&race->rig, &q, &race->outcomes[me][k]);
	}
}

struct seat {
	struct race *race;
	size_t number;
};

static bool clock_races(int round)
{
	return round % 3 == 0;
}

static void *race_thread(void *ctx)
{
	struct seat *seat = ctx;
	struct race *race = seat->race;

	for (;;) {
		pthread_barrier_wait(&race->gate);
		if (race->over) return NULL;
		if (seat->number < SETTLERS)
			settler_turn(race, seat->number);
		else if (clock_races(race->round))
			clock_set(
				start_ms + (int64_t)race->round * ROUND_MS + DEADLINE_MS);
		pthread_barrier_wait(&race->gate);
	}
}

static void round_begin(struct race *race)
{
	char body[200];
	struct made session;

	clock_set(start_ms + (int64_t)race->round * ROUND_MS);
	session = rig_session(&race->rig, "{'title':'race','parallel':true}");
	assert_int_equal(session.err, OK);
	memcpy(race->session, session.id, ID_SIZE);
	snprintf(body, sizeof body,
		"{'session':'%s','question':'Go?','type':'boolean','timeout':%d}",
		session.id, DEADLINE_MS / 1000);
	for (size_t i = 0; i < ASKS; i++) {
		struct made ask = rig_ask_body(&race->rig, body, NULL);

		assert_int_equal(ask.err, OK);
		memcpy(race->asks[i], ask.id, ID_SIZE);
		memcpy(race->all + race->all_len++ * ID_SIZE, ask.id, ID_SIZE);
	}
}

/* ---- judging a round ---- */

static void loser_knows(struct outcome *o, const struct settler *winner)
{
	assert_int_equal(o->err, ERR_CONFLICT);
	assert_true(outcome_read(o));
	assert_true(str_is(
		text_at(o->winner, "status"), winner ? winner->status : "expired"));
	if (winner && winner->name)
		assert_true(str_is(text_at(o->winner, "answered_by.name"), winner->name));
}

/* Who won this ask; NULL: the clock did. */
static void judge_ask(struct race *race, size_t k)
{
	const struct settler *winner = NULL;

	for (size_t i = 0; i < SETTLERS; i++) {
		if (race->outcomes[i][k].err) continue;
		assert_null(winner);
		winner = &settlers[i];
	}
	if (!clock_races(race->round)) assert_non_null(winner);
	race->wins[winner ? winner - settlers : SETTLERS]++;
	for (size_t i = 0; i < SETTLERS; i++) {
		if (&settlers[i] != winner) loser_knows(&race->outcomes[i][k], winner);
		outcome_done(&race->outcomes[i][k]);
	}
	assert_string_equal(rig_status(&race->rig, race->asks[k]),
		winner ? winner->status : "expired");
}

struct counters {
	int64_t open, settled;
	bool running;
};

static enum err counters_row(void *ctx, const struct row *row, struct fault *why)
{
	struct counters *c = ctx;

	(void)why;
	*c = (struct counters){ row_int(row, 13) + row_int(row, 14) + row_int(row, 15) +
					row_int(row, 16),
		row_int(row, 17), str_is(row_text(row, 12), "running") };
	return OK;
}

static void judge_session(struct race *race, struct db *db)
{
	const struct val args[] = { val_int(1), val_text(str_of(race->session)) };
	struct counters c = { -1, -1, false };

	assert_int_equal(db_one(db, SQL_OF(RECORD_SESSIONS, RECORD_GET), args, 2,
				 counters_row, &c, NULL),
		OK);
	assert_int_equal(c.open, 0);
	assert_int_equal(c.settled, ASKS);
	assert_true(c.running);
}

/* ---- judging the log ---- */

static int by_id(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* A commit is told after its reply when another writer's, which comes before it in the log, has yet
 * to be told. */
static void told_await(struct race *race)
{
	for (int tries = 0; tries < 1000; tries++) {
		if ((size_t)race->settled_told >= race->all_len) return;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
}

/* All events, once: numbered without gap, and each ask settled once. */
static void judge_log(struct race *race)
{
	char *settled = calloc(race->all_len, 1);
	int64_t n = 0;
	uint32_t len = 200;

	/* Clerks and nodes make ids each for themselves. */
	qsort(race->all, race->all_len, ID_SIZE, by_id);
	while (len == 200) {
		char query[64];
		struct outcome o;
		const struct json *items;

		snprintf(query, sizeof query, "limit=200&after=%lld", (long long)n);
		rig_do(&race->rig,
			&(struct request){ &use_events, race->rig.ada, .query = query },
			&o);
		assert_true(outcome_read(&o));
		items = json_get(o.json, "items");
		len = items->count;
		for (uint32_t i = 0; i < len; i++) {
			const struct json *e = &items->items[i];
			char id[ID_SIZE], type[32], *at;

			assert_int_equal(int_at(e, "id"), ++n);
			snprintf(type, sizeof type, "%.*s", STR_ARGS(text_at(e, "type")));
			if (!is_settling(type)) continue;
			snprintf(id, sizeof id, "%.*s", STR_ARGS(text_at(e, "ask")));
			at = bsearch(id, race->all, race->all_len, ID_SIZE, by_id);
			assert_non_null(at);
			assert_int_equal(settled[(at - race->all) / ID_SIZE]++, 0);
		}
		outcome_done(&o);
	}
	for (size_t i = 0; i < race->all_len; i++)
		assert_int_equal(settled[i], 1);
	told_await(race);
	assert_int_equal(race->settled_told, race->all_len);
	free(settled);
}

static void every_ask_has_one_winner_whom_all_learn(void **state)
{
	static struct race race;
	struct seat seats[THREADS];
	pthread_t threads[THREADS];
	char why[256] = "";
	struct db *db;

	(void)state;
	race.all = calloc((size_t)rounds() * ASKS, ID_SIZE);
	assert_true(rig_open(&race.rig,
		&(struct rig_options){ .told = race_told, .told_ctx = &race }));
	db = db_open(str_of(race.rig.place), DB_READ, NULL, NULL);
	assert_non_null(db);
	pthread_barrier_init(&race.gate, NULL, THREADS + 1);
	for (size_t i = 0; i < THREADS; i++) {
		seats[i] = (struct seat){ &race, i };
		assert_int_equal(
			pthread_create(&threads[i], NULL, race_thread, &seats[i]), 0);
	}
	for (; race.round < rounds(); race.round++) {
		round_begin(&race);
		pthread_barrier_wait(&race.gate);
		pthread_barrier_wait(&race.gate);
		for (size_t k = 0; k < ASKS; k++)
			judge_ask(&race, k);
		judge_session(&race, db);
	}
	race.over = true;
	pthread_barrier_wait(&race.gate);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	db_close(db);
	judge_log(&race);
	/* A race that the same one always wins would prove little. */
	for (size_t i = 0; i <= SETTLERS; i++)
		assert_true(race.wins[i] > 0);
	if (rig_check(&race.rig, why) < 0) fail_msg("%s", why);
	rig_close(&race.rig);
	free(race.all);
	clock_set(0);
}

/* ---- the same ask from all sides ---- */

struct asker {
	struct rig *r;
	pthread_barrier_t *gate;
	const char *body, *key;
	struct made made;
};

static void *ask_at_once(void *ctx)
{
	struct asker *a = ctx;

	pthread_barrier_wait(a->gate);
	a->made = rig_ask_body(a->r, a->body, a->key);
	return NULL;
}

static void ask_together(
	struct rig *r, struct asker askers[SETTLERS], const char *body, const char *key)
{
	pthread_barrier_t gate;
	pthread_t threads[SETTLERS];

	pthread_barrier_init(&gate, NULL, SETTLERS);
	for (size_t i = 0; i < SETTLERS; i++) {
		askers[i] = (struct asker){ r, &gate, body, key };
		assert_int_equal(
			pthread_create(&threads[i], NULL, ask_at_once, &askers[i]), 0);
	}
	for (size_t i = 0; i < SETTLERS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&gate);
}

static void one_key_from_many_threads_is_one_ask(void **state)
{
	struct rig r;
	struct asker askers[SETTLERS];
	char key[32], why[256] = "";
	int n = rounds() / 4;
	int64_t before;

	(void)state;
	assert_true(rig_open(&r, &(struct rig_options){ 0 }));
	before = rig_check(&r, why);
	for (int round = 0; round < n; round++) {
		snprintf(key, sizeof key, "key-%d", round);
		ask_together(&r, askers, ASK_PLAIN, key);
		for (size_t i = 0; i < SETTLERS; i++) {
			assert_int_equal(askers[i].made.err, OK);
			assert_string_equal(askers[i].made.id, askers[0].made.id);
		}
	}
	assert_int_equal(rig_check(&r, why), before + n * 2);
	rig_close(&r);
}

static void one_blocking_ask_is_open_in_a_session(void **state)
{
	struct rig r;
	struct asker askers[SETTLERS];
	char body[160];

	(void)state;
	assert_true(rig_open(&r, &(struct rig_options){ 0 }));
	for (int round = 0; round < rounds() / 4; round++) {
		struct made session = rig_session(&r, "{'title':'one'}");
		int made = 0;

		snprintf(body, sizeof body,
			"{'session':'%s','question':'Go?','type':'boolean'}", session.id);
		ask_together(&r, askers, body, NULL);
		for (size_t i = 0; i < SETTLERS; i++) {
			made += askers[i].made.err == OK;
			if (askers[i].made.err)
				assert_int_equal(askers[i].made.err, ERR_CONFLICT);
		}
		assert_int_equal(made, 1);
	}
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_ask_has_one_winner_whom_all_learn),
		cmocka_unit_test(one_key_from_many_threads_is_one_ask),
		cmocka_unit_test(one_blocking_ask_is_open_in_a_session),
	};

	/* Memory in the disk's place: this is about order, not about durability. */
	if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
