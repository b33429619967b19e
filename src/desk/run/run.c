/* run.c - runs: found, made, queued, their events, and what they wait for. */
#include "base/keep.h"
#include "desk/run/run_inner.h"

#include "core/shared/body.h"
#include "core/shared/show.h"

void run_listen(struct desk *d, const struct run_hooks *hooks)
{
	pthread_mutex_lock(&d->listeners);
	d->runs = hooks ? *hooks : (struct run_hooks){ 0 };
	pthread_mutex_unlock(&d->listeners);
}

void run_wake(struct desk *d)
{
	pthread_mutex_lock(&d->listeners);
	if (d->runs.woken) d->runs.woken(d->runs.ctx);
	pthread_mutex_unlock(&d->listeners);
}

struct job *run_claim_along(void *ctx, const struct rows *rows)
{
	struct desk *d = ctx;
	struct task *t = NULL;

	if (!rows->queued) return NULL;
	pthread_mutex_lock(&d->listeners);
	if (d->runs.claim) t = d->runs.claim(d->runs.ctx);
	pthread_mutex_unlock(&d->listeners);
	if (!t) return NULL;
	t->desk = d;
	t->job.kind = &use_run_claim.job;
	return &t->job;
}

/* ---- finding ---- */

enum err run_fetch(struct rows *rows, int64_t ws, struct str id, const struct run **out,
	struct fault *why)
{
	enum err e;

	rows_recall_run(rows, ws, id);
	e = rows_get(rows, RECORD_RUNS, KEY(ws, id), out, why);
	if (e || *out) return e;
	return fail(why, ERR_NOT_FOUND, "no run %.*s", STR_ARGS(str_first(id, 64)));
}

enum err run_hold(struct rows *rows, const struct run_key *key, struct run **out,
	struct session **session, struct fault *why)
{
	const struct run *r;
	struct session *s;
	enum err e = run_fetch(rows, key->ws, key->run, &r, why);

	if (e == ERR_NOT_FOUND ||
		(!e && (r->status != RUN_RUNNING || r->attempt != key->attempt ||
			       !lease_holds(&r->lease, key->by))))
		return fail(why, ERR_CONFLICT, "run %.*s is not this process's any more",
			STR_ARGS(key->run));
	if (!e) e = rows_fetch_session(rows, key->ws, r->session, &s, why);
	if (e) return e;
	*session = s;
	*out = rows_change(rows, r);
	return OK;
}

enum err run_calls_fetch(struct rows *rows, const struct run *r, struct fault *why)
{
	/* Ids are made in order: the calls of a message behind its own. */
	struct str after =
		arena_print(rows->arena, "call%.*s", STR_ARGS(str_from(r->message, 3)));
	const struct run_message *m = rows_find(rows, RECORD_MESSAGES, r->message);

	if (m && rows_is_new(m)) return OK; /* they are as new */
	return rows_fetch_once(rows, RECORD_TOOL_CALLS, SQL_CALLS_OF_MESSAGE,
		ARGS(r->ws, r->session, r->message, after), why);
}

const struct tool_call *run_calls_next(
	const struct rows *rows, struct str message, const struct tool_call *at)
{
	const struct tool_call *best = NULL, *c = NULL;

	while ((c = rows_next(rows, RECORD_TOOL_CALLS, c)))
		if (str_eq(c->message, message) && (!at || c->n > at->n) &&
			(!best || c->n < best->n))
			best = c;
	return best;
}

enum err run_children_fetch(struct rows *rows, const struct run *r, struct fault *why)
{
	if (run_is_child(r)) return OK;
	return rows_fetch(rows, RECORD_RUNS, SQL_RUNS_OF_PARENT, ARGS(r->ws, r->id), why);
}

enum err run_agent(const struct run *r, const struct run_known *known,
	struct arena *arena, struct agent_config *out, struct fault *why)
{
	bool same = known && known->config.len && str_eq(known->config, r->config);
	enum err e = same ? OK : agent_parse(r->config, arena, out, why);

	if (same) *out = *known->agent;
	return e || !r->limits.len
		       ? e
		       : agent_limits_parse(r->limits, arena, &out->limits, why);
}

struct str run_limits_of(struct str config, struct arena *arena)
{
	const struct json *json;
	struct buf b = { 0 };

	if (json_read(config, NULL, arena, &json, NULL)) return STR("{}");
	json_write(&b, json_get(json, "limits"));
	return buf_keep_done(&b, arena);
}

/* ---- events ---- */

void run_event(struct rows *rows, const char *type, const struct session *s,
	const struct run *r, struct buf *members)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct str data;

	jw_object(&w);
	if (members) jw_members(&w, buf_str(members));
	if (run_is_child(r)) show_text(&w, "parent", r->parent);
	jw_object_end(&w);
	if (members && members->failed) rows->arena->failed = true;
	if (members) buf_done(members);
	data = buf_keep_done(&b, rows->arena);
	rows_event_run(rows, type, s, r->id, data);
}

/* ---- making ---- */

struct run_message *run_message_new(
	struct rows *rows, struct run *r, enum message_role role, struct str content)
{
	const struct run_message m = { .ws = r->ws,
		.id = rows_new_id(rows, "msg"),
		.session = r->session,
		.run = r->id,
		.thread = run_thread(r),
		.n = r->said + 1,
		.role = role,
		.content = content,
		.cost = COST_UNKNOWN,
		.created_ms = rows->now_ms };

	r->said++;
	return rows_new(rows, RECORD_MESSAGES, &m);
}

void run_message_event(struct rows *rows, const struct session *s, const struct run *r,
	const struct run_message *m, struct str line)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	show_text(&w, "message", m->id);
	show_text(&w, "role", str_of(message_role_name(m->role)));
	if (line.len) show_text(&w, "text", line);
	if (m->role == MESSAGE_ASSISTANT) {
		jw_key(&w, "usage");
		usage_write(&w, &m->usage);
		jw_key(&w, "cost_usd");
		cost_write(&w, m->cost);
	}
	run_event(rows, "run.message", s, r, &b);
}

struct run *run_new(struct rows *rows, struct session *s, const struct run_make *m)
{
	struct run r = { .ws = s->ws,
		.id = rows_new_id(rows, "run"),
		.session = s->id,
		.parent = m->parent,
		.call = m->call,
		.label = m->label,
		.agent = m->agent,
		.config = m->config,
		.status = m->held ? RUN_WAITING : RUN_QUEUED,
		.wake_ms = rows->now_ms,
		.owner = arena_print(rows->arena, "%lld", (long long)s->ws),
		.provider = m->provider,
		.model = m->model,
		.limits = m->limits,
		.language = m->language,
		.said = m->said,
		.queued_ms = rows->now_ms };

	r.first = run_message_new(
		rows, &r, MESSAGE_USER, message_text(m->text, rows->arena))
			  ->id;
	rows->queued = true;
	return rows_new(rows, RECORD_RUNS, &r);
}

/* ---- waiting ---- */

static void wait_write(
	struct json_writer *w, const char *type, struct str id, int64_t until_ms)
{
	jw_object(w);
	show_text(w, "type", str_of(type));
	show_text(w, "id", id);
	show_time(w, "until", until_ms);
	jw_object_end(w);
}

static void children_waited_for(
	struct rows *rows, const struct run *r, struct str call, struct json_writer *w)
{
	const struct run *c = NULL;

	while ((c = rows_next(rows, RECORD_RUNS, c)))
		if (str_eq(c->parent, r->id) && str_eq(c->call, call) && !run_ended(c))
			wait_write(w, "run", c->id, 0);
}

enum err run_waits(struct rows *rows, struct run *r, struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct tool_call *c = NULL;
	enum err e = OK;

	if (r->message.len) e = run_calls_fetch(rows, r, why);
	if (!e && r->message.len) e = run_children_fetch(rows, r, why);
	if (e) return e;
	jw_array(&w);
	if (r->recovery.len) wait_write(&w, "ask", r->recovery, 0);
	while (r->message.len && (c = run_calls_next(rows, r->message, c))) {
		if (c->status != CALL_WAITING && c->status != CALL_INTERRUPTED) continue;
		if (c->child.len)
			children_waited_for(rows, r, c->id, &w);
		else if (c->ask.len)
			wait_write(&w, "ask", c->ask, 0);
	}
	if (r->wake_ms > rows->now_ms) wait_write(&w, "time", STR_NONE, r->wake_ms);
	jw_array_end(&w);
	r->waits_for = buf_keep_done(&b, rows->arena);
	return OK;
}

enum err run_resume(struct rows *rows, struct session *s, struct run *r, const char *by,
	struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	enum err e;

	if (r->status != RUN_WAITING) return OK;
	e = run_act(r, RUN_RESUME, why);
	if (e) return e;
	r->wake_ms = rows->now_ms;
	r->waits_for = STR("[]"); /* it goes on: claiming it is no news */
	rows->queued = true;
	jw_put_text(&w, "by", by);
	run_event(rows, "run.resumed", s, r, &b);
	return OK;
}

enum err run_goes_on(struct rows *rows, struct session *s, struct run *r, const char *by,
	struct fault *why)
{
	const struct tool_call *c = NULL;
	bool waits = false, can = false;
	enum err e;

	if (run_ended(r) || r->status == RUN_RUNNING) return OK;
	e = run_calls_fetch(rows, r, why);
	while (!e && (c = run_calls_next(rows, r->message, c))) {
		waits |= c->status == CALL_WAITING || c->status == CALL_INTERRUPTED;
		can |= c->status == CALL_PENDING;
	}
	if (e) return e;
	return can || !waits ? run_resume(rows, s, r, by, why) : run_waits(rows, r, why);
}
