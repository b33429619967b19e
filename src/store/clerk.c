/* clerk.c - the thread around batches. What a batch is, is in batch.c. */
#include "store/clerk.h"

#include "store/batch.h"
#include "store/credential.h"
#include "store/fast/syncer.h"

#include "base/clock.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdatomic.h>

/* A smaller batch waits for its sync by itself, when there is nothing else to do: the change of
 * threads would cost more than it saves. */
enum { AHEAD_FROM = 24 };

/* A batch that is no more than this part of the jobs whose sync is owed waits for others. */
enum { GATHER_PART = 16 };

enum { REST_MS = 2000 };

struct clerk {
	struct batch batch;
	struct queue *queue;
	pthread_mutex_t work; /* held by whoever works with the batch */
	pthread_t thread;
	bool started;
	const struct clerk_hooks *hooks;
	char *url;
};

void clerk_job_refuse(struct job *job, const struct fault *why)
{
	static const struct fault short_of_it = { ERR_MEMORY, "out of memory" };
	struct fault *kept = ARENA_NEW(&job->arena, struct fault);

	if (kept) *kept = *why;
	job->refused = kept ? kept : &short_of_it;
}

struct clerk *clerk_new(const struct clerk_options *o, struct fault *why)
{
	struct clerk *c = mem_alloc(sizeof *c);

	if (!c) return no_memory(why);
	pthread_mutex_init(&c->work, NULL);
	c->queue = queue_new();
	c->url = mem_copy(o->url.at, o->url.len);
	c->hooks = o->hooks;
	c->batch.url = str_of(c->url);
	c->batch.mode = o->mode;
	c->batch.hooks = o->hooks;
	if (o->db) c->batch.options = *o->db;
	c->batch.rows.clerk = o->index;
	if (o->seed) ids_seed(&c->batch.ids, o->seed);
	if (!c->queue || !c->url)
		fail_memory(why);
	else if (batch_open(&c->batch, why) == OK)
		return c;
	return clerk_free(c);
}

struct clerk *clerk_free(struct clerk *c)
{
	if (!c) return NULL;
	batch_done(&c->batch);
	queue_free(c->queue);
	pthread_mutex_destroy(&c->work);
	mem_free(c->url);
	mem_free(c);
	return NULL;
}

struct db *clerk_db(struct clerk *c)
{
	return batch_reach(&c->batch, NULL) ? NULL : c->batch.db;
}

int64_t clerk_now_ms(struct clerk *c)
{
	struct db *db = c->batch.db;
	int64_t now_ms = clock_now_ms();

	if (db) db->driver->now_ms(db, &now_ms);
	return now_ms;
}

bool clerk_put(struct clerk *c, struct job *job)
{
	return queue_put(c->queue, &job->link);
}

bool clerk_put_all(struct clerk *c, struct link *jobs)
{
	return queue_put_all(c->queue, jobs);
}

/* Are there commits of it that are not synced yet? */
static bool batch_owing(const struct batch *b)
{
	return b->syncer && syncer_busy(b->syncer);
}

bool clerk_try(struct clerk *c, struct job *job)
{
	bool mine = c->started && pthread_mutex_trylock(&c->work) == 0;
	bool quick = mine && queue_idle(c->queue) && c->batch.db &&
		     db_is_quick(c->batch.db) && !batch_owing(&c->batch);

	if (quick) clerk_work(c, &job->link);
	if (mine) pthread_mutex_unlock(&c->work);
	return quick;
}

void clerk_wake(struct clerk *c)
{
	queue_wake(c->queue);
}

void clerk_work(struct clerk *c, struct link *jobs)
{
	struct job *list[BATCH_MAX];

	while (jobs) {
		size_t len = 0;

		while (jobs && len < BATCH_MAX) {
			list[len++] = LINK_OF(jobs, struct job, link);
			jobs = jobs->next;
		}
		if (c->batch.mode == DB_READ)
			batch_read(&c->batch, list, len);
		else
			batch_write(
				&c->batch, &(struct batch_jobs){ list, len, BATCH_MAX });
	}
}

static bool goes_ahead(struct clerk *c, size_t len, bool more)
{
	int from = c->batch.options.ahead_from ? c->batch.options.ahead_from : AHEAD_FROM;

	return more || (int)len >= from || batch_owing(&c->batch);
}

/* A sync that is over before as many jobs could be decided is waited for: that is little time,
 * and what comes meanwhile is one commit, not several. */
static bool ahead_pays(struct clerk *c, size_t len)
{
	struct batch *b = &c->batch;

	if (b->options.ahead_from) return true;
	return b->db && b->db->driver->sync_ns(b->db) > b->job_ns * (int64_t)len;
}

/* Works the jobs of the queue. No thread blocks until they are done, so a sync may be owed. */
static void clerk_work_ahead(struct clerk *c, struct link *jobs)
{
	struct job *list[OWED_JOBS];
	struct link **end = &jobs;
	size_t all = 0;
	bool pays;

	for (; *end; end = &(*end)->next)
		all++;
	pays = ahead_pays(c, all);
	/* A job or two beside a sync that is under way would be synced after it anyway. */
	if (!pays || all * GATHER_PART <= syncer_jobs(c->batch.syncer)) {
		syncer_drain(c->batch.syncer);
		batch_take_back(&c->batch);
		*end = queue_take(c->queue, 0);
	}
	if (!pays) {
		clerk_work(c, jobs);
		return;
	}
	while (jobs) {
		size_t len = 0;

		while (jobs && len < OWED_JOBS) {
			list[len++] = LINK_OF(jobs, struct job, link);
			jobs = jobs->next;
		}
		if (goes_ahead(c, len, jobs))
			batch_write_ahead(&c->batch, list, len);
		else
			batch_write(&c->batch, &(struct batch_jobs){ list, len, len });
	}
}

void clerk_gather(struct clerk *c, more_fn *more, void *ctx)
{
	c->batch.more = more;
	c->batch.more_ctx = ctx;
}

void clerk_workspaces(struct clerk *c, struct job **jobs, int64_t *ws, size_t len)
{
	struct db *db = clerk_db(c);
	struct arena arena = { 0 };

	memset(ws, 0, len * sizeof *ws);
	if (db) credentials_workspaces(db, jobs, ws, len, &arena);
	arena_done(&arena);
}

/* A reader that had nothing to do for a while. */
static void clerk_rest(struct clerk *c)
{
	struct db *db = c->batch.db;

	if (db && db->driver->rest) db->driver->rest(db);
	arena_tidy();
	mem_tidy();
}

static int64_t clerk_nap(const struct clerk *c, bool rested)
{
	if (c->batch.mode == DB_READ) return rested ? -1 : REST_MS;
	return c->hooks && c->hooks->nap_ms ? c->hooks->nap_ms(c->hooks->ctx) : -1;
}

static void *clerk_main(void *ctx)
{
	struct clerk *c = ctx;
	bool rested = true;

	pthread_mutex_lock(&c->work);
	for (;;) {
		int64_t nap = clerk_nap(c, rested);
		struct link *jobs;

		pthread_mutex_unlock(&c->work);
		jobs = queue_take(c->queue, nap);
		if (!jobs && queue_closed(c->queue)) return NULL;
		pthread_mutex_lock(&c->work);
		if (c->batch.mode == DB_READ) {
			if (jobs)
				clerk_work(c, jobs);
			else
				clerk_rest(c);
			rested = !jobs;
			continue;
		}
		batch_take_back(&c->batch);
		if (jobs && c->batch.syncer)
			clerk_work_ahead(c, jobs);
		else if (jobs)
			clerk_work(c, jobs);
	}
}

static void owed_done(void *ctx, const struct owed *o)
{
	batch_durable(ctx, o);
}

static void owed_failed(void *ctx)
{
	clerk_wake(LINK_OF(ctx, struct clerk, batch));
}

static enum err clerk_start_syncer(struct clerk *c, struct fault *why)
{
	const struct db_driver *driver = c->batch.db->driver;
	const struct syncer_hooks hooks = { &c->batch, driver->sync, owed_done,
		owed_failed };

	if (c->batch.mode != DB_WRITE || !driver->sync_later) return OK;
	c->batch.syncer = syncer_new(&hooks, why);
	return c->batch.syncer ? OK : ERR_UNAVAILABLE;
}

void clerk_reads_after(struct clerk *reader, struct clerk *writer)
{
	reader->batch.syncer = writer->batch.syncer;
}

void clerk_await(struct clerk *c)
{
	if (c->batch.syncer) syncer_await(c->batch.syncer);
}

enum err clerk_start(struct clerk *c, struct fault *why)
{
	if (clerk_start_syncer(c, why)) return ERR_UNAVAILABLE;
	if (pthread_create(&c->thread, NULL, clerk_main, c) != 0)
		return fail(why, ERR_UNAVAILABLE, "cannot start a thread");
	pthread_setname_np(c->thread, c->batch.mode == DB_WRITE ? "writer" : "reader");
	c->started = true;
	return OK;
}

void clerk_stop(struct clerk *c)
{
	if (!c) return;
	queue_close(c->queue);
	if (c->started) pthread_join(c->thread, NULL);
	c->started = false;
	if (c->batch.mode != DB_WRITE || !c->batch.syncer) return;
	syncer_drain(c->batch.syncer);
	batch_take_back(&c->batch);
	c->batch.syncer = syncer_free(c->batch.syncer);
}
