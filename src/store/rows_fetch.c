/* rows_fetch.c - rows that are only known while a job decides or reads, and other looks at the
 * store. */
#include "store/rows_inner.h"

#include <assert.h>

static enum err not_found(const char *what, struct str id, struct fault *why)
{
	return fail(why, ERR_NOT_FOUND, "no %s %.*s", what, STR_ARGS(str_first(id, 64)));
}

enum err rows_fetch_ask(
	struct rows *rows, int64_t ws, struct str id, struct ask **out, struct fault *why)
{
	enum err e = OK;

	if (!rows_recall_ask(rows, ws, id))
		e = db_one(rows->db, SQL_ASK_GET, ARGS(ws, id), loaded_ask, rows, why);
	if (e) return e;
	*out = rows_ask(rows, ws, id);
	return *out ? OK : not_found("ask", id, why);
}

enum err rows_fetch_session(struct rows *rows, int64_t ws, struct str id,
	struct session **out, struct fault *why)
{
	enum err e = OK;

	if (!rows_recall_session(rows, ws, id))
		e = db_one(rows->db, SQL_OF(RECORD_SESSIONS, RECORD_GET), ARGS(ws, id),
			loaded_session, rows, why);
	if (e) return e;
	*out = rows_session(rows, ws, id);
	return *out ? OK : not_found("session", id, why);
}

enum err rows_fetch_open(struct rows *rows, const struct session *s, struct fault *why)
{
	if (s->open_input + s->open_approval + s->open_other == 0) return OK;
	return db_one(
		rows->db, SQL_ASKS_OPEN, ARGS(s->ws, s->id), loaded_open, rows, why);
}

enum err rows_fetch(struct rows *rows, enum record_id id, enum sql sql,
	const struct val *args, int len, struct fault *why)
{
	struct loading l = { rows, id, NULL };

	return rows_query(rows, sql, args, len, loaded_record, &l, why);
}

struct each_record {
	const struct record *of;
	record_fn *fn;
	void *ctx;
};

static enum err each_row(void *ctx, const struct row *row, struct fault *why)
{
	const struct each_record *each = ctx;
	struct arena scratch = { 0 };
	void *record = arena_alloc(&scratch, each->of->size);
	enum err e = record ? record_read(each->of, row, &scratch, record, why)
			    : fail_memory(why);

	if (!e) e = each->fn(each->ctx, record, row, &scratch, why);
	if (!e && scratch.failed) e = fail_memory(why);
	arena_done(&scratch);
	return e;
}

enum err rows_each(struct rows *rows, enum record_id id, enum sql sql,
	const struct val *args, int len, record_fn *fn, void *ctx, struct fault *why)
{
	struct each_record each = { &records[id], fn, ctx };

	return rows_query(rows, sql, args, len, each_row, &each, why);
}

enum err rows_get(struct rows *rows, enum record_id id, const struct val *key, void *out,
	struct fault *why)
{
	const struct record *r = &records[id];
	struct str name = record_key_name(r, key, rows->arena);
	enum err e = copy_find(rows, id, name)
			     ? OK
			     : rows_fetch(rows, id, SQL_OF(id, RECORD_GET), key,
				       r->keys_len, why);
	const void *found = e ? NULL : rows_find(rows, id, name);

	/* The record of this id may be another workspace's. `ws` is its first member. */
	if (found && key[0].type == VAL_INT && *(const int64_t *)found != key[0].integer)
		found = NULL;
	if (!e) memcpy(out, &found, sizeof found);
	return e;
}

enum err rows_open(struct rows *rows, enum record_id id, const struct val *key,
	const void *fresh, void *out, struct fault *why)
{
	const void *found;
	void *record;
	enum err e = rows_get(rows, id, key, &found, why);

	if (e) return e;
	record = found ? rows_change(rows, found) : rows_new(rows, id, fresh);
	memcpy(out, &record, sizeof record);
	return OK;
}

enum err rows_first(struct rows *rows, enum record_id id, enum sql sql,
	const struct val *args, int len, void *out, struct fault *why)
{
	struct loading l = { rows, id, NULL };
	enum err e = rows_query(rows, sql, args, len, loaded_record, &l, why);

	if (!e) memcpy(out, &l.first, sizeof l.first);
	return e;
}

const void **rows_all(struct rows *rows, enum record_id id, int64_t ws, size_t *len)
{
	static const void *nothing[1];
	const void **all, *at = NULL;
	size_t n = 1;

	*len = 0;
	while ((at = rows_next(rows, id, at)))
		n++;
	all = ARENA_ARRAY(rows->arena, const void *, n);
	if (!all) return nothing;
	while ((at = rows_next(rows, id, at)))
		if (*(const int64_t *)at == ws) all[(*len)++] = at;
	return all;
}

struct ints_found {
	int64_t *out;
	int len;
};

static enum err ints_row(void *ctx, const struct row *row, struct fault *why)
{
	const struct ints_found *f = ctx;

	(void)why;
	for (int i = 0; i < f->len; i++)
		f->out[i] = row_int(row, i);
	return OK;
}

enum err rows_ints(struct rows *rows, enum sql sql, const struct val *args, int len,
	int64_t *out, int columns, struct fault *why)
{
	struct ints_found f = { out, columns };

	return rows_query(rows, sql, args, len, ints_row, &f, why);
}

enum err rows_int(struct rows *rows, enum sql sql, const struct val *args, int len,
	int64_t *out, struct fault *why)
{
	return rows_ints(rows, sql, args, len, out, 1, why);
}

struct texts_found {
	struct arena *arena;
	struct str *out;
	size_t len, max;
};

static enum err text_row(void *ctx, const struct row *row, struct fault *why)
{
	struct texts_found *f = ctx;

	(void)why;
	if (f->len < f->max) f->out[f->len++] = arena_str(f->arena, row_text(row, 0));
	return OK;
}

enum err rows_texts(struct rows *rows, enum sql sql, const struct val *args, int len,
	struct str *out, size_t max, size_t *found, struct fault *why)
{
	struct texts_found f = { rows->arena, out, 0, max };
	enum err e = rows_query(rows, sql, args, len, text_row, &f, why);

	*found = f.len;
	return e;
}

enum err rows_verify(struct rows *rows, struct fault *why)
{
	return rows->db->driver->verify(rows->db, why);
}

enum err rows_query(struct rows *rows, enum sql sql, const struct val *args, int len,
	row_fn *row, void *ctx, struct fault *why)
{
	assert(sql_reads(sql));
	return db_one(rows->db, sql, args, len, row, ctx, why);
}

enum err rows_fetch_user(struct rows *rows, int64_t ws, struct str id,
	const struct user **out, struct fault *why)
{
	const struct user *u = NULL;
	enum err e = rows_get(rows, RECORD_USERS, KEY(ws, id), &u, why);

	if (!e && !u) e = not_found("user", id, why);
	if (!e) *out = u;
	return e;
}

enum err rows_fetch_token(struct rows *rows, int64_t ws, struct str id,
	const struct token **out, struct fault *why)
{
	const struct token *tok = NULL;
	enum err e = rows_fetch(rows, RECORD_TOKENS, SQL_TOKEN_BY_ID, ARGS(ws, id), why);

	if (e) return e;
	while ((tok = rows_next(rows, RECORD_TOKENS, tok)))
		if (tok->ws == ws && str_eq(tok->id, id)) {
			*out = tok;
			return OK;
		}
	return not_found("token", id, why);
}

/* ---- what jobs of one batch ask for again: it has the copies already ---- */

static bool vals_same(const struct val *a, const struct val *b, int len)
{
	for (int i = 0; i < len; i++)
		if (a[i].type != b[i].type || a[i].integer != b[i].integer ||
			!str_eq(a[i].text, b[i].text))
			return false;
	return true;
}

static bool was_fetched(
	const struct rows *rows, enum sql sql, const struct val *args, int len)
{
	for (const struct fetched_once *f = rows->once; f; f = f->next)
		if (f->sql == sql && f->len == len && vals_same(f->args, args, len))
			return true;
	return false;
}

/* Without memory for it, it is fetched again the next time. */
static void fetched_note(struct rows *rows, enum sql sql, const struct val *args, int len)
{
	struct fetched_once *f = ARENA_NEW(rows->arena, struct fetched_once);
	struct val *kept = ARENA_ARRAY(rows->arena, struct val, (size_t)len);

	if (!f || !kept) return;
	for (int i = 0; i < len; i++) {
		kept[i] = args[i];
		kept[i].text = arena_str(rows->arena, args[i].text);
	}
	*f = (struct fetched_once){ rows->once, sql, kept, len };
	rows->once = f;
}

void wants_once(struct wants *w, enum record_id id, const struct val *key)
{
	enum sql sql = SQL_OF(id, RECORD_GET);
	int len = records[id].keys_len;

	if (was_fetched(w->rows, sql, key, len)) return;
	wants_record(w, id, key);
	fetched_note(w->rows, sql, key, len);
}

enum err rows_fetch_once(struct rows *rows, enum record_id id, enum sql sql,
	const struct val *args, int len, struct fault *why)
{
	enum err e;

	if (was_fetched(rows, sql, args, len)) return OK;
	e = rows_fetch(rows, id, sql, args, len, why);
	if (!e) fetched_note(rows, sql, args, len);
	return e;
}
