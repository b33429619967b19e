/* The loop: posts in order, ticks never early, nothing awake when nothing is to do. */
#include "net/loop.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include <cmocka.h>

static void *run(void *loop)
{
	loop_run(loop);
	return NULL;
}

/* ---- posts ---- */

enum { POSTERS = 4, POSTS = 2000 };

struct numbered {
	struct post post;
	int poster, number;
};

static struct loop *the_loop;
static int last[POSTERS]; /* loop's thread only */
static atomic_int arrived;

static void numbered_arrived(struct post *post)
{
	struct numbered *n = (struct numbered *)post;

	assert_int_equal(n->number, last[n->poster] + 1);
	last[n->poster] = n->number;
	free(n);
	if (atomic_fetch_add(&arrived, 1) + 1 == POSTERS * POSTS) loop_stop(the_loop);
}

static void *poster_run(void *arg)
{
	for (int i = 1; i <= POSTS; i++) {
		struct numbered *n = calloc(1, sizeof *n);

		n->post.fn = numbered_arrived;
		n->poster = (int)(intptr_t)arg;
		n->number = i;
		loop_post(the_loop, &n->post);
	}
	return NULL;
}

static void posts_of_many_threads_arrive_in_the_order_of_each(void **state)
{
	pthread_t threads[POSTERS], runner;

	(void)state;
	the_loop = loop_new(NULL);
	pthread_create(&runner, NULL, run, the_loop);
	for (intptr_t i = 0; i < POSTERS; i++)
		pthread_create(&threads[i], NULL, poster_run, (void *)i);
	for (int i = 0; i < POSTERS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(runner, NULL);
	assert_int_equal(atomic_load(&arrived), POSTERS * POSTS);
	loop_free(the_loop);
}

static int turns;
static bool inside;

static void post_again(struct post *post)
{
	assert_false(inside);
	inside = true;
	if (++turns < 5)
		loop_post(the_loop, post);
	else
		loop_stop(the_loop);
	inside = false;
}

static void a_post_from_the_loop_itself_runs_on_the_next_turn(void **state)
{
	struct post post = { .fn = post_again };

	(void)state;
	the_loop = loop_new(NULL);
	loop_post(the_loop, &post);
	loop_run(the_loop);
	assert_int_equal(turns, 5);
	loop_free(the_loop);
}

/* What is posted at a turn's end runs right after it, and what is posted from elsewhere while
 * that lasts is not lost: nobody rings for it. */
enum { TURN_POSTS = 3000 };

static struct post own, *others;
static atomic_int others_ran, others_posted;
static bool own_out;
static int own_ran;

static void own_arrived(struct post *post)
{
	(void)post;
	own_out = false;
	own_ran++;
}

static void other_arrived(struct post *post)
{
	(void)post;
	if (atomic_fetch_add(&others_ran, 1) + 1 == TURN_POSTS) loop_stop(the_loop);
}

static void turn_ended(void *ctx)
{
	(void)ctx;
	if (!own_out && own_ran < TURN_POSTS) {
		own_out = true;
		own.fn = own_arrived;
		loop_post(the_loop, &own);
	}
	for (int seen = atomic_load(&others_posted), i = 0;
		i < 50 && atomic_load(&others_posted) == seen; i++)
		sched_yield();
}

static void *post_others(void *arg)
{
	(void)arg;
	for (int i = 0; i < TURN_POSTS; i++) {
		others[i].fn = other_arrived;
		loop_post(the_loop, &others[i]);
		atomic_fetch_add(&others_posted, 1);
	}
	return NULL;
}

static void no_post_is_lost_at_the_end_of_a_turn(void **state)
{
	pthread_t thread;

	(void)state;
	the_loop = loop_new(NULL);
	others = calloc(TURN_POSTS, sizeof *others);
	loop_after_turns(the_loop, turn_ended, NULL);
	pthread_create(&thread, NULL, post_others, NULL);
	loop_run(the_loop);
	pthread_join(thread, NULL);
	assert_int_equal(atomic_load(&others_ran), TURN_POSTS);
	assert_true(own_ran > 0);
	assert_false(own_out);
	loop_free(the_loop);
	free(others);
}

/* ---- ticks ---- */

struct alarm {
	struct tick tick;
	int64_t wanted_ms, fired_ms;
	int fired;
};

static void alarm_fired(struct tick *tick)
{
	struct alarm *a = (struct alarm *)tick;

	a->fired++;
	a->fired_ms = loop_now_ms(the_loop);
}

static void alarm_set(struct alarm *a, int64_t after_ms)
{
	a->tick.fn = alarm_fired;
	a->wanted_ms = loop_now_ms(the_loop) + after_ms;
	tick_set(the_loop, &a->tick, after_ms);
}

static void stop_fired(struct tick *tick)
{
	(void)tick;
	loop_stop(the_loop);
}

static int64_t longer(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* How late the last of them was, in ms. */
static int64_t ticks_run(void)
{
	struct alarm alarms[40] = { 0 }, moved = { 0 }, sooner = { 0 }, stopped = { 0 };
	struct tick end = { .fn = stop_fired };
	int64_t late_ms = 0;

	the_loop = loop_new(NULL);
	for (int i = 0; i < 40; i++)
		alarm_set(&alarms[i], i * 17);
	alarm_set(&moved, 50);
	alarm_set(&moved, 500);
	alarm_set(&sooner, 100000);
	alarm_set(&sooner, 300);
	alarm_set(&stopped, 200);
	tick_stop(the_loop, &stopped.tick);
	tick_stop(the_loop, &stopped.tick);
	tick_set(the_loop, &end, 1000);
	loop_run(the_loop);
	for (int i = 0; i < 40; i++) {
		assert_int_equal(alarms[i].fired, 1);
		assert_true(alarms[i].fired_ms >= alarms[i].wanted_ms);
		late_ms = longer(late_ms, alarms[i].fired_ms - alarms[i].wanted_ms);
		assert_null(alarms[i].tick.next);
	}
	assert_int_equal(moved.fired, 1);
	assert_true(moved.fired_ms >= moved.wanted_ms);
	assert_int_equal(sooner.fired, 1);
	late_ms = longer(late_ms, sooner.fired_ms - sooner.wanted_ms);
	assert_int_equal(stopped.fired, 0);
	loop_free(the_loop);
	return late_ms;
}

/* A busy machine may keep the whole loop waiting, but not every time. */
static void ticks_fire_once_never_early_and_hardly_late(void **state)
{
	int64_t late_ms;
	int tries = 0;

	(void)state;
	do
		late_ms = ticks_run();
	while (late_ms > 400 && ++tries < 10);
	assert_true(late_ms <= 400);
}

static struct tick pair[2];
static int pair_fired;

static void pair_fires(struct tick *tick)
{
	pair_fired++;
	tick_stop(the_loop, tick == &pair[0] ? &pair[1] : &pair[0]);
	tick_set(the_loop, tick, 100);
	if (pair_fired == 3) loop_stop(the_loop);
}

static void a_tick_may_stop_its_neighbour_and_set_itself_again(void **state)
{
	(void)state;
	the_loop = loop_new(NULL);
	for (int i = 0; i < 2; i++) {
		pair[i].fn = pair_fires;
		tick_set(the_loop, &pair[i], 50);
	}
	loop_run(the_loop);
	assert_int_equal(pair_fired, 3);
	loop_free(the_loop);
}

static int turns_of_idle;

static void count_turn(void *ctx)
{
	(void)ctx;
	turns_of_idle++;
}

static void post_heard(struct post *post)
{
	(void)post;
}

static void *stop_in_a_while(void *loop)
{
	nanosleep(&(struct timespec){ .tv_nsec = 600 * 1000 * 1000 }, NULL);
	loop_stop(loop);
	return NULL;
}

static void a_loop_with_nothing_to_do_sleeps(void **state)
{
	struct alarm soon = { 0 }, far = { 0 };
	struct post post = { .fn = post_heard }; /* what rang once rings no more */
	pthread_t thread;

	(void)state;
	the_loop = loop_new(NULL);
	loop_after_turns(the_loop, count_turn, NULL);
	alarm_set(&soon, 10);
	alarm_set(&far, 75000);
	loop_post(the_loop, &post);
	pthread_create(&thread, NULL, stop_in_a_while, the_loop);
	loop_run(the_loop);
	pthread_join(thread, NULL);
	assert_int_equal(soon.fired, 1);
	/* The start, the post, its bell, the tick, the stop and the end. */
	assert_in_range(turns_of_idle, 1, 6);
	tick_stop(the_loop, &far.tick);
	loop_free(the_loop);
}

/* ---- libuv inside ---- */

static uv_timer_t timer;
static uv_work_t work;
static uv_poll_t poll_handle;
static int pipe_fds[2], parts_over;

static void part_over(void)
{
	if (++parts_over == 3) loop_stop(the_loop);
}

static void timer_over(uv_timer_t *t)
{
	uv_close((uv_handle_t *)t, NULL);
	part_over();
}

static void pipe_over(uv_poll_t *p, int status, int events)
{
	assert_int_equal(status, 0);
	assert_int_equal(events, UV_READABLE);
	uv_close((uv_handle_t *)p, NULL);
	part_over();
}

static void work_do(uv_work_t *w)
{
	(void)w;
	nanosleep(&(struct timespec){ .tv_nsec = 30 * 1000 * 1000 }, NULL);
	assert_int_equal(write(pipe_fds[1], "x", 1), 1);
}

static void work_over(uv_work_t *w, int status)
{
	(void)w;
	assert_int_equal(status, 0);
	part_over();
}

static void parts_begin(struct post *post)
{
	uv_loop_t *uv = loop_uv(the_loop);

	(void)post;
	uv_timer_init(uv, &timer);
	uv_timer_start(&timer, timer_over, 20, 0);
	uv_poll_init(uv, &poll_handle, pipe_fds[0]);
	uv_poll_start(&poll_handle, UV_READABLE, pipe_over);
	uv_queue_work(uv, &work, work_do, work_over);
}

static void what_libuv_does_is_seen_to_without_anything_else(void **state)
{
	struct post post = { .fn = parts_begin };

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	the_loop = loop_new(NULL);
	loop_post(the_loop, &post);
	loop_run(the_loop);
	assert_int_equal(parts_over, 3);
	loop_free(the_loop);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

/* ---- watches ---- */

static struct watch ends[2]; /* of a pair of sockets */
static int heard[2], closed;

/* Who hears first closes both: the other, which was ready as well, only hears that it is
 * closed. */
static void end_ready(struct watch *w, unsigned events)
{
	char byte;

	if (!events) {
		if (++closed == 2) loop_stop(the_loop);
		return;
	}
	assert_int_equal(events, WATCH_READ);
	heard[w - ends]++;
	assert_int_equal(read(w->fd, &byte, 1), 1);
	watch_close(the_loop, &ends[w == ends]);
	watch_close(the_loop, w);
	assert_int_equal(closed, 0);
}

static void a_watch_that_is_closed_hears_nothing_more(void **state)
{
	int fds[2];

	(void)state;
	the_loop = loop_new(NULL);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	for (int i = 0; i < 2; i++) {
		ends[i] = (struct watch){ .fn = end_ready, .fd = fds[i] };
		assert_true(watch_set(the_loop, &ends[i], WATCH_READ | WATCH_WRITE));
		/* What is wanted no more is not told, though the kernel says it. */
		assert_true(watch_set(the_loop, &ends[i], WATCH_READ));
		assert_int_equal(write(fds[i], "x", 1), 1);
	}
	loop_run(the_loop);
	assert_int_equal(heard[0] + heard[1], 1);
	assert_int_equal(closed, 2);
	loop_free(the_loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(posts_of_many_threads_arrive_in_the_order_of_each),
		cmocka_unit_test(a_post_from_the_loop_itself_runs_on_the_next_turn),
		cmocka_unit_test(no_post_is_lost_at_the_end_of_a_turn),
		cmocka_unit_test(ticks_fire_once_never_early_and_hardly_late),
		cmocka_unit_test(a_tick_may_stop_its_neighbour_and_set_itself_again),
		cmocka_unit_test(a_loop_with_nothing_to_do_sleeps),
		cmocka_unit_test(what_libuv_does_is_seen_to_without_anything_else),
		cmocka_unit_test(a_watch_that_is_closed_hears_nothing_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
