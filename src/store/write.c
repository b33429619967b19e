/* write.c - writes what a batch changed, then numbers and seals its events, and commits.
 *
 * What changed and the counters of the workspaces, taken last and in their order; then the
 * events numbered by them. Where a turn has shown how all their logs end, that is one list,
 * and so one trip where there is a wire; else it takes two. */
#include "store/rows.h"
#include "store/rows_inner.h"

struct calls {
	struct arena *arena;
	struct packer *packer; /* NULL: the engine packs long texts itself */
	struct call *at;
	size_t len, cap;
};

/* Room for a call of n parameters, which are to be filled in. NULL: out of memory. */
static struct val *calls_room(struct calls *c, enum sql sql, int n)
{
	struct val *args = n ? ARENA_ARRAY(c->arena, struct val, (size_t)n) : NULL;

	if (c->len == c->cap) {
		size_t cap = c->cap ? c->cap * 4 : 32;
		struct call *at = ARENA_ARRAY(c->arena, struct call, cap);

		if (!at) return NULL;
		if (c->len) memcpy(at, c->at, c->len * sizeof *at);
		c->at = at;
		c->cap = cap;
	}
	if (n && !args) return NULL;
	c->at[c->len++] = (struct call){ .sql = sql, .args = args, .args_len = n };
	return args;
}

static struct call *calls_add(
	struct calls *c, enum sql sql, const struct val *args, int n)
{
	struct val *room = calls_room(c, sql, n);

	if (n && !room) return NULL;
	if (n) memcpy(room, args, (size_t)n * sizeof *room);
	return c->arena->failed ? NULL : &c->at[c->len - 1];
}

/* Apart from what follows, so that the many columns without it do not pay for its stack. */
__attribute__((noinline)) static void pack_val(
	const struct calls *c, const struct column *column, struct val *v)
{
	*v = column_pack(column, *v, c->packer, c->arena);
}

/* A column's value as it is stored. */
static inline void put_stored(const struct calls *c, const struct column *column,
	const void *record, struct val *out)
{
	const struct str *with =
		(const void *)((const char *)record + column->packed_with);

	record_put_val(column, record, out);
	if ((column->flags & PACKED) && (!column->packed_with || with->len))
		pack_val(c, column, out);
}

/* Are all `later` columns of the new record empty, as usual? */
static bool is_usual_new(const struct record *r, const void *record)
{
	for (int i = 0; i < r->stored_len; i++)
		if ((r->columns[i].flags & LATER) &&
			!record_lacks(&r->columns[i], record))
			return false;
	return true;
}

static void add_record(struct calls *c, enum record_id id, const void *record)
{
	const struct record *r = &records[id];
	bool usual = is_usual_new(r, record);
	enum sql sql = SQL_OF(id, usual ? RECORD_ADD_NEW : RECORD_ADD);
	struct val *args = calls_room(c, sql, r->stored_len);
	struct call *call = args ? &c->at[c->len - 1] : NULL;

	if (!call) return;
	for (int i = 0; i < r->stored_len; i++)
		if (!usual || !(r->columns[i].flags & LATER))
			put_stored(c, &r->columns[i], record, args++);
	call->args_len = (int)(args - call->args);
}

static struct val *key_put(struct val *args, const struct row_copy *row)
{
	const struct record *r = row->record;

	for (int i = 0; i < r->keys_len; i++)
		record_put_val(&r->columns[i], copy_record(row), args++);
	if (r->version_at) *args++ = val_int(row->stored_version);
	return args;
}

static void update_row(struct calls *c, const struct row_copy *row)
{
	const struct record *r = row->record;
	const void *now = copy_record(row);
	bool all = !row->stored || record_seldom_differs(r, row->stored, now);
	enum sql sql = SQL_OF(copy_id(row), all ? RECORD_UPDATE : RECORD_UPDATE_USUAL);
	struct val *args = calls_room(c, sql, r->keys_len + 1 + record_changing(r));
	struct call *call = args ? &c->at[c->len - 1] : NULL;

	if (!call) return;
	call->must_change = true;
	args = key_put(args, row);
	for (int i = 0; i < r->columns_len; i++)
		if ((r->columns[i].flags & CHANGES) &&
			(all || !(r->columns[i].flags & SELDOM)))
			put_stored(c, &r->columns[i], now, args++);
	call->args_len = (int)(args - call->args);
}

static void delete_row(struct calls *c, const struct row_copy *row)
{
	const struct record *r = row->record;
	enum sql sql = SQL_OF(copy_id(row), RECORD_DELETE);
	struct val *args = calls_room(c, sql, r->keys_len + (r->version_at > 0));

	if (!args) return;
	c->at[c->len - 1].must_change = true;
	key_put(args, row);
}

/* Everything that goes with a session, and what its events said. */
static void delete_of_session(struct calls *c, const struct session *s)
{
	/* Delete records keyed by ask before the asks themselves. */
	for (int id = 0; id < RECORD_COUNT; id++)
		if (records[id].of_asks)
			calls_add(c, SQL_OF(id, RECORD_DELETE_OF_SESSION),
				ARGS(s->ws, s->id));
	for (int id = 0; id < RECORD_COUNT; id++)
		if (records[id].session_at && !records[id].of_asks)
			calls_add(c, SQL_OF(id, RECORD_DELETE_OF_SESSION),
				ARGS(s->ws, s->id));
	calls_add(c, SQL_SESSION_EMPTY_EVENTS, ARGS(s->ws, s->id));
}

/* Changes and deletions before additions: an ask settled in this batch makes room for the
 * next one. */
static void add_changes(const struct rows *rows, struct calls *c)
{
	for (int id = 0; id < RECORD_COUNT; id++)
		for (const struct row_copy *r = rows->of[id].first; r; r = r->next) {
			if (!r->stored_version || r->undone) continue;
			if (id == RECORD_SESSIONS && r->deleted)
				delete_of_session(c, copy_record(r));
			if (r->deleted)
				delete_row(c, r);
			else if (copy_changed(r) && !copy_gone(rows, r))
				update_row(c, r);
		}
	for (int id = 0; id < RECORD_COUNT; id++)
		for (const struct row_copy *r = rows->of[id].first; r; r = r->next)
			if (!r->stored_version && !copy_gone(rows, r))
				add_record(c, (enum record_id)id, copy_record(r));
}

/* Adds the hits to an earlier statement for the same rule, if there is one. Ids of rules are
 * unique across workspaces. */
static bool hit_merged(struct table *hits, const struct statement *s)
{
	struct val *first = table_get(hits, s->call.args[1].text);

	if (first) first[2].integer += s->call.args[2].integer;
	return first != NULL;
}

static void add_statements(const struct rows *rows, struct calls *c)
{
	struct table hits = { 0 };

	for (const struct statement *s = rows->statements_first; s; s = s->next) {
		bool hit = s->call.sql == SQL_RULE_HIT;
		struct call *call;

		if (hit && hit_merged(&hits, s)) continue;
		call = calls_add(c, s->call.sql, s->call.args, s->call.args_len);
		/* Without room for it the next is written alone. */
		if (hit && call)
			table_put(&hits, call->args[1].text,
				(struct val *)(uintptr_t)call->args);
	}
	table_done(&hits);
}

/* ---- events ---- */

/* A workspace with new events, and where its log stands with them; sorted by workspace. */
struct counter {
	struct counter *next;
	struct log_end end;
	int64_t count; /* of the new ones */
	bool known;    /* before the row is read */
};

static void add_event(struct calls *c, const struct rows *rows, const struct event *e)
{
	struct event *emptied;

	/* What was staged before its session was deleted in the same batch is emptied
	 * too. */
	if (rows_session_deleted(rows, e->session) &&
		strcmp(e->type, "session.deleted") != 0) {
		emptied = ARENA_NEW(c->arena, struct event);
		if (!emptied) return;
		*emptied = *e;
		emptied->data = STR_NONE;
		e = emptied;
	}
	add_record(c, RECORD_EVENTS, e);
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

const struct log_end *rows_log_end(const struct rows *rows, int64_t ws)
{
	const struct log_end *end = rows->log_ends;

	while (end && end->ws != ws)
		end = end->next;
	return end && end->found ? end : NULL;
}

static int64_t raised_here(const struct rows *, int64_t ws);

/* The counter after this batch, including what the batch itself raises. */
static void counter_know(
	struct counter *counter, const struct rows *rows, const struct log_end *end)
{
	counter->known = true;
	counter->end = *end;
	counter->end.last += counter->count;
	counter->end.revocations += raised_here(rows, end->ws);
	counter->end.policy_version += rows_policy_raised(rows, end->ws);
	counter->end.contacts += rows_contacts_counted(rows, end->ws);
}

static struct counter *take_counters(const struct rows *rows, struct calls *c)
{
	struct counter *first = NULL, **end = &first;
	int64_t ws = INT64_MIN, count;

	while ((ws = next_workspace(rows, ws, &count)) != INT64_MAX) {
		const struct log_end *log = rows_log_end(rows, ws);
		struct counter *counter = ARENA_NEW(c->arena, struct counter);
		struct call *call;

		if (!counter) return NULL;
		*counter = (struct counter){ .end = { .ws = ws }, .count = count };
		*end = counter;
		end = &counter->next;
		if (log) {
			counter_know(counter, rows, log);
			continue;
		}
		calls_add(c, SQL_COUNTER_TAKE, ARGS(ws, count));
		call = calls_add(c, SQL_COUNTER_GET, ARGS(ws));
		if (!call) return NULL;
		call->row = loaded_log_end;
		call->ctx = &counter->end;
	}
	return first;
}

/* Did another node change the policy this batch decided by? The counter row is locked until
 * the commit, so its version can no longer move. */
static bool policy_moved(const struct rows *rows, const struct log_end *end)
{
	for (const struct policy_seen *p = rows->policies; p; p = p->next)
		if (p->ws == end->ws)
			return p->version + rows_policy_raised(rows, p->ws) !=
			       end->policy_version;
	return false;
}

/* How often this batch itself raises what the guard looks at. */
static int64_t raised_here(const struct rows *rows, int64_t ws)
{
	int64_t n = 0;

	for (const struct statement *s = rows->statements_first; s; s = s->next)
		n += s->call.sql == SQL_WORKSPACE_REVOKE && s->call.args[0].integer == ws;
	return n;
}

/* The same of who people are. */
static bool people_moved(const struct rows *rows, const struct log_end *end)
{
	for (const struct people_guard *g = rows->guards; g; g = g->next)
		if (g->ws == end->ws)
			return g->revocations + raised_here(rows, g->ws) !=
			       end->revocations;
	return false;
}

static enum err number_events(struct rows *rows, const struct counter *counter,
	struct calls *c, struct fault *why)
{
	const struct log_end *end = &counter->end;
	const uint8_t *before = end->hash;
	int64_t n = end->last - counter->count;

	if (!end->found)
		return fail(
			why, ERR_INTERNAL, "workspace %lld is gone", (long long)end->ws);
	if (policy_moved(rows, end))
		return fail(why, ERR_BUSY, "the rules changed meanwhile");
	if (people_moved(rows, end))
		return fail(why, ERR_BUSY, "people changed meanwhile");
	for (struct staged *st = rows->staged_first; st; st = st->next) {
		if (st->event.ws != end->ws) continue;
		st->event.n = ++n;
		st->event.place = event_place(st->event.ws, n);
		st->revocations = end->revocations;
		event_seal(&st->event, before);
		before = st->event.hash;
		add_event(c, rows, &st->event);
	}
	rows->log_now = *end;
	rows->log_now.next = NULL;
	memcpy(rows->log_now.hash, before, SHA256_SIZE);
	if (!counter->known)
		calls_add(c, SQL_COUNTER_HASH,
			ARGS(end->ws, val_bytes(before, SHA256_SIZE)));
	else if (calls_add(c, SQL_COUNTER_MOVE,
			 ARGS(end->ws, end->last - counter->count, end->last,
				 val_bytes(before, SHA256_SIZE))))
		c->at[c->len - 1].must_change = true;
	return OK;
}

static bool all_known(const struct counter *k)
{
	while (k && k->known)
		k = k->next;
	return !k;
}

/* ---- the whole ---- */

static bool record_dirty(const struct rows *rows, int id)
{
	for (const struct row_copy *r = rows->of[id].first; r; r = r->next)
		if (!r->undone && (copy_changed(r) || r->deleted)) return true;
	return false;
}

bool rows_dirty(const struct rows *rows)
{
	if (rows->staged_first || rows->statements_first) return true;
	for (int id = 0; id < RECORD_COUNT; id++)
		if (record_dirty(rows, id)) return true;
	return false;
}

static bool leaves_credentials(enum sql sql)
{
	return sql == SQL_ASKS_FETCHED || sql == SQL_MEMORY_WORD_ADD ||
	       sql == SQL_MEMORY_WORD_CUT || sql == SQL_MEMORY_WORD_END;
}

/* Most staged statements may change credentials, as far as this file knows. */
bool rows_change_credentials(const struct rows *rows)
{
	for (const struct statement *s = rows->statements_first; s; s = s->next)
		if (!leaves_credentials(s->call.sql)) return true;
	return record_dirty(rows, RECORD_WORKSPACES) ||
	       record_dirty(rows, RECORD_USERS) || record_dirty(rows, RECORD_TOKENS);
}

enum err rows_write(struct rows *rows, struct fault *why)
{
	struct calls c = { .arena = rows->arena, .packer = rows->db->packer }, more = c;
	struct calls *events = &more;
	struct counter *counters;
	enum err e = OK;

	add_changes(rows, &c);
	add_statements(rows, &c);
	counters = take_counters(rows, &c);
	if (rows->arena->failed) return fail_memory(why);
	if (rows->db->late && all_known(counters))
		events = &c;
	else if (c.len)
		e = db_run(rows->db, c.at, c.len, why);
	for (const struct counter *k = counters; !e && k; k = k->next)
		e = number_events(rows, k, events, why);
	if (e) return e;
	calls_add(events, SQL_COMMIT, NULL, 0);
	if (rows->arena->failed) return fail_memory(why);
	return db_run(rows->db, events->at, events->len, why);
}
