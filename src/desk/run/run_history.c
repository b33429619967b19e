/* run_history.c - the messages of a run for whoever works on it: those that it lacks with each step,
 * and all that the model may be given, once, after it was claimed. */
#include "core/run/message.h"
#include "desk/run/run_inner.h"

#include <stdlib.h>

/* So many messages are told with the step; more are read beside the writing clerk. */
enum { FRESH_MAX = 8 };

static int message_order(const void *a, const void *b)
{
	const struct run_message *x = a, *y = b;

	return x->n < y->n ? -1 : x->n > y->n;
}

/* ---- with a step ---- */

static bool is_fresh(
	const struct run_message *m, const struct run *r, const struct run_work *work)
{
	return m->ws == r->ws && m->n > work->key.seen &&
	       str_eq(m->session, r->session) && str_eq(m->thread, run_thread(r));
}

static size_t fresh_count(
	const struct rows *rows, const struct run *r, const struct run_work *work)
{
	const struct run_message *m = NULL;
	size_t n = 0;

	while ((m = rows_next(rows, RECORD_MESSAGES, m)))
		n += is_fresh(m, r, work);
	return n;
}

/* What a model needs of it; the others stay with the store. */
static struct run_message message_copy(const struct run_message *m, struct arena *arena)
{
	return (struct run_message){ .ws = m->ws,
		.id = arena_str(arena, m->id),
		.n = m->n,
		.role = m->role,
		.content = arena_str(arena, m->content),
		.kept = arena_str(arena, m->kept),
		.model = arena_str(arena, m->model),
		.stop = arena_str(arena, m->stop),
		.seen = m->seen };
}

enum err run_fresh(const struct run_job *j, struct run_work *out, struct fault *why)
{
	size_t lacks = (size_t)(j->r->said - out->key.seen);
	const struct run_message *m = NULL;
	enum err e = OK;

	out->thread = arena_str(&j->t->job.arena, run_thread(j->r));
	out->first = arena_str(&j->t->job.arena, j->r->first);
	out->said = j->r->said;
	out->history = j->agent->limits.history;
	out->context = j->agent->limits.context;
	out->cut = (struct window_cut){ j->r->left_out, j->r->cut_upto, j->r->cut_each };
	if (lacks > FRESH_MAX) return OK;
	if (fresh_count(j->rows, j->r, out) < lacks)
		e = rows_fetch(j->rows, RECORD_MESSAGES, SQL_MESSAGES_SINCE,
			ARGS(j->r->ws, j->r->session, run_thread(j->r), out->key.seen,
				j->r->said - out->key.seen),
			why);
	if (e) return e;
	out->fresh = ARENA_ARRAY(&j->t->job.arena, struct run_message, lacks + 1);
	if (!out->fresh) return fail_memory(why);
	while ((m = rows_next(j->rows, RECORD_MESSAGES, m)) && out->fresh_len < lacks)
		if (is_fresh(m, j->r, out))
			out->fresh[out->fresh_len++] = message_copy(m, &j->t->job.arena);
	qsort(out->fresh, out->fresh_len, sizeof *out->fresh, message_order);
	return OK;
}

/* ---- all of it ---- */

/* Those that summaries stand for are not read. */
static enum err history_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_history *h = task_of(job)->checked;
	const struct run_work *w = h->work;
	const struct run_message *first, *m = NULL;
	int64_t upto = 0, all = 0;
	enum err e = rows_fetch(rows, RECORD_MESSAGES, SQL_MESSAGES_SUMMARIES,
		ARGS(w->key.ws, w->session, w->thread), why);

	h->len = 0;
	while (!e && (m = rows_next(rows, RECORD_MESSAGES, m)))
		if (m->seen > upto) upto = m->seen;
	if (!e)
		e = rows_fetch(rows, RECORD_MESSAGES, SQL_MESSAGES_SINCE,
			ARGS(w->key.ws, w->session, w->thread, upto, w->said - upto),
			why);
	if (!e)
		e = rows_get(rows, RECORD_MESSAGES, KEY(w->key.ws, w->session, w->first),
			&first, why);
	while (!e && (m = rows_next(rows, RECORD_MESSAGES, m)))
		all++;
	h->messages = ARENA_ARRAY(&job->arena, struct run_message, (size_t)all + 1);
	while (!e && h->messages && (m = rows_next(rows, RECORD_MESSAGES, m)))
		h->messages[h->len++] = *m;
	if (!e && h->len) qsort(h->messages, h->len, sizeof *h->messages, message_order);
	return e;
}

const struct use use_run_history = READS("run_history", 0, JOB_OPEN, history_read, NULL);
