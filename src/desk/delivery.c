/* delivery.c - what is called when an ask is settled: staged with the settlement itself,
 * claimed, reported.
 *
 * 1. A delivery is written in the transaction of the settlement it is about, once.
 * 2. A webhook is sent at least once: who claims it says so before, and how it ended
 * after.
 * 3. A resumer is run at most once for an answer: it is marked as begun before it is, and
 *    what was begun and never reported is dead, for a person to look at. */
#include "desk/delivery.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "core/address.h"
#include "desk/inner.h"

enum { ERROR_MAX = 500, SHARES_MAX = 64 };

void desk_on_delivery(struct desk *d, void (*fn)(void *), void *ctx)
{
	pthread_mutex_lock(&d->listeners);
	d->deliver = fn;
	d->deliver_ctx = ctx;
	pthread_mutex_unlock(&d->listeners);
}

void desk_deliver(struct desk *d)
{
	pthread_mutex_lock(&d->listeners);
	if (d->deliver) d->deliver(d->deliver_ctx);
	pthread_mutex_unlock(&d->listeners);
}

/* ---- with the settlement ---- */

static enum err delivery_stage(struct rows *rows, const struct ask *a,
	enum delivery_kind kind, struct str target, struct fault *why)
{
	struct delivery d = { .ws = a->ws,
		.session = a->session,
		.ask = a->id,
		.kind = kind,
		.target = target,
		.status = DELIVERY_WAITING,
		.next_ms = rows->now_ms,
		.last_status = -1,
		.created_ms = rows->now_ms,
		.agent = a->agent,
		.purpose = DELIVERY_SETTLED };

	if (!target.len) return OK;
	d.id = rows_new_id(rows, "dlv");
	d.host = url_host(target, rows->arena);
	if (!rows_new(rows, RECORD_DELIVERIES, &d))
		return fail(why, ERR_MEMORY, "out of memory");
	rows->delivers = true;
	return OK;
}

enum err desk_call_webhook(struct rows *rows, const struct session *s,
	const struct ask *a, struct fault *why)
{
	struct callback c;
	enum err e;

	if (!s->on_settled.len) return OK;
	e = callback_read(s->on_settled, rows->arena, &c, why);
	return e ? e : delivery_stage(rows, a, DELIVERY_WEBHOOK, c.webhook, why);
}

enum err desk_call_resumer(struct task *t, struct rows *rows, const struct session *s,
	const struct ask *a, struct fault *why)
{
	/* Who withdraws its own question is at work. */
	bool withdrawn = a->status == ASK_CANCELLED && t->job.who.role == ROLE_AGENT;
	struct callback c;
	enum err e;

	if (!s->on_settled.len || a->kind == ASK_NON_BLOCKING || withdrawn ||
		!session_resumed(s) || session_ended(s))
		return OK;
	e = callback_read(s->on_settled, rows->arena, &c, why);
	return e ? e : delivery_stage(rows, a, DELIVERY_RESUMER, c.resumer, why);
}

/* ---- may it be called at all? ---- */

static bool resumer_known(struct str names, struct str name)
{
	struct str one;

	while (str_cut(&names, ',', &one))
		if (str_eq(str_trim(one), name)) return true;
	return false;
}

enum err desk_check_callback(
	const struct desk *d, const struct callback *c, struct fault *why)
{
	struct str names = str_of(d->resumers);
	enum err e = OK;
	struct url url;

	if (c->webhook.len &&
		(!url_split(c->webhook, &url) ||
			!reach_may_allow(str_of(d->webhook_internal), &url)))
		e = fail_at(why, "/on_settled/webhook",
			"an internal address, or one without TLS, is for the operator to "
			"allow (webhook_internal)");
	if (c->resumer.len && !resumer_known(names, c->resumer))
		e = fail_at(why, "/on_settled/resumer",
			names.len ? "no such resumer; configured: %.*s"
				  : "no such resumer; none is configured%.*s",
			STR_ARGS(names));
	return e;
}

/* ---- keys ---- */

struct str desk_webhook_key_name(int64_t ws, bool before, struct arena *arena)
{
	return arena_print(
		arena, "webhook/%lld%s", (long long)ws, before ? "/before" : "");
}

enum err desk_webhook_keys(struct rows *rows, int64_t ws, struct arena *arena,
	struct str keys[WEBHOOK_KEYS], struct fault *why)
{
	struct str name = desk_webhook_key_name(ws, true, rows->arena);
	const struct val args[] = { val_text(name) };
	const struct server_key *now, *before;
	enum err e = desk_server_key(
		rows, desk_webhook_key_name(ws, false, rows->arena), &now, why);

	if (!e)
		e = rows_fetch(rows, RECORD_SERVER_KEYS,
			SQL_OF(RECORD_SERVER_KEYS, RECORD_GET), args, 1, why);
	if (e) return e;
	before = rows_find(rows, RECORD_SERVER_KEYS, name);
	keys[0] = arena_str(arena, now->value);
	keys[1] = before && before->created_ms > rows->now_ms - WEBHOOK_OVERLAP_MS
			  ? arena_str(arena, before->value)
			  : STR_NONE;
	return OK;
}

enum err desk_rotate_webhook_key(struct rows *rows, int64_t ws, struct fault *why)
{
	struct str keys[WEBHOOK_KEYS];
	uint8_t *fresh = arena_alloc(rows->arena, SERVER_KEY_SIZE);
	enum err e = desk_webhook_keys(rows, ws, rows->arena, keys, why);

	if (e) return e;
	if (!fresh) return fail(why, ERR_MEMORY, "out of memory");
	random_bytes(rows->ids, fresh, SERVER_KEY_SIZE);
	e = desk_set_server_key(
		rows, desk_webhook_key_name(ws, true, rows->arena), keys[0], why);
	if (e) return e;
	return desk_set_server_key(rows, desk_webhook_key_name(ws, false, rows->arena),
		str_make((const char *)fresh, SERVER_KEY_SIZE), why);
}

/* ---- claiming ---- */

struct deliveries {
	struct arena *arena;
	struct delivery *at;
	size_t len, cap;
};

static enum err deliveries_row(void *ctx, const struct row *row, struct fault *why)
{
	struct deliveries *t = ctx;

	if (t->len == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 16;
		struct delivery *at = ARENA_ARRAY(t->arena, struct delivery, cap);

		if (!at) return fail(why, ERR_MEMORY, "out of memory");
		if (t->len) memcpy(at, t->at, t->len * sizeof *at);
		t->at = at;
		t->cap = cap;
	}
	return delivery_from_row(row, t->arena, &t->at[t->len++], why);
}

static struct str kept(struct buf *b, struct arena *arena)
{
	struct str out;

	if (b->failed) arena->failed = true;
	out = arena_str(arena, buf_str(b));
	buf_done(b);
	return out;
}

static void number_write(struct json_writer *w, const char *key, bool known, int64_t n)
{
	jw_key(w, key);
	if (known)
		jw_int(w, n);
	else
		jw_null(w);
}

static void outcome_write(struct json_writer *w, const struct delivery_outcome *o)
{
	number_write(w, "exit", o->status >= 0, o->status);
	number_write(w, "signal", o->signal > 0, o->signal);
	jw_key(w, "error");
	if (o->error.len)
		jw_str(w, o->error);
	else
		jw_null(w);
	jw_key(w, "output");
	jw_str(w, o->output);
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
	jw_key(&w, "delivery");
	jw_str(&w, d->id);
	jw_key(&w, "resumer");
	jw_str(&w, d->target);
	if (o) outcome_write(&w, o);
	jw_object_end(&w);
	return rows_event(rows, type, s, a, kept(&b, rows->arena))
		       ? OK
		       : fail(why, ERR_MEMORY, "out of memory");
}

/* What nobody reported. */
static enum err claim_lost(struct task *t, struct rows *rows,
	const struct delivery_claim *c, struct fault *why)
{
	static const char interrupted[] = "interrupted: the server ended meanwhile";
	struct deliveries lost = { .arena = &t->job.arena };
	const struct val args[] = { val_int(rows->now_ms), val_text(c->by),
		val_text(str_of(interrupted)) };
	enum err e =
		db_one(rows->db, SQL_DELIVERY_LOST, args, 3, deliveries_row, &lost, why);

	for (size_t i = 0; !e && i < lost.len; i++) {
		const struct delivery *d = &lost.at[i];
		struct delivery_outcome o = {
			.delivery = d, .status = -1, .error = str_of(interrupted)
		};

		rows->wrote = true;
		e = resumer_event(rows, "session.resumed", d, &o, why);
	}
	return e;
}

static enum err delivery_finish(struct rows *rows, struct delivery_outcome *o,
	enum delivery_status status, int64_t next_ms, struct fault *why)
{
	const struct delivery *d = o->delivery;
	const struct val args[] = { val_int(d->ws), val_text(d->id), val_text(o->by),
		val_text(str_of(delivery_status_name(status))), val_int(next_ms),
		val_text(utf8_first(o->error, ERROR_MAX)), val_int(o->status),
		val_int(status == DELIVERY_WAITING ? 0 : rows->now_ms) };
	struct call call = { SQL_DELIVERY_FINISH, args, 8, NULL, NULL, 0 };
	enum err e = db_run(rows->db, &call, 1, why);

	rows->wrote = true;
	o->ours = call.changed > 0;
	o->dead = o->ours && status == DELIVERY_DEAD;
	return e;
}

static enum err claim_some(struct rows *rows, const struct delivery_claim *c,
	enum delivery_kind kind, struct str host, int64_t len, struct deliveries *all,
	struct fault *why)
{
	const struct val args[] = { val_int(rows->now_ms), val_text(c->by),
		val_int(rows->now_ms + DELIVERY_LEASE_MS),
		val_text(str_of(delivery_kind_name(kind))), val_text(host),
		val_int(len) };

	return len <= 0 ? OK
			: db_one(rows->db, SQL_DELIVERY_CLAIM, args, 6, deliveries_row,
				  all, why);
}

/* A host, and how many are under way to it. */
struct share {
	struct str host;
	int64_t held;
};

struct shares {
	struct arena *arena;
	struct share at[SHARES_MAX];
	size_t len;
};

static enum err share_row(void *ctx, const struct row *row, struct fault *why)
{
	struct shares *s = ctx;

	s->at[s->len++] =
		(struct share){ arena_str(s->arena, row_text(row, 0)), row_int(row, 1) };
	return s->arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

/* Of each host as many as are free of its share, so that none keeps another waiting. */
static enum err claim_webhooks(struct rows *rows, const struct delivery_claim *c,
	struct deliveries *all, struct fault *why)
{
	struct shares shares = { .arena = rows->arena };
	const struct val args[] = { val_int(rows->now_ms), val_text(c->by),
		val_int(c->host_max), val_int(SHARES_MAX) };
	int64_t room = c->room[DELIVERY_WEBHOOK].take;
	enum err e = room <= 0 ? OK
			       : db_one(rows->db, SQL_DELIVERY_HOSTS, args, 4, share_row,
					 &shares, why);

	for (size_t i = 0; !e && i < shares.len; i++) {
		int64_t left = room - (int64_t)all->len;
		int64_t share = c->host_max - shares.at[i].held;

		e = claim_some(rows, c, DELIVERY_WEBHOOK, shares.at[i].host,
			share < left ? share : left, all, why);
	}
	return e;
}

/* What must be written before it is begun: the key that signs, the event that tells. */
static enum err delivery_prepare(
	struct rows *rows, const struct delivery *d, struct fault *why)
{
	struct str keys[WEBHOOK_KEYS];
	struct session *s;
	enum err e;

	if (d->kind == DELIVERY_WEBHOOK)
		return desk_webhook_keys(rows, d->ws, rows->arena, keys, why);
	e = rows_fetch_session(rows, d->ws, d->session, &s, why);
	if (!e && session_ended(s))
		e = fail(why, ERR_CONFLICT, "the session is %s",
			session_status_name(s->status));
	return e ? e : resumer_event(rows, "session.resuming", d, NULL, why);
}

/* One that cannot be begun must not stand in the way of the others. */
static enum err claimed_prepare(struct rows *rows, const struct delivery_claim *c,
	struct deliveries *all, struct fault *why)
{
	size_t to = 0;
	enum err e = OK;

	for (size_t i = 0; !e && i < all->len; i++) {
		struct delivery d = all->at[i];
		struct fault wrong = { 0 };
		struct delivery_outcome o = { .delivery = &d, .by = c->by, .status = -1 };

		rows->wrote = true;
		e = delivery_prepare(rows, &d, &wrong);
		if (!e) all->at[to++] = d;
		if (e == ERR_NOT_FOUND || e == ERR_CONFLICT || e == ERR_INTERNAL) {
			o.error = str_of(wrong.detail);
			e = delivery_finish(rows, &o, DELIVERY_DEAD, 0, why);
		} else if (e) {
			*why = wrong;
		}
	}
	all->len = to;
	return e;
}

static enum err next_row(void *ctx, const struct row *row, struct fault *why)
{
	(void)why;
	*(int64_t *)ctx = row_int(row, 0);
	return OK;
}

static enum err claim_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct delivery_claim *c = t->checked;
	struct deliveries all = { .arena = &job->arena };
	const struct val by[] = { val_text(c->by) };
	enum err e = claim_lost(t, rows, c, why);

	if (!e) e = claim_webhooks(rows, c, &all, why);
	if (!e)
		e = claim_some(rows, c, DELIVERY_RESUMER, STR_NONE,
			c->room[DELIVERY_RESUMER].take, &all, why);
	if (!e) e = claimed_prepare(rows, c, &all, why);
	c->next_ms = 0;
	if (!e)
		e = db_one(
			rows->db, SQL_DELIVERY_NEXT, by, 1, next_row, &c->next_ms, why);
	c->deliveries = all.at;
	c->len = e ? 0 : all.len;
	return e;
}

const struct use use_delivery_claim = {
	.job = { .name = "delivery_claim", .open = true, .decide = claim_decide },
};

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
	return desk_stage_changed(rows, s, why);
}

static enum err outcome_take(
	struct rows *rows, struct delivery_outcome *o, struct fault *why)
{
	const struct delivery *d = o->delivery;
	int64_t pause = 0;
	enum err e;

	switch (o->ending) {
	case ENDED_WELL: return delivery_finish(rows, o, DELIVERY_DONE, 0, why);
	case ENDED_EARLY:
	case ENDED_UNMADE:
		return delivery_finish(rows, o, DELIVERY_WAITING, rows->now_ms, why);
	case ENDED_BADLY:
		pause = delivery_pause_ms(d->attempts, random_u64(rows->ids));
		if (pause < 0) break;
		if (pause < o->retry_after_ms) pause = o->retry_after_ms;
		return delivery_finish(
			rows, o, DELIVERY_WAITING, rows->now_ms + pause, why);
	case ENDED_GONE:
		e = webhook_off(rows, d, why);
		if (e) return e;
		break;
	case ENDED_DEAD: break;
	}
	return delivery_finish(rows, o, DELIVERY_DEAD, 0, why);
}

static enum err report_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct delivery_report *r = task_of(job)->checked;
	enum err e = OK;

	for (size_t i = 0; !e && i < r->len; i++) {
		struct delivery_outcome *o = &r->outcomes[i];

		e = outcome_take(rows, o, why);
		if (!e && o->ours && o->delivery->kind == DELIVERY_RESUMER)
			e = resumer_event(rows, "session.resumed", o->delivery, o, why);
	}
	return e;
}

const struct use use_delivery_report = {
	.job = { .name = "delivery_report", .open = true, .decide = report_decide },
};

static enum err renew_decide(struct job *job, struct rows *rows, struct fault *why)
{
	const struct val args[] = { val_text(task_of(job)->id),
		val_int(rows->now_ms + DELIVERY_LEASE_MS) };

	rows->wrote = true;
	return db_one(rows->db, SQL_DELIVERY_RENEW, args, 2, NULL, NULL, why);
}

const struct use use_delivery_renew = {
	.job = { .name = "delivery_renew", .open = true, .decide = renew_decide },
};
