#include "base/queue.h"
#include "base/clock.h"
#include "base/mem.h"

#include "unit.h"

#include <pthread.h>
#include <stdlib.h>

enum { PUTTERS = 4, EACH = 5000 };

struct item {
	int from, number;
	struct link link;
};

static int number_of(const struct link *l)
{
	return LINK_OF(l, struct item, link)->number;
}

static void links_come_out_in_order_all_at_once(void **state)
{
	struct queue *q = queue_new();
	struct item items[3] = { { .number = 1 }, { .number = 2 }, { .number = 3 } };
	struct link *l;

	(void)state;
	for (int i = 0; i < 3; i++)
		CHECK(queue_put(q, &items[i].link));
	l = queue_take(q, -1);
	CHECK_INT(number_of(l), 1);
	CHECK_INT(number_of(l->next), 2);
	CHECK_INT(number_of(l->next->next), 3);
	CHECK(!l->next->next->next);
	CHECK(!queue_take(q, 0));
	CHECK(!queue_free(q));
	CHECK(!queue_free(NULL));
}

static void a_list_goes_in_behind_what_is_there(void **state)
{
	struct queue *q = queue_new();
	struct item items[3] = { { .number = 1 }, { .number = 2 }, { .number = 3 } };
	struct link *l;

	(void)state;
	CHECK(queue_put(q, &items[0].link));
	items[1].link.next = &items[2].link;
	CHECK(queue_put_all(q, &items[1].link));
	l = queue_take(q, -1);
	CHECK_INT(number_of(l), 1);
	CHECK_INT(number_of(l->next), 2);
	CHECK_INT(number_of(l->next->next), 3);
	CHECK(!l->next->next->next);
	queue_close(q);
	CHECK(!queue_put_all(q, &items[1].link));
	queue_free(q);
}

static void *sleep_there(void *arg)
{
	queue_take(arg, -1);
	return NULL;
}

static void a_queue_is_idle_while_its_taker_sleeps(void **state)
{
	struct queue *q = queue_new();
	struct timespec t = { .tv_nsec = 1000000 };
	pthread_t thread;

	(void)state;
	CHECK(!queue_idle(q));
	pthread_create(&thread, NULL, sleep_there, q);
	for (int i = 0; i < 5000 && !queue_idle(q); i++)
		nanosleep(&t, NULL);
	CHECK(queue_idle(q));
	queue_close(q);
	CHECK(!queue_idle(q));
	pthread_join(thread, NULL);
	queue_free(q);
}

static void taking_from_an_empty_queue_waits_its_time(void **state)
{
	struct queue *q = queue_new();
	int64_t before = clock_mono_ms();

	(void)state;
	CHECK(!queue_take(q, 30));
	CHECK(clock_mono_ms() - before >= 29);
	queue_free(q);
}

static void a_wake_is_not_lost_when_nobody_sleeps(void **state)
{
	struct queue *q = queue_new();

	(void)state;
	queue_wake(q);
	CHECK(!queue_take(q, -1));
	CHECK(!queue_take(q, 1));
	queue_free(q);
}

static void a_closed_queue_gives_what_it_has_and_takes_nothing(void **state)
{
	struct queue *q = queue_new();
	struct item first = { .number = 1 }, second = { .number = 2 };

	(void)state;
	CHECK(queue_put(q, &first.link));
	CHECK(!queue_closed(q));
	queue_close(q);
	CHECK(queue_closed(q));
	CHECK(!queue_put(q, &second.link));
	CHECK(queue_take(q, -1) == &first.link);
	CHECK(!queue_take(q, -1));
	queue_free(q);
}

static void *wake_soon(void *arg)
{
	struct timespec t = { .tv_nsec = 20000000 };

	nanosleep(&t, NULL);
	queue_wake(arg);
	nanosleep(&t, NULL);
	queue_close(arg);
	return NULL;
}

static void a_sleeper_is_woken_and_released_by_closing(void **state)
{
	struct queue *q = queue_new();
	pthread_t thread;

	(void)state;
	pthread_create(&thread, NULL, wake_soon, q);
	CHECK(!queue_take(q, -1));
	CHECK(!queue_closed(q));
	CHECK(!queue_take(q, -1));
	CHECK(queue_closed(q));
	pthread_join(thread, NULL);
	queue_free(q);
}

struct putter {
	struct queue *queue;
	int number;
	struct item *items;
};

static void *put_all(void *arg)
{
	struct putter *p = arg;

	for (int i = 0; i < EACH; i++) {
		p->items[i] = (struct item){ .from = p->number, .number = i };
		queue_put(p->queue, &p->items[i].link);
	}
	return NULL;
}

static void many_threads_put_and_nothing_is_lost_or_reordered(void **state)
{
	struct queue *q = queue_new();
	struct putter putters[PUTTERS];
	pthread_t threads[PUTTERS];
	int next[PUTTERS] = { 0 }, left = PUTTERS * EACH;

	(void)state;
	for (int i = 0; i < PUTTERS; i++) {
		putters[i] = (struct putter){ q, i, calloc(EACH, sizeof(struct item)) };
		pthread_create(&threads[i], NULL, put_all, &putters[i]);
	}
	while (left) {
		for (struct link *l = queue_take(q, 10000); l; l = l->next, left--) {
			struct item *item = LINK_OF(l, struct item, link);

			CHECK_INT(item->number, next[item->from]++);
		}
	}
	for (int i = 0; i < PUTTERS; i++) {
		pthread_join(threads[i], NULL);
		free(putters[i].items);
	}
	queue_free(q);
}

static void without_memory_there_is_no_queue(void **state)
{
	(void)state;
	mem_fail_at(1, 1);
	CHECK(!queue_new());
	mem_fail_at(0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(links_come_out_in_order_all_at_once),
		TEST(a_list_goes_in_behind_what_is_there),
		TEST(a_queue_is_idle_while_its_taker_sleeps),
		TEST(taking_from_an_empty_queue_waits_its_time),
		TEST(a_wake_is_not_lost_when_nobody_sleeps),
		TEST(a_closed_queue_gives_what_it_has_and_takes_nothing),
		TEST(a_sleeper_is_woken_and_released_by_closing),
		TEST(many_threads_put_and_nothing_is_lost_or_reordered),
		TEST(without_memory_there_is_no_queue),
	};

	return RUN(tests);
}
