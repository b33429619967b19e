/* run_claim.c - runs under way: claimed under a lease, renewed, given back.
 *
 * Workspaces come in turn, and none has more at work than its policy says (sub-agents do not
 * count). What a process that died held is queued again when its lease runs out, or at once when
 * its successor on the same node starts. */
#include "base/mem.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/run/run_inner.h"
#include "store/lease.h"

#include "core/shared/body.h"

enum { LOST_MAX = 64, OWNERS_MAX = 256, STOPPED_MS = 30 * 1000 };

/* How many of a workspace work, and may. */
struct run_owner {
	struct str name;
	int64_t working, max;
};

struct run_claiming {
	struct lease_claim claim;
	struct task *t;
	struct run_claim *c;
	struct rows *rows;
	struct run_owner owners[OWNERS_MAX];
	size_t owners_len;
	size_t cap;
};

/* ---- what a workspace may have at work ---- */

static struct run_owner *owner_of(struct run_claiming *q, struct str name)
{
	for (size_t i = 0; i < q->owners_len; i++)
		if (str_eq(q->owners[i].name, name)) return &q->owners[i];
	if (q->owners_len == OWNERS_MAX) return NULL;
	q->owners[q->owners_len] =
		(struct run_owner){ .name = arena_str(q->rows->arena, name), .max = -1 };
	return &q->owners[q->owners_len++];
}

static enum err working_row(void *ctx, const struct row *row, struct fault *why)
{
	struct run_owner *o = owner_of(ctx, row_text(row, 0));

	(void)why;
	if (o) o->working = row_int(row, 1);
	return OK;
}

static void owner_limit(struct run_claiming *q, struct run_owner *o, int64_t ws)
{
	struct policy_snapshot *snapshot;
	struct fault why = { 0 };

	o->max = 1;
	if (snapshot_of(q->t, q->rows, ws, &snapshot, &why) == OK)
		o->max = snapshot->policy.at_once[snapshot->policy.mode];
}

static bool run_due_now(
	const struct rows *rows, const struct lease_claim *c, const void *record)
{
	struct run_claiming *q =
		(struct run_claiming *)(uintptr_t)c; /* its first member */
	const struct run *r = record;
	struct run_owner *o;

	if (r->status != RUN_QUEUED || r->wake_ms > rows->now_ms) return false;
	if (run_is_child(r)) return true;
	o = owner_of(q, r->owner);
	if (o && o->max < 0) owner_limit(q, o, r->ws);
	return o && o->working < o->max;
}

/* What a provider takes at once, on this node. One of the configuration is the same for every
 * workspace. */
static struct lease_group run_group(
	const struct lease_claim *c, struct str owner, struct str name)
{
	const struct run_claiming *q = (const struct run_claiming *)c;
	const struct provider_record *p;
	struct provider parts;
	struct fault why = { 0 };
	int64_t ws;

	if (!str_to_int(owner, 0, INT64_MAX, &ws) ||
		configured_provider(q->t->desk, q->rows, ws, name, &p, &why) ||
		provider_parse(p->body, q->rows->arena, &parts, &why))
		return (struct lease_group){ .own = true };
	return (struct lease_group){ .max = parts.at_once, .own = p->version > 0 };
}

static const struct leased leased_runs = {
	.record = RECORD_RUNS,
	.lease_at = offsetof(struct run, lease),
	.owner_at = offsetof(struct run, owner),
	.group_at = offsetof(struct run, provider),
	.owners = SQL_RUN_OWNERS,
	.due = SQL_RUN_DUE,
	.held = SQL_RUN_HELD,
	.due_now = run_due_now,
	.group = run_group,
};

/* ---- given back ---- */

/* Nobody works on it any more; it is to be begun again from its last row. */
enum err run_requeue(
	struct rows *rows, const struct run *at, int64_t wake_ms, struct fault *why)
{
	struct run_job j = { .rows = rows, .r = rows_change(rows, at) };
	enum err e = rows_fetch_session(rows, at->ws, at->session, &j.s, why);

	if (!e) e = run_act(j.r, RUN_YIELD, why);
	if (!e) e = run_release(rows, j.r, why);
	if (e) return e;
	j.r->lease = (struct lease){ 0 };
	j.r->wake_ms = wake_ms;
	rows->so_far.runs = true;
	run_event_queued(&j, 0);
	return OK;
}

static enum err lost_requeue(
	struct rows *rows, const struct run_claim *c, struct fault *why)
{
	const struct run *r = NULL;
	enum err e = rows_fetch(rows, RECORD_RUNS, SQL_RUNS_LOST,
		ARGS(rows->now_ms, c->by, LOST_MAX), why);

	while (!e && (r = rows_next(rows, RECORD_RUNS, r)))
		if (r->status == RUN_RUNNING &&
			lease_lost(&r->lease, c->by, rows->now_ms))
			e = run_requeue(rows, r, rows->now_ms, why);
	return e;
}

/* Their time has come, whoever let them wait. */
static enum err waking_resume(struct task *t, struct rows *rows, struct fault *why)
{
	struct run_job j = { .t = t, .rows = rows };
	const struct run *r = NULL;
	enum err e = rows_fetch(
		rows, RECORD_RUNS, SQL_RUNS_WAKING, ARGS(rows->now_ms, LOST_MAX), why);

	while (!e && (r = rows_next(rows, RECORD_RUNS, r))) {
		if (r->status != RUN_WAITING || !r->wake_ms || r->wake_ms > rows->now_ms)
			continue;
		j.r = rows_change(rows, r);
		e = rows_fetch_session(rows, r->ws, r->session, &j.s, why);
		if (!e) e = run_resume(&j, "time", why);
	}
	return e;
}

/* ---- claimed ---- */

static struct run_work *work_room(struct run_claiming *q)
{
	struct run_claim *c = q->c;
	struct arena *arena = &q->t->job.arena;

	if (c->len == q->cap) {
		size_t cap = q->cap ? q->cap * 2 : 8;
		struct run_work *at = ARENA_ARRAY(arena, struct run_work, cap);

		if (!at) return NULL;
		if (c->len) memcpy(at, c->works, c->len * sizeof *at);
		c->works = at;
		q->cap = cap;
	}
	c->works[c->len] = (struct run_work){ 0 };
	return &c->works[c->len++];
}

static enum err run_claimed(void *ctx, struct rows *rows, void *record, struct fault *why)
{
	struct run_claiming *q = ctx;
	struct run *r = record;
	struct run_job j = { .t = q->t, .rows = rows, .r = r };
	struct run_owner *o = run_is_child(r) ? NULL : owner_of(q, r->owner);
	bool resumed = str_is(r->waits_for, "[]");
	const struct stop_record *stop;
	struct run_work *work;
	enum err e = rows_fetch_session(rows, r->ws, r->session, &j.s, why);

	if (!e) e = policy_stop(q->t, rows, j.s, r->agent, &stop, why);
	if (e) return e;
	if (stop) {
		r->lease = (struct lease){ 0 };
		r->wake_ms = rows->now_ms + STOPPED_MS;
		rows->so_far.runs = true;
		return OK;
	}
	work = work_room(q);
	if (!work) return fail_memory(why);
	e = run_act(r, RUN_CLAIM, why);
	if (e) return e;
	if (o) o->working++;
	r->waits_for = STR_NONE;
	r->wake_ms = 0;
	if (!resumed) r->attempt++;
	if (!r->started_ms) r->started_ms = rows->now_ms;
	work->key.by = arena_str(&q->t->job.arena, q->c->by);
	if (!resumed)
		run_event(&j, "run.started",
			FIELDS(field_text("agent", r->agent),
				field_int("attempt", r->attempt),
				field_text("node", q->c->node)));
	return run_advance(&j, true, work, why);
}

/* Is a run of this batch due that was not claimed? */
static bool left_due(const struct rows *rows)
{
	const struct run *r = NULL;

	while ((r = rows_next(rows, RECORD_RUNS, r)))
		if (r->status == RUN_QUEUED && r->wake_ms <= rows->now_ms) return true;
	return false;
}

static enum err claim_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct run_claim *c = t->checked;
	MEM_UNSET struct run_claiming room; /* owners are filled in as they come */
	struct run_claiming *q = &room;
	enum err e;

	c->works = NULL;
	c->len = 0;
	c->left = false;
	q->claim = (struct lease_claim){ .by = c->by,
		.free = c->free,
		.take = c->take,
		.along = c->along,
		.left = &c->left,
		.length_ms = RUN_LEASE_MS };
	q->t = t;
	q->c = c;
	q->rows = rows;
	q->owners_len = q->cap = 0;
	e = c->along ? OK : lost_requeue(rows, c, why);
	if (!e && !c->along) e = waking_resume(t, rows, why);
	if (!e) e = rows_query(rows, SQL_RUNS_WORKING, NULL, 0, working_row, q, why);
	if (!e) e = rows_claim(rows, &leased_runs, &q->claim, run_claimed, q, why);
	c->left |= left_due(rows);
	if (c->along) {
		rows->so_far.queued = c->left;
		return e;
	}
	if (!e)
		e = rows_int(
			rows, SQL_RUN_NEXT, ARGS(rows->now_ms, c->by), &c->next_ms, why);
	return e;
}

const struct use use_run_claim =
	WRITES("run_claim", 0, JOB_OPEN, NULL, claim_decide, NULL, NULL);

static enum err due_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct lease_due *l = task_of(job)->checked;
	/* -1: runs that are already due count as well. */
	const struct val args[] = { val_int(-1), val_text(l->by) };
	const struct call next = { .sql = SQL_RUN_NEXT, .args = args, .args_len = 2 };

	return lease_due_read(rows, next, l, why);
}

const struct use use_run_due = READS("run_due", 0, JOB_OPEN, due_read, NULL);

/* ---- renewed, given back ---- */

/* Pause before a run without a worker is started again. */
enum { STRAY_MS = 1000 };

static bool renewal_has(const struct run_renewal *n, const struct run *r)
{
	for (size_t i = 0; i < n->len; i++)
		if (str_eq(n->runs[i].run, r->id) && n->runs[i].attempt == r->attempt)
			return true;
	return false;
}

static enum err strays_requeue(
	struct rows *rows, const struct run_renewal *n, struct fault *why)
{
	const struct run *r = NULL;
	enum err e = OK;

	while (!e && (r = rows_next(rows, RECORD_RUNS, r)))
		if (r->status == RUN_RUNNING && lease_holds(&r->lease, n->by) &&
			!renewal_has(n, r))
			e = run_requeue(rows, r, rows->now_ms + STRAY_MS, why);
	return e;
}

static enum err renew_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct run_renewal *n = task_of(job)->checked;
	enum err e = rows_fetch(rows, RECORD_RUNS, SQL_RUN_HELD_BY, ARGS(n->by), why);

	for (size_t i = 0; !e && i < n->len; i++) {
		const struct run *at = rows_find(rows, RECORD_RUNS, n->runs[i].run);
		struct run *r;

		n->lost[i] = !at || at->status != RUN_RUNNING ||
			     at->attempt != n->runs[i].attempt ||
			     !lease_holds(&at->lease, n->by);
		if (n->lost[i]) continue;
		if (at->lease.until_ms - rows->now_ms > RUN_LEASE_MS * 2 / 3) continue;
		r = rows_change(rows, at);
		lease_renew(&r->lease, n->by, rows->now_ms, RUN_LEASE_MS);
	}
	return e ? e : strays_requeue(rows, n, why);
}

const struct use use_run_renew =
	WRITES("run_renew", 0, JOB_OPEN, NULL, renew_decide, NULL, NULL);

static enum err yield_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_yield *y = task_of(job)->checked;
	struct str like = arena_print(rows->arena, "%.*s/%%", STR_ARGS(y->node));
	const char *former_of = arena_print(rows->arena, "%.*s/", STR_ARGS(y->node)).at;
	const struct run *r = NULL;
	enum err e =
		y->own ? rows_fetch(rows, RECORD_RUNS, SQL_RUN_HELD_BY, ARGS(y->by), why)
		       : rows_fetch(rows, RECORD_RUNS, SQL_RUNS_OF_NODE,
				 ARGS(like, y->by), why);

	y->count = 0;
	while (!e && (r = rows_next(rows, RECORD_RUNS, r))) {
		bool held = lease_holds(&r->lease, y->by);

		if (r->status != RUN_RUNNING || held != y->own ||
			(!held && !str_starts(r->lease.by, former_of)))
			continue;
		e = run_requeue(rows, r, rows->now_ms, why);
		y->count++;
	}
	return e;
}

const struct use use_run_yield =
	WRITES("run_yield", 0, JOB_OPEN, NULL, yield_decide, NULL, NULL);
