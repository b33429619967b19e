/* fetched.c - when the asking agent first had an outcome: noted as it happens, written within
 * a second, many at once. A run takes its own with the settlement (run_ask.c).
 *
 * A note that is lost with the process is lost: fetched_at says what is known, never more. */
#include "desk/shared/inner.h"

#include "base/clock.h"
#include "base/mem.h"

/* With FLUSH_LEN notes they are written at once: there is room for more meanwhile. */
enum { FLUSH_MS = 900, FLUSH_LEN = FETCHED_MAX / 2, HEARD_STEP_MS = 60 * 1000 };

void desk_note_fetched(struct desk *d, int64_t ws, struct str ask, bool lone)
{
	bool wake = false;

	if (ask.len >= ID_SIZE) return;
	pthread_mutex_lock(&d->fetched.lock);
	if (d->fetched.len < FETCHED_MAX) {
		struct fetched_note *n = &d->fetched.notes[d->fetched.len++];

		n->ws = ws;
		memcpy(n->ask, ask.at, ask.len);
		n->ask[ask.len] = '\0';
		n->lone = lone;
		wake = d->fetched.len == 1 || d->fetched.len == FLUSH_LEN;
		if (d->fetched.len == 1) d->fetched.since_ms = clock_mono_ms();
	}
	pthread_mutex_unlock(&d->fetched.lock);
	if (wake) desk_wake(d);
}

static bool is_among(const struct fetched_note *notes, size_t len, const struct ask *a)
{
	for (size_t i = 0; i < len; i++)
		if (notes[i].ws == a->ws && str_is(a->id, notes[i].ask)) return true;
	return false;
}

bool fetched_keep(struct desk *d, const struct ask *a)
{
	struct fetched *f = &d->fetched;
	bool noted = a->fetched_ms > 0;

	if (noted) return true;
	pthread_mutex_lock(&f->lock);
	noted = is_among(f->notes, f->len, a) || is_among(f->taken, f->taken_len, a);
	pthread_mutex_unlock(&f->lock);
	return noted;
}

int64_t fetched_due(struct desk *d)
{
	int64_t due = -1;

	pthread_mutex_lock(&d->fetched.lock);
	if (d->fetched.len && !d->fetched.taken_len) {
		due = d->fetched.since_ms + FLUSH_MS - clock_mono_ms();
		if (due < 0 || d->fetched.len >= FLUSH_LEN) due = 0;
	}
	pthread_mutex_unlock(&d->fetched.lock);
	return due;
}

/* Its agent is at work: a session that was idle, and waits for nothing, runs. */
static enum err agent_heard(
	struct rows *rows, const struct fetched_note *n, struct fault *why)
{
	const struct session *found = NULL;
	enum err e = rows_fetch(rows, RECORD_SESSIONS, SQL_SESSION_UNHEARD,
		ARGS(n->ws, n->ask, rows->now_ms - HEARD_STEP_MS), why);

	while (!e && (found = rows_next(rows, RECORD_SESSIONS, found))) {
		struct session *s;
		enum session_status was = found->status;

		if (found->heard_ms >= rows->now_ms - HEARD_STEP_MS) continue;
		s = rows_session(rows, found->ws, found->id);
		if (!s || !session_heard(s, rows->now_ms)) continue;
		rows_touch_session(rows, s);
		session_watch_silence(rows, s);
		if (s->status != was) session_stage_status(rows, s, was);
	}
	return e;
}

/* Notes of one workspace that follow each other, as many as are written at once. */
static size_t notes_alike(const struct fetched_note *notes, size_t len, struct str *asks)
{
	size_t n = 0;

	while (n < len && n < FETCHED_AT_ONCE && notes[n].ws == notes[0].ws) {
		asks[n] = str_of(notes[n].ask);
		n++;
	}
	return n;
}

static enum err fetched_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct fetched *f = &task_of(job)->desk->fetched;
	struct str asks[FETCHED_AT_ONCE];
	enum err e = OK;

	for (size_t i = 0, n; i < f->taken_len; i += n) {
		n = notes_alike(&f->taken[i], f->taken_len - i, asks);
		rows_fetched(rows, f->taken[i].ws, asks, n);
	}
	for (size_t i = 0; !e && i < f->taken_len; i++)
		if (!f->taken[i].lone) e = agent_heard(rows, &f->taken[i], why);
	return e;
}

static const struct use use_fetched =
	WRITES("fetched", 0, JOB_OPEN, NULL, fetched_decide, NULL, NULL);

/* Called on the clerk's thread, or on the syncer's. */
static void fetched_done(struct job *job)
{
	struct task *t = task_of(job);
	struct desk *d = t->desk;
	bool more;

	arena_done(&job->arena);
	mem_free(t);
	pthread_mutex_lock(&d->fetched.lock);
	d->fetched.taken_len = 0;
	more = d->fetched.len > 0;
	pthread_mutex_unlock(&d->fetched.lock);
	if (more) desk_wake(d);
}

/* Takes the notes. False: there are none, or others are being written. */
static bool fetched_take(struct fetched *f)
{
	bool takes;

	pthread_mutex_lock(&f->lock);
	takes = f->len && !f->taken_len;
	if (takes) {
		memcpy(f->taken, f->notes, f->len * sizeof *f->notes);
		f->taken_len = f->len;
		f->len = 0;
	}
	pthread_mutex_unlock(&f->lock);
	return takes;
}

/* Written with other jobs, so that they cost no commit of their own. On a shared store they
 * may belong to another shard, so there they are a batch of their own. */
void fetched_flush(struct desk *d)
{
	struct task *t = mem_alloc(sizeof *t);

	if (!t || !fetched_take(&d->fetched)) {
		mem_free(t);
		return;
	}
	t->desk = d;
	t->job.kind = &use_fetched.job;
	t->job.done = fetched_done;
	if (d->shards)
		clerk_work(d->writer, &t->job.link);
	else if (!clerk_put(d->writer, &t->job))
		fetched_done(&t->job);
}
