/* queue.c - a list under a mutex. A put signals only when the taker sleeps, and after the
 * lock is free again, so that the taker does not wake up to wait for it. */
#include "base/queue.h"

#include "base/clock.h"
#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct link *first;
	struct link *last;
	bool asleep; /* the taker waits for `filled` */
	bool woken;  /* queue_wake was called since the last take */
	bool closed;
};

static bool queue_init(struct queue *q)
{
	pthread_condattr_t attr;
	bool made;

	if (pthread_condattr_init(&attr) != 0) return false;
	made = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
	       pthread_cond_init(&q->filled, &attr) == 0;
	pthread_condattr_destroy(&attr);
	if (!made) return false;
	if (pthread_mutex_init(&q->lock, NULL) == 0) return true;
	pthread_cond_destroy(&q->filled);
	return false;
}

struct queue *queue_new(void)
{
	struct queue *q = mem_alloc(sizeof *q);

	if (q && !queue_init(q)) {
		mem_free(q);
		q = NULL;
	}
	return q;
}

struct queue *queue_free(struct queue *q)
{
	if (!q) return NULL;
	assert(!q->first);
	pthread_cond_destroy(&q->filled);
	pthread_mutex_destroy(&q->lock);
	mem_free(q);
	return NULL;
}

/* Gives the lock up, and wakes the taker if it sleeps. */
static void rouse(struct queue *q)
{
	bool asleep = q->asleep;

	q->asleep = false;
	pthread_mutex_unlock(&q->lock);
	if (asleep) pthread_cond_signal(&q->filled);
}

bool queue_put(struct queue *q, struct link *link)
{
	link->next = NULL;
	return queue_put_all(q, link);
}

bool queue_put_all(struct queue *q, struct link *first)
{
	struct link *last = first;
	bool open;

	while (last->next)
		last = last->next;
	pthread_mutex_lock(&q->lock);
	open = !q->closed;
	if (open) {
		if (q->first)
			q->last->next = first;
		else
			q->first = first;
		q->last = last;
	}
	rouse(q);
	return open;
}

/* With the lock held. */
static struct link *empty(struct queue *q)
{
	struct link *all = q->first;

	q->first = q->last = NULL;
	q->woken = false;
	return all;
}

/* With the lock held. False when the time is over. */
static bool sleep_until(struct queue *q, const struct timespec *until)
{
	int result;

	q->asleep = true;
	result = until ? pthread_cond_timedwait(&q->filled, &q->lock, until)
		       : pthread_cond_wait(&q->filled, &q->lock);
	q->asleep = false;
	return result != ETIMEDOUT;
}

struct link *queue_take(struct queue *q, int64_t timeout_ms)
{
	struct timespec until = { 0 };
	struct link *all;
	bool in_time = timeout_ms != 0;

	if (timeout_ms > 0) until = clock_mono_after(timeout_ms);
	pthread_mutex_lock(&q->lock);
	while (!q->first && !q->woken && !q->closed && in_time)
		in_time = sleep_until(q, timeout_ms > 0 ? &until : NULL);
	all = empty(q);
	pthread_mutex_unlock(&q->lock);
	return all;
}

void queue_wake(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->woken = true;
	rouse(q);
}

void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	rouse(q);
}

bool queue_idle(struct queue *q)
{
	bool idle;

	pthread_mutex_lock(&q->lock);
	idle = !q->first && !q->closed && q->asleep;
	pthread_mutex_unlock(&q->lock);
	return idle;
}

bool queue_closed(struct queue *q)
{
	bool closed;

	pthread_mutex_lock(&q->lock);
	closed = q->closed;
	pthread_mutex_unlock(&q->lock);
	return closed;
}
