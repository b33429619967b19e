/* ahead.c - a batch goes ahead of its sync where syncs take long: the next one is written meanwhile. */
#include "cutvfs.h"
#include "desk_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>

#include <cmocka.h>

enum { JOBS = 40, SYNC_US = 200 * 1000, LEARNT = 6, TRIES = 20, PATIENCE_MS = 60 * 1000 };

/* Asks of one turn, which are one batch. */
struct wave {
	struct outcome asks[JOBS];
	_Atomic int done;
	uint64_t done_at; /* the disk's position when the first of them was */
};

static struct rig rig;
static struct wave waves[2];

static void ask_done(struct job *job)
{
	struct wave *w = job->ctx;

	if (atomic_load(&w->done) == 0) w->done_at = cut_position();
	atomic_fetch_add(&w->done, 1);
}

static void wave_put(struct wave *w)
{
	struct request q = { &use_ask, rig.agent, .body = ASK_PLAIN };
	struct turn turn = { 0 };

	w->done = 0;
	for (int i = 0; i < JOBS; i++) {
		struct outcome *o = &w->asks[i];

		assert_true(rig_fill(&q, o));
		o->task.job.ctx = w;
		o->task.job.done = ask_done;
		desk_put_in_turn(rig.desk, &turn, q.use, &o->task);
	}
	desk_end_turn(rig.desk, &turn, false);
}

static void wave_end(struct wave *w)
{
	for (int ms = 0; atomic_load(&w->done) < JOBS; ms++) {
		assert_true(ms < PATIENCE_MS);
		usleep(1000);
	}
	for (int i = 0; i < JOBS; i++) {
		assert_int_equal(w->asks[i].task.job.err, OK);
		outcome_done(&w->asks[i]);
	}
}

/* → how much was written after the first of two was done, the second of which came while that was
 * synced. */
static uint64_t two_waves(void)
{
	uint64_t before = cut_position();

	wave_put(&waves[0]);
	while (cut_position() == before && !waves[0].done)
		usleep(100);
	wave_put(&waves[1]);
	wave_end(&waves[0]);
	wave_end(&waves[1]);
	return cut_position() - waves[0].done_at;
}

static void the_next_batch_is_written_while_a_long_sync_is_under_way(void **state)
{
	uint64_t after = 0;

	(void)state;
	cut_register();
	cut_reset();
	assert_true(rig_open(
		&rig, &(struct rig_options){ .cut = true, .log_pages = 100000 }));
	assert_true(two_waves() > 1); /* a quick disk: one after the other */
	cut_sync_takes(SYNC_US);
	for (int i = 0; i < LEARNT; i++) {
		wave_put(&waves[0]);
		wave_end(&waves[0]);
	}
	/* The second one's sync alone; 0: it came early enough for the sync of the first. */
	for (int i = 0; i < TRIES && !(after = two_waves()); i++)
		continue;
	assert_int_equal(after, 1);
	cut_sync_takes(0);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_next_batch_is_written_while_a_long_sync_is_under_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
