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
	if (!rows_recall_session(w->rows, ws, id) && wants_first(w, 's', ws, id))
		wants_call(w, SQL_OF(RECORD_SESSIONS, RECORD_GET), loaded_session,
			ARGS(ws, id));
}

void wants_user(struct wants *w, int64_t ws, struct str id)
{
	wants_record(w, RECORD_USERS, KEY(ws, id));
}

void wants_external(struct wants *w, int64_t ws, struct str agent, struct str external_id)
{
	if (external_id.len &&
		wants_first(w, 'x', ws, external_key(w->rows, ws, agent, external_id)))
		wants_call(w, SQL_SESSION_BY_EXTERNAL, loaded_session,
			ARGS(ws, agent, external_id));
}

void wants_ask(struct wants *w, int64_t ws, struct str id)
{
	if (!rows_recall_ask(w->rows, ws, id) && wants_first(w, 'a', ws, id))
		wants_call(w, SQL_ASK_GET, loaded_ask, ARGS(ws, id));
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
	if (wants_first_key(w, 'e', ws, agent, dedupe_key))
		wants_call(w, SQL_ASK_BY_DEDUPE, loaded_ask, ARGS(ws, agent, dedupe_key));
}

void wants_settled(struct wants *w, int64_t ws, struct str agent, struct str dedupe_key,
	int64_t since_ms)
{
	if (wants_first_key(w, 'g', ws, agent, dedupe_key))
		wants_call(w, SQL_ASK_SETTLED_BY_DEDUPE, loaded_ask,
			ARGS(ws, agent, dedupe_key, since_ms));
}

void wants_open_asks(struct wants *w, int64_t ws, struct str session)
{
	wants_session(w, ws, session);
	if (wants_first(w, 'o', ws, session))
		wants_call(w, SQL_ASKS_OPEN, loaded_open, ARGS(ws, session));
}

void wants_due(struct wants *w, int64_t limit)
{
	if (wants_first(w, 'd', 0, STR("due")))
		wants_call(w, SQL_ASKS_DUE, loaded_due, ARGS(w->rows->now_ms, limit));
}

void wants_key(
	struct wants *w, int64_t ws, struct str token, struct str path, struct str key)
{
	wants_record(w, RECORD_KEYS, KEY(ws, token, path, key));
}

void wants_also(struct wants *w, const struct call *call)
{
	struct call *c = wants_call(w, call->sql, call->row, NULL, 0);

	if (c) *c = *call;
}

void wants_log_end(struct wants *w, int64_t ws)
{
	struct log_end *end;
	struct call *c;

	if (!wants_first(w, 'l', ws, STR_NONE)) return;
	end = ARENA_NEW(w->rows->arena, struct log_end);
	c = wants_call(w, SQL_COUNTER_GET, loaded_log_end, ARGS(ws));
	w->failed |= !end;
	if (!end || !c) return;
	*end = (struct log_end){ .next = w->rows->log_ends, .ws = ws };
	w->rows->log_ends = end;
	c->ctx = end;
}
