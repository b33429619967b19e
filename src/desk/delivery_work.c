/* delivery_work.c - deliveries under way: claimed under a lease, renewed, reported.
 *
 * 1. A webhook is sent at least once: who claims it says so before, and how it ended after.
 * 2. A resumer is run at most once for its news, and one at a time for a session: it is marked as
 *    begun before it is, and what was begun and never reported is dead, for a person to look at.
 * 3. Every write of a holder carries its lease: what another has taken over stays as it is. */
#include "desk/delivery.h"
#include "desk/delivery/callbacks.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/show.h"
#include "desk/approval/verify.h"
#include "desk/delivery/callbacks.h"
#include "desk/notify/notify_ask.h"
#include "desk/policy/policy_snapshot.h"
#include "store/lease.h"

enum { ERROR_MAX = 500, LOST_MAX = 100, RETRY_MS = 1000, STOPPED_MS = 30 * 1000 };

/* ---- events of resumers ---- */

static void outcome_write(struct json_writer *w, const struct delivery_outcome *o)
{
	show_count(w, "exit", o->status);
	show_count(w, "signal", o->signal > 0 ? o->signal : -1);
	show_text(w, "error", o->error);
	jw_put_str(w, "output", o->output);
}

static enum err resumer_event(struct rows *rows, const char *type,
	const struct delivery *d, const struct delivery_outcome *o, struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct session *s;
	struct ask *a;
	enum err e = rows_fetch_ask(rows, d->ws, d->ask, &a, why);

	if (!e) e = rows_fetch_session(rows, d->ws, d->session, &s, why);
	if (e) return e == ERR_NOT_FOUND ? OK : e;
	jw_object(&w);
	jw_put_str(&w, "delivery", d->id);
	jw_put_str(&w, "resumer", d->target);
	if (o) outcome_write(&w, o);
	jw_object_end(&w);
	rows_event(rows, type, s, a, buf_keep_done(&b, rows->arena));
	return OK;
}

/* ---- ending ---- */

static struct str error_text(struct str error, struct arena *arena)
{
	return arena_str(arena, utf8_first(error, ERROR_MAX));
}

/* Nobody holds it any more. */
static void delivery_end(struct rows *rows, struct delivery *d,
	const struct delivery_outcome *o, enum delivery_status status, int64_t next_ms)
{
	d->status = status;
	d->next_ms = next_ms;
	d->last_error = error_text(o->error, rows->arena);
	d->last_status = o->status;
	d->done_ms = status == DELIVERY_WAITING ? 0 : rows->now_ms;
	d->lease = (struct lease){ 0 };
}

/* ---- claiming ---- */

struct delivery_claiming {
	struct task *t;
	struct delivery_claim *c;
	size_t cap;
	struct recipients recipients; /* of the workspace whose steps are worked */
};

static bool resumer_runs(const struct rows *rows, const struct delivery *d)
{
	const struct delivery *at = NULL;

	while ((at = rows_next(rows, RECORD_DELIVERIES, at)))
		if (at->kind == DELIVERY_RESUMER && at->status == DELIVERY_WAITING &&
			at->lease.by.len && at->ws == d->ws &&
			str_eq(at->session, d->session))
			return true;
	return false;
}

static bool delivery_due_now(
	const struct rows *rows, const struct lease_claim *c, const void *record)
{
	const struct delivery *d = record;

	/* What became part of a summary in this batch is not due by itself any more. */
	if (d->status != DELIVERY_WAITING || d->carrier.len ||
		d->next_ms > rows->now_ms ||
		!str_is(c->kind, delivery_kind_name(d->kind)))
		return false;
	return d->kind != DELIVERY_RESUMER || (!d->attempts && !resumer_runs(rows, d));
}

static const struct leased leased_deliveries = {
	.record = RECORD_DELIVERIES,
	.lease_at = offsetof(struct delivery, lease),
	.owner_at = offsetof(struct delivery, owner),
	.group_at = offsetof(struct delivery, host),
	.owners = SQL_DELIVERY_OWNERS,
	.due = SQL_DELIVERY_DUE,
	.held = SQL_DELIVERY_HELD,
	.due_now = delivery_due_now,
};

static bool claim_room(struct delivery_claiming *s)
{
	struct arena *arena = &s->t->job.arena;
	struct delivery_claim *c = s->c;

	if (c->len == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 16;
		struct delivery *at = ARENA_ARRAY(arena, struct delivery, cap);

		if (!at) return false;
		if (c->len) memcpy(at, c->deliveries, c->len * sizeof *at);
		c->deliveries = at;
		s->cap = cap;
	}
	return true;
}

/* What the deliverer keeps of it outlives the batch. */
static bool claim_keep(struct delivery_claiming *s, const struct delivery *d)
{
	struct arena *arena = &s->t->job.arena;
	struct delivery *to;

	if (!claim_room(s)) return false;
	to = &s->c->deliveries[s->c->len++];
	*to = (struct delivery){ .ws = d->ws,
		.id = arena_str(arena, d->id),
		.session = arena_str(arena, d->session),
		.ask = arena_str(arena, d->ask),
		.kind = d->kind,
		.target = arena_str(arena, d->target),
		.attempts = d->attempts,
		.created_ms = d->created_ms,
		.purpose = d->purpose,
		.round = d->round,
		.next_ms = d->next_ms,
		.user = arena_str(arena, d->user),
		.contact = arena_str(arena, d->contact),
		.step = d->step,
		.detail = arena_str(arena, d->detail) };
	return !arena->failed;
}

/* What must be written before one of a kind is begun. */
typedef enum err prepare_fn(
	struct task *, struct rows *, const struct delivery *, struct fault *why);

/* The key that signs. */
static enum err webhook_prepare(
	struct task *t, struct rows *rows, const struct delivery *d, struct fault *why)
{
	struct str keys[WEBHOOK_KEYS];

	(void)t;
	return webhook_keys_load(rows, d->ws, rows->arena, keys, why);
}

/* While a stop matches the session, its resumer waits. */
static enum err resumer_stopped(
	struct task *t, struct rows *rows, const struct session *s, struct fault *why)
{
	const struct stop_record *stop;
	enum err e =
		policy_stop(t, rows, s, agent_known(s->agent, s->agent_name), &stop, why);

	return stop ? stop_fail(stop, why) : e;
}

/* The event that tells. */
static enum err resumer_prepare(
	struct task *t, struct rows *rows, const struct delivery *d, struct fault *why)
{
	struct session *s;
	struct ask *a;
	enum err e = rows_fetch_session(rows, d->ws, d->session, &s, why);

	if (!e) e = rows_fetch_ask(rows, d->ws, d->ask, &a, why);
	if (!e && resumer_is_late(s, a))
		e = fail(why, ERR_CONFLICT, "the session is %s",
			session_status_name(s->status));
	if (!e) e = resumer_stopped(t, rows, s, why);
	return e ? e : resumer_event(rows, "session.resuming", d, NULL, why);
}

/* What a kind must have written before it is begun; NULL: nothing. */
static prepare_fn *const prepares[DELIVERY_KINDS] = {
	[DELIVERY_WEBHOOK] = webhook_prepare,
	[DELIVERY_RESUMER] = resumer_prepare,
	[DELIVERY_VERIFIER] = webhook_prepare,
};

/* A step is worked here and now; a message may have to wait, or be for nothing. */
static enum err delivery_prepare(struct delivery_claiming *s, struct rows *rows,
	struct delivery *d, bool *hold, struct fault *why)
{
	enum err e;

	*hold = false;
	if (d->kind == DELIVERY_ROUTE) {
		*hold = true;
		s->c->steps++;
		return notify_step_due(&s->recipients, rows, d, &s->c->notes, why);
	}
	e = d->contact.len ? notify_prepare(s->t, rows, d, hold, &s->c->notes, why) : OK;
	s->c->held += *hold;
	if (e || *hold || !prepares[d->kind]) return e;
	return prepares[d->kind](s->t, rows, d, why);
}

/* A delivery that cannot be started is marked dead, so that it blocks no other. */
static enum err delivery_claimed(
	void *ctx, struct rows *rows, void *record, struct fault *why)
{
	struct delivery_claiming *s = ctx;
	struct delivery *d = record;
	struct fault wrong = { 0 };
	struct delivery_outcome o = { .status = -1 };
	bool hold;
	enum err e;

	if (s->c->alone) {
		s->c->alone_ws = d->ws;
		s->c->alone_id = arena_str(&s->t->job.arena, d->id);
	}
	d->attempts++;
	e = delivery_prepare(s, rows, d, &hold, &wrong);
	if (e == ERR_STOPPED) {
		o.error = str_of(wrong.detail);
		d->attempts--;
		delivery_end(rows, d, &o, DELIVERY_WAITING, rows->now_ms + STOPPED_MS);
		return OK;
	}
	if (e == ERR_NOT_FOUND || e == ERR_CONFLICT || e == ERR_INTERNAL) {
		o.error = str_of(wrong.detail);
		delivery_end(rows, d, &o, DELIVERY_DEAD, 0);
		return OK;
	}
	if (e) {
		*why = wrong;
		return e;
	}
	if (hold) return OK;
	return claim_keep(s, d) ? OK : fail_memory(why);
}

/* What nobody reported. */
static enum err claim_lost(
	struct rows *rows, const struct delivery_claim *c, struct fault *why)
{
	const struct delivery_outcome o = { .status = -1,
		.error = STR("interrupted: the server ended meanwhile") };
	const struct delivery *at = NULL;
	enum err e = rows_fetch(rows, RECORD_DELIVERIES, SQL_DELIVERY_LOST,
		ARGS(rows->now_ms, c->by, LOST_MAX), why);

	while (!e && (at = rows_next(rows, RECORD_DELIVERIES, at))) {
		struct delivery *d;

		if (at->kind != DELIVERY_RESUMER || at->status != DELIVERY_WAITING ||
			!lease_lost(&at->lease, c->by, rows->now_ms))
			continue;
		d = rows_change(rows, at);
		delivery_end(rows, d, &o, DELIVERY_DEAD, 0);
		e = resumer_event(rows, "session.resumed", d, &o, why);
	}
	return e;
}

/* Which kinds anything waits of, as bits. */
static enum err kind_row(void *ctx, const struct row *row, struct fault *why)
{
	enum delivery_kind kind;

	(void)why;
	if (delivery_kind_read(row_text(row, 0), &kind)) *(unsigned *)ctx |= 1u << kind;
	return OK;
}

static enum err claim_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct delivery_claim *c = t->checked;
	struct delivery_claiming s = { .t = t, .c = c };
	unsigned kinds = 0;
	enum err e;

	c->deliveries = NULL;
	c->len = 0;
	c->next_ms = 0;
	c->steps = 0;
	c->held = 0;
	c->alone_id = STR_NONE;
	c->notes.len = 0;
	e = c->lost ? claim_lost(rows, c, why) : OK;
	if (!e) e = rows_query(rows, SQL_DELIVERY_KINDS, NULL, 0, kind_row, &kinds, why);
	/* Backwards: a step of a route stages messages, which can go at once. */
	for (int kind = DELIVERY_KINDS; !e && kind-- > 0;) {
		const struct lease_claim claim = { .by = c->by,
			.kind = str_of(delivery_kind_name((enum delivery_kind)kind)),
			.free = c->room[kind].free,
			.take = c->alone ? 1 : c->room[kind].take,
			.group_max = channel_is(kind, CHANNEL_HOST) ? c->host_max : 0,
			.length_ms = DELIVERY_LEASE_MS };

		if (!(kinds & 1u << kind) || c->alone_id.len) continue;
		e = rows_claim(
			rows, &leased_deliveries, &claim, delivery_claimed, &s, why);
	}
	if (!e) e = rows_int(rows, SQL_DELIVERY_NEXT, ARGS(c->by), &c->next_ms, why);
	return e;
}

const struct use use_delivery_claim =
	WRITES("delivery_claim", 0, JOB_OPEN, NULL, claim_decide, NULL, NULL);

static enum err due_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct lease_due *l = task_of(job)->checked;
	const struct val by[] = { val_text(l->by) };
	const struct call next = { .sql = SQL_DELIVERY_NEXT, .args = by, .args_len = 1 };

	return lease_due_read(rows, next, l, why);
}

const struct use use_delivery_due = READS("delivery_due", 0, JOB_OPEN, due_read, NULL);

/* ---- reporting ---- */

static enum err webhook_off(
	struct rows *rows, const struct delivery *d, struct fault *why)
{
	struct callback c;
	struct session *s;
	enum err e = rows_fetch_session(rows, d->ws, d->session, &s, why);

	if (e) return e == ERR_NOT_FOUND ? OK : e;
	if (!s->on_settled.len) return OK;
	e = callback_read(s->on_settled, rows->arena, &c, why);
	if (e || !str_eq(c.webhook, d->target)) return e;
	c.webhook = STR_NONE;
	s->on_settled = callback_write(&c, rows->arena);
	rows_touch_session(rows, s);
	session_stage_changed(rows, s);
	return OK;
}

/* How a delivery goes on after this outcome. */
static enum err outcome_take(struct rows *rows, struct delivery *d,
	const struct delivery_outcome *o, struct fault *why)
{
	int64_t pause = 0;
	enum err e;

	switch (o->ending) {
	case ENDED_WELL: delivery_end(rows, d, o, DELIVERY_DONE, 0); return OK;
	case ENDED_EARLY:
		delivery_end(rows, d, o, DELIVERY_WAITING, rows->now_ms);
		return OK;
	case ENDED_NOTHING: delivery_end(rows, d, o, DELIVERY_DROPPED, 0); return OK;
	case ENDED_UNMADE:
		d->attempts--;
		delivery_end(rows, d, o, DELIVERY_WAITING, rows->now_ms + RETRY_MS);
		return OK;
	case ENDED_BADLY:
		pause = d->contact.len ? delivery_person_pause_ms(d->kind, d->attempts)
				       : delivery_pause_ms(d->kind, d->attempts,
						 random_u64(rows->ids));
		if (pause < 0) break;
		if (pause < o->retry_after_ms) pause = o->retry_after_ms;
		delivery_end(rows, d, o, DELIVERY_WAITING, rows->now_ms + pause);
		return OK;
	case ENDED_GONE:
		e = d->contact.len ? OK : webhook_off(rows, d, why);
		if (e) return e;
		break;
	case ENDED_DEAD: break;
	}
	delivery_end(rows, d, o, DELIVERY_DEAD, 0);
	return OK;
}

static enum err delivery_get(struct rows *rows, int64_t ws, struct str id,
	const struct delivery **out, struct fault *why)
{
	*out = NULL;
	return rows_get(rows, RECORD_DELIVERIES, KEY(ws, id), out, why);
}

/* The delivery, if it is still this process's; NULL: it is not. */
static enum err delivery_held(struct rows *rows, const struct delivery_outcome *o,
	struct delivery **out, struct fault *why)
{
	const struct delivery *d;
	enum err e = delivery_get(rows, o->delivery->ws, o->delivery->id, &d, why);

	*out = NULL;
	if (!d || d->status != DELIVERY_WAITING || !lease_holds(&d->lease, o->by))
		return e;
	*out = rows_change(rows, d);
	return OK;
}

static bool outcome_begun(const struct delivery_outcome *o)
{
	return o->ending != ENDED_UNMADE && o->ending != ENDED_NOTHING;
}

static enum err report_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct delivery_report *r = task_of(job)->checked;
	enum err e = OK;

	r->notes.len = 0;
	for (size_t i = 0; !e && i < r->len; i++) {
		struct delivery_outcome *o = &r->outcomes[i];
		struct delivery *d;

		e = delivery_held(rows, o, &d, why);
		o->ours = d != NULL;
		if (!e && !d && outcome_begun(o))
			e = notify_overtaken(task_of(job)->desk, rows, o->delivery, why);
		if (!e && d) e = outcome_take(rows, d, o, why);
		if (!e && d && d->contact.len)
			e = channel_reported(rows, d, o, &r->notes, why);
		if (!e && d && d->contact.len)
			e = notify_reported(task_of(job), rows, d, o, &r->notes, why);
		o->dead = d && d->status == DELIVERY_DEAD;
		o->next_ms = d && d->status == DELIVERY_WAITING ? d->next_ms : 0;
		if (!e && d && d->kind == DELIVERY_RESUMER &&
			d->status != DELIVERY_WAITING)
			e = resumer_event(rows, "session.resumed", d, o, why);
		if (!e && d && d->kind == DELIVERY_VERIFIER &&
			d->status != DELIVERY_WAITING)
			e = verify_done(task_of(job), rows, d, o, why);
	}
	return e;
}

const struct use use_delivery_report =
	WRITES("delivery_report", 0, JOB_OPEN, NULL, report_decide, NULL, NULL);

/* No event: the event may be what the store refuses. */
static enum err bury_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct delivery_burial *b = task_of(job)->checked;
	const struct delivery_outcome o = { .status = -1, .error = b->error };
	const struct delivery *at;
	struct delivery *d;
	enum err e = delivery_get(rows, b->ws, b->id, &at, why);

	b->dead = at && at->status == DELIVERY_WAITING &&
		  lease_free(&at->lease, STR_NONE, rows->now_ms);
	if (e || !b->dead) return e;
	d = rows_change(rows, at);
	delivery_end(rows, d, &o, DELIVERY_DEAD, 0);
	return OK;
}

const struct use use_delivery_bury =
	WRITES("delivery_bury", 0, JOB_OPEN, NULL, bury_decide, NULL, NULL);

static enum err renew_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct delivery_renewal *r = task_of(job)->checked;
	enum err e = rows_fetch(
		rows, RECORD_DELIVERIES, SQL_DELIVERY_HELD_BY, ARGS(r->by), why);

	for (size_t i = 0; !e && i < r->len; i++) {
		const struct delivery *at =
			rows_find(rows, RECORD_DELIVERIES, r->deliveries[i]->id);
		struct delivery *d;

		r->lost[i] = !at || at->status != DELIVERY_WAITING ||
			     !lease_holds(&at->lease, r->by);
		if (r->lost[i]) continue;
		d = rows_change(rows, at);
		lease_renew(&d->lease, r->by, rows->now_ms, DELIVERY_LEASE_MS);
	}
	return e;
}

const struct use use_delivery_renew =
	WRITES("delivery_renew", 0, JOB_OPEN, NULL, renew_decide, NULL, NULL);
