/* rows.c - wanting, loading and finding the rows of a batch. Writing is in write.c. */
#include "store/rows.h"

#include "store/rows_inner.h"

#include "base/mem.h"

#include <stdio.h>

/* ---- wants ---- */

static struct call *wants_call(struct wants *w, enum sql sql, row_fn *row, int args_len)
{
	struct val *args = ARENA_ARRAY(w->rows->arena, struct val, (size_t)args_len);

	if (w->len == w->cap && !w->failed) {
		size_t cap = w->cap ? w->cap * 2 : 64;
		struct call *calls = ARENA_ARRAY(w->rows->arena, struct call, cap);

		if (calls && w->len) memcpy(calls, w->calls, w->len * sizeof *calls);
		if (calls) w->calls = calls;
		if (calls)
			w->cap = cap;
		else
			w->failed = true;
	}
	if (!args || w->failed) {
		w->failed = true;
		return NULL;
	}
	w->calls[w->len] = (struct call){ sql, args, args_len, row, w->rows, 0 };
	return &w->calls[w->len++];
}

static struct val *call_args(struct call *call)
{
	return (struct val *)(uintptr_t)call->args;
}

/* True the first time somebody wants this. */
static bool wants_first(struct wants *w, char what, int64_t ws, struct str id)
{
	size_t len = 1 + sizeof ws + id.len;
	char *name = arena_alloc(w->rows->arena, len);
	struct str key = { name, len };

	if (!name) return false;
	name[0] = what;
	memcpy(name + 1, &ws, sizeof ws);
	if (id.len) memcpy(name + 1 + sizeof ws, id.at, id.len);
	if (table_get(&w->seen, key)) return false;
	if (!table_put(&w->seen, key, w)) w->failed = true;
	return true;
}

static enum err loaded_session(void *ctx, const struct row *row, struct fault *why)
{
	struct rows *rows = ctx;
	struct session s;
	struct session_row *r;
	enum err e;

	if (table_get(&rows->sessions, row_text(row, 1))) return OK;
	e = session_from_row(row, rows->arena, &s, why);
	if (e) return e;
	r = rows_put_session(rows, &s);
	if (!r || (s.external_id.len && !rows_name_external(rows, &r->session)))
		return fail(why, ERR_MEMORY, "out of memory");
	return OK;
}

static struct ask_row *load_ask(
	struct rows *rows, const struct row *row, struct fault *why)
{
	struct ask_row *r = table_get(&rows->asks, row_text(row, 1));
	struct ask a;

	if (r || ask_from_row(row, rows->arena, &a, why)) return r;
	r = rows_put_ask(rows, &a);
	if (!r) fail(why, ERR_MEMORY, "out of memory");
	return r;
}

static enum err loaded_open(void *ctx, const struct row *row, struct fault *why)
{
	return load_ask(ctx, row, why) ? OK : ERR_MEMORY;
}

/* Its session stands behind it. */
static enum err loaded_ask(void *ctx, const struct row *row, struct fault *why)
{
	struct row session = row_behind(row, ASK_COLUMNS_LEN);

	return load_ask(ctx, row, why) ? loaded_session(ctx, &session, why) : ERR_MEMORY;
}

static enum err loaded_due(void *ctx, const struct row *row, struct fault *why)
{
	struct rows *rows = ctx;
	enum err e = loaded_ask(ctx, row, why);

	if (e) return e;
	((struct ask_row *)table_get(&rows->asks, row_text(row, 1)))->due = true;
	return OK;
}

static enum err loaded_key(void *ctx, const struct row *row, struct fault *why)
{
	struct key_slot *slot = ctx;
	struct str body = row_text(row, 0);

	slot->record.status = row_int(row, 1);
	slot->record.session = arena_str(slot->rows->arena, row_text(row, 2));
	slot->record.result = arena_str(slot->rows->arena, row_text(row, 3));
	if (body.len == SHA256_SIZE) memcpy(slot->record.body, body.at, SHA256_SIZE);
	slot->found = true;
	return slot->rows->arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

void wants_session(struct wants *w, int64_t ws, struct str id)
{
	struct call *c;

	if (!wants_first(w, 's', ws, id)) return;
	c = wants_call(w, SQL_SESSION_GET, loaded_session, 2);
	if (!c) return;
	call_args(c)[0] = val_int(ws);
	call_args(c)[1] = val_text(id);
}

void wants_external(struct wants *w, int64_t ws, struct str external_id)
{
	struct call *c;

	if (!external_id.len || !wants_first(w, 'x', ws, external_id)) return;
	c = wants_call(w, SQL_SESSION_BY_EXTERNAL, loaded_session, 2);
	if (!c) return;
	call_args(c)[0] = val_int(ws);
	call_args(c)[1] = val_text(external_id);
}

void wants_ask(struct wants *w, int64_t ws, struct str id)
{
	struct call *c;

	if (!wants_first(w, 'a', ws, id)) return;
	c = wants_call(w, SQL_ASK_GET, loaded_ask, 2);
	if (!c) return;
	call_args(c)[0] = val_int(ws);
	call_args(c)[1] = val_text(id);
}

void wants_dedupe(struct wants *w, int64_t ws, struct str agent, struct str dedupe_key)
{
	struct str name;
	struct call *c;

	if (!dedupe_key.len) return;
	name = arena_print(
		w->rows->arena, "%.*s/%.*s", STR_ARGS(dedupe_key), STR_ARGS(agent));
	if (!wants_first(w, 'e', ws, name)) return;
	c = wants_call(w, SQL_ASK_BY_DEDUPE, loaded_ask, 3);
	if (!c) return;
	call_args(c)[0] = val_int(ws);
	call_args(c)[1] = val_text(agent);
	call_args(c)[2] = val_text(dedupe_key);
}

void wants_open_asks(struct wants *w, int64_t ws, struct str session)
{
	struct call *c;

	wants_session(w, ws, session);
	if (!wants_first(w, 'o', ws, session)) return;
	c = wants_call(w, SQL_ASKS_OPEN, loaded_open, 2);
	if (!c) return;
	call_args(c)[0] = val_int(ws);
	call_args(c)[1] = val_text(session);
}

void wants_due(struct wants *w, int64_t limit)
{
	struct call *c;

	if (!wants_first(w, 'd', 0, STR("due"))) return;
	c = wants_call(w, SQL_ASKS_DUE, loaded_due, 2);
	if (!c) return;
	call_args(c)[0] = val_int(w->rows->now_ms);
	call_args(c)[1] = val_int(limit);
}

void wants_key(
	struct wants *w, int64_t ws, struct str token, struct str path, struct str key)
{
	struct key_slot *slot = rows_key_slot(w->rows, ws, token, path, key);
	struct call *c;

	if (!slot) {
		w->failed = true;
		return;
	}
	if (slot->wanted) return;
	slot->wanted = true;
	c = wants_call(w, SQL_KEY_GET, loaded_key, 4);
	if (!c) return;
	c->ctx = slot;
	call_args(c)[0] = val_int(ws);
	call_args(c)[1] = val_text(token);
	call_args(c)[2] = val_text(path);
	call_args(c)[3] = val_text(key);
}

/* ---- rows ---- */

void rows_start(struct rows *rows, struct arena *arena, struct db *db, struct ids *ids,
	int64_t now_ms)
{
	rows->now_ms = now_ms;
	rows->arena = arena;
	rows->ids = ids;
	rows->db = db;
	table_clear(&rows->asks);
	table_clear(&rows->sessions);
	table_clear(&rows->external);
	table_clear(&rows->keys);
	rows->asks_first = NULL;
	rows->asks_end = &rows->asks_first;
	rows->sessions_first = NULL;
	rows->sessions_end = &rows->sessions_first;
	rows->keys_first = NULL;
	rows->keys_end = &rows->keys_first;
	rows->staged_first = NULL;
	rows->staged_end = &rows->staged_first;
	rows->staged_len = 0;
	rows->extra_first = NULL;
	rows->extra_end = &rows->extra_first;
	rows->next_deadline_ms = 0;
	rows->wrote = false;
	rows->delivers = false;
}

void rows_done(struct rows *rows)
{
	table_done(&rows->asks);
	table_done(&rows->sessions);
	table_done(&rows->external);
	table_done(&rows->keys);
}

enum err rows_load(struct rows *rows, struct wants *w, struct fault *why)
{
	if (w->failed || rows->arena->failed)
		return fail(why, ERR_MEMORY, "out of memory");
	return w->len ? db_run(rows->db, w->calls, w->len, why) : OK;
}

struct ask_row *rows_put_ask(struct rows *rows, const struct ask *a)
{
	struct ask_row *r = ARENA_NEW(rows->arena, struct ask_row);

	if (!r || !table_put(&rows->asks, a->id, r)) return NULL;
	r->ask = *a;
	r->stored_version = a->version;
	*rows->asks_end = r;
	rows->asks_end = &r->next;
	return r;
}

struct session_row *rows_put_session(struct rows *rows, const struct session *s)
{
	struct session_row *r = ARENA_NEW(rows->arena, struct session_row);

	if (!r || !table_put(&rows->sessions, s->id, r)) return NULL;
	r->session = *s;
	r->stored_version = s->version;
	*rows->sessions_end = r;
	rows->sessions_end = &r->next;
	return r;
}

struct session *rows_session(struct rows *rows, int64_t ws, struct str id)
{
	struct session_row *r = table_get(&rows->sessions, id);

	return r && r->session.ws == ws && !r->deleted ? &r->session : NULL;
}

bool rows_session_deleted(struct rows *rows, struct str id)
{
	struct session_row *r = table_get(&rows->sessions, id);

	return r && r->deleted;
}

struct ask *rows_ask(struct rows *rows, int64_t ws, struct str id)
{
	struct ask_row *r = table_get(&rows->asks, id);

	if (!r || r->ask.ws != ws) return NULL;
	return rows_session_deleted(rows, r->ask.session) ? NULL : &r->ask;
}

struct ask *rows_dedupe(
	struct rows *rows, int64_t ws, struct str agent, struct str dedupe_key)
{
	if (!dedupe_key.len) return NULL;
	for (struct ask_row *r = rows->asks_first; r; r = r->next)
		if (r->ask.ws == ws && r->ask.status == ASK_PENDING &&
			str_eq(r->ask.dedupe_key, dedupe_key) &&
			str_eq(r->ask.agent, agent) &&
			!rows_session_deleted(rows, r->ask.session))
			return &r->ask;
	return NULL;
}

static struct str external_key(struct rows *rows, int64_t ws, struct str external_id)
{
	return arena_print(
		rows->arena, "%lld/%.*s", (long long)ws, STR_ARGS(external_id));
}

struct session *rows_external(struct rows *rows, int64_t ws, struct str external_id)
{
	struct session_row *r;

	if (!external_id.len) return NULL;
	r = table_get(&rows->external, external_key(rows, ws, external_id));
	return r && !r->deleted ? &r->session : NULL;
}

bool rows_name_external(struct rows *rows, struct session *s)
{
	struct str key = external_key(rows, s->ws, s->external_id);

	return key.len && table_put(&rows->external, key, session_row_of(s));
}

struct key_slot *rows_key_slot(
	struct rows *rows, int64_t ws, struct str token, struct str path, struct str key)
{
	/* Paths and keys may both have slashes in them. */
	struct str name = arena_print(rows->arena, "%lld/%.*s/%zu/%.*s/%.*s",
		(long long)ws, STR_ARGS(token), path.len, STR_ARGS(path), STR_ARGS(key));
	struct key_slot *slot;

	if (!name.len) return NULL;
	slot = table_get(&rows->keys, name);
	if (slot) return slot;
	slot = ARENA_NEW(rows->arena, struct key_slot);
	if (!slot || !table_put(&rows->keys, name, slot)) return NULL;
	*slot = (struct key_slot){
		.rows = rows, .ws = ws, .token = token, .path = path, .key = key
	};
	*rows->keys_end = slot;
	rows->keys_end = &slot->next;
	return slot;
}

struct key_record *rows_key(
	struct rows *rows, int64_t ws, struct str token, struct str path, struct str key)
{
	struct key_slot *slot = rows_key_slot(rows, ws, token, path, key);

	if (!slot || !slot->found) return NULL;
	return rows_session_deleted(rows, slot->record.session) ? NULL : &slot->record;
}

struct ask *rows_next_ask(
	struct rows *rows, int64_t ws, struct str session, struct ask *at)
{
	struct ask_row *r = at ? ask_row_of(at)->next : rows->asks_first;

	while (r && (r->ask.ws != ws || r->ask.status != ASK_PENDING ||
			    !str_eq(r->ask.session, session)))
		r = r->next;
	return r ? &r->ask : NULL;
}

struct ask *rows_next_due(struct rows *rows, struct ask *at)
{
	struct ask_row *r = at ? ask_row_of(at)->next : rows->asks_first;

	while (r && !(r->due && r->ask.status == ASK_PENDING && r->ask.deadline_ms > 0 &&
			    r->ask.deadline_ms <= rows->now_ms &&
			    !rows_session_deleted(rows, r->ask.session)))
		r = r->next;
	return r ? &r->ask : NULL;
}

enum err rows_fetch_ask(
	struct rows *rows, int64_t ws, struct str id, struct ask **out, struct fault *why)
{
	const struct val args[] = { val_int(ws), val_text(id) };
	enum err e = rows_ask(rows, ws, id) ? OK
					    : db_one(rows->db, SQL_ASK_GET, args, 2,
						      loaded_ask, rows, why);

	if (e) return e;
	*out = rows_ask(rows, ws, id);
	return *out ? OK : fail(why, ERR_NOT_FOUND, "no ask %.*s", STR_ARGS(id));
}

enum err rows_fetch_session(struct rows *rows, int64_t ws, struct str id,
	struct session **out, struct fault *why)
{
	const struct val args[] = { val_int(ws), val_text(id) };
	struct call call = { SQL_SESSION_GET, args, 2, loaded_session, rows, 0 };
	enum err e = rows_session(rows, ws, id) ? OK : db_run(rows->db, &call, 1, why);

	if (e) return e;
	*out = rows_session(rows, ws, id);
	return *out ? OK : fail(why, ERR_NOT_FOUND, "no session %.*s", STR_ARGS(id));
}

enum err rows_fetch_open(struct rows *rows, const struct session *s, struct fault *why)
{
	const struct val args[] = { val_int(s->ws), val_text(s->id) };

	if (s->open_input + s->open_approval + s->open_other == 0) return OK;
	return db_one(rows->db, SQL_ASKS_OPEN, args, 2, loaded_open, rows, why);
}

/* ---- changes ---- */

static struct str new_id(struct rows *rows, const char *prefix)
{
	char id[ID_SIZE];

	id_make(rows->ids, prefix, rows->now_ms, id);
	return arena_str(rows->arena, str_of(id));
}

struct ask *rows_new_ask(struct rows *rows, int64_t ws)
{
	struct ask a = { .ws = ws, .created_ms = rows->now_ms, .version = 1 };
	struct ask_row *r;

	a.id = new_id(rows, "ask");
	r = a.id.len ? rows_put_ask(rows, &a) : NULL;
	if (r) r->stored_version = 0;
	return r ? &r->ask : NULL;
}

struct session *rows_new_session(struct rows *rows, int64_t ws)
{
	struct session s = { .ws = ws,
		.created_ms = rows->now_ms,
		.updated_ms = rows->now_ms,
		.version = 1 };
	struct session_row *r;

	s.id = new_id(rows, "ses");
	r = s.id.len ? rows_put_session(rows, &s) : NULL;
	if (r) r->stored_version = 0;
	return r ? &r->session : NULL;
}

void rows_touch_session(struct rows *rows, struct session *s)
{
	struct session_row *r = session_row_of(s);

	s->updated_ms = rows->now_ms;
	s->version = r->stored_version + 1;
}

void rows_delete_session(struct rows *rows, struct session *s)
{
	(void)rows;
	session_row_of(s)->deleted = true;
}

struct staged *rows_event(struct rows *rows, const char *type, const struct session *s,
	const struct ask *a, struct str data)
{
	struct staged *st = ARENA_NEW(rows->arena, struct staged);

	if (!st) return NULL;
	st->event = (struct event){
		.ws = s->ws,
		.type = type,
		.at_ms = rows->now_ms,
		.session = s->id,
		.ask = a ? a->id : STR_NONE,
		.run = a ? a->run : STR_NONE,
		.agent = s->agent,
		.data = data.len ? data : STR("{}"),
	};
	*rows->staged_end = st;
	rows->staged_end = &st->next;
	rows->staged_len++;
	return st;
}

bool rows_add_key(struct rows *rows, int64_t ws, struct str token, struct str path,
	struct str key, const struct key_record *record)
{
	struct key_slot *slot = rows_key_slot(rows, ws, token, path, key);

	if (!slot) return false;
	slot->record = *record;
	slot->found = slot->fresh = true;
	return true;
}

bool rows_extra(struct rows *rows, enum sql sql, const struct val *args, int len,
	bool must_change)
{
	struct extra *x = ARENA_NEW(rows->arena, struct extra);
	struct val *copy = ARENA_ARRAY(rows->arena, struct val, (size_t)len);

	if (!x || !copy) return false;
	memcpy(copy, args, (size_t)len * sizeof *copy);
	x->call = (struct call){
		.sql = sql, .args = copy, .args_len = len, .must_change = must_change
	};
	*rows->extra_end = x;
	rows->extra_end = &x->next;
	return true;
}
