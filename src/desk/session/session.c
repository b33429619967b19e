/* session.c - sessions: made, changed, told about, cancelled, deleted. */
#include "desk/session/session.h"
#include "desk/ask/ask.h"
#include "desk/people/holds.h"
#include "desk/run/configured.h"
#include "desk/run/memory_index.h"
#include "desk/run/run_inner.h"

#include "core/shared/digest.h"

/* ---- create ---- */

static enum err create_check(struct task *t, struct fault *why)
{
	struct session_draft *d = TASK_CHECKED(t, struct session_draft);

	enum err e = session_draft_read(t->body, &t->job.arena, d, why);
	if (!e) e = delivery_check_callback(t->desk, &d->callback, why);
	return e ? e
		 : delivery_check_webhook(
			   t->desk, d->on_ended.webhook, "/on_ended/webhook", why);
}

/* Whose it will be. */
static struct str session_agent(const struct job *job, const struct session_draft *d)
{
	return d->agent.len ? d->agent : job->who.agent;
}

static void create_needs(struct job *job, struct wants *w)
{
	const struct session_draft *d = task_of(job)->checked;

	wants_external(w, job->who.ws, session_agent(job, d), d->external_id);
}

static enum err create_reply(
	struct task *t, struct rows *rows, struct session *s, struct fault *why)
{
	desk_keep_session(t, s);
	return session_reply(t, rows, s, why);
}

/* A session of an agent that Parley runs, and its first run if there is something to do. */
static enum err create_runnable(struct task *t, struct rows *rows,
	const struct session_draft *d, const struct agent_record *agent,
	struct fault *why)
{
	const struct principal *who = &t->job.who;
	struct session_draft own = *d;
	const struct say say = { .content = d->message,
		.language = d->language,
		.limits = d->limits,
		.output_schema = d->output_schema,
		.on_limit = (enum on_limit)d->on_limit,
		.queue = true };
	struct session *s;
	struct run *r;
	enum err e = OK;

	if (!principal_may(who, MAY_RUN))
		return fail(why, ERR_FORBIDDEN, "the role %s may not run agents",
			role_name(who->role));
	own.agent = agent->name;
	own.parallel = true;
	own.starter = principal_starter(who);
	if (!own.title.len)
		own.title = d->message.len ? message_title(d->message, rows->arena)
					   : agent->name;
	s = session_make(t, rows, &own);
	s->heard_ms = 0;
	if (d->message.len) e = run_begin(t, rows, s, &say, agent, &r, why);
	if (e) return e;
	t->job.status = 201;
	return create_reply(t, rows, s, why);
}

static enum err create_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct session_draft *d = t->checked;
	struct session_draft own = *d;
	const struct agent_record *agent = NULL;
	enum err e = OK;
	struct session *s =
		rows_external(rows, job->who.ws, session_agent(job, d), d->external_id);

	if (d->agent.len)
		e = configured_agent(t->desk, rows, job->who.ws, d->agent, &agent, why);
	if (e && e != ERR_NOT_FOUND) return e;
	if (!agent && d->message.len && !d->agent.len)
		return fail_at(why, "/agent", "required");
	/* Only a session of an agent that Parley runs may lack a title. */
	if (d->agent.len && !agent &&
		(d->message.len || (!d->title.len && !str_eq(d->agent, job->who.agent))))
		return configured_agent_refuse(t->desk, rows, job->who.ws, d->agent, why);
	if (d->agent.len && !agent && !principal_owns(&job->who, d->agent))
		return fail(why, ERR_FORBIDDEN,
			"a session for another agent is an admin's to make");
	e = projects_resolve(t, rows, s, d->project, &own.project, why);
	if (e) return e;
	/* Creating it again, by its external id, returns the first: with its open asks. */
	if (s) return create_reply(t, rows, s, why);
	if (!agent && !d->title.len) return fail_at(why, "/title", "required");
	e = desk_rate(t, rows->now_ms, why);
	if (e) return e;
	own.trace = t->trace;
	if (agent) return create_runnable(t, rows, &own, agent, why);
	s = session_make(t, rows, &own);
	job->status = 201;
	return create_reply(t, rows, s, why);
}

const struct use use_session_create = WRITES(
	"session", MAY_ASK, 0, create_needs, create_decide, session_again, create_check);

/* ---- change ---- */

static void whole_needs(struct job *job, struct wants *w)
{
	wants_open_asks(w, job->who.ws, task_of(job)->id);
}

static enum err session_find_own(
	struct task *t, struct rows *rows, struct session **s, struct fault *why)
{
	enum err e = desk_find_session(t, rows, s, why);

	if (e || session_started_by(*s, &t->job.who)) return e;
	return desk_own(&t->job.who, (*s)->agent, why);
}

/* Ended sessions cancel their open asks; the status itself is set last. */
static enum err session_become(struct task *t, struct rows *rows, struct session *s,
	enum session_status status, struct fault *why)
{
	enum session_status was = s->status;
	enum err e = OK;

	if (status == SESSION_COMPLETED || status == SESSION_FAILED ||
		status == SESSION_CANCELLED)
		e = ask_cancel_all(t, rows, s,
			arena_print(rows->arena, "the session is %s",
				session_status_name(status)),
			why);
	if (e) return e;
	s->status = status; /* its last open asks may have changed it meanwhile */
	if (was == status) return OK;
	s->heard_ms = rows->now_ms;
	rows_touch_session(rows, s);
	session_watch_silence(rows, s);
	session_stage_status(rows, s, was);
	return OK;
}

static enum err patch_check(struct task *t, struct fault *why)
{
	struct session_patch *p = TASK_CHECKED(t, struct session_patch);

	return session_patch_read(t->body, p, why);
}

static enum err patch_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct session_patch *p = t->checked;
	struct session *s;
	enum err e = session_find_own(t, rows, &s, why);

	if (e) return e;
	if (p->has_title) session_rename(rows, s, p->title);
	if (p->has_status && session_runnable(s))
		e = fail_at(why, "/status",
			"Parley runs this session: cancel its run instead");
	/* A session without an open ask must not be "waiting". */
	if (!e && p->has_status &&
		(p->status == SESSION_WAITING_FOR_INPUT ||
			p->status == SESSION_WAITING_FOR_APPROVAL) &&
		!s->open_input && !s->open_approval && !s->open_other)
		e = fail(why, ERR_CONFLICT,
			"nothing is asked in this session: ask, and it waits by itself");
	if (!e && p->has_status) e = session_become(t, rows, s, p->status, why);
	return e ? e : session_reply(t, rows, s, why);
}

const struct use use_session_patch =
	WRITES("session_patch", 0, 0, whole_needs, patch_decide, NULL, patch_check);

static enum err session_run_cancel(
	struct task *t, struct rows *rows, struct session *s, struct fault *why)
{
	struct run_job j = { t, rows, s };
	const struct run *at;
	enum err e = run_fetch(rows, s->ws, s->run, &at, why);

	if (e) return e == ERR_NOT_FOUND ? OK : e;
	j.r = rows_change(rows, at);
	return run_ended(j.r) ? OK : run_cancel(&j, STR_NONE, why);
}

static enum err cancel_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct session *s;
	enum err e = desk_find_session(t, rows, &s, why);

	/* Any member may stop what Parley runs. */
	if (!e && !(session_runnable(s) && principal_may(&job->who, MAY_RUN)))
		e = session_find_own(t, rows, &s, why);
	if (!e && s->run_open) e = session_run_cancel(t, rows, s, why);
	if (!e) e = session_become(t, rows, s, SESSION_CANCELLED, why);
	if (e) return e;
	desk_keep_session(t, s);
	return session_reply(t, rows, s, why);
}

const struct use use_session_cancel = WRITES("session_cancel", 0, 0, whole_needs,
	cancel_decide, session_again, desk_reason_check);

static enum err progress_check(struct task *t, struct fault *why)
{
	struct str *out = TASK_CHECKED(t, struct str);

	return session_progress_read(t->body, &t->job.arena, out, why);
}

/* Who stopped it and why stands at the end of the reply. */
static enum err progress_stopped(
	struct task *t, struct rows *rows, const struct session *s, struct fault *why)
{
	struct json_writer w;
	const struct stop_record *stop;
	enum err e =
		policy_stop(t, rows, s, agent_known(s->agent, s->agent_name), &stop, why);

	if (!stop || !desk_reply_reopen(t, &w)) return e;
	t->stopped = arena_str(&t->job.arena, stop_told(stop, rows->arena));
	jw_put_raw(&w, "stopped", t->stopped);
	jw_object_end(&w);
	return OK;
}

static void progress_needs(struct job *job, struct wants *w)
{
	if (!session_needs_default(job, w)) whole_needs(job, w);
}

static enum err progress_session(
	struct task *t, struct rows *rows, struct session **out, struct fault *why)
{
	return t->id.len ? session_find_own(t, rows, out, why)
			 : session_default(t, rows, out, why);
}

static enum err progress_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct str *progress = t->checked;
	struct session *s;
	enum err e = progress_session(t, rows, &s, why);

	if (!e) e = desk_rate(t, rows->now_ms, why);
	if (e) return e;
	t->session = arena_str(&job->arena, s->id);
	if (session_ended(s))
		return fail(why, ERR_CONFLICT, "the session is %s",
			session_status_name(s->status));
	s->progress = *progress;
	s->heard_ms = rows->now_ms;
	rows_touch_session(rows, s);
	session_watch_silence(rows, s);
	rows_event(rows, "session.progress", s, NULL, *progress);
	desk_keep_session(t, s);
	e = session_reply(t, rows, s, why);
	return e ? e : progress_stopped(t, rows, s, why);
}

const struct use use_session_progress = WRITES("session_progress", 0, 0, progress_needs,
	progress_decide, session_again, progress_check);

/* ---- delete: everything under it goes; waiters are told by the cancellations ---- */

enum err session_delete(struct task *t, struct rows *rows, struct session *s,
	struct str data, struct fault *why)
{
	enum err e = holds_on_session(t, rows, s, why);

	if (!e && s->run_open) e = session_run_cancel(t, rows, s, why);
	if (!e) e = ask_cancel_all(t, rows, s, STR("the session was deleted"), why);
	if (!e) e = memory_index_session(rows, s->ws, s->id, why);
	if (e) return e;
	rows_event(rows, "session.deleted", s, NULL, data);
	rows_delete(rows, s);
	return OK;
}

static enum err delete_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct session *s;
	enum err e = session_find_own(t, rows, &s, why);

	job->status = 204;
	return e ? e : session_delete(t, rows, s, STR_NONE, why);
}

const struct use use_session_delete =
	WRITES("session_delete", 0, 0, whole_needs, delete_decide, NULL, NULL);
