#include "desk_rig.h"

#include "desk/run/configured.h"

#include "store/record.h"

#include <ftw.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- opening ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static bool table_drop(struct db *db, const char *name)
{
	char sql[128];

	snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %s", name);
	return db->driver->script(db, sql, NULL) == OK;
}

bool place_clear(const char *place)
{
	struct db *db = db_open(str_of(place), DB_WRITE, NULL, NULL);
	bool ok = db && table_drop(db, "schema_version");

	for (int i = 0; ok && i < RECORD_COUNT; i++)
		ok = table_drop(db, records[i].table);
	db_close(db);
	return ok;
}

static bool rig_place(struct rig *r)
{
	const char *given = getenv("PARLEY_TEST_STORE");

	if (r->options.place) {
		snprintf(r->place, sizeof r->place, "%s", r->options.place);
	} else if (given && !r->options.cut) {
		snprintf(r->place, sizeof r->place, "%s", given);
		return place_clear(r->place);
	} else if (r->options.cut) {
		snprintf(r->place, sizeof r->place, "sqlite:/parley.db");
	} else {
		const char *tmp = getenv("TMPDIR");

		snprintf(r->folder, sizeof r->folder, "%.40s/rig-XXXXXX",
			tmp ? tmp : "/tmp");
		if (!mkdtemp(r->folder)) {
			r->folder[0] = '\0';
			return false;
		}
		snprintf(r->place, sizeof r->place, "sqlite:%s/parley.db", r->folder);
	}
	return true;
}

static bool rig_desk(struct rig *r)
{
	static const struct configured sealing = { .sealing = true };
	struct desk_settings set = {
		.set = { .store = str_of(r->place),
			.ask_rate = r->options.ask_rate,
			.timeout_min_ms = 1,
			.timeout_max_ms = (int64_t)30 * 24 * 3600 * 1000,
			.webhook_internal = str_of(r->options.webhook_internal) },
		.url = STR("http://desk.test"),
		.resumers = str_of(r->options.resumers),
		.channels = STR("push"),
		.configured = &sealing,
		.db = &r->db,
		.alone = r->options.alone,
		.test_tools = true,
		.seed = r->options.seed,
		.one_writer = r->options.one_writer
	};

	r->db = (struct db_options){ .vfs = r->options.cut ? "cut" : NULL,
		.weak_sync = r->options.weak_sync,
		.log_pages = r->options.log_pages,
		.quick_us = r->options.quick ? INT64_MAX : 0,
		.ahead_from = r->options.ahead,
		.hasty = r->options.hasty };
	r->why = (struct fault){ 0 };
	r->desk = desk_open(&set, &r->why);
	if (r->desk && r->options.told)
		desk_listen(r->desk, r->options.told, NULL, NULL, r->options.told_ctx);
	return r->desk != NULL;
}

static bool rig_token(struct rig *r, const char *role, const char *name, char *secret)
{
	char body[128];
	struct outcome o;
	bool ok;

	snprintf(body, sizeof body, "{'role':'%s','name':'%s'}", role, name);
	ok = rig_do(r, &(struct request){ &use_token_create, .body = body }, &o) == OK;
	if (ok)
		memcpy(secret, o.task.secret, SECRET_SIZE);
	else
		r->why = o.task.job.why;
	outcome_done(&o);
	return ok;
}

static bool rig_people(struct rig *r)
{
	struct outcome o;
	bool ok = rig_do(r, &(struct request){ &use_bootstrap }, &o) == OK;

	if (!ok) r->why = o.task.job.why;
	outcome_done(&o);
	return ok && rig_token(r, "agent", "builder", r->agent) &&
	       rig_token(r, "agent", "stranger", r->stranger) &&
	       rig_token(r, "member", "mia", r->mia) &&
	       rig_token(r, "member", "noa", r->noa) &&
	       rig_token(r, "admin", "ada", r->ada);
}

bool rig_open(struct rig *r, const struct rig_options *options)
{
	*r = (struct rig){ .options = *options };
	return rig_place(r) && rig_desk(r) && rig_people(r);
}

void rig_shut(struct rig *r)
{
	r->desk = desk_close(r->desk);
}

bool rig_reopen(struct rig *r)
{
	rig_shut(r);
	return rig_desk(r);
}

void rig_close(struct rig *r)
{
	rig_shut(r);
	if (r->folder[0]) nftw(r->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- requests ---- */

static struct str unquoted(struct arena *arena, const char *text)
{
	char *copy = arena_copy(arena, str_of(text));

	for (char *at = copy; at && *at; at++)
		if (*at == '\'') *at = '"';
	return str_of(copy);
}

static void request_query(const struct request *q, struct task *t)
{
	struct str rest = str_of(q->query), pair;

	t->params = ARENA_ARRAY(&t->job.arena, struct param, 8);
	while (t->params && str_cut(&rest, '&', &pair)) {
		int eq = str_find(pair, STR("="));

		t->params[t->params_len++] = (struct param){ str_first(pair, (size_t)eq),
			str_from(pair, (size_t)eq + 1) };
	}
}

static void request_key(const struct request *q, struct task *t)
{
	struct buf b = { 0 };

	t->job.key = str_of(q->key);
	t->job.path = arena_print(
		&t->job.arena, "/%s/%s", q->use->job.name, q->id ? q->id : "");
	if (t->body) json_canonical(&b, t->body);
	if (b.failed) t->job.arena.failed = true;
	sha256(buf_str(&b), t->job.body);
	buf_done(&b);
}

/* What the server's door does before a request goes to the desk. */
bool rig_fill(const struct request *q, struct outcome *o)
{
	struct task *t = &o->task;

	*o = (struct outcome){ 0 };
	t->id = str_of(q->id);
	t->job.ahead = q->ahead;
	t->dedupe_key = str_of(q->dedupe_key);
	t->default_session = str_of(q->default_session);
	t->mcp_session = str_of(q->mcp_session);
	if (q->mcp_session) t->job.gate = &mcp_gate;
	if (q->who) {
		t->job.has_hash = true;
		sha256(str_of(q->who), t->job.hash);
	} else {
		t->job.who.role = ROLE_LOCAL_ADMIN;
		t->job.credential.workspace = str_of(q->workspace);
	}
	if (q->body) {
		struct str text = unquoted(&t->job.arena, q->body);

		o->err = text.len ? json_read(text, NULL, &t->job.arena, &t->body,
					    &t->job.why)
				  : ERR_MEMORY;
	}
	if (q->query) request_query(q, t);
	if (!o->err && q->key) request_key(q, t);
	if (t->job.arena.failed) o->err = ERR_MEMORY;
	return !o->err;
}

static void looks_itself(struct job *job)
{
	(void)job;
}

static void turn_done(struct job *job)
{
	sem_post(job->ctx);
}

/* As a loop does with the one request of a turn: it may be worked on this thread. */
static void do_in_turn(struct rig *r, const struct use *use, struct task *t)
{
	struct turn turn = { 0 };
	sem_t done;

	sem_init(&done, 0, 0);
	t->job.ctx = &done;
	t->job.done = turn_done;
	desk_put_in_turn(r->desk, &turn, use, t);
	desk_end_turn(r->desk, &turn, !r->options.ahead);
	while (sem_wait(&done) != 0)
		continue;
	sem_destroy(&done);
}

enum err rig_do(struct rig *r, const struct request *q, struct outcome *o)
{
	if (!rig_fill(q, o)) return o->err;
	o->task.job.done = looks_itself;
	if (r->options.alone)
		desk_do(r->desk, q->use, &o->task);
	else
		do_in_turn(r, q->use, &o->task);
	return o->err = o->task.job.err;
}

/* Keeps the writing clerk busy, so that what is put meanwhile becomes one batch. */
struct holdup {
	struct task task;
	sem_t entered, leave, left;
};

static enum err hold_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct holdup *h = (struct holdup *)(void *)job;

	(void)rows, (void)why;
	sem_post(&h->entered);
	while (sem_wait(&h->leave) != 0)
		continue;
	return OK;
}

static void hold_done(struct job *job)
{
	struct holdup *h = (struct holdup *)(void *)job;

	sem_post(&h->entered); /* or it was refused */
	sem_post(&h->left);
}

static const struct use use_hold =
	WRITES("hold", 0, JOB_OPEN, NULL, hold_decide, NULL, NULL);
/* The same by somebody: of a shared store in the lane of their workspace. */
static const struct use use_hold_lane =
	WRITES("hold", 0, 0, NULL, hold_decide, NULL, NULL);

static enum err nothing_decide(struct job *job, struct rows *rows, struct fault *why)
{
	(void)job, (void)rows, (void)why;
	return OK;
}

static const struct use use_nothing =
	WRITES("nothing", 0, 0, NULL, nothing_decide, NULL, NULL);

/* Whose credential it is, is found out now: later, others would go first meanwhile. */
static void batch_introduce(struct rig *r, const struct request *q, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		struct outcome o;

		if (!q[i].who) continue;
		rig_do(r, &(struct request){ &use_nothing, q[i].who }, &o);
		outcome_done(&o);
	}
}

static void batch_one_done(struct job *job)
{
	sem_post(job->ctx);
}

void rig_batch(struct rig *r, const struct request *q, struct outcome *o, size_t len)
{
	struct holdup h = { .task.job.done = hold_done };
	size_t put = 0;
	sem_t done;

	sem_init(&h.entered, 0, 0);
	sem_init(&h.leave, 0, 0);
	sem_init(&h.left, 0, 0);
	sem_init(&done, 0, 0);
	batch_introduce(r, q, len);
	if (q[0].who) {
		h.task.job.has_hash = true;
		sha256(str_of(q[0].who), h.task.job.hash);
	}
	desk_put(r->desk, q[0].who ? &use_hold_lane : &use_hold, &h.task);
	while (sem_wait(&h.entered) != 0)
		continue;
	for (size_t i = 0; i < len; i++) {
		if (!rig_fill(&q[i], &o[i])) continue;
		o[i].task.job.ctx = &done;
		o[i].task.job.done = batch_one_done;
		desk_put(r->desk, q[i].use, &o[i].task);
		put++;
	}
	sem_post(&h.leave);
	while (sem_wait(&h.left) != 0)
		continue;
	for (size_t i = 0; i < put; i++)
		while (sem_wait(&done) != 0)
			continue;
	for (size_t i = 0; i < len; i++)
		if (!o[i].err) o[i].err = o[i].task.job.err;
	arena_done(&h.task.job.arena);
	buf_done(&h.task.job.out);
}

bool outcome_read(struct outcome *o)
{
	struct str text = buf_str(&o->task.job.out), conflict = o->task.job.conflict;

	if (o->json || o->winner) return true;
	if (o->err == ERR_CONFLICT)
		return conflict.len &&
		       json_read(conflict, NULL, &o->arena, &o->winner, NULL) == OK;
	return !o->err && text.len &&
	       json_read(text, NULL, &o->arena, &o->json, NULL) == OK;
}

void outcome_done(struct outcome *o)
{
	buf_done(&o->task.job.out);
	arena_done(&o->task.job.arena);
	arena_done(&o->arena);
}

const struct json *json_at(const struct json *j, const char *path)
{
	struct str rest = str_of(path), name;
	int64_t i;

	while (j && str_cut(&rest, '.', &name)) {
		if (j->type != JSON_ARRAY)
			j = json_get_str(j, name);
		else
			j = str_to_int(name, 0, (int64_t)j->count - 1, &i) ? &j->items[i]
									   : NULL;
	}
	return j;
}

struct str text_at(const struct json *j, const char *path)
{
	return json_text(json_at(j, path));
}

int64_t int_at(const struct json *j, const char *path)
{
	const struct json *n = json_at(j, path);

	return json_is(n, JSON_NUMBER) && n->is_int ? n->integer : -1;
}

/* ---- sentences ---- */

static struct made rig_make(struct rig *r, const struct request *q, const char *session)
{
	struct made made = { 0 };
	struct outcome o;

	made.err = rig_do(r, q, &o);
	if (!made.err && outcome_read(&o)) {
		snprintf(
			made.id, sizeof made.id, "%.*s", STR_ARGS(text_at(o.json, "id")));
		snprintf(made.session, sizeof made.session, "%.*s",
			STR_ARGS(text_at(o.json, session)));
	}
	outcome_done(&o);
	return made;
}

struct made rig_ask_body(struct rig *r, const char *body, const char *key)
{
	return rig_make(r,
		&(struct request){ &use_ask, r->agent, .body = body, .key = key },
		"session");
}

struct made rig_ask(struct rig *r, const char *key)
{
	return rig_ask_body(r, ASK_PLAIN, key);
}

struct made rig_session(struct rig *r, const char *body)
{
	return rig_make(r,
		&(struct request){ &use_session_create, r->agent, .body = body }, "id");
}

enum err rig_settle(
	struct rig *r, const struct use *use, const char *ask, const char *key)
{
	struct request q = { use, use == &use_cancel ? r->agent : r->mia, ask,
		use == &use_answer ? "{'answer':true}" : "{'reason':'so'}", key };
	struct outcome o;
	enum err e = rig_do(r, &q, &o);

	outcome_done(&o);
	return e;
}

enum err rig_delete(struct rig *r, const char *session)
{
	struct outcome o;
	enum err e = rig_do(
		r, &(struct request){ &use_session_delete, r->agent, session }, &o);

	outcome_done(&o);
	return e;
}

const char *rig_status(struct rig *r, const char *ask)
{
	static const char *const names[] = { "pending", "answered", "skipped", "expired",
		"cancelled" };
	const char *found = "?";
	struct outcome o;

	rig_do(r, &(struct request){ &use_ask_get, r->ada, ask }, &o);
	if (o.err == ERR_NOT_FOUND) found = "";
	if (outcome_read(&o))
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (str_is(text_at(o.json, "status"), names[i])) found = names[i];
	outcome_done(&o);
	return found;
}

int64_t rig_check(struct rig *r, char why[256])
{
	struct outcome o;
	int64_t events = -1;

	rig_do(r, &(struct request){ &use_check }, &o);
	if (!outcome_read(&o))
		snprintf(why, 256, "%s: %.200s", err_name(o.err), o.task.job.why.detail);
	else if (!json_is(json_at(o.json, "ok"), JSON_TRUE))
		snprintf(why, 256, "%.*s", STR_ARGS(text_at(o.json, "detail")));
	else
		events = int_at(o.json, "events");
	outcome_done(&o);
	return events;
}

int64_t rig_count_events(struct rig *r, const char *ask, const char *types)
{
	char query[256];
	int64_t count = 0, after = 0;
	bool more = true;

	while (more) {
		struct outcome o;
		const struct json *items;

		snprintf(query, sizeof query, "limit=200&after=%lld&types=%s",
			(long long)after, types);
		rig_do(r, &(struct request){ &use_events, r->ada, .query = query }, &o);
		items = outcome_read(&o) ? json_get(o.json, "items") : NULL;
		if (!items) count = -1;
		for (uint32_t i = 0; items && i < items->count; i++) {
			count += str_is(text_at(&items->items[i], "ask"), ask);
			after = int_at(&items->items[i], "id");
		}
		more = items && items->count == 200;
		outcome_done(&o);
	}
	return count;
}

enum err rig_tell(struct rig *r, const struct use *use, struct task *t, void *what)
{
	t->checked = what;
	t->job.done = looks_itself;
	desk_do(r->desk, use, t);
	return t->job.err;
}

void rig_task_done(struct task *t)
{
	buf_done(&t->job.out);
	arena_done(&t->job.arena);
	*t = (struct task){ 0 };
}
