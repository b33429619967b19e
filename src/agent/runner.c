/* runner.c - the dispatcher, which claims runs and looks after their leases, and the threads that
 * work on them.
 *
 * 1. A run is claimed before it is worked on, and what a worker reports carries the lease.
 * 2. A run that was taken away (cancelled, deleted, lost) is given up at once: its model call is
 *    cut, and whatever it still reports is refused.
 * 3. Threads are made when they are first needed, and no more than runs_max.
 * 4. A run that is queued here while a thread is idle is claimed in the very commit that queues
 *    it, and handed to that thread by whoever commits. The dispatcher claims everything else.
 * 5. Such a thread begins while that commit is written and synced: it makes its request and
 *    connects. It sends nothing and tells nobody before the commit is durable (worker_kept).
 * Prefix: worker_. */
#include "agent/inner.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	STACK_SIZE = 256 * 1024,
	LOOK_MS = 1000,	  /* at leases, and at what other nodes queued */
	TROUBLE_MS = 500, /* before the store is asked again */
	KEPT_BLOCKS = 4,  /* of memory, by each thread: there may be many */
};

static void claimed_drop(struct claimed_runs *c)
{
	if (!c || atomic_fetch_sub(&c->refs, 1) > 1) return;
	task_empty(&c->task);
	mem_free(c);
}

/* ---- workers ---- */

bool worker_told(struct worker *w)
{
	return atomic_load(&w->told);
}

bool worker_kept(struct worker *w)
{
	pthread_mutex_t *lock = &w->runner->lock;

	if (atomic_load(&w->claim) == CLAIM_EARLY) {
		pthread_mutex_lock(lock);
		while (atomic_load(&w->claim) == CLAIM_EARLY)
			pthread_cond_wait(&w->go, lock);
		pthread_mutex_unlock(lock);
	}
	return atomic_load(&w->claim) == CLAIM_KEPT;
}

bool worker_sleep(struct worker *w, int64_t ms)
{
	struct pollfd p = { .fd = w->stop_fd, .events = POLLIN };

	return poll(&p, 1, (int)ms) == 0;
}

void worker_forget(struct worker *w)
{
	arena_done(&w->setup.arena);
	w->setup = (struct run_setup){ 0 };
	w->known = (struct run_known){ 0 };
}

struct task *worker_task(struct worker *w)
{
	struct task *t = &w->tasks[w->at];

	w->at ^= 1;
	task_empty(t);
	return t;
}

bool worker_failed(const struct task *t)
{
	switch (t->job.err) {
	case OK:
	case ERR_CONFLICT:
	case ERR_NOT_FOUND:
	case ERR_UNKNOWN:
	case ERR_UNAVAILABLE:
	case ERR_BUSY:
	case ERR_MEMORY: return false;
	default: return true;
	}
}

bool worker_tell_again(
	struct worker *w, const struct use *use, struct task *t, void *what, bool *again)
{
	if (!worker_kept(w)) return false;
	for (;;) {
		t->checked = what;
		desk_wait(w->runner->desk, use, t);
		if (!t->job.err) return true;
		if (t->job.err == ERR_CONFLICT || t->job.err == ERR_NOT_FOUND)
			return false;
		/* A commit whose outcome is unknown may be there: the lease decides, and the
		 * next look at the rows says what is to be done. */
		if (t->job.err == ERR_UNKNOWN && !again) return false;
		if (t->job.err == ERR_UNKNOWN) *again = true;
		if (worker_failed(t)) {
			log_line(LOG_ERROR, "run %s: %s", w->run, t->job.why.detail);
			return false;
		}
		if (!worker_sleep(w, TROUBLE_MS)) return false;
		buf_clear(&t->job.out);
	}
}

bool worker_tell(struct worker *w, const struct use *use, struct task *t, void *what)
{
	return worker_tell_again(w, use, t, what, NULL);
}

/* Works on a run until it rests. False: it was left in between. */
static bool worker_go(struct worker *w)
{
	struct run_work work = w->work, next;
	bool ours = true;

	while (ours && work.step != RUN_STEP_REST) {
		ours = transcript_take(w, &work) &&
		       (work.step == RUN_STEP_MODEL || worker_kept(w));
		work.key.known = &w->known;
		w->known.access = work.step == RUN_STEP_MODEL ? &work.access : NULL;
		next = (struct run_work){ .key = work.key };
		if (ours)
			ours = work.step == RUN_STEP_MODEL ? turn_run(w, &work, &next)
			       : work.step == RUN_STEP_LISTS
				       ? mcp_lists_read(w, &work, &next)
				       : call_run_all(w, &work, &next);
		if (ours && work.step == RUN_STEP_MODEL) lists_read(w, &work);
		ours = worker_kept(w) && ours;
		if (w->from) claimed_drop(w->from);
		w->from = NULL;
		work = next;
	}
	if (w->from) claimed_drop(w->from);
	w->from = NULL;
	task_empty(&w->tasks[0]);
	task_empty(&w->tasks[1]);
	transcript_clear(&w->transcript);
	buf_done(&w->body);
	worker_forget(w);
	w->sent = (struct sent_request){ 0 };
	w->listed = false;
	return ours;
}

static void stop_clear(struct worker *w)
{
	uint64_t n;

	while (read(w->stop_fd, &n, sizeof n) > 0)
		continue;
}

static void *worker_main(void *ctx)
{
	struct worker *w = ctx;
	struct runner *r = w->runner;
	bool rested;

	arena_keep_most(KEPT_BLOCKS);
	pthread_mutex_lock(&r->lock);
	while (!r->stopping || w->busy) {
		if (!w->busy) {
			pthread_cond_wait(&w->go, &r->lock);
			continue;
		}
		pthread_mutex_unlock(&r->lock);
		rested = worker_go(w) || !worker_kept(w);
		pthread_mutex_lock(&r->lock);
		r->stray |= !rested;
		w->busy = false;
		atomic_store(&w->told, false);
		stop_clear(w);
		w->run[0] = '\0';
		r->busy--;
		r->freed = true; /* another may begin */
		pthread_cond_signal(&r->wake);
	}
	pthread_mutex_unlock(&r->lock);
	w->fetcher = fetcher_free(w->fetcher);
	transcript_done(&w->transcript);
	return NULL;
}

/* Under the lock. NULL: there are as many as may be, or no memory. */
static struct worker *worker_new(struct runner *r)
{
	struct worker *w =
		r->workers_len < r->set.set.runs_max ? mem_alloc(sizeof *w) : NULL;
	pthread_attr_t attr;
	struct fault why = { 0 };

	if (!w) return NULL;
	w->runner = r;
	pthread_cond_init(&w->go, NULL);
	w->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->fetcher = w->stop_fd < 0 ? NULL : fetcher_new(&why);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	if (!w->fetcher || pthread_create(&w->thread, &attr, worker_main, w)) {
		fetcher_free(w->fetcher);
		if (w->stop_fd >= 0) close(w->stop_fd);
		pthread_cond_destroy(&w->go);
		mem_free(w);
		w = NULL;
	}
	pthread_attr_destroy(&attr);
	if (!w) return NULL;
	w->next = r->workers;
	r->workers = w;
	r->workers_len++;
	return w;
}

static struct worker *worker_idle(struct runner *r)
{
	struct worker *w = r->workers;

	while (w && w->busy)
		w = w->next;
	return w ? w : worker_new(r);
}

/* Under the lock. */
static void worker_give_up(struct worker *w)
{
	uint64_t one = 1;

	if (atomic_exchange(&w->told, true)) return;
	if (write(w->stop_fd, &one, sizeof one) < 0) return;
}

/* ---- the store ---- */

static enum err runner_tell(
	struct runner *r, const struct use *use, struct task *t, void *what)
{
	enum err e;

	t->checked = what;
	desk_wait(r->desk, use, t);
	e = t->job.err;
	if (e && !r->troubled)
		log_line(LOG_WARN, "runs cannot be claimed: %s", t->job.why.detail);
	if (!e && r->troubled) log_line(LOG_INFO, "runs can be claimed again");
	r->troubled = e != OK;
	return e;
}

/* Those that were taken away are given up; the leases of the others run on; what is held and not
 * worked on is queued again. */
static void runs_look(struct runner *r)
{
	struct task t = { 0 };
	struct run_renewal n = { .by = str_of(r->by) };
	struct arena arena = { 0 };
	struct run_key *keys;
	bool known;

	pthread_mutex_lock(&r->lock);
	keys = ARENA_ARRAY(&arena, struct run_key, (size_t)r->busy + 1);
	n.lost = arena_array(&arena, (size_t)r->busy + 1, sizeof *n.lost);
	for (struct worker *w = r->workers; w && !arena.failed; w = w->next)
		if (w->busy && (int64_t)n.len < r->busy)
			keys[n.len++] = (struct run_key){ w->ws,
				arena_str(&arena, str_of(w->run)), n.by, w->attempt };
	r->stray = false;
	pthread_mutex_unlock(&r->lock);
	n.runs = keys;
	known = !arena.failed && !runner_tell(r, &use_run_renew, &t, &n);
	pthread_mutex_lock(&r->lock);
	r->stray |= !known;
	for (size_t i = 0; known && i < n.len; i++)
		for (struct worker *w = r->workers; w; w = w->next)
			if (n.lost[i] && w->busy && w->attempt == keys[i].attempt &&
				str_is(keys[i].run, w->run))
				worker_give_up(w);
	pthread_mutex_unlock(&r->lock);
	task_empty(&t);
	arena_done(&arena);
}

/* Hands each run that has work to a thread. early: before its claim is committed. Under the
 * lock. */
static void runs_hand_out(struct runner *r, struct claimed_runs *c, bool early)
{
	for (size_t i = 0; i < c->claim.len; i++) {
		struct run_work *work = &c->claim.works[i];
		struct worker *w;

		if (work->step == RUN_STEP_REST) continue;
		w = worker_idle(r);
		if (!w) { /* it is queued again */
			r->stray = true;
			continue;
		}
		atomic_fetch_add(&c->refs, 1);
		w->from = c;
		w->work = *work;
		atomic_store(&w->claim, early ? CLAIM_EARLY : CLAIM_KEPT);
		w->ws = work->key.ws;
		w->attempt = work->key.attempt;
		snprintf(w->run, sizeof w->run, "%.*s", STR_ARGS(work->key.run));
		w->busy = true;
		r->busy++;
		pthread_cond_signal(&w->go);
	}
}

/* Until that moment, in ms; -1: never. */
static int64_t wait_until(int64_t next_ms)
{
	int64_t left = next_ms - clock_now_ms();

	return !next_ms ? -1 : left < 1 ? 1 : left;
}

/* Nobody here has queued anything: whether others have is looked at before a claim, which takes
 * the turn of all writers. False: there is nothing to claim before *wait has passed. */
static bool runs_wait(struct runner *r, int64_t *wait)
{
	struct lease_due first = { .by = str_of(r->by) };
	struct task t = { .checked = &first };
	enum err e;

	desk_wait(r->desk, &use_run_due, &t);
	e = t.job.err;
	task_empty(&t);
	*wait = wait_until(first.next_ms);
	return e || first.due; /* what is wrong, the claim finds out */
}

static struct claimed_runs *claim_new(struct runner *r, int64_t free, int64_t take)
{
	struct claimed_runs *c = mem_alloc(sizeof *c);

	if (!c) return NULL;
	atomic_store(&c->refs, 1);
	c->runner = r;
	c->claim = (struct run_claim){
		.by = str_of(r->by), .node = str_of(r->node), .free = free, .take = take
	};
	c->task.checked = &c->claim;
	return c;
}

/* When there may be more; 0: nothing waits. */
static int64_t runs_claim(struct runner *r, int64_t free)
{
	struct claimed_runs *c = claim_new(r, free, free);
	int64_t next_ms = clock_now_ms() + TROUBLE_MS;
	bool ok = c && !runner_tell(r, &use_run_claim, &c->task, &c->claim);

	pthread_mutex_lock(&r->lock);
	r->left = !ok || c->claim.left;
	if (ok) {
		runs_hand_out(r, c, false);
		next_ms = c->claim.next_ms;
	} else {
		r->stray = true; /* they may be claimed all the same */
	}
	pthread_mutex_unlock(&r->lock);
	claimed_drop(c);
	return next_ms;
}

/* ---- claims that go along ---- */

/* On the thread that commits: the runs' threads begin meanwhile. */
static void along_ahead(struct job *job)
{
	struct claimed_runs *c = job->ctx;

	pthread_mutex_lock(&c->runner->lock);
	runs_hand_out(c->runner, c, true);
	pthread_mutex_unlock(&c->runner->lock);
}

/* On the thread that committed, or synced. */
static void along_done(struct job *job)
{
	struct claimed_runs *c = job->ctx;
	struct runner *r = c->runner;

	pthread_mutex_lock(&r->lock);
	for (struct worker *w = r->workers; w; w = w->next)
		if (atomic_load(&w->claim) == CLAIM_EARLY) {
			atomic_store(&w->claim, job->err ? CLAIM_LOST : CLAIM_KEPT);
			pthread_cond_signal(&w->go);
		}
	if (job->err == ERR_UNKNOWN) r->stray = r->woken = true;
	r->along = NULL;
	if (r->dealing || r->endless || r->woken) pthread_cond_broadcast(&r->wake);
	pthread_mutex_unlock(&r->lock);
	claimed_drop(c);
}

/* For as many as have a thread that waits for work. */
static struct task *along_claim(void *ctx)
{
	struct runner *r = ctx;
	struct claimed_runs *c = NULL;
	int64_t idle, free;

	pthread_mutex_lock(&r->lock);
	idle = r->workers_len - r->busy;
	free = r->set.set.runs_max - r->busy;
	if (idle > 0 && free > 0 && !r->along && !r->dealing && !r->stopping)
		c = claim_new(r, free, idle < free ? idle : free);
	if (c) {
		c->claim.along = true;
		c->task.job.ahead = along_ahead;
		c->task.job.done = along_done;
		c->task.job.ctx = c;
		r->along = c;
	}
	pthread_mutex_unlock(&r->lock);
	return c ? &c->task : NULL;
}

/* Under the lock: from here on the dispatcher alone claims. */
static void runner_deal(struct runner *r)
{
	r->dealing = true;
	while (r->along)
		pthread_cond_wait(&r->wake, &r->lock);
}

/* ---- the dispatcher ---- */

/* Until it is woken, or so long has passed by either clock: the steady one stands still while a
 * laptop sleeps, and the other may be set. -1: until it is woken. */
static void runner_wait(struct runner *r, int64_t ms)
{
	int64_t end_ms = clock_mono_ms() + ms, due_ms = clock_now_ms() + ms;

	while (!r->woken && !r->freed && !r->stopping) {
		int64_t left_ms = end_ms - clock_mono_ms();
		struct timespec at;

		/* A claim went along: its lease is to be looked after. */
		if (r->busy && (ms < 0 || ms > LOOK_MS)) {
			runner_wait(r, LOOK_MS);
			return;
		}
		if (ms < 0) {
			r->endless = true;
			pthread_cond_wait(&r->wake, &r->lock);
			r->endless = false;
			continue;
		}
		if (left_ms <= 0 || clock_now_ms() >= due_ms) break;
		if (left_ms > LOOK_MS) left_ms = LOOK_MS;
		at = clock_mono_after(left_ms);
		pthread_cond_timedwait(&r->wake, &r->lock, &at);
	}
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < 0 ? b : b < 0 || a < b ? a : b;
}

static void runner_free_former(struct runner *r)
{
	struct run_yield y = { .by = str_of(r->by), .node = str_of(r->node) };
	struct task t = { 0 };

	runner_tell(r, &use_run_yield, &t, &y);
	if (y.count)
		log_line(LOG_INFO, "%lld runs of the process before go on",
			(long long)y.count);
	task_empty(&t);
}

static void *runner_main(void *ctx)
{
	struct runner *r = ctx;
	int64_t wait = 0, next_ms = 0, looked_ms = clock_mono_ms();

	runner_free_former(r);
	pthread_mutex_lock(&r->lock);
	while (!r->stopping) {
		int64_t free, busy;
		bool woken, stray, idle;

		if (!r->woken && !r->freed) runner_wait(r, wait);
		/* A thread came back, nothing waits for one, and no lease is to be looked
		 * at. */
		idle = r->freed && !r->woken && !r->left && !r->stray && !r->set.shared &&
		       !(r->busy && clock_mono_ms() - looked_ms >= LOOK_MS);
		if (idle && !r->stopping && !(next_ms && next_ms <= clock_now_ms())) {
			r->freed = false;
			wait = wait_until(next_ms);
			if (r->busy) wait = sooner(wait, LOOK_MS);
			continue;
		}
		runner_deal(r);
		woken = r->woken;
		r->woken = r->freed = false;
		free = r->set.set.runs_max - r->busy;
		busy = r->busy;
		stray = r->stray;
		r->left |= free <= 0;
		if (r->stopping) break;
		pthread_mutex_unlock(&r->lock);
		if (stray ||
			(busy && (woken || clock_mono_ms() - looked_ms >= LOOK_MS))) {
			runs_look(r);
			looked_ms = clock_mono_ms();
		}
		wait = -1;
		if (free > 0 &&
			(woken || r->troubled || !r->set.shared || runs_wait(r, &wait)))
			next_ms = runs_claim(r, free), wait = wait_until(next_ms);
		if (busy || r->set.shared) wait = sooner(wait, LOOK_MS);
		pthread_mutex_lock(&r->lock);
		r->dealing = false;
		if (r->busy || r->stray) wait = sooner(wait, LOOK_MS);
	}
	runner_deal(r);
	for (struct worker *w = r->workers; w; w = w->next) {
		if (w->busy) worker_give_up(w);
		pthread_cond_signal(&w->go);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* On the clerk's thread. */
static void runner_woken(void *ctx)
{
	struct runner *r = ctx;

	pthread_mutex_lock(&r->lock);
	r->woken = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->lock);
}

/* ---- the whole ---- */

struct runner *runner_new(
	struct desk *desk, const struct runner_settings *set, struct fault *why)
{
	struct runner *r = mem_alloc(sizeof *r);
	pthread_condattr_t attr;

	if (!r) {
		fail(why, ERR_MEMORY, "out of memory");
		return NULL;
	}
	r->desk = desk;
	r->set = *set;
	snprintf(r->node, sizeof r->node, "%.*s", STR_ARGS(set->node));
	snprintf(r->by, sizeof r->by, "%s/%d-%llx", r->node, (int)getpid(),
		(unsigned long long)random_u64(NULL));
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->wake, &attr);
	pthread_condattr_destroy(&attr);
	return r;
}

enum err runner_start(struct runner *r, struct fault *why)
{
	run_listen(r->desk, &(struct run_hooks){ r, runner_woken, along_claim });
	if (pthread_create(&r->thread, NULL, runner_main, r))
		return fail(why, ERR_UNAVAILABLE, "no thread for runs");
	r->started = true;
	return OK;
}

void runner_stop(struct runner *r)
{
	struct run_yield y = {
		.by = str_of(r->by), .node = str_of(r->node), .own = true
	};
	struct task t = { 0 };

	if (!r || !r->started) return;
	run_listen(r->desk, NULL);
	pthread_mutex_lock(&r->lock);
	r->stopping = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	for (struct worker *w = r->workers; w; w = w->next)
		pthread_join(w->thread, NULL);
	runner_tell(r, &use_run_yield, &t, &y);
	task_empty(&t);
	r->started = false;
}

struct runner *runner_free(struct runner *r)
{
	if (!r) return NULL;
	runner_stop(r);
	while (r->workers) {
		struct worker *w = r->workers;

		r->workers = w->next;
		pthread_cond_destroy(&w->go);
		close(w->stop_fd);
		mem_free(w);
	}
	learned_free(r);
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->wake);
	mem_free(r);
	return NULL;
}
