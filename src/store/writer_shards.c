/* writer_shards.c - jobs by shard, and the threads that work them. */
#include "store/writer_shards.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/table.h"
#include "store/batch.h"
#include "store/credential.h"

#include <pthread.h>

enum { KNOWN_MAX = 4096 };

struct writer_shard {
	struct link *first, **end;
	bool busy; /* a clerk works at it */
};

struct lane_clerk {
	struct writer_shards *shards;
	struct clerk *clerk;
	pthread_t thread;
	bool first, started;
	struct writer_shard *at; /* the one it works at; NULL: none */
	int next; /* where it looks first, so that no lane is left waiting */
};

struct known {
	uint8_t hash[SHA256_SIZE];
	int64_t ws;
};

struct writer_shards {
	const struct clerk_hooks *hooks;
	struct lane_clerk *clerks;
	size_t len;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t news;
	struct writer_shard
		at[TURNS];  /* by turn; TURN_NONE: whose workspace is to be found out */
	struct table known; /* hash → struct known */
	bool closed, woken;
};

/* ---- whose lane it is ---- */

static void known_clear(struct writer_shards *l)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (table_next(&l->known, &at, &key, &value))
		mem_free(value);
	table_done(&l->known);
	l->known = (struct table){ 0 };
}

/* Remembers the workspace of a credential; without memory it is looked up again. */
static void known_put(struct writer_shards *l, const struct job *job, int64_t ws)
{
	struct known *k;

	if (l->known.len >= KNOWN_MAX) known_clear(l);
	if (table_get(&l->known, str_make((const char *)job->hash, SHA256_SIZE))) return;
	k = mem_alloc(sizeof *k);
	if (!k) return;
	memcpy(k->hash, job->hash, SHA256_SIZE);
	k->ws = ws;
	if (!table_put(&l->known, str_make((const char *)k->hash, SHA256_SIZE), k))
		mem_free(k);
}

static int lane_of(const struct writer_shards *l, const struct job *job)
{
	const struct known *k;

	if (!job->has_hash || (job->kind->flags & JOB_OPEN)) return TURN_ALL;
	k = table_get(&l->known, str_make((const char *)job->hash, SHA256_SIZE));
	return k ? turn_of(k->ws) : TURN_NONE;
}

static void lane_add(struct writer_shards *l, int lane, struct link *job)
{
	job->next = NULL;
	*l->at[lane].end = job;
	l->at[lane].end = &job->next;
}

bool writer_shards_put(struct writer_shards *l, struct link *jobs)
{
	bool open;

	pthread_mutex_lock(&l->lock);
	open = !l->closed;
	while (open && jobs) {
		struct link *next = jobs->next;

		lane_add(l, lane_of(l, LINK_OF(jobs, struct job, link)), jobs);
		jobs = next;
	}
	pthread_cond_broadcast(&l->news);
	pthread_mutex_unlock(&l->lock);
	return open;
}

/* ---- the clerks ---- */

static struct writer_shard *lane_take(
	struct writer_shards *l, struct lane_clerk *c, struct link **jobs)
{
	for (int i = 0; i < TURNS; i++) {
		int at = (c->next + i) % TURNS;
		struct writer_shard *lane = &l->at[at];

		if (!lane->first || lane->busy || (at == TURN_ALL && !c->first)) continue;
		c->next = at + 1;
		*jobs = lane->first;
		lane->first = NULL;
		lane->end = &lane->first;
		lane->busy = true;
		return lane;
	}
	return NULL;
}

/* Jobs of these credentials that were queued since the batch began. */
static size_t lane_more(
	void *ctx, const struct lookups *known, struct job **out, size_t max)
{
	struct lane_clerk *c = ctx;
	struct writer_shard *lane = c->at;
	struct link **at;
	size_t len = 0;

	if (!lane) return 0;
	pthread_mutex_lock(&c->shards->lock);
	at = &lane->first;
	while (*at && len < max) {
		struct job *job = LINK_OF(*at, struct job, link);

		if (credential_known(known, job)) {
			out[len++] = job;
			*at = job->link.next;
		} else {
			at = &job->link.next;
		}
	}
	if (!*at) lane->end = at;
	pthread_mutex_unlock(&c->shards->lock);
	return len;
}

/* Finds the workspace of new credentials. Unknown tokens may go to any lane: they are refused
 * there. */
static void lane_learn(struct writer_shards *l, struct lane_clerk *c, struct link *jobs)
{
	struct job *list[BATCH_MAX];
	int64_t ws[BATCH_MAX];

	while (jobs) {
		size_t len = 0;

		for (; jobs && len < BATCH_MAX; jobs = jobs->next)
			list[len++] = LINK_OF(jobs, struct job, link);
		clerk_workspaces(c->clerk, list, ws, len);
		pthread_mutex_lock(&l->lock);
		for (size_t i = 0; i < len; i++) {
			if (ws[i]) known_put(l, list[i], ws[i]);
			lane_add(l, ws[i] ? turn_of(ws[i]) : TURN_SHARD, &list[i]->link);
		}
		pthread_cond_broadcast(&l->news);
		pthread_mutex_unlock(&l->lock);
	}
}

static void news_wait(struct writer_shards *l, int64_t nap_ms)
{
	struct timespec t;

	if (nap_ms < 0) {
		pthread_cond_wait(&l->news, &l->lock);
		return;
	}
	t = clock_mono_after(nap_ms);
	pthread_cond_timedwait(&l->news, &l->lock, &t);
}

static void *lane_main(void *ctx)
{
	struct lane_clerk *c = ctx;
	struct writer_shards *l = c->shards;
	bool naps = c->first && l->hooks && l->hooks->nap_ms;

	for (;;) {
		int64_t nap = naps ? l->hooks->nap_ms(l->hooks->ctx) : -1;
		struct link *jobs = NULL;
		struct writer_shard *lane;
		bool over;

		pthread_mutex_lock(&l->lock);
		lane = lane_take(l, c, &jobs);
		if (!lane && !l->closed && !(c->first && l->woken)) {
			news_wait(l, nap);
			lane = lane_take(l, c, &jobs);
		}
		if (c->first) l->woken = false;
		over = l->closed && !lane;
		pthread_mutex_unlock(&l->lock);
		if (over) return NULL;
		if (!lane) continue;
		c->at = lane;
		if (lane == &l->at[TURN_NONE])
			lane_learn(l, c, jobs);
		else
			clerk_work(c->clerk, jobs);
		c->at = NULL;
		pthread_mutex_lock(&l->lock);
		lane->busy = false;
		if (lane->first) pthread_cond_broadcast(&l->news);
		pthread_mutex_unlock(&l->lock);
	}
}

/* ---- the whole ---- */

static void news_init(pthread_cond_t *news)
{
	pthread_condattr_t steady;

	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(news, &steady);
	pthread_condattr_destroy(&steady);
}

struct writer_shards *writer_shards_new(struct clerk *const *clerks, size_t len,
	const struct clerk_hooks *hooks, struct fault *why)
{
	struct writer_shards *l = mem_alloc(sizeof *l);
	struct lane_clerk *own = mem_alloc(len * sizeof *own);

	if (!l || !own) {
		mem_free(l);
		mem_free(own);
		return no_memory(why);
	}
	l->hooks = hooks;
	l->clerks = own;
	l->len = len;
	pthread_mutex_init(&l->lock, NULL);
	news_init(&l->news);
	for (int i = 0; i < TURNS; i++)
		l->at[i].end = &l->at[i].first;
	for (size_t i = 0; i < len; i++) {
		own[i] = (struct lane_clerk){
			.shards = l, .clerk = clerks[i], .first = i == 0
		};
		clerk_gather(clerks[i], lane_more, &own[i]);
	}
	return l;
}

enum err writer_shards_start(struct writer_shards *l, struct fault *why)
{
	for (size_t i = 0; i < l->len; i++) {
		struct lane_clerk *c = &l->clerks[i];

		if (pthread_create(&c->thread, NULL, lane_main, c) != 0)
			return fail(why, ERR_UNAVAILABLE, "cannot start a thread");
		pthread_setname_np(c->thread, "writer");
		c->started = true;
	}
	return OK;
}

void writer_shards_wake(struct writer_shards *l)
{
	pthread_mutex_lock(&l->lock);
	l->woken = true;
	pthread_cond_broadcast(&l->news);
	pthread_mutex_unlock(&l->lock);
}

void writer_shards_stop(struct writer_shards *l)
{
	if (!l) return;
	pthread_mutex_lock(&l->lock);
	l->closed = true;
	pthread_cond_broadcast(&l->news);
	pthread_mutex_unlock(&l->lock);
	for (size_t i = 0; i < l->len; i++) {
		if (l->clerks[i].started) pthread_join(l->clerks[i].thread, NULL);
		l->clerks[i].started = false;
	}
}

struct writer_shards *writer_shards_free(struct writer_shards *l)
{
	if (!l) return NULL;
	known_clear(l);
	pthread_cond_destroy(&l->news);
	pthread_mutex_destroy(&l->lock);
	mem_free(l->clerks);
	mem_free(l);
	return NULL;
}
