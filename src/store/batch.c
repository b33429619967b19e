/* batch.c - load, decide, write, commit, tell, hand back.
 *
 * 1. Nothing is told or handed back as done before COMMIT returned, and its sync, where that is
 * owed (syncer.h).
 * 2. A job that fails by its own decision is rolled back alone and disturbs no other.
 * 3. When the store fails, the jobs run one by one, so that each learns its own fate.
 * 4. A COMMIT whose outcome is unknown loses the connection: a new one recovers, readers
 * are told to look at the log, and the idempotency record tells who asks again. */
#include "store/batch.h"

#include "base/clock.h"
#include "base/mem.h"
#include "store/credential.h"
#include "store/fast/syncer.h"
#include "store/migrate.h"

#include <stdatomic.h>

enum { TRIES = 4, PAUSE_MAX_MS = 1000 };

static _Atomic uint64_t numbers; /* given to batches so far */

/* Closes the connection. Syncs that are owed come first: they need its file. */
static void batch_close(struct batch *b)
{
	if (b->syncer && b->mode == DB_WRITE) syncer_drain(b->syncer);
	fast_forget(&b->fast);
	b->db = db_close(b->db);
}

/* After a failure there is a pause before the next attempt: a store that does not answer
 * must not delay every batch. */
enum err batch_open(struct batch *b, struct fault *why)
{
	const struct db_driver *driver = store_url_driver(b->url);

	if (b->pause_ms && clock_mono_ms() < b->attempt_ms)
		return fail(why, ERR_UNAVAILABLE, "the store cannot be reached");
	batch_close(b);
	b->db = db_open(b->url, b->mode, &b->options, why);
	if (b->db) {
		b->db->late = b->mode == DB_WRITE && store_url_is_shared(b->url);
		b->pause_ms = 0;
		return OK;
	}
	b->pause_ms = b->pause_ms ? b->pause_ms * 2 : driver ? driver->pause_ms : 0;
	if (b->pause_ms > PAUSE_MAX_MS) b->pause_ms = PAUSE_MAX_MS;
	b->attempt_ms = clock_mono_ms() + b->pause_ms;
	return why ? why->err : ERR_UNAVAILABLE;
}

void batch_done(struct batch *b)
{
	batch_close(b);
	rows_done(&b->rows);
	rows_done(&b->reads);
	fast_done(&b->fast);
	table_done(&b->seen);
	arena_done(&b->arena);
}

/* ---- told ---- */

static void hand_back(struct job *const *jobs, size_t len)
{
	for (size_t i = 0; i < len; i++)
		jobs[i]->done(jobs[i]);
}

/* The news of a commit, in `o`, and what follows for this process. */
static void committed(struct batch *b, struct owed *o)
{
	if (!b->hooks) return;
	if (b->hooks->committed) b->hooks->committed(b->hooks->ctx, &b->rows);
	o->tells = b->hooks->told && b->rows.so_far.staged_len;
	if (o->tells)
		o->told = committed_new(b->rows.staged_first, b->rows.so_far.staged_len);
	if (o->told) o->told->batch = b->number;
}

void batch_durable(const struct batch *b, const struct owed *o)
{
	if (o->follower) o->follower->done(o->follower);
	if (o->tells) b->hooks->told(b->hooks->ctx, o->told);
	committed_drop(o->told);
	hand_back(o->jobs, o->len);
}

/* ---- one transaction ---- */

static void job_reset(struct job *job)
{
	job->err = OK;
	job->decided = false;
	job->why.err = OK;
	job->why.items_len = 0;
	job->why.retry_after_s = 0;
	job->why.member = NULL;
	job->status = 200;
	job->conflict = STR_NONE;
	job->key_session = STR_NONE;
	job->key_of = STR_NONE;
	job->key_result = STR_NONE;
	buf_clear(&job->out);
}

static void job_fail(struct job *job, const struct fault *why)
{
	job_reset(job);
	job->err = why->err;
	job->why = *why;
}

static enum err job_key_again(
	struct job *job, struct rows *rows, const struct key_record *k)
{
	if (memcmp(k->body, job->body, SHA256_SIZE) != 0)
		return fail(&job->why, ERR_INVALID,
			"this Idempotency-Key was used with another body");
	job->status = (int)k->status;
	return job->kind->again(job, rows, k, &job->why);
}

static enum err job_read(struct batch *b, struct job *job, int64_t now_ms)
{
	rows_start(&b->reads, &job->arena, b->db, &b->ids, now_ms);
	return job->kind->read(job, &b->reads, &job->why);
}

static enum err job_decide(struct batch *b, struct job *job)
{
	const struct key_record *k;
	struct rows *rows = &b->rows;
	enum err e = credential_recheck(job, rows);

	if (!e && job->gate) e = job->gate->admit(job, rows, &job->why);
	if (e) return e;
	k = job->key.len
		    ? rows_key(rows, job->who.ws, job->who.token, job->path, job->key)
		    : NULL;
	if (job->kind->read) return job_read(b, job, rows->now_ms);
	if (k) {
		e = job_key_again(job, rows, k);
		/* Its record was deleted, and the key with it. */
		if (e != ERR_NOT_FOUND || !k->record.len) return e;
		job_reset(job);
	}
	e = job->kind->decide(job, rows, &job->why);
	job->decided = !e;
	if (e || !job->key.len) return e;
	if (k) rows_delete(rows, k);
	struct key_record record = { .ws = job->who.ws,
		.token = job->who.token,
		.path = job->path,
		.key = job->key,
		.status = job->status,
		.session = job->key_session,
		.record = job->key_of,
		.result = job->key_result,
		.created_ms = rows->now_ms };
	memcpy(record.body, job->body, SHA256_SIZE);
	rows_new(rows, RECORD_KEYS, &record);
	return OK;
}

enum err rows_conclude(struct rows *rows, struct job *job, struct fault *why)
{
	const struct clerk_hooks *h = rows->hooks;

	if (rows->arena->failed) return fail_memory(why);
	if (!h || !h->decided || (!rows->point.saved && !*rows->so_far.reacted))
		return OK;
	return h->decided(h->ctx, job, rows, why);
}

/* Whose turn it is to be: a shard's, when all its jobs are of workspaces there. */
static int batch_turn(struct job **jobs, size_t len)
{
	int turn = TURN_NONE;

	for (size_t i = 0; i < len; i++) {
		const struct job *job = jobs[i];
		int own = job->has_hash && !(job->kind->flags & JOB_OPEN)
				  ? turn_of(job->who.ws)
				  : TURN_ALL;

		if (job->err) continue;
		turn = turn == TURN_NONE || turn == own ? own : TURN_ALL;
	}
	return turn;
}

/* What a shared store is asked for in the turn: its schema, which another node may have
 * brought to one that we do not know (from then on nothing of ours is written); how the logs
 * end; and the credentials, which were looked up before the turn. */
static struct lookups *turn_wants(
	struct batch *b, struct wants *w, struct job **jobs, size_t len)
{
	static const struct call version = { .sql = SQL_SCHEMA_VERSION,
		.row = schema_row };

	wants_also(w, &version);
	for (size_t i = 0; i < len; i++)
		if (!jobs[i]->err && jobs[i]->who.ws > 0)
			wants_log_end(w, jobs[i]->who.ws);
	return credentials_want(w, jobs, len, &b->arena);
}

static void batch_enter(struct batch *b, struct job **jobs, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		job_reset(jobs[i]);
		jobs[i]->batch = b->number;
	}
}

/* Jobs that came while credentials were looked up, and need no other, come along: with the
 * same wait there are fewer commits, and fewer turns of other nodes to wait for. */
static void batch_gather(struct batch *b, struct batch_jobs *jobs, struct lookups *known)
{
	struct job **more = jobs->at + jobs->len;
	size_t len =
		b->more ? b->more(b->more_ctx, known, more, jobs->room - jobs->len) : 0;

	batch_enter(b, more, len);
	credentials_settle(known, more, len, b->rows.now_ms);
	jobs->len += len;
}

static enum err batch_admit(struct batch *b, struct batch_jobs *jobs, struct fault *why)
{
	struct lookups *known;
	enum err e = credentials_load(b->db, jobs->at, jobs->len,
		b->rows.fast ? &b->fast.credentials : NULL, &b->rows.now_ms, &b->arena,
		&known, why);

	if (e) return e;
	batch_gather(b, jobs, known);
	lookups_done(known);
	return OK;
}

static enum err batch_load(
	struct batch *b, struct job **jobs, size_t len, struct fault *why)
{
	struct wants w = { .rows = &b->rows, .seen = b->seen };
	struct lookups *again = NULL;
	enum err e;
	int turn = batch_turn(jobs, len);

	if (turn == TURN_NONE) return OK; /* none of them is let in */
	table_clear(&w.seen);
	if (b->db->late) {
		db_turn(b->db, turn);
		again = turn_wants(b, &w, jobs, len);
	}
	for (size_t i = 0; i < len; i++) {
		struct job *job = jobs[i];

		if (!job->err && job->gate)
			job->err = job->gate->enter(job, &w, &job->why);
		if (job->err) continue;
		if (job->key.len)
			wants_key(&w, job->who.ws, job->who.token, job->path, job->key);
		if (job->kind->needs) job->kind->needs(job, &w);
		if (b->hooks && b->hooks->needs) b->hooks->needs(b->hooks->ctx, job, &w);
	}
	b->seen = w.seen;
	e = rows_load(&b->rows, &w, why);
	if (!b->db->late) return e;
	if (!e) b->db->driver->now_ms(b->db, &b->rows.now_ms);
	if (again) credentials_settle(again, jobs, len, b->rows.now_ms);
	lookups_done(again);
	return e;
}

/* A connection that cannot even go back, for lack of memory, is given up: that does
 * it. */
static void batch_back(struct batch *b)
{
	if (b->db && db_rollback(b->db)) batch_close(b);
}

static void batch_undo(struct batch *b, struct job **jobs, size_t len)
{
	batch_back(b);
	fast_forget(&b->fast);
	for (size_t i = 0; i < len; i++)
		if (jobs[i]->decided && jobs[i]->kind->undo) jobs[i]->kind->undo(jobs[i]);
}

/* Commits a change and its reversal, since the engine skips a commit without changes. Before
 * this commit, a power cut could bring back an earlier commit that failed and was not seen
 * since. */
static enum err batch_confirm(struct batch *b, struct fault *why)
{
	struct call calls[] = {
		{ SQL_BEGIN, NULL, 0, NULL, NULL, 0 },
		{ SQL_COUNTER_TAKE, ARGS(1, 1), NULL, NULL, 0 },
		{ SQL_COUNTER_TAKE, ARGS(1, -1), NULL, NULL, 0 },
		{ SQL_COMMIT, NULL, 0, NULL, NULL, 0 },
	};
	enum err e;

	db_turn(b->db,
		TURN_ALL); /* of a shared store: whatever it was, it is over then */
	e = db_run(b->db, calls, sizeof calls / sizeof *calls, why);
	if (e) batch_close(b);
	return e;
}

/* Open, anew if it was lost. Of a commit whose outcome was unknown it is known then, for
 * good, and in the log if it is kept. */
static enum err batch_ready(struct batch *b, struct fault *why)
{
	enum err e = b->db && !b->db->lost ? OK : batch_open(b, why);

	if (!e && b->unsure) e = batch_confirm(b, why);
	if (e || !b->unsure) return e;
	b->unsure = false;
	if (b->hooks && b->hooks->told) b->hooks->told(b->hooks->ctx, NULL);
	return OK;
}

/* Did the store fail, rather than the job decide? Then its changes must not stay; the engine
 * may even have ended the transaction. */
static bool job_broke(const struct job *job)
{
	return job->err >= ERR_UNAVAILABLE;
}

/* Keeps the rows written last and the end of the log, unless something failed or another
 * process wrote since. Without an event the end is forgotten: the workspace may have
 * changed. */
static void batch_remember(struct batch *b)
{
	bool alone = b->db->driver->state != NULL;
	bool same = alone && b->db->driver->state(b->db) == b->state;
	struct log_end *end =
		same && b->log.found ? ARENA_NEW(&b->arena, struct log_end) : NULL;

	if (end) *end = b->log;
	b->rows.log_ends = end;
	b->log.found = false;
	if (!same) fast_forget(&b->fast);
	row_cache_begin(&b->fast.rows);
	b->rows.fast = alone ? &b->fast : NULL;
}

static void batch_learn(struct batch *b)
{
	b->log = b->rows.log_now;
	if (!b->rows.fast) return;
	fast_committed(&b->fast, &b->rows);
	b->state = b->db->driver->state(b->db);
}

/* Adds the job that goes along with these, if there is one: a claim of a run. */
static enum err batch_follow(struct batch *b, struct owed *news, struct fault *why)
{
	const struct clerk_hooks *h = b->hooks;
	bool may = h && h->follow && !b->unfollowed && b->db->driver->state;
	struct job *job = may ? h->follow(h->ctx, &b->rows) : NULL;
	enum err broke;

	if (!job) return OK;
	job_reset(job);
	job->batch = b->number;
	rows_savepoint(&b->rows);
	job->err = job->kind->decide(job, &b->rows, &job->why);
	if (!job->err) job->err = rows_conclude(&b->rows, job, &job->why);
	if (!job->err && job->arena.failed) job->err = fail_memory(&job->why);
	if (!job->err) {
		news->follower = job;
		return OK;
	}
	rows_rollback(&b->rows);
	broke = job_broke(job) ? job->err : OK;
	if (broke) *why = job->why;
	b->unfollowed = broke != OK;
	job->done(job);
	return broke;
}

static void follower_done(struct owed *news)
{
	struct job *job = news->follower;

	news->follower = NULL;
	if (job) job->done(job);
}

static void batch_unfollow(struct batch *b, struct owed *news, const struct fault *why)
{
	if (!news->follower) return;
	b->unfollowed = true;
	job_fail(news->follower, why);
	follower_done(news);
}

/* All have decided, and the commit is begun. Where others write, too, it may still be void. */
static void batch_ahead(
	struct batch *b, struct job **jobs, size_t len, struct job *follower)
{
	if (!b->db->driver->state) return;
	for (size_t i = 0; i < len; i++)
		if (jobs[i]->ahead && !jobs[i]->err) jobs[i]->ahead(jobs[i]);
	if (follower && follower->ahead) follower->ahead(follower);
}

/* The news of it go to `news`. */
static enum err batch_try(
	struct batch *b, struct batch_jobs *all, struct owed *news, struct fault *why)
{
	struct job **jobs = all->at;
	size_t len = all->len;
	enum err e = batch_ready(b, why);

	if (e) return e;
	rows_start(&b->rows, &b->arena, b->db, &b->ids, 0);
	b->rows.hooks = b->hooks;
	b->number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
	batch_enter(b, jobs, len);
	e = db_begin(b->db, why);
	if (!e) batch_remember(b);
	if (!e) e = batch_admit(b, all, why);
	len = all->len;
	if (!e) e = batch_load(b, jobs, len, why);
	for (size_t i = 0; !e && i < len; i++) {
		bool ready = !jobs[i]->err;

		if (ready) {
			rows_savepoint(&b->rows);
			jobs[i]->err = job_decide(b, jobs[i]);
			if (!jobs[i]->err)
				jobs[i]->err =
					rows_conclude(&b->rows, jobs[i], &jobs[i]->why);
			if (jobs[i]->err) rows_rollback(&b->rows);
		}
		if (jobs[i]->out.failed || jobs[i]->arena.failed || b->arena.failed)
			e = fail_memory(why);
		else if (ready && job_broke(jobs[i]))
			*why = jobs[i]->why, e = jobs[i]->err;
	}
	if (!e) e = batch_follow(b, news, why);
	if (!e && rows_dirty(&b->rows)) {
		batch_ahead(b, jobs, len, news->follower);
		b->rows.commit_ns = -clock_mono_ns();
		e = rows_write(&b->rows, why);
		b->rows.commit_ns += clock_mono_ns();
		/* First, because the thread that goes on has the longest way. */
		if (!e && !news->later) follower_done(news);
		if (!e) batch_learn(b);
		if (!e) committed(b, news);
	} else if (!e) {
		if (b->rows.log_ends) b->log = *b->rows.log_ends;
		batch_back(b);
	}
	if (e) batch_unfollow(b, news, why);
	if (e) batch_undo(b, jobs, len);
	if (!e) b->unfollowed = false;
	return e;
}

static void trouble(struct batch *b, const struct fault *why)
{
	bool bad = why && why->err != ERR_BUSY;

	if (b->hooks && b->hooks->trouble)
		b->hooks->trouble(b->hooks->ctx, bad ? why : NULL);
}

enum err batch_reach(struct batch *b, struct fault *why)
{
	struct fault mine = { 0 };
	enum err e;

	if (b->db && !b->db->lost && !b->unsure) return OK;
	if (!why) why = &mine;
	e = batch_ready(b, why);
	trouble(b, e ? why : NULL);
	return e;
}

static void batch_fail(struct batch *b, struct job **jobs, size_t len, struct fault *why)
{
	struct fault cause = *why;

	if (why->err == ERR_BUSY)
		fail(why, ERR_BUSY, "the store is busy; nothing was accepted: %s",
			cause.detail);
	if (why->err >= ERR_UNAVAILABLE && why->err <= ERR_BUSY) why->retry_after_s = 1;
	for (size_t i = 0; i < len; i++)
		job_fail(jobs[i], why);
	trouble(b, why);
	hand_back(jobs, len);
}

/* The connection broke before anything was kept: another may do. */
static bool batch_cut_off(const struct batch *b, enum err e)
{
	return e == ERR_UNAVAILABLE && b->db && b->db->lost;
}

static void batch_unknown(
	struct batch *b, struct job **jobs, size_t len, struct fault *why)
{
	batch_close(b);
	b->unsure = true;
	batch_fail(b, jobs, len, why);
	batch_ready(b, NULL); /* or the next batch tries again */
}

/* Measures the time of a job; `synced`: the sync is included. */
static void batch_took(struct batch *b, size_t len, int64_t since_ns, bool synced)
{
	int64_t took = clock_mono_ns() - since_ns;

	if (!b->syncer || !b->db || !len) return;
	if (synced) took -= b->db->driver->sync_ns(b->db);
	if (took < 0) took = 0;
	b->job_ns += (took / (int64_t)len - b->job_ns) / 8;
}

void batch_write(struct batch *b, struct batch_jobs *jobs)
{
	struct fault why = { 0 };
	struct owed news = { 0 };
	enum err e = ERR_BUSY;
	int64_t since_ns;

	if (b->syncer) syncer_drain(b->syncer); /* in the order of the commits */
	batch_take_back(b);
	since_ns = clock_mono_ns();
	for (int n = 0; n < (jobs->len > 1 ? 1 : TRIES) && e == ERR_BUSY; n++) {
		why.err = OK;
		e = batch_try(b, jobs, &news, &why);
		if (batch_cut_off(b, e)) e = batch_try(b, jobs, &news, &why);
		/* The claim that came along may be what failed: try again without it. */
		if (e && e != ERR_UNKNOWN && b->unfollowed)
			e = batch_try(b, jobs, &news, &why);
	}
	if (!e) {
		batch_took(b, jobs->len, since_ns, true);
		trouble(b, NULL);
		batch_durable(b, &news);
		hand_back(jobs->at, jobs->len);
	} else if (e == ERR_UNKNOWN) {
		batch_unknown(b, jobs->at, jobs->len, &why);
	} else if (jobs->len > 1 && b->db) {
		arena_done(&b->arena); /* it may be what gave out */
		for (size_t i = 0; i < jobs->len; i++)
			batch_write(b, &(struct batch_jobs){ &jobs->at[i], 1, 1 });
	} else {
		batch_fail(b, jobs->at, jobs->len, &why);
	}
	arena_done(&b->arena);
}

/* ---- commits whose sync is owed ---- */

/* Commits without waiting for the sync. ERR_UNKNOWN: the outcome is open. Other errors:
 * nothing was kept. */
static enum err batch_owe(
	struct batch *b, struct job **jobs, size_t len, struct owed *o, struct fault *why)
{
	enum err e;

	b->db->driver->sync_later(b->db, true);
	o->later = true;
	e = batch_try(b, &(struct batch_jobs){ jobs, len, len }, o, why);
	if (b->db) b->db->driver->sync_later(b->db, false);
	if (b->db) o->what = b->db->driver->owes(b->db);
	if (e) return e;
	memcpy(o->jobs, jobs, len * sizeof *jobs);
	o->len = len;
	return OK;
}

void batch_write_ahead(struct batch *b, struct job **jobs, size_t len)
{
	bool ready = b->syncer && b->db && !b->db->lost && !b->unsure;
	struct owed *o = ready ? syncer_begin(b->syncer) : NULL;
	struct fault why = { 0 };
	int64_t since_ns = clock_mono_ns();
	enum err e;

	if (!o) {
		batch_write(b, &(struct batch_jobs){ jobs, len, len });
		return;
	}
	e = batch_owe(b, jobs, len, o, &why);
	if (!e) batch_took(b, len, since_ns, false);
	if (!e) trouble(b, NULL);
	if (!e && b->options.hasty) {
		batch_durable(b, o);
		o->len = 0;
		o->follower = NULL;
		o->told = NULL;
		o->tells = false;
	}
	syncer_put(b->syncer, o); /* it is the syncer's from here on */
	arena_done(&b->arena);
	if (!e) return;
	syncer_drain(b->syncer);
	batch_take_back(b);
	if (e == ERR_UNKNOWN)
		batch_unknown(b, jobs, len, &why);
	else
		batch_write(b, &(struct batch_jobs){ jobs, len, len });
}

void batch_take_back(struct batch *b)
{
	struct owed *all = b->syncer ? syncer_take_back(b->syncer) : NULL;
	struct fault why = { 0 };

	while (all) {
		struct owed *o = all;

		all = o->next;
		for (size_t i = 0; i < o->len; i++)
			if (o->jobs[i]->decided && o->jobs[i]->kind->undo)
				o->jobs[i]->kind->undo(o->jobs[i]);
		committed_drop(o->told);
		fail(&why, ERR_UNKNOWN, "the disk failed after the commit");
		batch_unknown(b, o->jobs, o->len, &why);
		if (o->follower) {
			job_fail(o->follower, &why);
			o->follower->done(o->follower);
		}
		mem_free(o);
	}
}

/* ---- reading ---- */

static enum err read_begin(struct batch *b, struct job **jobs, size_t len,
	int64_t *now_ms, struct fault *why)
{
	enum err e = b->db && !b->db->lost ? OK : batch_open(b, why);

	if (!e) e = db_begin(b->db, why);
	return e ? e
		 : credentials_load(b->db, jobs, len, NULL, now_ms, &b->arena, NULL, why);
}

static enum err read_enter(struct batch *b, struct job *job, int64_t now_ms)
{
	enum err e = job->gate->enter(job, NULL, &job->why);

	if (e) return e;
	rows_start(&b->reads, &job->arena, b->db, &b->ids, now_ms);
	return job->gate->admit(job, &b->reads, &job->why);
}

void batch_read(struct batch *b, struct job **jobs, size_t len)
{
	struct fault why = { 0 };
	int64_t now_ms = 0;
	enum err e;

	for (size_t i = 0; i < len; i++)
		job_reset(jobs[i]);
	e = read_begin(b, jobs, len, &now_ms, &why);
	if (e && batch_cut_off(b, e)) e = read_begin(b, jobs, len, &now_ms, &why);
	for (size_t i = 0; !e && i < len; i++) {
		struct job *job = jobs[i];

		if (!job->err && job->gate) job->err = read_enter(b, job, now_ms);
		if (!job->err) job->err = job_read(b, job, now_ms);
		if (job->out.failed || job->arena.failed)
			job->err = fail_memory(&job->why);
		if (!job_broke(job)) continue;
		batch_back(b); /* each reading job has a snapshot of its own */
		e = b->db ? db_begin(b->db, &why) : fail_memory(&why);
	}
	batch_back(b);
	arena_done(&b->arena);
	if (b->syncer) syncer_await(b->syncer); /* what was seen may be owed a sync */
	if (e)
		batch_fail(b, jobs, len, &why);
	else
		hand_back(jobs, len);
}
