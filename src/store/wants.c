/* wants.c - what the jobs of a batch want loaded: each thing once, in one list. */
#include "store/rows_inner.h"

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

void wants_record(struct wants *w, enum record_id id, const struct val *key)
{
	const struct record *r = &records[id];
	struct loading *l = ARENA_NEW(w->rows->arena, struct loading);
	struct call *c;

	if (!l) {
		w->failed = true;
		return;
	}
	if (!wants_first(w, (char)id, 0, record_key_name(r, key, w->rows->arena))) return;
	c = wants_call(w, SQL_OF(id, RECORD_GET), loaded_record, r->keys_len);
	if (!c) return;
	*l = (struct loading){ w->rows, id, NULL };
	c->ctx = l;
	memcpy(call_args(c), key, (size_t)r->keys_len * sizeof *key);
}

void wants_session(struct wants *w, int64_t ws, struct str id)
{
	struct call *c;

	if (rows_recall_session(w->rows, ws, id) || !wants_first(w, 's', ws, id)) return;
	c = wants_call(w, SQL_OF(RECORD_SESSIONS, RECORD_GET), loaded_session, 2);
	if (!c) return;
	call_args(c)[0] = val_int(ws);
	call_args(c)[1] = val_text(id);
}

void wants_user(struct wants *w, int64_t ws, struct str id)
{
	const struct val key[] = { val_int(ws), val_text(id) };

	wants_record(w, RECORD_USERS, key);
}

void wants_external(struct wants *w, int64_t ws, struct str agent, struct str external_id)
{
	struct call *c;

	if (!external_id.len ||
		!wants_first(w, 'x', ws, external_key(w->rows, ws, agent, external_id)))
		return;
	c = wants_call(w, SQL_SESSION_BY_EXTERNAL, loaded_session, 3);
	if (!c) return;
	call_args(c)[0] = val_int(ws);
	call_args(c)[1] = val_text(agent);
	call_args(c)[2] = val_text(external_id);
}

void wants_ask(struct wants *w, int64_t ws, struct str id)
{
	struct call *c;

	if (rows_recall_ask(w->rows, ws, id) || !wants_first(w, 'a', ws, id)) return;
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

void wants_settled(struct wants *w, int64_t ws, struct str agent, struct str dedupe_key,
	int64_t since_ms)
{
	struct str name;
	struct call *c;

	if (!dedupe_key.len) return;
	name = arena_print(
		w->rows->arena, "%.*s/%.*s", STR_ARGS(dedupe_key), STR_ARGS(agent));
	if (!wants_first(w, 'g', ws, name)) return;
	c = wants_call(w, SQL_ASK_SETTLED_BY_DEDUPE, loaded_ask, 4);
	if (!c) return;
	call_args(c)[0] = val_int(ws);
	call_args(c)[1] = val_text(agent);
	call_args(c)[2] = val_text(dedupe_key);
	call_args(c)[3] = val_int(since_ms);
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
	const struct val name[] = { val_int(ws), val_text(token), val_text(path),
		val_text(key) };

	wants_record(w, RECORD_KEYS, name);
}

void wants_also(struct wants *w, const struct call *call)
{
	struct call *c = wants_call(w, call->sql, call->row, 0);

	if (c) *c = *call;
}

static enum err log_end_row(void *ctx, const struct row *row, struct fault *why)
{
	struct log_end *end = ctx;
	struct str hash = row_text(row, 1);

	if (hash.len != SHA256_SIZE)
		return fail(why, ERR_INTERNAL, "the event counter has no hash");
	end->last = row_int(row, 0);
	memcpy(end->hash, hash.at, SHA256_SIZE);
	end->revocations = row_int(row, 2);
	end->policy_version = row_int(row, 3);
	end->contacts = row_int(row, 4);
	end->found = true;
	return OK;
}

void wants_log_end(struct wants *w, int64_t ws)
{
	struct log_end *end;
	struct call *c;

	if (!wants_first(w, 'l', ws, STR_NONE)) return;
	end = ARENA_NEW(w->rows->arena, struct log_end);
	c = end ? wants_call(w, SQL_COUNTER_GET, log_end_row, 1) : NULL;
	if (!c) {
		w->failed = true;
		return;
	}
	*end = (struct log_end){ .next = w->rows->log_ends, .ws = ws };
	w->rows->log_ends = end;
	c->ctx = end;
	call_args(c)[0] = val_int(ws);
}
