/* write.c - writes what a batch changed, then numbers and seals its events, and commits.
 *
 * Two lists, so two trips where there is a wire: what changed and the counters of the
 * workspaces, taken last and in their order; then the events numbered by them. */
#include "store/rows.h"
#include "store/rows_inner.h"

struct calls {
	struct arena *arena;
	struct call *at;
	size_t len, cap;
};

static struct call *calls_add(
	struct calls *c, enum sql sql, const struct val *args, int n)
{
	struct val *copy = ARENA_ARRAY(c->arena, struct val, (size_t)n);

	if (c->len == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 256;
		struct call *at = ARENA_ARRAY(c->arena, struct call, cap);

		if (!at) return NULL;
		if (c->len) memcpy(at, c->at, c->len * sizeof *at);
		c->at = at;
		c->cap = cap;
	}
	if (n && !copy) return NULL;
	if (n) memcpy(copy, args, (size_t)n * sizeof *copy);
	c->at[c->len] = (struct call){ .sql = sql, .args = copy, .args_len = n };
	return &c->at[c->len++];
}

#define CALL(c, sql, args)                                                               \
	calls_add((c), (sql), (args), (int)(sizeof(args) / sizeof(args[0])))

static void update_session(struct calls *c, const struct session_row *r)
{
	const struct session *s = &r->session;
	const struct val args[] = {
		val_int(s->ws),
		val_text(s->id),
		val_int(r->stored_version),
		val_text(s->title),
		val_text(s->progress),
		val_text(s->search),
		val_text(str_of(session_status_name(s->status))),
		val_int(s->open_blocking),
		val_int(s->open_input),
		val_int(s->open_approval),
		val_int(s->open_other),
		val_int(s->settled),
		val_int(s->version),
		val_int(s->updated_ms),
	};

	CALL(c, SQL_SESSION_UPDATE, args);
}

static void add_session(struct calls *c, const struct session *s)
{
	const struct val args[] = {
		val_int(s->ws),
		val_text(s->id),
		val_text(s->title),
		val_text(s->agent),
		val_text(s->token),
		val_text(s->project),
		val_text(s->external_id),
		val_text(s->metadata),
		val_text(s->on_settled),
		val_text(s->progress),
		val_text(s->search),
		val_int(s->parallel),
		val_text(str_of(session_status_name(s->status))),
		val_int(s->open_blocking),
		val_int(s->open_input),
		val_int(s->open_approval),
		val_int(s->open_other),
		val_int(s->settled),
		val_int(s->version),
		val_int(s->created_ms),
		val_int(s->updated_ms),
	};

	CALL(c, SQL_SESSION_ADD, args);
}

static void update_ask(struct calls *c, const struct ask_row *r)
{
	const struct ask *a = &r->ask;
	const struct val args[] = {
		val_int(a->ws),
		val_text(a->id),
		val_int(r->stored_version),
		val_text(str_of(ask_status_name(a->status))),
		val_text(a->approved_digest),
		val_text(a->assignees),
		val_text(a->claimed_user),
		val_text(a->claimed_name),
		val_int(a->claimed_until_ms),
		val_int(a->version),
		val_int(a->deadline_ms),
		val_int(a->settled_ms),
		val_int(a->used_ms),
		val_text(a->answer),
		val_text(a->answered_by),
		val_text(a->summary),
		val_text(a->reason),
		val_text(a->replies),
	};

	CALL(c, SQL_ASK_UPDATE, args);
}

static void add_ask(struct calls *c, const struct ask *a)
{
	const struct val args[] = {
		val_int(a->ws),
		val_text(a->id),
		val_text(a->session),
		val_text(a->run),
		val_text(a->agent),
		val_text(a->token),
		val_text(a->project),
		val_text(str_of(ask_kind_name(a->kind))),
		val_text(str_of(ask_status_name(a->status))),
		val_text(str_of(priority_name(a->priority))),
		val_int(a->risk),
		val_int(a->exclusive),
		val_text(a->fixed),
		val_text(a->search),
		val_text(a->digest),
		val_text(a->approved_digest),
		val_text(a->assignees),
		val_text(a->claimed_user),
		val_text(a->claimed_name),
		val_int(a->claimed_until_ms),
		val_int(a->version),
		val_int(a->created_ms),
		val_int(a->deadline_ms),
		val_int(a->settled_ms),
		val_int(a->used_ms),
		val_text(a->answer),
		val_text(a->answered_by),
		val_text(a->summary),
		val_text(a->reason),
		val_text(a->replies),
		val_text(a->dedupe_key),
	};

	CALL(c, SQL_ASK_ADD, args);
}

/* Changes before additions: an ask settled in this batch makes room for the next one. */
static void add_changes(struct rows *rows, struct calls *c)
{
	for (struct session_row *r = rows->sessions_first; r; r = r->next)
		if (r->stored_version && r->session.version != r->stored_version &&
			!r->deleted)
			update_session(c, r);
	for (struct ask_row *r = rows->asks_first; r; r = r->next)
		if (r->stored_version && r->ask.version != r->stored_version &&
			!rows_session_deleted(rows, r->ask.session))
			update_ask(c, r);
	for (size_t i = 0; i < c->len; i++)
		c->at[i].must_change = true;
	for (struct session_row *r = rows->sessions_first; r; r = r->next)
		if (!r->stored_version && !r->deleted) add_session(c, &r->session);
	for (struct ask_row *r = rows->asks_first; r; r = r->next)
		if (!r->stored_version && !rows_session_deleted(rows, r->ask.session))
			add_ask(c, &r->ask);
}

static void add_keys(struct rows *rows, struct calls *c)
{
	for (const struct key_slot *k = rows->keys_first; k; k = k->next) {
		const struct val args[] = {
			val_int(k->ws),
			val_text(k->token),
			val_text(k->path),
			val_text(k->key),
			val_bytes(k->record.body, SHA256_SIZE),
			val_int(k->record.status),
			val_text(k->record.session),
			val_text(k->record.result),
			val_int(rows->now_ms),
		};

		if (k->fresh && !rows_session_deleted(rows, k->record.session))
			CALL(c, SQL_KEY_ADD, args);
	}
}

static void add_deletions(struct rows *rows, struct calls *c)
{
	static const enum sql sqls[] = { SQL_SESSION_DELETE_ASKS, SQL_SESSION_DELETE_KEYS,
		SQL_SESSION_DELETE_DELIVERIES, SQL_SESSION_EMPTY_EVENTS,
		SQL_SESSION_DELETE };

	for (struct session_row *r = rows->sessions_first; r; r = r->next) {
		const struct val args[] = { val_int(r->session.ws),
			val_text(r->session.id) };

		if (!r->deleted) continue;
		for (size_t i = 0; i < sizeof(sqls) / sizeof(sqls[0]); i++)
			CALL(c, sqls[i], args);
	}
}

/* ---- events ---- */

/* One for each workspace that has events, in the order of workspaces. */
struct counter {
	struct counter *next;
	int64_t ws, count, last;
	uint8_t hash[SHA256_SIZE];
	bool found;
};

static enum err counter_row(void *ctx, const struct row *row, struct fault *why)
{
	struct counter *counter = ctx;
	struct str hash = row_text(row, 1);

	if (hash.len != SHA256_SIZE)
		return fail(why, ERR_INTERNAL, "the event counter has no hash");
	counter->last = row_int(row, 0);
	memcpy(counter->hash, hash.at, SHA256_SIZE);
	counter->found = true;
	return OK;
}

static void add_event(struct calls *c, const struct rows *rows, const struct event *e)
{
	/* What was staged before its session was deleted in the same batch is emptied
	 * too. */
	bool emptied = rows_session_deleted((struct rows *)(uintptr_t)rows, e->session) &&
		       strcmp(e->type, "session.deleted") != 0;
	const struct val args[] = {
		val_int(e->ws),
		val_int(e->n),
		val_text(str_of(e->type)),
		val_int(e->at_ms),
		val_text(e->session),
		val_text(e->ask),
		val_text(e->run),
		val_text(e->agent),
		val_text(emptied ? STR_NONE : e->data),
		val_bytes(e->digest, SHA256_SIZE),
		val_bytes(e->hash, SHA256_SIZE),
	};

	CALL(c, SQL_EVENT_ADD, args);
}

static int64_t next_workspace(const struct rows *rows, int64_t after, int64_t *count)
{
	int64_t found = INT64_MAX;

	*count = 0;
	for (const struct staged *st = rows->staged_first; st; st = st->next) {
		if (st->event.ws <= after) continue;
		if (st->event.ws < found) {
			found = st->event.ws;
			*count = 0;
		}
		if (st->event.ws == found) ++*count;
	}
	return found;
}

static struct counter *take_counters(const struct rows *rows, struct calls *c)
{
	struct counter *first = NULL, **end = &first;
	int64_t ws = INT64_MIN, count;

	while ((ws = next_workspace(rows, ws, &count)) != INT64_MAX) {
		const struct val take[] = { val_int(ws), val_int(count) };
		struct counter *counter = ARENA_NEW(c->arena, struct counter);
		struct call *call;

		CALL(c, SQL_COUNTER_TAKE, take);
		call = calls_add(c, SQL_COUNTER_GET, take, 1);
		if (!counter || !call) return NULL;
		*counter = (struct counter){ .ws = ws, .count = count };
		call->row = counter_row;
		call->ctx = counter;
		*end = counter;
		end = &counter->next;
	}
	return first;
}

static enum err number_events(struct rows *rows, const struct counter *counter,
	struct calls *c, struct fault *why)
{
	const uint8_t *before = counter->hash;
	int64_t n = counter->last - counter->count;

	if (!counter->found)
		return fail(why, ERR_INTERNAL, "workspace %lld is gone",
			(long long)counter->ws);
	for (struct staged *st = rows->staged_first; st; st = st->next) {
		if (st->event.ws != counter->ws) continue;
		st->event.n = ++n;
		event_seal(&st->event, before);
		before = st->event.hash;
		add_event(c, rows, &st->event);
	}
	const struct val args[] = { val_int(counter->ws),
		val_bytes(before, SHA256_SIZE) };
	CALL(c, SQL_COUNTER_HASH, args);
	return OK;
}

/* ---- the whole ---- */

bool rows_dirty(const struct rows *rows)
{
	if (rows->staged_first || rows->extra_first || rows->wrote) return true;
	for (const struct key_slot *k = rows->keys_first; k; k = k->next)
		if (k->fresh) return true;
	for (struct ask_row *r = rows->asks_first; r; r = r->next)
		if (r->ask.version != r->stored_version) return true;
	for (struct session_row *r = rows->sessions_first; r; r = r->next)
		if (r->session.version != r->stored_version || r->deleted) return true;
	return false;
}

static void add_extra(const struct rows *rows, struct calls *c)
{
	for (const struct extra *x = rows->extra_first; x; x = x->next) {
		struct call *call =
			calls_add(c, x->call.sql, x->call.args, x->call.args_len);

		if (call) call->must_change = x->call.must_change;
	}
}

enum err rows_write(struct rows *rows, struct fault *why)
{
	struct calls c = { .arena = rows->arena }, events = { .arena = rows->arena };
	struct counter *counters;
	enum err e = OK;

	add_changes(rows, &c);
	add_keys(rows, &c);
	add_deletions(rows, &c);
	add_extra(rows, &c);
	counters = take_counters(rows, &c);
	if (rows->arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	if (c.len) e = db_run(rows->db, c.at, c.len, why);
	for (const struct counter *k = counters; !e && k; k = k->next)
		e = number_events(rows, k, &events, why);
	if (e) return e;
	calls_add(&events, SQL_COMMIT, NULL, 0);
	if (rows->arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	return db_run(rows->db, events.at, events.len, why);
}
