/* run_say.c - somebody says something to an agent of ours: the message, and a run that answers
 * it, in one commit. While a run of the session works or waits, the message joins it. */
#include "base/keep.h"
#include "core/run/message.h"
#include "core/shared/body.h"
#include "desk/ask/ask.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/run/configured.h"
#include "desk/run/run_inner.h"

/* ---- the queue ---- */

/* Its place in the queue, from 1; 0: it begins at once. */
static enum err queue_place(
	struct task *t, struct rows *rows, int64_t ws, int64_t *out, struct fault *why)
{
	struct str owner = arena_print(rows->arena, "%lld", (long long)ws);
	int64_t ahead[2] = { 0 }; /* queued, at work */
	struct policy_snapshot *snapshot;
	enum err e = rows_ints(rows, SQL_RUNS_AHEAD, ARGS(owner), ahead, 2, why);

	if (!e) e = snapshot_of(t, rows, ws, &snapshot, why);
	if (e) return e;
	*out = ahead[0] || ahead[1] >= snapshot->policy.at_once[snapshot->policy.mode]
		       ? ahead[0] + 1
		       : 0;
	return OK;
}

/* ---- a run begins ---- */

/* The agent's configuration with what this message says in place of its own. */
static enum err say_config(struct rows *rows, const struct agent_record *agent,
	const struct say *say, struct str *out, struct fault *why)
{
	struct buf b = { 0 };
	const struct json *body;
	enum err e;

	struct json_writer w = { .out = &b };

	*out = agent->body;
	if (!say->limits && !say->on_limit && !say->on_ended && !say->output_schema)
		return OK;
	jw_object(&w);
	if (say->limits) {
		jw_key(&w, "limits");
		jw_json(&w, say->limits);
	}
	if (say->on_ended) {
		jw_key(&w, "on_ended");
		jw_json(&w, say->on_ended);
	}
	if (say->output_schema) jw_put_json(&w, "output_schema", say->output_schema);
	if (say->on_limit) jw_put_text(&w, "on_limit", message_on_limits[say->on_limit]);
	jw_object_end(&w);
	e = json_read(buf_keep_done(&b, rows->arena), NULL, rows->arena, &body, why);
	return e ? e : agent_read(body, agent->body, NULL, rows->arena, out, why);
}

static void run_began(const struct run_job *j, int64_t place)
{
	enum session_status was = j->s->status;

	session_run_began(j->s, j->r->id);
	rows_touch_session(j->rows, j->s);
	run_event_queued(j, place);
	if (j->s->status != was) session_stage_status(j->rows, j->s, was);
}

/* Its agent cannot run: at the limit that cannot be kept, or for another reason. */
static enum err agent_refuse(struct task *t, struct rows *rows,
	const struct agent_record *agent, struct str wrong, struct fault *why)
{
	struct str unpriced = STR_NONE;
	struct agent_config parts;
	enum err e = agent_parse(agent->body, rows->arena, &parts, why);

	if (!e && parts.limits.cost)
		e = configured_unpriced(t->desk, rows, agent->ws, parts.provider,
			parts.model, &unpriced, why);
	if (e && e != ERR_NOT_FOUND) return e;
	return fail_at(why,
		unpriced.len && str_eq(unpriced, wrong) ? "/limits/cost_usd" : "/agent",
		"%.*s", STR_ARGS(wrong));
}

enum err run_begin(struct task *t, struct rows *rows, struct session *s,
	const struct say *say, const struct agent_record *agent, struct run **out,
	struct fault *why)
{
	struct run_job j = { t, rows, s };
	struct json_member webhook = { STR("webhook"),
		{ .type = JSON_STRING, .text = s->on_ended } };
	const struct json of_session = { JSON_OBJECT, .count = 1, .members = &webhook };
	struct agent_config parsed;
	struct say own = *say;
	const struct run *before = NULL;
	struct str config, wrong, notes;
	int64_t place;
	enum err e =
		configured_agent_wrong(t->desk, rows, agent, rows->arena, &wrong, why);

	if (!e && wrong.len) e = agent_refuse(t, rows, agent, wrong, why);
	if (!own.on_ended && s->on_ended.len) own.on_ended = &of_session;
	if (!e) e = say_config(rows, agent, &own, &config, why);
	if (!e) e = configured_fixed(t->desk, rows, s->ws, &config, why);
	if (!e) e = agent_parse(config, rows->arena, &parsed, why);
	if (!e && say->on_ended)
		e = delivery_check_webhook(
			t->desk, parsed.on_ended.webhook, "/on_ended/webhook", why);
	if (!e && say->limits && parsed.limits.cost) {
		e = configured_unpriced(
			t->desk, rows, s->ws, parsed.provider, parsed.model, &wrong, why);
		if (!e && wrong.len)
			e = fail_at(why, "/limits/cost_usd", "%.*s", STR_ARGS(wrong));
	}
	if (!e) e = run_notes(rows, s, &parsed, say->content, &notes, why);
	if (!e) e = queue_place(t, rows, s->ws, &place, why);
	if (!e && s->run.len) e = run_fetch(rows, s->ws, s->run, &before, why);
	if (e) return e;
	if (place && !say->queue)
		return fail(why, ERR_FULL,
			"as many runs work as the policy allows; send it with \"queue\": true");
	j.r = run_new(rows, s,
		&(struct run_make){ .agent = agent->name,
			.config = config,
			.text = say->content,
			.language = say->language,
			.limits = run_limits_of(config, rows->arena),
			.provider = parsed.provider,
			.model = parsed.model,
			.notes = notes,
			.trace = t->trace.len ? t->trace : s->trace,
			.said = before ? before->said : 0 });
	run_began(&j, place);
	*out = j.r;
	return OK;
}

/* ---- a message joins ---- */

/* By its name or id. */
static bool agent_is(int64_t ws, struct str name, struct str which)
{
	char id[32];

	agent_id(ws, name, id);
	return str_eq(which, name) || str_is(which, id);
}

/* Limits beside a run that has not ended: those that it has. */
static enum err say_limits(
	struct rows *rows, const struct run *r, const struct say *say, struct fault *why)
{
	const struct agent_record as_it_began = { .body = r->config };
	struct agent_config agent;
	struct str config;
	enum err e = say_config(rows, &as_it_began, say, &config, why);

	if (!e && say->limits &&
		!str_eq(run_limits_of(config, rows->arena),
			run_limits_of(r->config, rows->arena)))
		e = fail_at(why, "/limits", "the run has not ended");
	if (!e) e = agent_parse(r->config, rows->arena, &agent, why);
	if (!e && say->on_limit && agent.ask_on_limit != (say->on_limit == ON_LIMIT_ASK))
		e = fail_at(why, "/on_limit", "the run has not ended");
	return e;
}

/* What the run waits for people with is not answered any more: they wrote instead. */
static enum err asks_overtaken(const struct run_job *j, struct fault *why)
{
	const struct settlement how = { .verb = SETTLE_CANCEL,
		.reason = STR(RUN_WROTE_INSTEAD) };
	struct ask *a = NULL;
	enum err e = rows_fetch_open(j->rows, j->s, why);

	while (!e && (a = rows_next_ask(j->rows, j->s->ws, j->s->id, a)))
		if (a->status == ASK_PENDING && str_eq(a->run, j->r->id))
			e = ask_settle(j->t, j->rows, a, &how, why);
	return e;
}

/* Does it wait until it calls its model again? */
static bool run_tries_later(const struct run *r)
{
	return r->status == RUN_WAITING && r->wake_ms && !r->message.len;
}

static enum err say_join(struct run_job *j, const struct say *say,
	struct run_message **message, struct fault *why)
{
	struct rows *rows = j->rows;
	const struct run *at;
	enum err e = run_fetch(rows, j->s->ws, j->s->run, &at, why);

	if (e) return e;
	if (say->agent.len && !agent_is(at->ws, at->agent, say->agent))
		return fail_at(why, "/agent", "another agent's run has not ended");
	e = say_limits(rows, at, say, why);
	if (e) return e;
	if (!say->queue) return fail_at(why, "/queue", "the run has not ended");
	if (say->on_ended) return fail_at(why, "/on_ended", "the run has not ended");
	if (say->output_schema)
		return fail_at(why, "/output_schema", "the run has not ended");
	j->r = rows_change(rows, at);
	*message = run_message_new(
		rows, j->r, MESSAGE_USER, message_text(say->content, rows->arena));
	run_message_event(j, *message, message_line(say->content, rows->arena), "");
	/* The model call under way is given up; tools that are at work finish. */
	if (say->now && j->r->status == RUN_RUNNING && !j->r->message.len)
		e = run_requeue(rows, j->r, rows->now_ms, why);
	else if (say->now && run_tries_later(j->r))
		e = run_resume(j, "message", why);
	else if (say->now && j->r->status == RUN_WAITING)
		e = asks_overtaken(j, why);
	return e;
}

/* ---- POST /v1/sessions/{id}/messages ---- */

/* A session created without a title has its agent's name until its first message. */
static void say_entitle(struct rows *rows, struct session *s, const struct say *say)
{
	struct str title;

	if (s->run.len || !str_eq(s->title, s->agent)) return;
	title = message_title(say->content, rows->arena);
	if (title.len) session_rename(rows, s, title);
}

static enum err say_check(struct task *t, struct fault *why)
{
	struct say *s = TASK_CHECKED(t, struct say);

	return message_body_read(t->body, s, why);
}

static void say_needs(struct job *job, struct wants *w)
{
	wants_session(w, job->who.ws, task_of(job)->id);
}

static void said_reply(
	struct task *t, const struct run_message *m, const struct run *r, int64_t now_ms)
{
	struct json_writer w = { .out = &t->job.out };

	jw_object(&w);
	jw_key(&w, "message");
	message_write(&w, m);
	jw_key(&w, "run");
	run_write(&w, r, now_ms);
	jw_object_end(&w);
	t->run = arena_str(&t->job.arena, r->id);
	t->job.key_session = r->session;
	if (t->job.key.len)
		t->job.key_result = arena_print(&t->job.arena,
			"{\"message\":\"%.*s\",\"run\":\"%.*s\"}", STR_ARGS(m->id),
			STR_ARGS(r->id));
}

static enum err say_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_job j = { task_of(job), rows };
	const struct say *say = j.t->checked;
	const struct agent_record *agent;
	struct run_message *joined = NULL;
	struct str project;
	enum err e = desk_find_session(j.t, rows, &j.s, why);

	if (!e) e = desk_permit(j.t, MAY_RUN, why);
	if (!e) e = desk_rate(j.t, rows->now_ms, why);
	if (!e) e = projects_resolve(j.t, rows, j.s, STR_NONE, &project, why);
	if (!e && !session_runnable(j.s))
		e = fail(why, ERR_CONFLICT,
			"Parley does not run the agent of this session");
	if (!e && j.s->run_open) {
		e = say_join(&j, say, &joined, why);
	} else if (!e) {
		e = configured_agent(j.t->desk, rows, j.s->ws,
			say->agent.len ? say->agent : j.s->agent, &agent, why);
		if (e == ERR_NOT_FOUND)
			e = configured_agent_refuse(j.t->desk, rows, j.s->ws,
				say->agent.len ? say->agent : j.s->agent, why);
		if (!e) say_entitle(rows, j.s, say);
		if (!e) e = run_begin(j.t, rows, j.s, say, agent, &j.r, why);
	}
	if (e) return e;
	job->status = 201;
	said_reply(j.t, joined ? joined : rows_find(rows, RECORD_MESSAGES, j.r->first),
		j.r, rows->now_ms);
	return OK;
}

static enum err say_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct task *t = task_of(job);
	const struct run *r;
	struct str run, message;
	enum err e = desk_kept_id(t, k, "run", &run, why);

	if (!e) e = desk_kept_id(t, k, "message", &message, why);
	if (!e) e = run_fetch(rows, job->who.ws, run, &r, why);
	if (e) return e;
	const struct run_message *m;

	e = rows_get(
		rows, RECORD_MESSAGES, KEY(job->who.ws, r->session, message), &m, why);
	if (!e && !m) e = fail(why, ERR_NOT_FOUND, "no message %.*s", STR_ARGS(message));
	if (!e) said_reply(t, m, r, rows->now_ms);
	return e;
}

const struct use use_message_send =
	WRITES("message", 0, JOB_LATE, say_needs, say_decide, say_again, say_check);

/* ---- POST /v1/runs/{id}/cancel, /retry ---- */

static enum err run_find(
	struct job *job, struct rows *rows, struct run_job *out, struct fault *why)
{
	struct task *t = task_of(job);
	struct session *s;
	const struct run *at;
	enum err e = run_fetch(rows, job->who.ws, t->id, &at, why);

	if (!e) e = rows_fetch_session(rows, job->who.ws, at->session, &s, why);
	if (!e && !session_seen_by(s, &job->who)) e = desk_missing("run", t->id, why);
	if (!e) e = desk_permit(t, MAY_RUN, why);
	if (!e) e = project_admit(job->who.projects, s->project, why);
	if (!e) *out = (struct run_job){ t, rows, s, rows_change(rows, at) };
	return e;
}

static void run_reply(struct task *t, const struct run *r, int64_t now_ms)
{
	run_write(TO_REPLY(&t->job), r, now_ms);
	t->run = arena_str(&t->job.arena, r->id);
	desk_keep_run(t, r);
}

static enum err run_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct task *t = task_of(job);
	const struct run *r;
	struct str id;
	enum err e = desk_kept_id(t, k, "run", &id, why);

	if (!e) e = run_fetch(rows, job->who.ws, id, &r, why);
	if (!e) run_reply(t, r, rows->now_ms);
	return e;
}

static enum err cancel_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_job j;
	struct str reason;
	enum err e = run_find(job, rows, &j, why);

	if (!e) e = desk_reason_read(j.t->body, &reason, why);
	if (!e) e = run_cancel(&j, reason, why);
	if (!e && run_is_child(j.r)) e = run_child_ended(&j, why);
	if (!e) run_reply(j.t, j.r, rows->now_ms);
	return e;
}

const struct use use_run_cancel = WRITES(
	"run_cancel", 0, JOB_LATE, NULL, cancel_decide, run_again, desk_reason_check);

static enum err retry_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_job j;
	struct run fresh;
	enum err e = run_find(job, rows, &j, why);

	if (!e && run_tries_later(j.r)) { /* at once, then */
		e = run_resume(&j, "retry", why);
		if (!e) run_reply(j.t, j.r, rows->now_ms);
		return e;
	}
	/* Behind a later run its messages would have the numbers of that one's. */
	if (!e && (j.r->status != RUN_FAILED || run_is_child(j.r) || j.s->run_open ||
			  !str_eq(j.s->run, j.r->id)))
		e = fail(why, ERR_CONFLICT,
			"only the last run of a session that failed can be "
			"retried");
	if (e) return e;
	fresh = (struct run){ .ws = j.r->ws,
		.id = rows_new_id(rows, "run"),
		.session = j.r->session,
		.agent = j.r->agent,
		.config = j.r->config,
		.status = RUN_QUEUED,
		.wake_ms = rows->now_ms,
		.owner = j.r->owner,
		.provider = j.r->provider,
		.model = j.r->model,
		.notes = j.r->notes,
		.trace = j.t->trace.len ? j.t->trace : j.r->trace,
		.limits = run_limits_of(j.r->config, rows->arena),
		.first = j.r->first,
		.report = j.r->report, /* an answer that was cut goes on */
		.said = j.r->said,
		.language = j.r->language,
		.queued_ms = rows->now_ms };
	j.r = rows_new(rows, RECORD_RUNS, &fresh);
	rows->so_far.queued = true;
	run_began(&j, 0);
	job->status = 201;
	run_reply(j.t, j.r, rows->now_ms);
	return OK;
}

const struct use use_run_retry = WRITES(
	"run_retry", 0, JOB_LATE, NULL, retry_decide, run_again, desk_reason_check);
