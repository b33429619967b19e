/* delivery_fill.c - what a claimed delivery brings: the body of a webhook and its keys, the context
 * of a resumer. Read by a clerk outside of any write, each with bounds of its own. */
#include "desk/delivery/callbacks.h"
#include "desk/notify/notify_fill.h"

#include "base/clock.h"

enum {
	PENDING_BYTES = 512 * 1024, /* open asks that a body shows, the newest */
	PENDING_PAGE = 8,
};

/* ---- rows ---- */

struct one_ask {
	struct arena *arena;
	struct ask *out;
	bool found;
};

static enum err ask_row(void *ctx, const struct row *row, struct fault *why)
{
	struct one_ask *o = ctx;

	o->found = true;
	return ask_from_row(row, o->arena, o->out, why);
}

static enum err ask_read(struct rows *rows, const struct delivery *d, struct arena *arena,
	struct ask *out, struct fault *why)
{
	struct one_ask o = { arena, out, false };
	const struct val args[] = { val_int(d->ws), val_text(d->ask) };
	enum err e = rows_query(rows, SQL_ASK_GET, args, 2, ask_row, &o, why);

	return e || o.found ? e
			    : fail(why, ERR_NOT_FOUND, "no ask %.*s", STR_ARGS(d->ask));
}

struct text_row {
	struct arena *arena;
	int column;
	struct str text;
};

static enum err text_row(void *ctx, const struct row *row, struct fault *why)
{
	struct text_row *t = ctx;

	(void)why;
	t->text = arena_str(t->arena, row_text(row, t->column));
	return OK;
}

static enum err workspace_name(struct rows *rows, int64_t ws, struct arena *arena,
	struct str *out, struct fault *why)
{
	struct text_row t = { arena, 1, STR_NONE };
	const struct val args[] = { val_int(ws) };
	enum err e = rows_query(rows, SQL_WORKSPACE_GET, args, 1, text_row, &t, why);

	*out = t.text;
	return e;
}

struct one_key {
	struct arena *arena;
	struct server_key key;
};

static enum err key_row(void *ctx, const struct row *row, struct fault *why)
{
	struct one_key *k = ctx;

	return record_read(&records[RECORD_SERVER_KEYS], row, k->arena, &k->key, why);
}

static enum err key_read(struct rows *rows, struct str name, struct arena *arena,
	struct one_key *out, struct fault *why)
{
	const struct val args[] = { val_text(name) };

	*out = (struct one_key){ .arena = arena };
	return rows_query(
		rows, SQL_OF(RECORD_SERVER_KEYS, RECORD_GET), args, 1, key_row, out, why);
}

enum err fill_server_key(struct rows *rows, struct str name, struct arena *arena,
	struct str *out, struct fault *why)
{
	struct one_key k;
	enum err e = key_read(rows, name, arena, &k, why);

	if (!e && k.key.value.len != SERVER_KEY_SIZE)
		e = fail(why, ERR_UNAVAILABLE, "the server's key is not there yet");
	if (!e) *out = k.key.value;
	return e;
}

/* They were made when the delivery was claimed. */
static enum err keys_read(struct rows *rows, struct delivery_fill *f, int64_t now_ms,
	struct arena *arena, struct fault *why)
{
	int64_t ws = f->delivery->ws;
	struct one_key now, before;
	enum err e =
		key_read(rows, desk_webhook_key_name(ws, false, arena), arena, &now, why);

	if (!e)
		e = key_read(rows, desk_webhook_key_name(ws, true, arena), arena, &before,
			why);
	if (e) return e;
	if (!now.key.value.len)
		return fail(why, ERR_UNAVAILABLE, "the webhook key is not there yet");
	f->keys[0] = now.key.value;
	if (before.key.created_ms > now_ms - WEBHOOK_OVERLAP_MS)
		f->keys[1] = before.key.value;
	return OK;
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

static enum err pending_row(void *ctx, const struct row *row, struct fault *why)
{
	struct pending *p = ctx;
	struct arena *arena = &p->t->job.arena, scratch = { 0 };
	struct shown *s = ARENA_NEW(arena, struct shown);
	struct ask a;
	enum err e = ask_from_row(row, &scratch, &a, why);

	p->rows++;
	if (!e && s && !p->full) {
		struct str json = desk_show(
			p->t->desk, &a, p->title, p->workspace, p->now_ms, &scratch);

		memcpy(p->id, a.id.at, a.id.len < ID_SIZE ? a.id.len : ID_SIZE - 1);
		p->bytes += json.len;
		p->full = p->bytes > PENDING_BYTES;
		if (!p->full) {
			*s = (struct shown){ p->first, arena_str(arena, json) };
			p->first = s;
		}
	}
	if (scratch.failed || arena->failed) e = fail(why, ERR_MEMORY, "out of memory");
	arena_done(&scratch);
	return e;
}

static enum err pending_read(
	struct rows *rows, const struct session *s, struct pending *p, struct fault *why)
{
	enum err e = OK;

	if (s->open_input + s->open_approval + s->open_other <= 0) return OK;
	do {
		const struct val args[] = { val_int(s->ws), val_text(s->id),
			val_int(PENDING_PAGE), val_int(INT64_MAX),
			val_text(str_of(p->id)), val_int(1) };

		p->rows = 0;
		e = rows_query(rows, SQL_ASKS_RECENT, args, 6, pending_row, p, why);
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
	int64_t now_ms;
	struct delivery_fill *fill;
	struct ask ask;
	struct session session;
};

typedef enum err fill_fn(struct filling *, struct fault *why);

static enum err webhook_fill(struct filling *f, struct fault *why)
{
	struct arena *arena = &f->t->job.arena;
	const struct session *s = &f->session;
	struct pending p = {
		.t = f->t, .title = s->title, .now_ms = f->now_ms, .id = "zz"
	};
	struct buf body = { 0 };
	enum err e = workspace_name(f->rows, s->ws, arena, &p.workspace, why);

	if (!e) e = pending_read(f->rows, s, &p, why);
	if (e) return e;
	body_write(&body, f->t, &f->ask, s, &p);
	if (body.failed) arena->failed = true;
	f->fill->body = arena_str(arena, buf_str(&body));
	buf_done(&body);
	return OK;
}

/* A message to a person: what it is about may be no ask. */
static enum err person_fill(struct filling *f, struct fault *why)
{
	struct delivery_fill *fill = f->fill;
	const struct delivery *d = fill->delivery;
	struct arena *arena = &f->t->job.arena;
	enum err e = OK;

	if (d->ask.len) {
		fill->ask = f->ask;
		fill->session_title = f->session.title;
		e = workspace_name(f->rows, d->ws, arena, &fill->workspace, why);
	}
	return e ? e : notify_fill(f->t, f->rows, f->now_ms, fill, why);
}

static enum err context_fill(struct filling *f, struct fault *why)
{
	const struct session *s = &f->session;

	if (resumer_is_late(s, &f->ask))
		return fail(why, ERR_CONFLICT, "the session is %s",
			session_status_name(s->status));
	f->fill->external_id = s->external_id;
	return desk_resume_context(f->rows, s, &f->t->job.arena, &f->fill->context, why);
}

/* The ask as it is shown, and nothing else. */
static enum err verifier_fill(struct filling *f, struct fault *why)
{
	struct arena *arena = &f->t->job.arena;
	struct str workspace;
	enum err e = workspace_name(f->rows, f->ask.ws, arena, &workspace, why);

	if (!e) e = keys_read(f->rows, f->fill, f->now_ms, arena, why);
	if (!e)
		f->fill->body = desk_show(f->t->desk, &f->ask, f->session.title,
			workspace, f->now_ms, arena);
	return e;
}

static fill_fn *const fills[DELIVERY_KINDS] = {
	[DELIVERY_WEBHOOK] = webhook_fill,
	[DELIVERY_RESUMER] = context_fill,
	[DELIVERY_VERIFIER] = verifier_fill,
};

static enum err fill_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct filling f = { t, rows, rows->now_ms, t->checked, { 0 }, { 0 } };
	const struct delivery *d = f.fill->delivery;
	enum err e = d->ask.len ? ask_read(rows, d, &job->arena, &f.ask, why) : OK;

	if (!e && d->session.len)
		e = desk_read_session(
			rows, d->ws, d->session, &job->arena, &f.session, why);
	if (!e) e = d->contact.len ? person_fill(&f, why) : fills[d->kind](&f, why);
	if (!e && d->kind == DELIVERY_WEBHOOK)
		e = keys_read(rows, f.fill, rows->now_ms, &job->arena, why);
	return e;
}

const struct use use_delivery_fill =
	READS("delivery_fill", 0, JOB_SLOW | JOB_OPEN, fill_read, NULL);
