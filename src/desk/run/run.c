/* run.c - runs: found, made, queued, their events, and what they wait for. Who is told that runs, or calls held at the gateway, may be worked on. Prefixes: run_, gateway_. */
#include "base/keep.h"
#include "desk/gateway.h"
#include "desk/run/run_inner.h"

#include "core/shared/body.h"
#include "core/shared/digest.h"
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

void gateway_on_held(struct desk *d, void (*woken)(void *ctx), void *ctx)
{
	pthread_mutex_lock(&d->listeners);
	d->held.woken = woken;
	d->held.ctx = ctx;
	pthread_mutex_unlock(&d->listeners);
}

void gateway_wake(struct desk *d)
{
	pthread_mutex_lock(&d->listeners);
	if (d->held.woken) d->held.woken(d->held.ctx);
	pthread_mutex_unlock(&d->listeners);
}

struct job *run_claim_along(void *ctx, const struct rows *rows)
{
	struct desk *d = ctx;
	struct task *t = NULL;

	if (!rows->so_far.queued) return NULL;
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
	return desk_missing("run", id, why);
}

enum err run_hold(struct job *job, struct rows *rows, const struct run_key *key,
	struct run_job *out, struct fault *why)
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
	if (!e) *out = (struct run_job){ task_of(job), rows, s, rows_change(rows, r) };
	return e;
}

enum err run_calls_fetch(const struct run_job *j, struct fault *why)
{
	/* Ids are made in order: the calls of a message behind its own. */
	struct str after = arena_print(
		j->rows->arena, "call%.*s", STR_ARGS(str_from(j->r->message, 3)));
	const struct run_message *m = rows_find(j->rows, RECORD_MESSAGES, j->r->message);

	if (m && rows_is_new(m)) return OK; /* they are as new */
	return rows_fetch_once(j->rows, RECORD_TOOL_CALLS, SQL_CALLS_OF_MESSAGE,
		ARGS(j->r->ws, j->r->session, j->r->message, after), why);
}

const struct tool_call *run_calls_next(
	const struct run_job *j, const struct tool_call *at)
{
	const struct tool_call *best = NULL, *c = NULL;

	while ((c = rows_next(j->rows, RECORD_TOOL_CALLS, c)))
		if (str_eq(c->message, j->r->message) && (!at || c->n > at->n) &&
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

	if (json_read(config, NULL, arena, &json, NULL)) return STR("{}");
	return json_keep(json_get(json, "limits"), arena);
}

/* ---- events ---- */

void run_event(const struct run_job *j, const char *type, const struct field *members,
	size_t len)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	fields_write(&w, members, len);
	if (run_is_child(j->r)) show_text(&w, "parent", j->r->parent);
	jw_object_end(&w);
	rows_event_run(j->rows, type, j->s, j->r->id, buf_keep_done(&b, j->rows->arena));
}

/* The member `config` of events by which a run goes on: the digest of its configuration, for
 * `check`. */
static struct field run_config_field(const struct run_job *j)
{
	char digest[SHORT_DIGEST_SIZE];

	digest_text(j->r->config, digest);
	return field_text("config", arena_str(j->rows->arena, str_of(digest)));
}

void run_event_queued(const struct run_job *j, int64_t place)
{
	run_event(j, "run.queued",
		FIELDS(field_text("agent", j->r->agent), run_config_field(j),
			place ? field_int("position", place) : field_null("position")));
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

void run_message_event(const struct run_job *j, const struct run_message *m,
	struct str line, const char *calls)
{
	bool model = m->role == MESSAGE_ASSISTANT;
	struct arena *arena = j->rows->arena;

	run_event(j, "run.message",
		FIELDS(field_text("message", m->id),
			field_word("role", message_role_name(m->role)),
			field_some(field_text("text", line)),
			field_some(field_text("calls", str_of(calls))),
			field_some(field_json("usage",
				model ? usage_text(&m->usage, arena) : STR_NONE)),
			field_some(field_json("cost_usd",
				model ? usage_cost_text(m->cost, arena) : STR_NONE))));
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
		.wake_ms = m->held ? 0 : rows->now_ms,
		.owner = arena_print(rows->arena, "%lld", (long long)s->ws),
		.provider = m->provider,
		.model = m->model,
		.notes = m->notes,
		.trace = m->trace,
		.limits = m->limits,
		.language = m->language,
		.said = m->said,
		.queued_ms = rows->now_ms };

	r.first = run_message_new(
		rows, &r, MESSAGE_USER, message_text(m->text, rows->arena))
			  ->id;
	rows->so_far.queued = true;
	return rows_new(rows, RECORD_RUNS, &r);
}

void run_sent(struct run *r, int64_t bytes, int64_t tokens, const struct window_cut *cut)
{
	r->sent_bytes = tokens > 0 ? bytes : 0;
	r->sent_tokens = tokens > 0 ? tokens : 0;
	if (!cut) return;
	r->left_out = cut->out;
	r->cut_upto = cut->cut;
	r->cut_each = cut->each;
}

/* ---- waiting ---- */

static void wait_write(
	struct json_writer *w, const char *type, struct str id, int64_t until_ms)
{
	fields_object(w, FIELDS(field_word("type", type), field_text("id", id),
				 field_time("until", until_ms)));
}

static void children_waited_for(
	const struct run_job *j, struct str call, struct json_writer *w)
{
	const struct run *c = NULL;

	while ((c = rows_next(j->rows, RECORD_RUNS, c)))
		if (str_eq(c->parent, j->r->id) && str_eq(c->call, call) && !run_ended(c))
			wait_write(w, "run", c->id, 0);
}

/* What it waits for, as its calls and its recovery say. */
static enum err run_waits(const struct run_job *j, struct fault *why)
{
	struct run *r = j->r;
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct tool_call *c = NULL;
	int64_t soonest = 0;
	enum err e = r->message.len ? run_calls_fetch(j, why) : OK;

	if (!e && r->message.len) e = run_children_fetch(j->rows, r, why);
	if (e) return e;
	jw_array(&w);
	if (r->recovery.len) wait_write(&w, "ask", r->recovery, 0);
	while (r->message.len && (c = run_calls_next(j, c))) {
		if (!tool_call_waits(c)) continue;
		if (tool_call_later(c)) {
			wait_write(&w, "call", c->id, c->until_ms);
			if (!soonest || c->until_ms < soonest) soonest = c->until_ms;
		} else if (c->child.len)
			children_waited_for(j, c->id, &w);
		else if (c->ask.len)
			wait_write(&w, "ask", c->ask, 0);
	}
	/* A run that waits with calls of its turn wakes when the first of them is over. */
	if (r->message.len && r->status != RUN_QUEUED) {
		r->wake_ms = soonest;
		j->rows->so_far.runs |= soonest != 0;
	} else if (r->wake_ms > j->rows->now_ms)
		wait_write(&w, "time", STR_NONE, r->wake_ms);
	jw_array_end(&w);
	r->waits_for = buf_keep_done(&b, j->rows->arena);
	return OK;
}

enum err run_rest(const struct run_job *j, struct fault *why)
{
	enum err e = run_waits(j, why);

	if (!e) e = run_act(j->r, RUN_WAIT, why);
	if (e) return e;
	j->r->lease = (struct lease){ 0 };
	run_event(j, "run.waiting", FIELDS(field_json("waits_for", j->r->waits_for)));
	return OK;
}

enum err run_resume(const struct run_job *j, const char *by, struct fault *why)
{
	enum err e;

	if (j->r->status != RUN_WAITING) return OK;
	e = run_act(j->r, RUN_RESUME, why);
	if (e) return e;
	j->r->wake_ms = j->rows->now_ms;
	j->r->waits_for = STR("[]"); /* it goes on: claiming it is no news */
	j->rows->so_far.queued = true;
	run_event(j, "run.resumed", FIELDS(field_word("by", by), run_config_field(j)));
	return OK;
}

enum err run_goes_on(const struct run_job *j, const char *by, struct fault *why)
{
	const struct tool_call *c = NULL;
	bool waits = false, can = false;
	enum err e;

	if (run_ended(j->r) || j->r->status == RUN_RUNNING) return OK;
	e = run_calls_fetch(j, why);
	while (!e && (c = run_calls_next(j, c))) {
		waits |= tool_call_waits(c);
		can |= c->status == CALL_PENDING;
	}
	if (e) return e;
	return can || !waits ? run_resume(j, by, why) : run_waits(j, why);
}
