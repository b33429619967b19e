/* desk.c - puts the desk together: clerks, limits, deadlines. */
#include "desk/policy/policy_snapshot.h"
#include "desk/reactions.h"
#include "desk/shared/inner.h"

#include "base/clock.h"
#include "base/mem.h"
#include "store/migrate.h"

#include <semaphore.h>

enum { LOOK_MS = 1000 };

/* On whichever thread hears of it. */
static void desk_heard(void *ctx, struct committed *told)
{
	struct desk *d = ctx;

	pthread_mutex_lock(&d->listeners);
	if (d->told) d->told(d->told_ctx, told);
	pthread_mutex_unlock(&d->listeners);
	if (told && told->elsewhere) transient_elsewhere(d, told);
}

static bool desk_revoked(void *ctx, int64_t ws)
{
	struct desk *d = ctx;
	bool said;

	pthread_mutex_lock(&d->listeners);
	said = !d->revoked || d->revoked(d->told_ctx, ws);
	pthread_mutex_unlock(&d->listeners);
	return said;
}

static void desk_back(void *ctx, int64_t ws, int64_t told, int64_t end)
{
	struct desk *d = ctx;

	pthread_mutex_lock(&d->listeners);
	if (d->back) d->back(d->told_ctx, ws, end);
	pthread_mutex_unlock(&d->listeners);
	told_marks_back(&d->told_marks, ws, told, end);
}

static void deadline_forget(struct desk *d)
{
	pthread_mutex_lock(&d->deadlines);
	d->deadline_known = false;
	pthread_mutex_unlock(&d->deadlines);
}

/* True: it is the next, and whoever fires it may sleep for longer than that. */
static bool deadline_set(struct desk *d, int64_t at_ms)
{
	bool nearer;

	pthread_mutex_lock(&d->deadlines);
	nearer = !d->next_deadline_ms || at_ms < d->next_deadline_ms;
	if (nearer) d->next_deadline_ms = at_ms;
	if (d->deadline_looking && (!d->deadline_set_ms || at_ms < d->deadline_set_ms))
		d->deadline_set_ms = at_ms;
	pthread_mutex_unlock(&d->deadlines);
	return nearer;
}

static void desk_told(void *ctx, struct committed *told)
{
	struct desk *d = ctx;

	if (!told) { /* there may be asks, and runs, that nobody was told of */
		deadline_forget(d);
		run_wake(d);
	}
	if (d->peers)
		peers_pass(d->peers, told);
	else
		desk_heard(d, told);
}

static void desk_unreached(void *ctx, const struct fault *why)
{
	struct desk *d = ctx;

	atomic_store(&d->reached, why == NULL);
}

void desk_wake(struct desk *d)
{
	if (d->shards)
		writer_shards_wake(d->shards);
	else if (d->threads)
		clerk_wake(d->writer);
}

static void desk_committed(void *ctx, const struct rows *rows)
{
	struct desk *d = ctx;

	counts_commit(&d->counts, rows);
	run_counts_commit(&d->run_counts, rows);
	if (rows->so_far.delivers || rows->so_far.delivers_ms)
		delivery_wake(d, rows->so_far.delivers ? 0 : rows->so_far.delivers_ms);
	if (rows->so_far.next_deadline_ms &&
		deadline_set(d, rows->so_far.next_deadline_ms))
		desk_wake(d);
	if (rows->so_far.runs || rows->so_far.queued) run_wake(d);
	if (rows->so_far.held) gateway_wake(d);
}

/* A job that wants more memory than it may have says nothing of the store. */
static void desk_trouble(void *ctx, const struct fault *why)
{
	struct desk *d = ctx;

	atomic_store(
		&d->ready, !why || why->err == ERR_INTERNAL || why->err == ERR_MEMORY);
}

/* ---- deadlines ---- */

static enum err deadline_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	*(int64_t *)ctx = row_int(row, 0);
	return OK;
}

/* Other clerks may set a deadline while the store is asked: keep the earlier one. */
static void deadline_look(struct desk *d)
{
	struct db *db = clerk_db(d->writer);
	int64_t next = 0;
	bool known;

	pthread_mutex_lock(&d->deadlines);
	d->deadline_looking = true;
	d->deadline_set_ms = 0;
	pthread_mutex_unlock(&d->deadlines);
	known = db && !db_one(db, SQL_DEADLINE_NEXT, ARGS(SESSION_HEARD_MS), deadline_row,
			      &next, NULL);
	pthread_mutex_lock(&d->deadlines);
	d->deadline_looking = false;
	if (known) {
		if (d->deadline_set_ms && (!next || d->deadline_set_ms < next))
			next = d->deadline_set_ms;
		d->next_deadline_ms = next;
		d->deadline_known = true;
		d->deadline_look_ms = clock_mono_ms();
	}
	pthread_mutex_unlock(&d->deadlines);
}

/* The next one; 0: none; -1: not known. */
static int64_t deadline_next(struct desk *d)
{
	int64_t next;

	pthread_mutex_lock(&d->deadlines);
	next = d->deadline_known ? d->next_deadline_ms : -1;
	pthread_mutex_unlock(&d->deadlines);
	return next;
}

static void expire_done(struct job *job)
{
	struct task *t = task_of(job);

	t->desk->expire_out = false;
	deadline_forget(t->desk);
	arena_done(&job->arena);
}

/* True: some were due and are settled. */
static bool desk_expire_due(struct desk *d)
{
	struct desk_counts before, after;

	counts_read(&d->counts, 0, &before);

	d->expire_out = true;
	d->expire.desk = d;
	d->expire.job.kind = &use_expire.job;
	d->expire.job.done = expire_done;
	d->expire.job.link.next = NULL;
	clerk_work(d->writer, &d->expire.job.link);
	counts_read(&d->counts, 0, &after);
	return d->expire.job.err == OK && after.expiries > before.expiries;
}

/* The wall clock may jump, so that no sleep before a deadline is longer than a second.
 * Nor is it when other nodes set deadlines, and may be gone when these come. */
int64_t desk_deadlines(struct desk *d)
{
	int64_t next, left_ms;
	bool moved;

	if (d->peers && clock_mono_ms() - d->deadline_look_ms >= LOOK_MS)
		deadline_forget(d);
	if (deadline_next(d) < 0) deadline_look(d);
	next = deadline_next(d);
	if (next < 0) return LOOK_MS;
	if (!next) return d->peers ? LOOK_MS : -1;
	left_ms = next - clerk_now_ms(d->writer);
	if (left_ms > 0) return left_ms < LOOK_MS ? left_ms : LOOK_MS;
	moved = desk_expire_due(d);
	deadline_look(d);
	/* Nothing moved: the store is in trouble; do not spin. */
	return moved || deadline_next(d) != next ? 0 : LOOK_MS;
}

static int64_t desk_nap(void *ctx)
{
	int64_t nap, due;

	do {
		due = fetched_due(ctx);
		if (due == 0) fetched_flush(ctx);
		nap = desk_deadlines(ctx);
	} while (nap == 0 || due == 0);
	return due > 0 && (nap < 0 || due < nap) ? due : nap;
}

/* ---- opening ---- */

static enum err desk_clerks(
	struct desk *d, const struct desk_settings *set, struct fault *why)
{
	struct clerk_options o = { d->set.store, set->db, DB_WRITE, &d->hooks,
		set->seed };
	enum err e;

	d->writer = d->writers[0] = clerk_new(&o, why);
	if (!d->writer) return why->err;
	e = schema_migrate(clerk_db(d->writer), why);
	if (!e && !set->alone)
		e = told_marks_open(
			&d->told_marks, d->set.data, clerk_db(d->writer), why);
	if (e || set->alone) return e;
	if (store_url_is_shared(d->set.store) && !set->one_writer) {
		for (o.index = 1; o.index < WRITERS; o.index++) {
			d->writers[o.index] = clerk_new(&o, why);
			if (!d->writers[o.index]) return why->err;
		}
		d->shards = writer_shards_new(d->writers, WRITERS, &d->hooks, why);
		if (!d->shards) return why->err;
	}
	o.mode = DB_READ;
	o.hooks = NULL;
	d->reader = clerk_new(&o, why);
	d->slow_reader = d->reader ? clerk_new(&o, why) : NULL;
	if (!d->slow_reader) return why->err;
	d->threads = true;
	if (!store_url_is_shared(d->set.store)) return OK;
	d->peers = peers_new(d->set.store,
		&(struct peers_hooks){ d, desk_heard, desk_revoked, desk_unreached,
			transient_from_peer, desk_back },
		why);
	return d->peers ? OK : why->err;
}

static enum err desk_start(struct desk *d, struct fault *why)
{
	enum err e;

	if (!d->threads) return OK;
	e = d->shards ? writer_shards_start(d->shards, why) : clerk_start(d->writer, why);
	if (e) return e;
	clerk_reads_after(d->reader, d->writer);
	clerk_reads_after(d->slow_reader, d->writer);
	e = clerk_start(d->reader, why);
	if (!e) e = clerk_start(d->slow_reader, why);
	if (!e && d->peers) e = peers_start(d->peers, why);
	return e;
}

void desk_set(struct desk *d, const struct desk_settings *set)
{
	atomic_store(&d->timeout_min_ms, set->set.timeout_min_ms);
	atomic_store(&d->timeout_max_ms, set->set.timeout_max_ms);
	atomic_store(&d->ask_rate, set->set.ask_rate);
	atomic_store(&d->session_open, set->set.session_open);
	atomic_store(&d->session_rate, set->set.session_rate);
	atomic_store(&d->configured, set->configured);
}

static char *desk_text(struct str s)
{
	return mem_copy(s.at, s.len);
}

struct desk *desk_open(const struct desk_settings *set, struct fault *why)
{
	struct desk *d = mem_alloc(sizeof *d);
	struct fault mine = { 0 };

	if (!why) why = &mine;
	if (!d) {
		fail_memory(why);
		return NULL;
	}
	d->set = set->set;
	d->opened_ms = clock_mono_ms();
	if (!d->set.notify_rate) d->set.notify_rate = NOTIFY_RATE;
	d->url = desk_text(set->url);
	d->resumers = desk_text(set->resumers);
	d->configured = set->configured;
	d->verifiers = desk_text(set->verifiers);
	d->channels = desk_text(set->channels);
	d->commands = desk_text(set->commands);
	d->test_tools = set->test_tools;
	d->hooks = (struct clerk_hooks){ d, desk_told, desk_nap, desk_committed,
		desk_trouble, reactions_need, reactions_run, run_claim_along };
	atomic_store(&d->ready, true);
	atomic_store(&d->reached, true);
	desk_set(d, set);
	pthread_mutex_init(&d->listeners, NULL);
	pthread_mutex_init(&d->rate_lock, NULL);
	pthread_mutex_init(&d->deadlines, NULL);
	pthread_mutex_init(&d->hints.lock, NULL);
	counts_init(&d->counts);
	run_counts_init(&d->run_counts);
	tallies_init(&d->tallies);
	told_marks_init(&d->told_marks);
	pthread_mutex_init(&d->fetched.lock, NULL);
	forecasts_init(&d->forecasts);
	if (!d->url || !d->resumers || !d->verifiers || !d->channels || !d->commands)
		fail_memory(why);
	else if (desk_clerks(d, set, why) == OK && desk_start(d, why) == OK)
		return d;
	return desk_close(d);
}

struct desk *desk_close(struct desk *d)
{
	if (!d) return NULL;
	clerk_stop(d->slow_reader);
	clerk_stop(d->reader);
	clerk_stop(d->writer);
	writer_shards_stop(d->shards);
	d->peers = peers_free(d->peers);
	clerk_free(d->slow_reader);
	clerk_free(d->reader);
	writer_shards_free(d->shards);
	for (int i = 0; i < WRITERS; i++)
		clerk_free(d->writers[i]);
	rate_done(&d->rate);
	pthread_mutex_destroy(&d->rate_lock);
	pthread_mutex_destroy(&d->deadlines);
	snapshots_done(d);
	mem_free(d->url);
	mem_free(d->resumers);
	mem_free(d->verifiers);
	mem_free(d->channels);
	mem_free(d->commands);
	for (int i = 0; i < WRITERS; i++)
		arena_done(&d->routes[i].arena);
	pthread_mutex_destroy(&d->listeners);
	transient_done(d);
	counts_done(&d->counts);
	run_counts_done(&d->run_counts);
	tallies_done(&d->tallies);
	told_marks_done(&d->told_marks);
	pthread_mutex_destroy(&d->fetched.lock);
	forecasts_done(&d->forecasts);
	mem_free(d);
	return NULL;
}

void desk_listen(struct desk *d, desk_told_fn *told, desk_revoked_fn *revoked,
	desk_back_fn *back, void *ctx)
{
	pthread_mutex_lock(&d->listeners);
	d->told = told;
	d->revoked = revoked;
	d->back = back;
	d->told_ctx = ctx;
	pthread_mutex_unlock(&d->listeners);
}

bool desk_synced(const struct desk *d)
{
	return !d->peers || peers_synced(d->peers);
}

bool desk_is_shared(const struct desk *d)
{
	return d->peers != NULL;
}

bool desk_ready(struct desk *d)
{
	return atomic_load(&d->ready) && atomic_load(&d->reached);
}

void desk_counts(struct desk *d, int64_t ws, struct desk_counts *out)
{
	counts_read(&d->counts, ws, out);
}

/* ---- tasks ---- */

/* What is wrong with a request is told by the clerk, once it knows who asks. */
static void task_check(struct desk *d, const struct use *use, struct task *t)
{
	struct fault why = { 0 };

	t->desk = d;
	t->job.kind = &use->job;
	t->job.link.next = NULL;
	/* Without `again` the key could not be answered, so it is not kept. */
	if (!use->job.again) t->job.key = STR_NONE;
	if (!use->check || t->job.refused) return;
	if (!use->check(t, &why) && t->job.arena.failed) fail_memory(&why);
	if (why.err) clerk_job_refuse(&t->job, &why);
}

static void task_refuse(struct task *t)
{
	t->job.err = fail(&t->job.why, ERR_UNAVAILABLE, "the server is stopping");
	t->job.why.retry_after_s = 1;
	t->job.done(&t->job);
}

/* Checks it, and says whose it is. */
static struct clerk *task_clerk(struct desk *d, const struct use *use, struct task *t)
{
	task_check(d, use, t);
	/* A writing use case that is refused already has nothing to write. */
	if (t->job.refused && !(use->job.flags & JOB_LATE) && d->threads)
		return d->reader;
	if (!use->job.read || !d->threads) return d->writer;
	return use->job.flags & JOB_SLOW ? d->slow_reader : d->reader;
}

static void alone_done(struct job *job)
{
	(void)job;
}

void desk_read_alone(struct desk *d, const struct use *use, struct task *t)
{
	const struct db_options patient = { .patient = true };
	const struct clerk_options o = { d->set.store, &patient, DB_READ, NULL, 0 };

	task_check(d, use, t);
	t->job.done = alone_done;
	t->alone = clerk_new(&o, &t->job.why);
	t->job.err = t->alone ? OK : t->job.why.err;
	if (!t->alone) return;
	clerk_reads_after(t->alone, d->writer);
	clerk_work(t->alone, &t->job.link);
	t->alone = clerk_free(t->alone);
}

/* One that writes goes to its lane, where there are some. */
static bool task_put(struct desk *d, struct clerk *c, struct task *t)
{
	return d->shards && c == d->writer ? writer_shards_put(d->shards, &t->job.link)
					   : clerk_put(c, &t->job);
}

void desk_put(struct desk *d, const struct use *use, struct task *t)
{
	if (!task_put(d, task_clerk(d, use, t), t)) task_refuse(t);
}

void desk_put_in_turn(
	struct desk *d, struct turn *turn, const struct use *use, struct task *t)
{
	struct clerk *c = task_clerk(d, use, t);

	if (c != d->writer || d->shards) {
		if (!task_put(d, c, t)) task_refuse(t);
		return;
	}
	if (turn->first)
		turn->last->next = &t->job.link;
	else
		turn->first = &t->job.link;
	turn->last = &t->job.link;
}

void desk_end_turn(struct desk *d, struct turn *turn, bool lone)
{
	struct link *job = turn->first;

	*turn = (struct turn){ 0 };
	if (!job) return;
	lone = lone && !job->next &&
	       (LINK_OF(job, struct job, link)->kind->flags & JOB_BRIEF);
	if (lone && clerk_try(d->writer, LINK_OF(job, struct job, link))) return;
	if (clerk_put_all(d->writer, job)) return;
	while (job) {
		struct link *next = job->next;

		task_refuse(task_of(LINK_OF(job, struct job, link)));
		job = next;
	}
}

void desk_do(struct desk *d, const struct use *use, struct task *t)
{
	task_check(d, use, t);
	clerk_work(d->writer, &t->job.link);
}

void desk_do_many(struct desk *d, const struct use *const *uses,
	struct task *const *tasks, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		task_check(d, uses[i], tasks[i]);
		if (i) tasks[i - 1]->job.link.next = &tasks[i]->job.link;
	}
	if (len) clerk_work(d->writer, &tasks[0]->job.link);
}

bool desk_set_url(struct desk *d, struct str url)
{
	char *copy = desk_text(url);

	if (!copy) return false;
	mem_free(d->url);
	d->url = copy;
	return true;
}

static void wait_done(struct job *job)
{
	sem_post(job->ctx);
}

void desk_wait(struct desk *d, const struct use *use, struct task *t)
{
	sem_t done;

	sem_init(&done, 0, 0);
	t->job.ctx = &done;
	t->job.done = wait_done;
	desk_put(d, use, t);
	while (sem_wait(&done) != 0)
		continue;
	sem_destroy(&done);
}
