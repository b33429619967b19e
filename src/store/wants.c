/* wants.c - what the jobs of a batch want loaded: each thing once, in one list. */
#include "store/rows_inner.h"

/* The parameters are copied. NULL: out of memory. */
static struct call *wants_call(
	struct wants *w, enum sql sql, row_fn *row, const struct val *args, int args_len)
{
	struct arena *arena = w->rows->arena;
	struct val *kept = ARENA_ARRAY(arena, struct val, (size_t)args_len);

	if (w->len == w->cap && !w->failed) {
		size_t cap = w->cap ? w->cap * 2 : 64;
		struct call *calls = ARENA_ARRAY(arena, struct call, cap);

		if (calls && w->len) memcpy(calls, w->calls, w->len * sizeof *calls);
		if (calls) w->calls = calls;
		if (calls) w->cap = cap;
	}
	w->failed |= !kept || w->len == w->cap;
	if (w->failed) return NULL;
	if (args_len) memcpy(kept, args, (size_t)args_len * sizeof *args);
	w->calls[w->len] = (struct call){ sql, kept, args_len, row, w->rows, 0 };
	return &w->calls[w->len++];
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

	w->failed |= !l;
	if (!l || !wants_first(w, (char)id, 0, record_key_name(r, key, w->rows->arena)))
		return;
	c = wants_call(w, SQL_OF(id, RECORD_GET), loaded_record, key, r->keys_len);
	*l = (struct loading){ w->rows, id, NULL };
	if (c) c->ctx = l;
}

void wants_session(struct wants *w, int64_t ws, struct str id)
{
	const struct val args[] = { val_int(ws), val_text(id) };

	if (!rows_recall_session(w->rows, ws, id) && wants_first(w, 's', ws, id))
		wants_call(
			w, SQL_OF(RECORD_SESSIONS, RECORD_GET), loaded_session, args, 2);
}

void wants_user(struct wants *w, int64_t ws, struct str id)
{
	const struct val key[] = { val_int(ws), val_text(id) };

	wants_record(w, RECORD_USERS, key);
}

void wants_external(struct wants *w, int64_t ws, struct str agent, struct str external_id)
{
	const struct val args[] = { val_int(ws), val_text(agent), val_text(external_id) };

	if (external_id.len &&
		wants_first(w, 'x', ws, external_key(w->rows, ws, agent, external_id)))
		wants_call(w, SQL_SESSION_BY_EXTERNAL, loaded_session, args, 3);
}

void wants_ask(struct wants *w, int64_t ws, struct str id)
{
	const struct val args[] = { val_int(ws), val_text(id) };

	if (!rows_recall_ask(w->rows, ws, id) && wants_first(w, 'a', ws, id))
		wants_call(w, SQL_ASK_GET, loaded_ask, args, 2);
}

static bool wants_first_key(
	struct wants *w, char what, int64_t ws, struct str agent, struct str dedupe_key)
{
	return dedupe_key.len && wants_first(w, what, ws,
					 arena_print(w->rows->arena, "%.*s/%.*s",
						 STR_ARGS(dedupe_key), STR_ARGS(agent)));
}

void wants_dedupe(struct wants *w, int64_t ws, struct str agent, struct str dedupe_key)
{
	const struct val args[] = { val_int(ws), val_text(agent), val_text(dedupe_key) };

	if (wants_first_key(w, 'e', ws, agent, dedupe_key))
		wants_call(w, SQL_ASK_BY_DEDUPE, loaded_ask, args, 3);
}

void wants_settled(struct wants *w, int64_t ws, struct str agent, struct str dedupe_key,
	int64_t since_ms)
{
	const struct val args[] = { val_int(ws), val_text(agent), val_text(dedupe_key),
		val_int(since_ms) };

	if (wants_first_key(w, 'g', ws, agent, dedupe_key))
		wants_call(w, SQL_ASK_SETTLED_BY_DEDUPE, loaded_ask, args, 4);
}

void wants_open_asks(struct wants *w, int64_t ws, struct str session)
{
	const struct val args[] = { val_int(ws), val_text(session) };

	wants_session(w, ws, session);
	if (wants_first(w, 'o', ws, session))
		wants_call(w, SQL_ASKS_OPEN, loaded_open, args, 2);
}

void wants_due(struct wants *w, int64_t limit)
{
	const struct val args[] = { val_int(w->rows->now_ms), val_int(limit) };

	if (wants_first(w, 'd', 0, STR("due")))
		wants_call(w, SQL_ASKS_DUE, loaded_due, args, 2);
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
	struct call *c = wants_call(w, call->sql, call->row, NULL, 0);

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
	const struct val args[] = { val_int(ws) };
	struct log_end *end;
	struct call *c;

	if (!wants_first(w, 'l', ws, STR_NONE)) return;
	end = ARENA_NEW(w->rows->arena, struct log_end);
	c = wants_call(w, SQL_COUNTER_GET, log_end_row, args, 1);
	w->failed |= !end;
	if (!end || !c) return;
	*end = (struct log_end){ .next = w->rows->log_ends, .ws = ws };
	w->rows->log_ends = end;
	c->ctx = end;
}
