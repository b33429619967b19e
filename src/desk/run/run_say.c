/* run_say.c - somebody says something to an agent of ours: the message, and a run that answers
 * it, in one commit. While a run of the session works or waits, the message joins it. */
#include "base/keep.h"
#include "core/shared/body.h"
#include "core/shared/message_body.h"
#include "core/shared/show.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/run/configured.h"
#include "desk/run/run_inner.h"

/* ---- the queue ---- */

struct ahead {
	int64_t queued, working;
};

static enum err ahead_row(void *ctx, const struct row *row, struct fault *why)
{
	struct ahead *a = ctx;

	(void)why;
	a->queued = row_int(row, 0);
	a->working = row_int(row, 1);
	return OK;
}

/* Its place in the queue, from 1; 0: it begins at once. */
static enum err queue_place(
	struct task *t, struct rows *rows, int64_t ws, int64_t *out, struct fault *why)
{
	struct ahead a = { 0 };
	struct policy_snapshot *snapshot;
	enum err e = rows_query(rows, SQL_RUNS_AHEAD,
		ARGS(arena_print(rows->arena, "%lld", (long long)ws)), ahead_row, &a,
		why);

	if (!e) e = snapshot_of(t->desk, &t->job, rows, ws, &snapshot, why);
	if (e) return e;
	*out = a.queued || a.working >= snapshot->policy.at_once[snapshot->policy.mode]
		       ? a.queued + 1
		       : 0;
	return OK;
}

/* ---- a run begins ---- */

/* The agent's configuration with the limits of this message in place of its own. */
static enum err say_config(struct rows *rows, const struct agent_record *agent,
	const struct say *say, struct str *out, struct fault *why)
{
	struct buf b = { 0 };
	const struct json *body;
	enum err e;

	*out = agent->body;
	if (!say->limits) return OK;
	buf_add_text(&b, "{\"limits\":");
	json_write(&b, say->limits);
	buf_add_char(&b, '}');
	e = json_read(buf_keep_done(&b, rows->arena), NULL, rows->arena, &body, why);
	return e ? e : agent_read(body, agent->body, NULL, rows->arena, out, why);
}

static void begin_event(
	struct rows *rows, const struct session *s, const struct run *r, int64_t place)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	show_text(&w, "agent", r->agent);
	jw_key(&w, "position");
	if (place)
		jw_int(&w, place);
	else
		jw_null(&w);
	run_event(rows, "run.queued", s, r, &b);
}

enum err run_begin(struct task *t, struct rows *rows, struct session *s,
	const struct say *say, const struct agent_record *agent, struct run **out,
	struct fault *why)
{
	enum session_status was = s->status;
	struct agent_config parsed;
	const struct run *before = NULL;
	struct str config, wrong;
	int64_t place;
	struct run *r;
	enum err e =
		configured_agent_wrong(t->desk, rows, agent, rows->arena, &wrong, why);

	if (!e && wrong.len) e = fail_at(why, "/agent", "%.*s", STR_ARGS(wrong));
	if (!e) e = say_config(rows, agent, say, &config, why);
	if (!e) e = agent_parse(config, rows->arena, &parsed, why);
	if (!e) e = queue_place(t, rows, s->ws, &place, why);
	if (!e && s->run.len) e = run_fetch(rows, s->ws, s->run, &before, why);
	if (e) return e;
	if (place && !say->queue)
		return fail(why, ERR_FULL,
			"as many runs work as the policy allows; send it with \"queue\": true");
	r = run_new(rows, s,
		&(struct run_make){ .agent = agent->name,
			.config = config,
			.text = say->content,
			.language = say->language,
			.limits = run_limits_of(config, rows->arena),
			.provider = parsed.provider,
			.model = parsed.model,
			.said = before ? before->said : 0 });
	session_run_began(s, r->id);
	rows_touch_session(rows, s);
	begin_event(rows, s, r, place);
	if (!e && s->status != was) session_stage_status(rows, s, was);
	*out = r;
	return e;
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
	struct str config;
	enum err e = say_config(rows, &as_it_began, say, &config, why);

	if (e || !say->limits ||
		str_eq(run_limits_of(config, rows->arena),
			run_limits_of(r->config, rows->arena)))
		return e;
	return fail_at(why, "/limits", "the run has not ended");
}

static enum err say_join(struct rows *rows, struct session *s, const struct say *say,
	struct str run, struct run **out, struct run_message **message, struct fault *why)
{
	const struct run *at;
	enum err e = run_fetch(rows, s->ws, run, &at, why);

	if (e) return e;
	if (say->agent.len && !agent_is(s->ws, at->agent, say->agent))
		return fail_at(why, "/agent", "another agent's run has not ended");
	e = say_limits(rows, at, say, why);
	if (e) return e;
	if (!say->queue) return fail_at(why, "/queue", "the run has not ended");
	*out = rows_change(rows, at);
	*message = run_message_new(
		rows, *out, MESSAGE_USER, message_text(say->content, rows->arena));
	run_message_event(
		rows, s, *out, *message, message_line(say->content, rows->arena));
	/* The model call under way is given up; tools that are at work finish. */
	if (!e && say->now && (*out)->status == RUN_RUNNING && !(*out)->message.len)
		e = run_requeue(rows, *out, rows->now_ms, why);
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
	struct task *t = task_of(job);
	const struct say *say = t->checked;
	const struct run_message *first = NULL;
	const struct agent_record *agent;
	struct run_message *m = NULL;
	struct session *s;
	struct str project;
	struct run *r;
	enum err e = desk_find_session(t, rows, &s, why);

	if (!e) e = desk_permit(t, MAY_RUN, why);
	if (!e) e = projects_resolve(t, rows, s, STR_NONE, &project, why);
	if (!e && !session_runnable(s))
		e = fail(why, ERR_CONFLICT,
			"Parley does not run the agent of this session");
	if (!e && s->run_open) {
		e = say_join(rows, s, say, s->run, &r, &m, why);
	} else if (!e) {
		e = configured_agent(t->desk, rows, s->ws,
			say->agent.len ? say->agent : s->agent, &agent, why);
		if (e == ERR_NOT_FOUND) e = fail_at(why, "/agent", "no such agent");
		if (!e) say_entitle(rows, s, say);
		if (!e) e = run_begin(t, rows, s, say, agent, &r, why);
		if (!e) first = rows_find(rows, RECORD_MESSAGES, r->first);
	}
	if (e) return e;
	job->status = 201;
	said_reply(t, m ? m : first, r, rows->now_ms);
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

static enum err cancel_check(struct task *t, struct fault *why)
{
	struct str reason;

	return desk_reason_read(t->body, &reason, why);
}

static enum err run_find(struct task *t, struct rows *rows, struct run **out,
	struct session **s, struct fault *why)
{
	const struct run *at;
	enum err e = run_fetch(rows, t->job.who.ws, t->id, &at, why);

	if (!e) e = rows_fetch_session(rows, t->job.who.ws, at->session, s, why);
	if (!e && !session_seen_by(*s, &t->job.who))
		e = fail(why, ERR_NOT_FOUND, "no run %.*s",
			STR_ARGS(str_first(t->id, 64)));
	if (!e) e = desk_permit(t, MAY_RUN, why);
	if (!e) e = project_admit(t->job.who.projects, (*s)->project, why);
	if (e) return e;
	*out = rows_change(rows, at);
	return OK;
}

static void run_reply(struct task *t, const struct run *r, int64_t now_ms)
{
	struct json_writer w = { .out = &t->job.out };

	run_write(&w, r, now_ms);
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
	struct task *t = task_of(job);
	struct str reason;
	struct session *s;
	struct run *r;
	enum err e = run_find(t, rows, &r, &s, why);

	if (!e) e = desk_reason_read(t->body, &reason, why);
	if (!e) e = run_cancel(t, rows, s, r, reason, why);
	if (!e && run_is_child(r)) e = run_child_ended(t, rows, s, r, why);
	if (e) return e;
	run_reply(t, r, rows->now_ms);
	return OK;
}

const struct use use_run_cancel =
	WRITES("run_cancel", 0, JOB_LATE, NULL, cancel_decide, run_again, cancel_check);

static enum err retry_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	enum session_status was;
	struct session *s;
	struct run *r, *next;
	struct run fresh;
	enum err e = run_find(t, rows, &r, &s, why);

	if (!e && (r->status != RUN_FAILED || run_is_child(r) || s->run_open))
		e = fail(why, ERR_CONFLICT,
			"only the last run of a session that failed can be "
			"retried");
	if (e) return e;
	fresh = (struct run){ .ws = r->ws,
		.id = rows_new_id(rows, "run"),
		.session = r->session,
		.agent = r->agent,
		.config = r->config,
		.status = RUN_QUEUED,
		.wake_ms = rows->now_ms,
		.owner = r->owner,
		.provider = r->provider,
		.model = r->model,
		.limits = run_limits_of(r->config, rows->arena),
		.first = r->first,
		.said = r->said,
		.language = r->language,
		.queued_ms = rows->now_ms };
	next = rows_new(rows, RECORD_RUNS, &fresh);
	rows->queued = true;
	was = s->status;
	session_run_began(s, next->id);
	rows_touch_session(rows, s);
	begin_event(rows, s, next, 0);
	if (!e && s->status != was) session_stage_status(rows, s, was);
	if (e) return e;
	job->status = 201;
	run_reply(t, next, rows->now_ms);
	return OK;
}

const struct use use_run_retry =
	WRITES("run_retry", 0, JOB_LATE, NULL, retry_decide, run_again, cancel_check);
