/* session_make.c - sessions are made here; what is told and shown of them. */
#include "desk/session/session.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/digest.h"
#include "core/shared/field.h"

static struct str folded(struct str title, struct arena *arena)
{
	struct buf b = { .max = 4096 };

	utf8_fold(&b, title);
	return buf_keep_done(&b, arena);
}

/* What tells of it. Whom it calls is a secret of its agent: a digest says whether that is still the
 * same. */
static struct str session_data(const struct session *s, bool fresh, struct arena *arena)
{
	char made[SHORT_DIGEST_SIZE], callback[SHORT_DIGEST_SIZE] = "";

	session_digest(s, made);
	if (s->on_settled.len) digest_text(s->on_settled, callback);
	return fields_text(arena,
		FIELDS(field_str("title", s->title),
			field_some(field_str("agent", fresh ? s->agent : STR_NONE)),
			field_text("project", s->project),
			field_some(field_str("callback", str_of(callback))),
			field_word("made", made)));
}

struct str session_agent_name(const struct task *t)
{
	const struct principal *who = &t->job.who;

	if (who->user.len) return str_eq(who->agent, who->user) ? who->name : STR_NONE;
	return str_is(who->agent, "local") ? t->program : STR_NONE;
}

struct session *session_make(
	struct task *t, struct rows *rows, const struct session_draft *d)
{
	struct session *s = rows_new_session(rows, t->job.who.ws);

	s->title = d->title;
	s->agent = d->agent.len ? d->agent : t->job.who.agent;
	if (!d->agent.len) s->agent_name = session_agent_name(t);
	s->token = t->job.who.token;
	s->project = d->project;
	s->external_id = d->external_id;
	s->metadata = d->metadata;
	s->on_settled = d->on_settled;
	s->on_ended = d->on_ended.webhook;
	s->parallel = d->parallel;
	s->sensitive = d->sensitive;
	s->starter = d->starter;
	s->trace = d->trace;
	s->search = folded(d->title, rows->arena);
	if (s->external_id.len) rows_name_external(rows, s);
	rows_event(rows, "session.created", s, NULL, session_data(s, true, rows->arena));
	return s;
}

struct session *session_make_for_ask(
	struct task *t, struct rows *rows, struct str title, struct str project)
{
	struct session_draft d = {
		.title = title, .project = project, .metadata = STR("{}")
	};
	struct session *s = session_make(t, rows, &d);

	s->for_ask = true;
	return s;
}

struct session *session_make_default(
	struct task *t, struct rows *rows, struct str external_id, struct str project)
{
	struct session_draft d = { .title = t->default_session_title.len
						    ? t->default_session_title
						    : external_id,
		.external_id = external_id,
		.project = project,
		.parallel = true,
		.metadata = STR("{}") };

	return session_make(t, rows, &d);
}

bool session_needs_default(struct job *job, struct wants *w)
{
	struct task *t = task_of(job);

	if (!t->id.len && str_starts(t->default_session, "ses_"))
		t->id = t->default_session;
	if (t->id.len) return false;
	wants_external(w, job->who.ws, job->who.agent, t->default_session);
	return true;
}

enum err session_default(
	struct task *t, struct rows *rows, struct session **out, struct fault *why)
{
	const struct principal *who = &t->job.who;
	struct session *s = rows_external(rows, who->ws, who->agent, t->default_session);
	struct str project;
	enum err e = projects_resolve(t, rows, s, STR_NONE, &project, why);

	if (e) return e;
	*out = s ? s : session_make_default(t, rows, t->default_session, project);
	return OK;
}

void session_stage_changed(struct rows *rows, const struct session *s)
{
	rows_event(rows, "session.changed", s, NULL, session_data(s, false, rows->arena));
}

void session_rename(struct rows *rows, struct session *s, struct str title)
{
	s->title = title;
	s->search = folded(title, rows->arena);
	rows_touch_session(rows, s);
	session_stage_changed(rows, s);
}

void session_watch_silence(struct rows *rows, const struct session *s)
{
	if (s->status == SESSION_RUNNING && s->heard_ms)
		rows_due_at(rows, s->heard_ms + SESSION_HEARD_MS);
}

void session_stage_status(struct rows *rows, struct session *s, enum session_status was)
{
	struct str data = arena_print(rows->arena, "{\"status\":\"%s\",\"was\":\"%s\"}",
		session_status_name(s->status), session_status_name(was));

	s->ended_ms = session_ended(s) ? rows->now_ms : 0;
	rows_event(rows, "session.status", s, NULL, data);
}

/* The session with its open asks, as they are in this batch. */
static enum err session_reply_write(struct task *t, struct rows *rows, struct session *s,
	struct json_writer *w, struct fault *why)
{
	struct str workspace = desk_workspace(t, rows, s->ws);
	struct buf asks = { 0 };
	struct json_writer list = { .out = &asks };
	struct ask *a = NULL;
	enum err e = rows_fetch_open(rows, s, why);

	if (e) return e;
	jw_array(&list);
	while ((a = rows_next_ask(rows, s->ws, s->id, a)))
		jw_raw(&list, desk_show(t->desk, a, s->title, workspace, rows->now_ms,
				      rows->arena));
	jw_array_end(&list);
	if (asks.failed) rows->arena->failed = true;
	session_write(w, s, buf_str(&asks));
	buf_done(&asks);
	return OK;
}

enum err session_reply(
	struct task *t, struct rows *rows, struct session *s, struct fault *why)
{
	return session_reply_write(t, rows, s, TO_REPLY(&t->job), why);
}

enum err session_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct task *t = task_of(job);
	struct session *s;
	struct str id;
	enum err e = desk_kept_id(t, k, "session", &id, why);

	if (!e) e = rows_fetch_session(rows, job->who.ws, id, &s, why);
	return e ? e : session_reply(t, rows, s, why);
}
