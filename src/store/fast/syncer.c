/* syncer.c - a queue of commits, a thread that syncs, and counters that reads wait on. */
#include "store/fast/syncer.h"

#include "base/mem.h"

#include <pthread.h>

struct syncer {
	struct syncer_hooks hooks;
	pthread_mutex_t lock;
	pthread_cond_t put; /* for the thread: there is something, or it is to end */
	/* For who waits: `durable` moved, or it failed, or is idle. */
	pthread_cond_t synced;
	struct owed *first, **end;
	uint64_t begun, durable; /* numbers of commits */
	bool working;		 /* at what it took from the queue */
	size_t jobs;		 /* that wait for their syncs */
	bool failed, ending;
	pthread_t thread;
};

/* With the lock held; returns with it. */
static void settle_all(struct syncer *s, struct owed *all)
{
	uint64_t last = 0;
	size_t jobs = 0;
	void *what = NULL;
	bool good;

	s->working = true;
	pthread_mutex_unlock(&s->lock);
	for (const struct owed *o = all; o; o = o->next)
		if (o->what) what = o->what;
	good = !what || s->hooks.sync(what);
	for (struct owed *o = all; good && o; o = o->next) {
		last = o->number;
		jobs += o->len;
		s->hooks.done(s->hooks.ctx, o);
	}
	while (good && all) {
		struct owed *o = all;

		all = o->next;
		mem_free(o);
	}
	pthread_mutex_lock(&s->lock);
	s->working = false;
	if (good) {
		s->durable = last;
		s->jobs -= jobs;
	} else {
		struct owed **end = &all;

		while (*end)
			end = &(*end)->next;
		*end = s->first;
		if (!s->first) s->end = end;
		s->first = all;
		s->failed = true;
	}
	pthread_cond_broadcast(&s->synced);
	if (!good) s->hooks.failed(s->hooks.ctx);
}

static void *syncer_main(void *ctx)
{
	struct syncer *s = ctx;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		while ((!s->first || s->failed) && !s->ending)
			pthread_cond_wait(&s->put, &s->lock);
		if (!s->first || s->failed) break;

		struct owed *all = s->first;

		s->first = NULL;
		s->end = &s->first;
		settle_all(s, all);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

struct syncer *syncer_new(const struct syncer_hooks *hooks, struct fault *why)
{
	struct syncer *s = mem_alloc(sizeof *s);

	if (!s) return no_memory(why);
	s->hooks = *hooks;
	s->end = &s->first;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->put, NULL);
	pthread_cond_init(&s->synced, NULL);
	if (pthread_create(&s->thread, NULL, syncer_main, s) == 0) {
		pthread_setname_np(s->thread, "syncer");
		return s;
	}
	fail(why, ERR_UNAVAILABLE, "cannot start a thread");
	mem_free(s);
	return NULL;
}

struct syncer *syncer_free(struct syncer *s)
{
	if (!s) return NULL;
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_signal(&s->put);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	pthread_cond_destroy(&s->put);
	pthread_cond_destroy(&s->synced);
	pthread_mutex_destroy(&s->lock);
	mem_free(s);
	return NULL;
}

struct owed *syncer_begin(struct syncer *s)
{
	struct owed *o = mem_grow(NULL, sizeof *o);

	if (!o) return NULL;
	o->next = NULL;
	o->what = NULL;
	o->len = 0;
	o->follower = NULL;
	o->told = NULL;
	o->tells = o->later = false;
	pthread_mutex_lock(&s->lock);
	o->number = ++s->begun;
	pthread_mutex_unlock(&s->lock);
	return o;
}

void syncer_put(struct syncer *s, struct owed *o)
{
	pthread_mutex_lock(&s->lock);
	*s->end = o;
	s->end = &o->next;
	s->jobs += o->len;
	pthread_cond_signal(&s->put);
	pthread_mutex_unlock(&s->lock);
}

bool syncer_busy(struct syncer *s)
{
	bool busy;

	pthread_mutex_lock(&s->lock);
	busy = s->first || s->working;
	pthread_mutex_unlock(&s->lock);
	return busy;
}

size_t syncer_jobs(struct syncer *s)
{
	size_t jobs;

	pthread_mutex_lock(&s->lock);
	jobs = s->jobs;
	pthread_mutex_unlock(&s->lock);
	return jobs;
}

void syncer_drain(struct syncer *s)
{
	pthread_mutex_lock(&s->lock);
	while ((s->first || s->working) && !s->failed)
		pthread_cond_wait(&s->synced, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

struct owed *syncer_take_back(struct syncer *s)
{
	struct owed *all = NULL;

	pthread_mutex_lock(&s->lock);
	if (s->failed) {
		all = s->first;
		s->first = NULL;
		s->end = &s->first;
		s->jobs = 0;
		s->durable = s->begun;
		s->failed = false;
		pthread_cond_broadcast(&s->synced);
	}
	pthread_mutex_unlock(&s->lock);
	return all;
}

void syncer_await(struct syncer *s)
{
	uint64_t seen;

	pthread_mutex_lock(&s->lock);
	seen = s->begun;
	while (s->durable < seen && !s->failed)
		pthread_cond_wait(&s->synced, &s->lock);
	pthread_mutex_unlock(&s->lock);
}
