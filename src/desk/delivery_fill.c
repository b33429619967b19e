/* delivery_fill.c - what a claimed delivery brings: the body of a webhook and its keys, the context
 * of a resumer. Read by a clerk outside of any write, each with bounds of its own. */
#include "desk/delivery/callbacks.h"
#include "desk/notify/notify_fill.h"

#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/keep.h"
#include "desk/run/run_inner.h"

enum {
	PENDING_BYTES = 512 * 1024, /* open asks that a body shows, the newest */
	PENDING_PAGE = 8,
};

/* ---- keys ---- */

enum err fill_server_key(
	struct rows *rows, struct str name, struct str *out, struct fault *why)
{
	const struct server_key *k;
	enum err e = desk_find_key(rows, name, &k, why);

	if (!e && (!k || k->value.len != SERVER_KEY_SIZE))
		e = fail(why, ERR_UNAVAILABLE, "the server's key is not there yet");
	if (!e) *out = k->value;
	return e;
}

/* They were made when the delivery was claimed. */
static enum err keys_read(struct rows *rows, struct delivery_fill *f, struct fault *why)
{
	int64_t ws = f->delivery->ws;
	const struct server_key *now;
	enum err e =
		desk_find_key(rows, webhook_key_name(ws, false, rows->arena), &now, why);

	if (!e && !now)
		e = fail(why, ERR_UNAVAILABLE, "the webhook key is not there yet");
	return e ? e : webhook_keys_load(rows, ws, rows->arena, f->keys, why);
}

/* ---- the body of a webhook ---- */

struct shown {
	struct shown *next;
	struct str json;
};

/* Open asks of a session, the newest first, until there are PENDING_BYTES. */
struct pending {
	struct task *t;
	struct str title, workspace;
	int64_t now_ms;
	struct shown *first; /* the oldest of them */
	size_t bytes, rows;
	bool full;
	char id[ID_SIZE]; /* of the last */
};

static enum err pending_add(void *ctx, const void *record, const struct row *row,
	struct arena *scratch, struct fault *why)
{
	struct pending *p = ctx;
	const struct ask *a = record;
	struct arena *arena = &p->t->job.arena;
	struct shown *s = ARENA_NEW(arena, struct shown);
	struct str json;

	(void)row;
	p->rows++;
	if (p->full) return OK;
	json = desk_show(p->t->desk, a, p->title, p->workspace, p->now_ms, scratch);
	memcpy(p->id, a->id.at, a->id.len < ID_SIZE ? a->id.len : ID_SIZE - 1);
	p->bytes += json.len;
	p->full = p->bytes > PENDING_BYTES;
	if (!p->full && s) {
		*s = (struct shown){ p->first, arena_str(arena, json) };
		p->first = s;
	}
	return arena->failed ? fail_memory(why) : OK;
}

static enum err pending_read(
	struct rows *rows, const struct session *s, struct pending *p, struct fault *why)
{
	enum err e = OK;

	if (s->open_input + s->open_approval + s->open_other <= 0) return OK;
	do {
		p->rows = 0;
		e = rows_each(rows, RECORD_ASKS, SQL_ASKS_RECENT,
			ARGS(s->ws, s->id, PENDING_PAGE, INT64_MAX, p->id, 1),
			pending_add, p, why);
	} while (!e && !p->full && p->rows == PENDING_PAGE);
	return e;
}

static void session_add(
	struct json_writer *w, const struct session *s, const struct pending *p)
{
	struct buf asks = { 0 };
	struct json_writer list = { .out = &asks };

	jw_array(&list);
	for (const struct shown *at = p->first; at; at = at->next)
		jw_raw(&list, at->json);
	jw_array_end(&list);
	if (asks.failed) w->out->failed = true;
	session_write(w, s, buf_str(&asks));
	buf_done(&asks);
}

static void body_write(struct buf *out, struct task *t, const struct ask *a,
	const struct session *s, const struct pending *p)
{
	const struct delivery_fill *f = t->checked;
	struct json_writer w = { .out = out };
	struct arena *arena = &t->job.arena;
	char at[TIME_SIZE];

	time_write(f->delivery->purpose == DELIVERY_SETTLED ? a->settled_ms
							    : f->delivery->created_ms,
		at);
	jw_object(&w);
	jw_key(&w, "type");
	if (f->delivery->purpose == DELIVERY_SETTLED)
		jw_str(&w, arena_print(arena, "ask.%s", ask_status_name(a->status)));
	else
		jw_text(&w, "ask.replied");
	jw_put_text(&w, "timestamp", at);
	jw_put_object(&w, "data");
	jw_put_raw(&w, "ask",
		desk_show(t->desk, a, s->title, p->workspace, p->now_ms, arena));
	jw_key(&w, "session");
	session_add(&w, s, p);
	jw_object_end(&w);
	jw_object_end(&w);
}

/* ---- by kind ---- */

/* What a kind of delivery is made of. */
struct filling {
	struct task *t;
	struct rows *rows;
	struct delivery_fill *fill;
	const struct ask *ask; /* NULL: it is about none; likewise the session */
	const struct session *session;
	struct str workspace;
};

typedef enum err fill_fn(struct filling *, struct fault *why);

/* {"type": "run.ended", "timestamp", "data": {run, session}}: both as they are now. */
static enum err ended_fill(struct filling *f, struct fault *why)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };
	struct arena *arena = f->rows->arena;
	const struct json *detail;
	const struct run *r;
	char at[TIME_SIZE];
	enum err e = json_read(f->fill->delivery->detail, NULL, arena, &detail, why);

	if (!e)
		e = run_fetch(
			f->rows, f->session->ws, json_text_of(detail, "run"), &r, why);
	if (e) return e;
	f->fill->trace = r->trace;
	time_write(r->ended_ms, at);
	JW(&w, "{'type':'run.ended','timestamp':%s,'data':{'run':", str_of(at));
	run_write(&w, r, f->rows->now_ms);
	jw_key(&w, "session");
	session_write(&w, f->session, STR("[]"));
	JW(&w, "}}");
	f->fill->body = buf_keep_done(w.out, arena);
	return keys_read(f->rows, f->fill, why);
}

static enum err webhook_fill(struct filling *f, struct fault *why)
{
	if (f->fill->delivery->purpose == DELIVERY_ENDED) return ended_fill(f, why);

	const struct session *s = f->session;
	struct pending p = { .t = f->t,
		.title = s->title,
		.workspace = f->workspace,
		.now_ms = f->rows->now_ms,
		.id = "zz" };
	struct buf body = { 0 };
	enum err e = pending_read(f->rows, s, &p, why);

	if (e) return e;
	body_write(&body, f->t, f->ask, s, &p);
	f->fill->body = buf_keep_done(&body, f->rows->arena);
	return keys_read(f->rows, f->fill, why);
}

/* A message to a person: what it is about may be no ask. */
static enum err person_fill(struct filling *f, struct fault *why)
{
	struct delivery_fill *fill = f->fill;
	enum err e = OK;

	if (f->ask) {
		fill->ask = *f->ask;
		fill->session_title = f->session->title;
		fill->workspace = f->workspace;
	}
	if (fill->delivery->purpose == DELIVERY_FINISHED ||
		fill->delivery->purpose == DELIVERY_PROGRESS)
		fill->of = *f->session;
	e = notify_fill(f->t, f->rows, fill, why);
	if (!e && fill->delivery->kind == DELIVERY_WEBHOOK)
		e = keys_read(f->rows, fill, why);
	return e;
}

static enum err context_fill(struct filling *f, struct fault *why)
{
	const struct session *s = f->session;

	if (resumer_is_late(s, f->ask))
		return fail(why, ERR_CONFLICT, "the session is %s",
			session_status_name(s->status));
	f->fill->external_id = s->external_id;
	return resume_context(f->rows, s, &f->fill->context, why);
}

/* The ask as it is shown, and nothing else. */
static enum err verifier_fill(struct filling *f, struct fault *why)
{
	enum err e = keys_read(f->rows, f->fill, why);

	if (!e)
		f->fill->body = desk_show(f->t->desk, f->ask, f->session->title,
			f->workspace, f->rows->now_ms, f->rows->arena);
	return e;
}

static fill_fn *const fills[DELIVERY_KINDS] = {
	[DELIVERY_WEBHOOK] = webhook_fill,
	[DELIVERY_RESUMER] = context_fill,
	[DELIVERY_VERIFIER] = verifier_fill,
};

/* It is begun only while enough of its lease is left for an ordinary request: who was held up for
 * long may have lost it. */
static enum err lease_look(struct rows *rows, struct delivery_fill *f, struct fault *why)
{
	const struct delivery *d;
	enum err e = rows_get(
		rows, RECORD_DELIVERIES, KEY(f->delivery->ws, f->delivery->id), &d, why);

	f->lost = !d || d->status != DELIVERY_WAITING || !lease_holds(&d->lease, f->by) ||
		  d->lease.until_ms - rows->now_ms < DELIVERY_LEASE_MS / 2;
	return e;
}

static enum err alert_fill(struct rows *rows, struct delivery_fill *f, struct fault *why)
{
	const struct alert *a;
	enum err e = rows_get(
		rows, RECORD_ALERTS, KEY(f->delivery->ws, f->delivery->ask), &a, why);

	if (!e && !a) e = fail(why, ERR_NOT_FOUND, "the alert is no longer there");
	if (!e) f->alert = *a;
	return e;
}

static enum err fill_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct filling f = { .t = t, .rows = rows, .fill = t->checked };
	const struct delivery *d = f.fill->delivery;
	const struct workspace *w = NULL;
	struct session *s = NULL;
	struct ask *a = NULL;
	enum err e = lease_look(rows, f.fill, why);

	if (e || f.fill->lost) return e;
	if (delivery_of_alert(d))
		e = alert_fill(rows, f.fill, why);
	else if (d->ask.len)
		e = rows_fetch_ask(rows, d->ws, d->ask, &a, why);
	if (!e && d->session.len)
		e = rows_fetch_session(rows, d->ws, d->session, &s, why);
	if (!e && a && d->kind != DELIVERY_RESUMER)
		e = rows_get(rows, RECORD_WORKSPACES, KEY(d->ws), &w, why);
	if (e) return e;
	f.ask = a;
	f.session = s;
	if (w) f.workspace = w->name;
	f.fill->trace = a ? a->trace : s ? s->trace : STR_NONE;
	return d->contact.len ? person_fill(&f, why) : fills[d->kind](&f, why);
}

const struct use use_delivery_fill =
	READS("delivery_fill", 0, JOB_SLOW | JOB_OPEN, fill_read, NULL);
