/* fetched.c - when the asking agent first had an outcome: noted as it happens, written within
 * a second, many at once.
 *
 * A note that is lost with the process is lost: fetched_at says what is known, never more. */
#include "desk/inner.h"

#include "base/clock.h"

enum { FLUSH_MS = 900, HEARD_STEP_MS = 60 * 1000 };

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
		wake = d->fetched.len == 1 || d->fetched.len == FETCHED_MAX;
		if (d->fetched.len == 1) d->fetched.since_ms = clock_mono_ms();
	}
	pthread_mutex_unlock(&d->fetched.lock);
	if (wake) desk_wake(d);
}

bool desk_was_fetched(struct desk *d, const struct ask *a)
{
	bool noted = a->fetched_ms > 0;

	pthread_mutex_lock(&d->fetched.lock);
	for (size_t i = 0; !noted && i < d->fetched.len; i++)
		noted = d->fetched.notes[i].ws == a->ws &&
			str_is(a->id, d->fetched.notes[i].ask);
	pthread_mutex_unlock(&d->fetched.lock);
	return noted;
}

int64_t desk_fetched_due(struct desk *d)
{
	int64_t due = -1;

	pthread_mutex_lock(&d->fetched.lock);
	if (d->fetched.len) {
		due = d->fetched.since_ms + FLUSH_MS - clock_mono_ms();
		if (due < 0 || d->fetched.len == FETCHED_MAX) due = 0;
	}
	pthread_mutex_unlock(&d->fetched.lock);
	return due;
}

/* Its agent is at work: a session that was idle, and waits for nothing, runs. */
static enum err agent_heard(
	struct rows *rows, const struct fetched_note *n, struct fault *why)
{
	const struct val args[] = { val_int(n->ws), val_text(str_of(n->ask)),
		val_int(rows->now_ms - HEARD_STEP_MS) };
	const struct session *found = NULL;
	enum err e = rows_fetch(rows, RECORD_SESSIONS, SQL_SESSION_UNHEARD, args, 3, why);

	while (!e && (found = rows_next(rows, RECORD_SESSIONS, found))) {
		struct session *s;
		enum session_status was = found->status;

		if (found->heard_ms >= rows->now_ms - HEARD_STEP_MS) continue;
		s = rows_session(rows, found->ws, found->id);
		if (!s || !session_heard(s, rows->now_ms)) continue;
		rows_touch_session(rows, s);
		desk_look_again(rows, s);
		if (s->status != was) e = desk_stage_status(rows, s, was, why);
	}
	return e;
}

static enum err fetched_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct desk *d = task_of(job)->desk;
	enum err e = OK;

	for (size_t i = 0; !e && i < d->fetched.taken_len; i++) {
		const struct fetched_note *n = &d->fetched.taken[i];

		if (!rows_fetched(rows, n->ws, str_of(n->ask)))
			return fail(why, ERR_MEMORY, "out of memory");
		if (!n->lone) e = agent_heard(rows, n, why);
	}
	return e;
}

static const struct use use_fetched = {
	.job = { .name = "fetched", .open = true, .decide = fetched_decide },
};

static void fetched_done(struct job *job)
{
	arena_done(&job->arena);
}

void desk_flush_fetched(struct desk *d)
{
	struct task t = { .desk = d };

	pthread_mutex_lock(&d->fetched.lock);
	memcpy(d->fetched.taken, d->fetched.notes,
		d->fetched.len * sizeof *d->fetched.notes);
	d->fetched.taken_len = d->fetched.len;
	d->fetched.len = 0;
	pthread_mutex_unlock(&d->fetched.lock);
	if (!d->fetched.taken_len) return;
	t.job.kind = &use_fetched.job;
	t.job.done = fetched_done;
	clerk_work(d->writer, &t.job.link);
}
