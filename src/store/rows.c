/* rows.c - loading, finding and changing the rows of a batch, and undoing what a job did.
 * Wanting is in wants.c, writing in write.c. Prefix: loaded_. */
#include "store/rows.h"

#include "store/fast/fast.h"
#include "store/rows_inner.h"

#include <assert.h>

/* ---- copies ---- */

/* Room for a copy and its record. NULL: out of memory. */
static struct row_copy *copy_new(struct rows *rows, enum record_id id)
{
	struct row_copy *row = arena_alloc(rows->arena, sizeof *row + records[id].size);

	if (row) row->record = &records[id];
	return row;
}

static bool copy_put(struct rows *rows, struct row_copy *row)
{
	enum record_id id = copy_id(row);
	struct str name = record_name(row->record, copy_record(row), rows->arena);

	if (!name.len || !table_put(&rows->of[id].named, name, row)) return false;
	*rows->of[id].end = row;
	rows->of[id].end = &row->next;
	return true;
}

/* The copy of a result row: the one that is here, or a new one. NULL: why. */
static struct row_copy *copy_load(
	struct rows *rows, enum record_id id, const struct row *row, struct fault *why)
{
	const struct record *r = &records[id];
	struct row_copy *found = NULL, *fresh;

	if (r->name >= 0) found = copy_find(rows, id, row_text(row, r->name));
	if (found) return found;
	fresh = copy_new(rows, id);
	if (!fresh) return no_memory(why);
	if (record_read(r, row, rows->arena, copy_record(fresh), why)) return NULL;
	if (r->name < 0)
		found = copy_find(
			rows, id, record_name(r, copy_record(fresh), rows->arena));
	if (found) return found;
	fresh->stored_version = record_version(r, copy_record(fresh));
	return copy_put(rows, fresh) ? fresh : no_memory(why);
}

/* As it is now, for a rollback; once for each savepoint. Without memory the arena has failed, and
 * nothing of the batch is written. */
static void copy_save(struct rows *rows, struct row_copy *row)
{
	size_t size = row->record->size;
	struct row_saved *saved;

	if (row->saved == rows->point.number) return;
	saved = arena_alloc(rows->arena, sizeof *saved + size);
	if (!saved) return;
	*saved = (struct row_saved){ rows->point.saved, row, row->deleted, false };
	memcpy(saved + 1, copy_record(row), size);
	if (!row->stored && row->stored_version) row->stored = saved + 1;
	rows->point.saved = saved;
	row->saved = rows->point.number;
}

/* The record of a copy that may be changed as it is. */
static void *copy_open(struct rows *rows, struct row_copy *row)
{
	copy_save(rows, row);
	return copy_record(row);
}

/* What a job gets as a new record when there is no memory for one: the batch fails, and nobody
 * sees it. One of each kind, so that no job takes one for another. */
static void *copy_spare(struct rows *rows, enum record_id id, const void *record)
{
	static _Thread_local struct {
		struct row_copy copy;
		union any_record record;
	} spares[RECORD_COUNT];
	struct row_copy *row = &spares[id].copy;

	rows->arena->failed = true;
	*row = (struct row_copy){ .record = &records[id], .saved = rows->point.number };
	return memmove(copy_record(row), record, records[id].size);
}

/* ---- records from result rows ---- */

enum err loaded_record(void *ctx, const struct row *row, struct fault *why)
{
	struct loading *l = ctx;
	const struct row_copy *copy = copy_load(l->rows, l->id, row, why);

	if (!copy) return why ? why->err : ERR_MEMORY;
	if (!l->first) l->first = copy_record(copy);
	return OK;
}

enum err loaded_session(void *ctx, const struct row *row, struct fault *why)
{
	struct rows *rows = ctx;
	struct row_copy *copy = copy_load(rows, RECORD_SESSIONS, row, why);
	struct session *s = copy ? copy_record(copy) : NULL;

	if (!s) return why ? why->err : ERR_MEMORY;
	if (!copy->external && s->external_id.len) rows_name_external(rows, s);
	return OK;
}

enum err loaded_open(void *ctx, const struct row *row, struct fault *why)
{
	return copy_load(ctx, RECORD_ASKS, row, why) ? OK : why ? why->err : ERR_MEMORY;
}

/* The columns of the ask's session follow those of the ask. */
enum err loaded_ask(void *ctx, const struct row *row, struct fault *why)
{
	struct row session = row_behind_record(row, RECORD_ASKS);
	enum err e = loaded_open(ctx, row, why);

	return e ? e : loaded_session(ctx, &session, why);
}

enum err loaded_due(void *ctx, const struct row *row, struct fault *why)
{
	enum err e = loaded_ask(ctx, row, why);

	if (e) return e;
	copy_find(ctx, RECORD_ASKS, row_text(row, 1))->due = true;
	return OK;
}

enum err loaded_log_end(void *ctx, const struct row *row, struct fault *why)
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

struct str external_key(
	struct rows *rows, int64_t ws, struct str agent, struct str external_id)
{
	return arena_print(rows->arena, "%lld/%zu:%.*s%.*s", (long long)ws, agent.len,
		STR_ARGS(agent), STR_ARGS(external_id));
}

/* ---- remembered from batches before ---- */

/* The copy of what is remembered; its texts are borrowed. NULL: there is none, or no memory. */
static struct row_copy *copy_recall(
	struct rows *rows, enum record_id id, int64_t ws, struct str name)
{
	const void *record =
		rows->fast ? row_cache_find(&rows->fast->rows, id, name) : NULL;
	struct row_copy *copy;

	if (!record || *(const int64_t *)record != ws) return NULL;
	copy = copy_new(rows, id);
	if (!copy) return NULL;
	memcpy(copy_record(copy), record, records[id].size);
	copy->stored_version = record_version(&records[id], record);
	return copy_put(rows, copy) ? copy : NULL;
}

bool rows_recall_session(struct rows *rows, int64_t ws, struct str id)
{
	struct row_copy *copy = copy_find(rows, RECORD_SESSIONS, id);
	struct session *s;

	if (copy) return true;
	copy = copy_recall(rows, RECORD_SESSIONS, ws, id);
	s = copy ? copy_record(copy) : NULL;
	if (s && s->external_id.len) rows_name_external(rows, s);
	return s != NULL;
}

void rows_recall_run(struct rows *rows, int64_t ws, struct str id)
{
	if (!copy_find(rows, RECORD_RUNS, id)) copy_recall(rows, RECORD_RUNS, ws, id);
}

bool rows_recall_ask(struct rows *rows, int64_t ws, struct str id)
{
	struct row_copy *copy = copy_find(rows, RECORD_ASKS, id);
	const struct ask *a;

	if (!copy) copy = copy_recall(rows, RECORD_ASKS, ws, id);
	a = copy ? copy_record(copy) : NULL;
	return a && rows_recall_session(rows, ws, a->session);
}

/* ---- the batch ---- */

void rows_start(struct rows *rows, struct arena *arena, struct db *db, struct ids *ids,
	int64_t now_ms)
{
	rows->now_ms = now_ms;
	rows->arena = arena;
	rows->ids = ids;
	rows->db = db;
	for (int i = 0; i < RECORD_COUNT; i++) {
		if (rows->of[i].named.len || rows->of[i].named.graves)
			table_clear(&rows->of[i].named);
		rows->of[i].first = NULL;
		rows->of[i].end = &rows->of[i].first;
	}
	table_clear(&rows->external);
	rows->sessions_deleted = rows->people_changed = 0;
	rows->guards = NULL;
	rows->log_ends = NULL;
	rows->log_now.found = false;
	rows->staged_first = NULL;
	rows->statements_first = NULL;
	rows->so_far = (struct rows_so_far){ .staged_end = &rows->staged_first,
		.reacted = &rows->staged_first,
		.statements_end = &rows->statements_first };
	rows->policies = NULL;
	rows->once = NULL;
	rows->point = (struct savepoint){ 0 };
	rows_savepoint(rows);
}

void rows_start_page(struct rows *page, const struct rows *of, struct arena *arena)
{
	rows_start(page, arena, of->db, of->ids, of->now_ms);
}

void rows_done(struct rows *rows)
{
	for (int i = 0; i < RECORD_COUNT; i++)
		table_done(&rows->of[i].named);
	table_done(&rows->external);
}

enum err rows_load(struct rows *rows, struct wants *w, struct fault *why)
{
	if (w->failed || rows->arena->failed) return fail_memory(why);
	return w->len ? db_run(rows->db, w->calls, w->len, why) : OK;
}

void rows_savepoint(struct rows *rows)
{
	rows->point = (struct savepoint){ .number = rows->point.number + 1,
		.so_far = rows->so_far };
}

static void copy_restore(struct rows *rows, const struct row_saved *saved)
{
	struct row_copy *row = saved->row;

	if (copy_id(row) == RECORD_SESSIONS && row->deleted && !saved->deleted)
		rows->sessions_deleted--;
	row->deleted = saved->deleted;
	row->undone = saved->made;
	row->saved = 0;
	if (saved->made)
		table_remove(&rows->of[copy_id(row)].named,
			record_name(row->record, copy_record(row), rows->arena));
	else
		memcpy(copy_record(row), saved + 1, row->record->size);
}

bool rows_next_change(const struct rows *rows, struct row_change *c)
{
	const struct row_saved *s = c->at ? c->at->next : rows->point.saved;

	if (!s) return false;
	*c = (struct row_change){ .id = copy_id(s->row),
		.now = copy_record(s->row),
		.before = s->made ? NULL : s + 1,
		.deleted = s->row->deleted,
		.at = s };
	return true;
}

void rows_rollback(struct rows *rows)
{
	for (const struct row_saved *s = rows->point.saved; s; s = s->next)
		copy_restore(rows, s);
	rows->so_far = rows->point.so_far;
	*rows->so_far.staged_end = NULL;
	*rows->so_far.statements_end = NULL;
	rows_savepoint(rows);
}

/* ---- finding ---- */

bool rows_session_deleted(const struct rows *rows, struct str id)
{
	const struct row_copy *row =
		rows->sessions_deleted ? copy_find(rows, RECORD_SESSIONS, id) : NULL;

	return row && row->deleted;
}

struct session *rows_session(struct rows *rows, int64_t ws, struct str id)
{
	struct row_copy *row = copy_find(rows, RECORD_SESSIONS, id);

	if (!row || row->deleted || ((struct session *)copy_record(row))->ws != ws)
		return NULL;
	return copy_open(rows, row);
}

struct ask *rows_ask(struct rows *rows, int64_t ws, struct str id)
{
	struct row_copy *row = copy_find(rows, RECORD_ASKS, id);

	if (!row || copy_gone(rows, row) || ((struct ask *)copy_record(row))->ws != ws)
		return NULL;
	return copy_open(rows, row);
}

struct ask *rows_dedupe(
	struct rows *rows, int64_t ws, struct str agent, struct str dedupe_key)
{
	if (!dedupe_key.len) return NULL;
	for (struct row_copy *row = rows->of[RECORD_ASKS].first; row; row = row->next) {
		const struct ask *a = copy_record(row);

		if (a->ws == ws && a->status == ASK_PENDING &&
			str_eq(a->dedupe_key, dedupe_key) && str_eq(a->agent, agent) &&
			!copy_gone(rows, row))
			return copy_open(rows, row);
	}
	return NULL;
}

struct ask *rows_settled(struct rows *rows, int64_t ws, struct str agent,
	struct str dedupe_key, int64_t since_ms)
{
	struct row_copy *best = NULL;
	int64_t best_ms = since_ms;

	if (!dedupe_key.len) return NULL;
	for (struct row_copy *row = rows->of[RECORD_ASKS].first; row; row = row->next) {
		const struct ask *a = copy_record(row);

		if (a->ws != ws || a->settled_ms <= best_ms ||
			!str_eq(a->dedupe_key, dedupe_key) || !str_eq(a->agent, agent) ||
			copy_gone(rows, row))
			continue;
		best = row;
		best_ms = a->settled_ms;
	}
	return best ? copy_open(rows, best) : NULL;
}

struct session *rows_external(
	struct rows *rows, int64_t ws, struct str agent, struct str external_id)
{
	struct row_copy *row;

	if (!external_id.len) return NULL;
	row = table_get(&rows->external, external_key(rows, ws, agent, external_id));
	return row && !copy_gone(rows, row) ? copy_open(rows, row) : NULL;
}

void rows_name_external(struct rows *rows, struct session *s)
{
	struct str key = external_key(rows, s->ws, s->agent, s->external_id);

	copy_of(s)->external = true;
	if (!key.len || !table_put(&rows->external, key, copy_of(s)))
		rows->arena->failed = true;
}

const struct key_record *rows_key(
	struct rows *rows, int64_t ws, struct str token, struct str path, struct str key)
{
	return rows_find_key(rows, RECORD_KEYS, KEY(ws, token, path, key));
}

/* The first of these, from `row` on, that is open and of this session, or due. */
static struct ask *next_open(
	struct rows *rows, struct row_copy *row, int64_t ws, struct str session)
{
	for (; row; row = row->next) {
		const struct ask *a = copy_record(row);

		if (a->ws == ws && a->status == ASK_PENDING &&
			str_eq(a->session, session) && !row->undone)
			return copy_open(rows, row);
	}
	return NULL;
}

struct ask *rows_next_ask(
	struct rows *rows, int64_t ws, struct str session, struct ask *at)
{
	return next_open(
		rows, at ? copy_of(at)->next : rows->of[RECORD_ASKS].first, ws, session);
}

struct ask *rows_next_due(struct rows *rows, struct ask *at)
{
	struct row_copy *row = at ? copy_of(at)->next : rows->of[RECORD_ASKS].first;

	for (; row; row = row->next) {
		const struct ask *a = copy_record(row);

		if (row->due && a->status == ASK_PENDING && a->deadline_ms > 0 &&
			a->deadline_ms <= rows->now_ms && !copy_gone(rows, row))
			return copy_open(rows, row);
	}
	return NULL;
}

const void *rows_find(const struct rows *rows, enum record_id id, struct str name)
{
	const struct row_copy *row = copy_find(rows, id, name);

	return row && !copy_gone(rows, row) ? copy_record(row) : NULL;
}

const void *rows_find_key(
	const struct rows *rows, enum record_id id, const struct val *key)
{
	return rows_find(rows, id, record_key_name(&records[id], key, rows->arena));
}

bool rows_ended(const struct rows *rows, enum record_id id, struct str name)
{
	const struct row_copy *row = copy_find(rows, id, name);

	return row && copy_gone(rows, row);
}

bool rows_is_new(const void *record)
{
	return !copy_of(record)->stored_version;
}

const void *rows_next(const struct rows *rows, enum record_id id, const void *at)
{
	const struct row_copy *row = at ? copy_of(at)->next : rows->of[id].first;

	while (row && copy_gone(rows, row))
		row = row->next;
	return row ? copy_record(row) : NULL;
}

/* ---- changes ---- */

struct str rows_new_id(struct rows *rows, const char *prefix)
{
	char id[ID_SIZE];

	id_make(rows->ids, prefix, rows->now_ms, id);
	return arena_str(rows->arena, str_of(id));
}

static bool is_of_people(enum record_id id)
{
	return id == RECORD_USERS || id == RECORD_TOKENS;
}

void *rows_new(struct rows *rows, enum record_id id, const void *record)
{
	struct row_saved *made = ARENA_NEW(rows->arena, struct row_saved);
	struct row_copy *row = copy_new(rows, id);

	if (!row || !made) return copy_spare(rows, id, record);
	memcpy(copy_record(row), record, records[id].size);
	record_set_version(&records[id], copy_record(row), 1);
	if (!copy_put(rows, row)) return copy_spare(rows, id, record);
	*made = (struct row_saved){ rows->point.saved, row, false, true };
	rows->point.saved = made;
	row->saved = rows->point.number;
	return copy_record(row);
}

struct ask *rows_new_ask(struct rows *rows, int64_t ws)
{
	const struct ask a = {
		.ws = ws, .id = rows_new_id(rows, "ask"), .created_ms = rows->now_ms
	};

	return rows_new(rows, RECORD_ASKS, &a);
}

struct session *rows_new_session(struct rows *rows, int64_t ws)
{
	const struct session s = { .ws = ws,
		.id = rows_new_id(rows, "ses"),
		.created_ms = rows->now_ms,
		.updated_ms = rows->now_ms,
		.heard_ms = rows->now_ms };

	return rows_new(rows, RECORD_SESSIONS, &s);
}

void *rows_change(struct rows *rows, const void *record)
{
	struct row_copy *row = copy_of(record);

	copy_save(rows, row);
	assert(row->record->version_at);
	record_set_version(row->record, copy_record(row), row->stored_version + 1);
	rows->people_changed += is_of_people(copy_id(row));
	return copy_record(row);
}

void rows_touch_session(struct rows *rows, struct session *s)
{
	s->updated_ms = rows->now_ms;
	s->version = copy_of(s)->stored_version + 1;
}

void rows_delete(struct rows *rows, const void *record)
{
	struct row_copy *row = copy_of(record);

	if (row->deleted) return;
	copy_save(rows, row);
	row->deleted = true;
	rows->sessions_deleted += copy_id(row) == RECORD_SESSIONS;
	rows->people_changed += is_of_people(copy_id(row));
}

/* Without memory it goes nowhere: the batch fails. */
static struct staged *event_stage(struct rows *rows, const struct event *e)
{
	static _Thread_local struct staged nowhere;
	struct staged *st = ARENA_NEW(rows->arena, struct staged);

	if (!st) {
		nowhere = (struct staged){ .event = *e };
		return &nowhere;
	}
	st->event = *e;
	if (!e->data.len) st->event.data = STR("{}");
	*rows->so_far.staged_end = st;
	rows->so_far.staged_end = &st->next;
	rows->so_far.staged_len++;
	return st;
}

struct staged *rows_event(struct rows *rows, const char *type, const struct session *s,
	const struct ask *a, struct str data)
{
	struct staged *st = event_stage(rows, &(struct event){ .ws = s->ws,
						      .type = type,
						      .at_ms = rows->now_ms,
						      .session = s->id,
						      .ask = a ? a->id : STR_NONE,
						      .run = a ? a->run : STR_NONE,
						      .agent = s->agent,
						      .data = data });

	st->of_session = (struct session *)s;
	st->of_ask = (struct ask *)a;
	return st;
}

/* Without memory the arena has failed, and the batch with it. */
void rows_wake(
	struct rows *rows, struct staged *st, const struct ask *a, struct ask_view view)
{
	struct ask *now = ARENA_NEW(rows->arena, struct ask);

	if (now) *now = *a;
	st->ask = now;
	st->view = view;
}

struct staged *rows_event_run(struct rows *rows, const char *type,
	const struct session *s, struct str run, struct str data)
{
	return event_stage(rows, &(struct event){ .ws = s->ws,
					 .type = type,
					 .at_ms = rows->now_ms,
					 .session = s->id,
					 .run = run,
					 .agent = s->agent,
					 .data = data });
}

struct staged *rows_event_by(struct rows *rows, int64_t ws, const char *type,
	struct str agent, struct str data)
{
	return event_stage(rows, &(struct event){ .ws = ws,
					 .type = type,
					 .at_ms = rows->now_ms,
					 .agent = agent,
					 .data = data });
}

struct staged *rows_event_of(
	struct rows *rows, int64_t ws, const char *type, struct str data)
{
	return rows_event_by(rows, ws, type, STR_NONE, data);
}

void rows_deliver_at(struct rows *rows, int64_t at_ms)
{
	if (at_ms <= rows->now_ms)
		rows->so_far.delivers = true;
	else if (!rows->so_far.delivers_ms || at_ms < rows->so_far.delivers_ms)
		rows->so_far.delivers_ms = at_ms;
}

void rows_due_at(struct rows *rows, int64_t at_ms)
{
	if (!rows->so_far.next_deadline_ms || at_ms < rows->so_far.next_deadline_ms)
		rows->so_far.next_deadline_ms = at_ms;
}
