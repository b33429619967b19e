/* nodes.c - the processes at a store: each says every few seconds that it lives, and says goodbye when
 * it ends. With that it keeps what it counted, and learns whether it is to look for alerts. */
#include "desk/operate.h"

#include "base/build.h"
#include "core/shared/show.h"
#include "desk/notify/alert_rows.h"
#include "desk/notify/notify_ask.h"
#include "desk/shared/inner.h"
#include "store/migrate.h"

enum { FORGET_MS = 24 * 3600 * 1000, LOOK_LEASE_MS = 30 * 1000, LOOK_AGAIN_MS = 2000 };

/* Who has the store alone knows of no other; what was silent for a day is forgotten. */
static enum err others_forget(
	struct rows *rows, const struct node_beat *b, bool alone, struct fault *why)
{
	const struct node_record *n = NULL;
	enum err e = rows_fetch(rows, RECORD_NODES, SQL_NODES, NULL, 0, why);

	while (!e && (n = rows_next(rows, RECORD_NODES, n)))
		if (!str_eq(n->name, b->name) &&
			(alone || rows->now_ms - n->seen_ms > FORGET_MS))
			rows_delete(rows, n);
	return e;
}

static enum err node_seen(struct rows *rows, const struct node_beat *b, struct fault *why)
{
	const struct node_record fresh = { .name = b->name,
		.id = rows_new_id(rows, "nod") };
	struct node_record *n;
	enum err e = rows_open(rows, RECORD_NODES, KEY(b->name), &fresh, &n, why);

	if (e) return e;
	if (b->bye) {
		rows_delete(rows, n);
		return OK;
	}
	n->program = STR(PARLEY_VERSION);
	n->revision = str_of(build_commit);
	n->schema = schema_newest();
	n->started_ms = b->started_ms;
	n->seen_ms = rows->now_ms;
	return OK;
}

/* One process looks, once a minute; who stops doing so is replaced. A clock that was moved back
 * waits for nothing. */
static enum err look_claim(
	struct rows *rows, struct node_beat *b, bool alone, struct fault *why)
{
	const struct lease_record fresh = { .name = STR("alerts") };
	struct lease_record *l;
	int64_t since_ms;
	enum err e = rows_open(rows, RECORD_LEASES, KEY("alerts"), &fresh, &l, why);

	if (e) return e;
	if (b->bye) {
		if (lease_holds(&l->lease, b->by)) l->lease = (struct lease){ 0 };
		return OK;
	}
	since_ms = rows->now_ms - l->done_ms;
	b->look_in_ms = ALERT_LOOK_MS - since_ms;
	if (since_ms >= 0 && since_ms < ALERT_LOOK_MS) return OK;
	b->look_in_ms = LOOK_AGAIN_MS;
	if (!alone && !lease_holds(&l->lease, b->by) &&
		!lease_free(&l->lease, b->by, rows->now_ms) &&
		l->lease.until_ms - rows->now_ms <= LOOK_LEASE_MS)
		return OK;
	l->lease = (struct lease){ b->by, rows->now_ms + LOOK_LEASE_MS };
	b->look = true;
	return OK;
}

/* Raised by whoever was told more than there is. */
static enum err lost_look(
	struct task *t, struct rows *rows, struct node_beat *b, struct fault *why)
{
	/* Used after the commit, when the arena of the rows is gone. */
	enum err e =
		told_ends_find(&t->desk->told_marks, rows, &t->job.arena, b->ends, why);

	b->notes->len = 0;
	for (size_t i = 0; !e && i < b->ends->len; i++) {
		const struct told_end *end = &b->ends->at[i];
		struct str detail;

		if (!end->lost) continue;
		detail = arena_print(rows->arena,
			"the store ends at event %lld, and %lld was told",
			(long long)end->lost_end, (long long)end->lost);
		notify_note(b->notes, "the store of workspace %lld went back: %.*s",
			(long long)end->ws, STR_ARGS(detail));
		e = alert_raise(rows,
			&(struct alert_finding){ .ws = end->ws,
				.kind = ALERT_LOST,
				.raised = true,
				.value = alert_number(
					(double)(end->lost - end->lost_end), rows->arena),
				.asks = STR("[]"),
				.detail = detail },
			why);
	}
	return e;
}

static enum err beat_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct node_beat *b = t->checked;
	bool alone = !desk_is_shared(t->desk);
	enum err e = others_forget(rows, b, alone, why);

	b->look = false;
	if (!e) e = node_seen(rows, b, why);
	if (!e) e = tallies_write(&t->desk->tallies, rows, b->name, why);
	if (!e) e = lost_look(t, rows, b, why);
	return e ? e : look_claim(rows, b, alone, why);
}

static const struct use use_node_beat =
	WRITES("node_beat", 0, JOB_OPEN, NULL, beat_decide, NULL, NULL);

enum err operate_beat(struct desk *d, struct node_beat *b, struct fault *why)
{
	struct task t = { .checked = b };
	struct told_ends ends = { 0 };
	enum err e;

	b->ends = &ends;
	desk_wait(d, &use_node_beat, &t);
	e = t.job.err;
	if (e) {
		*why = t.job.why;
	} else {
		tallies_written(&d->tallies);
		told_marks_keep(&d->told_marks, &ends);
	}
	task_empty(&t);
	return e;
}

/* ---- GET /v1/nodes ---- */

static enum err nodes_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct json_writer w = { .out = &job->out };
	const struct node_record *n = NULL;
	enum err e = rows_fetch(rows, RECORD_NODES, SQL_NODES, NULL, 0, why);

	if (e) return e;
	page_begin(&w);
	while ((n = rows_next(rows, RECORD_NODES, n))) {
		jw_object(&w);
		jw_put_str(&w, "id", n->id);
		jw_put_str(&w, "name", n->name);
		jw_put_str(&w, "version", n->program);
		jw_put_str(&w, "commit", n->revision);
		jw_put_int(&w, "schema", n->schema);
		show_time(&w, "started_at", n->started_ms);
		show_time(&w, "seen_at", n->seen_ms);
		jw_put_text(&w, "state",
			rows->now_ms - n->seen_ms > NODE_GONE_MS ? "gone" : "live");
		jw_object_end(&w);
	}
	jw_array_end(&w);
	jw_object_end(&w);
	return OK;
}

const struct use use_node_list = READS("node_list", MAY_ADMIN, 0, nodes_read, NULL);
