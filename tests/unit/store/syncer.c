/* syncer.c - nobody hears of a commit, and nobody reads it, before its sync. */
#include "store/fast/syncer.h"

#include "base/mem.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* last: it makes `fail` a macro */

/* A disk whose sync takes until it is let go, and then works or does not. */
static sem_t asked, go;
static atomic_bool works;
static atomic_int syncs, failures;
static uint64_t done[16];
static atomic_int done_len;

static bool slow_sync(void *what)
{
	(void)what;
	atomic_fetch_add(&syncs, 1);
	sem_post(&asked);
	while (sem_wait(&go) != 0)
		continue;
	return atomic_load(&works);
}

static void note_done(void *ctx, const struct owed *o)
{
	(void)ctx;
	done[atomic_load(&done_len)] = o->number;
	atomic_fetch_add(&done_len, 1);
}

static void note_failure(void *ctx)
{
	(void)ctx;
	atomic_fetch_add(&failures, 1);
}

static struct syncer *syncer_start(void)
{
	sem_init(&asked, 0, 0);
	sem_init(&go, 0, 0);
	atomic_store(&works, true);
	atomic_store(&syncs, 0);
	atomic_store(&failures, 0);
	atomic_store(&done_len, 0);
	return syncer_new(
		&(struct syncer_hooks){ NULL, slow_sync, note_done, note_failure }, NULL);
}

static void commit(struct syncer *s)
{
	static int disk;
	struct owed *o = syncer_begin(s);

	o->what = &disk;
	syncer_put(s, o);
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) != 0)
		continue;
}

static void one_sync_is_for_all_that_came_before_it(void **state)
{
	struct syncer *s = syncer_start();

	(void)state;
	assert_true(!syncer_busy(s));
	commit(s);
	wait_for(&asked);
	assert_true(syncer_busy(s));
	for (int i = 0; i < 5; i++)
		commit(s);
	assert_int_equal(atomic_load(&done_len), 0);
	sem_post(&go);
	sem_post(&go);
	syncer_drain(s);
	assert_true(!syncer_busy(s));
	assert_int_equal(atomic_load(&syncs), 2);
	assert_int_equal(atomic_load(&done_len), 6);
	for (int i = 0; i < 6; i++)
		assert_int_equal((int)done[i], i + 1);
	assert_true(!syncer_free(s));
}

struct reader {
	struct syncer *syncer;
	atomic_bool through;
};

static void *read_run(void *arg)
{
	struct reader *r = arg;

	syncer_await(r->syncer);
	atomic_store(&r->through, true);
	return NULL;
}

static void a_read_waits_for_the_sync_of_what_was_begun_before_it(void **state)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	struct syncer *s = syncer_start();
	struct reader r = { .syncer = s };
	struct owed *earlier, *o;
	pthread_t thread;

	(void)state;
	syncer_await(s); /* nothing is owed */
	earlier = syncer_begin(s);
	o = syncer_begin(s);
	pthread_create(&thread, NULL, read_run, &r);
	earlier->what = o->what = &r;
	syncer_put(s, earlier);
	wait_for(&asked);
	sem_post(&go);
	syncer_drain(s);
	nanosleep(&pause, NULL);
	assert_true(!atomic_load(&r.through)); /* it may have seen the later one, too */
	syncer_put(s, o);
	wait_for(&asked);
	nanosleep(&pause, NULL);
	assert_true(!atomic_load(&r.through));
	sem_post(&go);
	pthread_join(thread, NULL);
	assert_true(atomic_load(&r.through));
	syncer_free(s);
}

static void what_could_not_be_synced_is_taken_back_in_order(void **state)
{
	struct syncer *s = syncer_start();
	struct owed *all;

	(void)state;
	assert_true(!syncer_take_back(s));
	commit(s);
	wait_for(&asked);
	commit(s);
	commit(s);
	atomic_store(&works, false);
	sem_post(&go);
	syncer_drain(s);
	assert_int_equal(atomic_load(&failures), 1);
	assert_int_equal(atomic_load(&done_len), 0);
	commit(s); /* after the failure: it may rest on what is in doubt */
	all = syncer_take_back(s);
	for (uint64_t n = 1; n <= 4; n++) {
		struct owed *o = all;

		assert_true(o && o->number == n);
		all = o->next;
		mem_free(o);
	}
	assert_true(!all);
	atomic_store(&works, true);
	commit(s);
	wait_for(&asked);
	sem_post(&go);
	syncer_drain(s);
	assert_int_equal(atomic_load(&done_len), 1);
	syncer_free(s);
}

/* A commit that failed leaves its number behind, and there is nothing to sync. */
static void an_empty_one_keeps_nobody_waiting(void **state)
{
	struct syncer *s = syncer_start();

	(void)state;
	syncer_put(s, syncer_begin(s));
	syncer_await(s);
	syncer_drain(s);
	assert_int_equal(atomic_load(&syncs), 0);
	syncer_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_sync_is_for_all_that_came_before_it),
		cmocka_unit_test(a_read_waits_for_the_sync_of_what_was_begun_before_it),
		cmocka_unit_test(what_could_not_be_synced_is_taken_back_in_order),
		cmocka_unit_test(an_empty_one_keeps_nobody_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
