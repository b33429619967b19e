/* common.c - finding, showing and refusing: what most use cases do. Prefixes: desk_, task_. */
#include "base/clock.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/body.h"
#include "desk/shared/inner.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

struct str task_param(const struct task *t, const char *name)
{
	for (size_t i = 0; i < t->params_len; i++)
		if (str_is(t->params[i].name, name)) return t->params[i].value;
	return STR_NONE;
}

enum err task_time(
	const struct task *t, const char *name, int64_t *out, struct fault *why)
{
	if (!task_has_param(t, name) || time_read(task_param(t, name), out)) return OK;
	return fail_at(
		why, POINTER("/%s", name), "must be a time such as 2026-11-01T00:00:00Z");
}

void task_empty(struct task *t)
{
	buf_done(&t->job.out);
	arena_done(&t->job.arena);
	*t = (struct task){ 0 };
}

void *task_checked(struct task *t, size_t size)
{
	static _Thread_local union {
		struct draft draft; /* the largest */
		char bytes[4096];
	} nowhere;

	assert(size <= sizeof nowhere);
	t->checked = arena_alloc(&t->job.arena, size);
	if (!t->checked) t->checked = memset(&nowhere, 0, size);
	return t->checked;
}

struct str task_words(const struct task *t, struct str english, struct arena *arena)
{
	return t->words && english.len ? t->words(english, arena) : english;
}

bool task_has_param(const struct task *t, const char *name)
{
	for (size_t i = 0; i < t->params_len; i++)
		if (str_is(t->params[i].name, name)) return true;
	return false;
}

void desk_needs_ask(struct job *job, struct wants *w)
{
	wants_ask(w, job->who.ws, task_of(job)->id);
}

enum err desk_missing(const char *what, struct str id, struct fault *why)
{
	return fail(why, ERR_NOT_FOUND, "no %s %.*s", what, STR_ARGS(str_first(id, 64)));
}

enum err desk_find_ask(
	struct task *t, struct rows *rows, struct ask **out, struct fault *why)
{
	struct ask *a = rows_ask(rows, t->job.who.ws, t->id);

	if (!a || !principal_sees(&t->job.who, a->agent))
		return desk_missing("ask", t->id, why);
	*out = a;
	return project_admit(t->job.who.projects, a->project, why);
}

enum err desk_see_ask(
	struct task *t, struct rows *rows, struct ask **out, struct fault *why)
{
	enum err e = rows_fetch_ask(rows, t->job.who.ws, t->id, out, why);

	return e || principal_sees(&t->job.who, (*out)->agent)
		       ? e
		       : desk_missing("ask", t->id, why);
}

enum err desk_refused(const struct task *t, struct fault *why)
{
	if (!t->job.refused) return OK;
	*why = *t->job.refused;
	return why->err;
}

enum err desk_may(const struct principal *p, bool may, struct fault *why)
{
	return may ? OK
		   : fail(why, ERR_FORBIDDEN, "the role %s may not do this",
			     role_name(p->role));
}

enum err desk_reach(const struct principal *p, enum role role, struct fault *why)
{
	return principal_reaches(p, role)
		       ? OK
		       : fail(why, ERR_FORBIDDEN, "this is above the role %s",
				 role_name(p->role));
}

enum err desk_person(const struct principal *p, const char *refusal, struct fault *why)
{
	return principal_person(p).len ? OK : fail(why, ERR_FORBIDDEN, "%s", refusal);
}

enum err desk_permit(const struct task *t, enum permission permission, struct fault *why)
{
	enum err e = desk_may(&t->job.who, principal_may(&t->job.who, permission), why);

	return e ? e : desk_refused(t, why);
}

enum err desk_admit(struct task *t, struct rows *rows, enum permission permission,
	struct ask **out, struct fault *why)
{
	enum err e = desk_find_ask(t, rows, out, why);

	if (e) return e;
	return desk_permit(t, permission, why);
}

enum err desk_find_session(
	struct task *t, struct rows *rows, struct session **out, struct fault *why)
{
	struct session *s = rows_session(rows, t->job.who.ws, t->id);

	if (!s || !session_seen_by(s, &t->job.who))
		return desk_missing("session", t->id, why);
	*out = s;
	return project_admit(t->job.who.projects, s->project, why);
}

/* Each use case has buckets of its own: asks are not refused for progress that was told. */
static struct str rate_key(const struct task *t, char out[RATE_KEY_SIZE])
{
	struct str name = str_of(t->job.kind->name);
	struct str token = str_first(t->job.who.token, RATE_KEY_SIZE - name.len);

	if (token.len) memcpy(out, token.at, token.len);
	memcpy(out + token.len, name.at, name.len);
	return str_make(out, token.len + name.len);
}

enum err desk_rate(struct task *t, int64_t now_ms, struct fault *why)
{
	struct desk *d = t->desk;
	char key[RATE_KEY_SIZE];
	int64_t after_s = 0;
	bool taken;

	pthread_mutex_lock(&d->rate_lock);
	taken = rate_take(&d->rate, rate_key(t, key), d->ask_rate, now_ms, &after_s);
	pthread_mutex_unlock(&d->rate_lock);
	t->rated = taken;
	if (taken) return OK;
	fail(why, ERR_RATE,
		t->job.kind->flags & JOB_ASKS
			? "more than %lld asks a minute"
			: "more than %lld requests of this kind a minute",
		(long long)d->ask_rate);
	why->retry_after_s = after_s;
	return ERR_RATE;
}

void desk_rate_undo(struct job *job)
{
	struct task *t = task_of(job);
	struct desk *d = t->desk;
	char key[RATE_KEY_SIZE];

	if (!t->rated) return;
	t->rated = false;
	pthread_mutex_lock(&d->rate_lock);
	rate_give_back(&d->rate, rate_key(t, key), d->ask_rate);
	pthread_mutex_unlock(&d->rate_lock);
}

enum err desk_own(const struct principal *p, struct str agent, struct fault *why)
{
	return principal_owns(p, agent)
		       ? OK
		       : fail(why, ERR_FORBIDDEN,
				 "only its own agent or an admin can do this");
}

struct str desk_workspace(struct task *t, struct rows *rows, int64_t ws)
{
	const struct workspace *w = NULL;

	if (t->job.credential.workspace.len) return t->job.credential.workspace;
	rows_get(rows, RECORD_WORKSPACES, KEY(ws), &w, NULL);
	return w ? w->name : STR_NONE;
}

struct ask_view desk_view(struct desk *desk, struct str title, struct str workspace)
{
	return (struct ask_view){
		.workspace = workspace, .session_title = title, .url = str_of(desk->url)
	};
}

struct str desk_show(struct desk *desk, const struct ask *a, struct str title,
	struct str workspace, int64_t now_ms, struct arena *arena)
{
	struct ask_view view = desk_view(desk, title, workspace);
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	ask_write(&w, a, &view, now_ms);
	return buf_keep_done(&b, arena);
}

static struct ask_view task_view(struct task *t, const struct rows *rows,
	const struct ask *a, const struct session *s)
{
	struct ask_view view =
		desk_view(t->desk, s ? s->title : STR_NONE, t->job.credential.workspace);

	view.own_session = s && s->for_ask;
	view.words = t->words;
	if (a->status == ASK_PENDING)
		view.expect = forecast_shown(t, a->ws, a->kind, a->project, rows->now_ms);
	return view;
}

struct kept_ask *desk_keep(
	struct task *t, const struct ask *a, const struct ask_view *view)
{
	void *at = arena_alloc(&t->job.arena, kept_ask_size(a, view));

	return at ? kept_ask_put(at, a, view) : NULL;
}

/* True: the caller has the ask itself. */
static bool found(struct task *t, const struct ask *a, const struct ask_view *view)
{
	t->settled = a->status != ASK_PENDING;
	if (t->wants_record) t->found = desk_keep(t, a, view);
	return t->wants_record;
}

void desk_reply_marked(struct task *t, struct rows *rows, const struct ask *a,
	const struct mark *mark, const char *refused)
{
	struct ask_view view =
		task_view(t, rows, a, rows_session(rows, a->ws, a->session));

	view.mark = mark;
	view.refused = refused;
	view.stopped = t->stopped;
	view.denied = t->denied;
	view.proof = t->proof;
	if (!found(t, a, &view)) ask_write(TO_REPLY(&t->job), a, &view, rows->now_ms);
}

void desk_reply_ask(struct task *t, struct rows *rows, const struct ask *a)
{
	desk_reply_marked(t, rows, a, NULL, NULL);
}

void desk_reply_settled(struct task *t, struct rows *rows, const struct ask *a)
{
	const struct session *s = rows_session(rows, a->ws, a->session);
	struct json_writer w = { .out = &t->job.out };
	struct ask_view view = task_view(t, rows, a, s);

	if (found(t, a, &view)) return;
	jw_object(&w);
	jw_key(&w, "ask");
	ask_write(&w, a, &view, rows->now_ms);
	jw_put_bool(&w, "resumed", s && session_resumed(s));
	jw_object_end(&w);
}

bool desk_reply_reopen(struct task *t, struct json_writer *w)
{
	*w = (struct json_writer){ .out = &t->job.out, .more = true };
	if (!t->job.out.len) return false;
	t->job.out.len--;
	return true;
}

struct str desk_shown(struct task *t, struct rows *rows, const struct ask *a)
{
	const struct session *s = rows_session(rows, a->ws, a->session);

	return desk_show(t->desk, a, s ? s->title : STR_NONE, t->job.credential.workspace,
		rows->now_ms, &t->job.arena);
}

enum err desk_conflict(struct task *t, struct rows *rows, const struct ask *a,
	struct fault *why, const char *format, ...)
{
	struct ask_view view =
		task_view(t, rows, a, rows_session(rows, a->ws, a->session));
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (t->wants_record) t->found = desk_keep(t, a, &view);
	t->job.conflict = desk_shown(t, rows, a);
	return fail(why, ERR_CONFLICT, "%s", text);
}

enum err desk_settled_conflict(
	struct task *t, struct rows *rows, const struct ask *a, struct fault *why)
{
	return desk_conflict(t, rows, a, why, "ask %.*s is already %s", STR_ARGS(a->id),
		ask_status_name(a->status));
}

/* ---- idempotency records ---- */

static void keep(struct task *t, struct str session, const char *what, struct str id)
{
	t->job.key_session = session;
	if (t->job.key.len)
		t->job.key_result = arena_print(
			&t->job.arena, "{\"%s\":\"%.*s\"}", what, STR_ARGS(id));
}

void desk_keep_ask(struct task *t, const struct ask *a)
{
	t->ask = arena_str(&t->job.arena, a->id);
	keep(t, a->session, "ask", a->id);
}

void desk_keep_session(struct task *t, const struct session *s)
{
	keep(t, s->id, "session", s->id);
}

void desk_keep_run(struct task *t, const struct run *r)
{
	keep(t, r->session, "run", r->id);
}

void desk_keep_id(struct task *t, const char *what, struct str id)
{
	keep(t, STR_NONE, what, id);
	t->job.key_of = arena_str(&t->job.arena, id);
}

enum err desk_kept_id(struct task *t, const struct key_record *k, const char *what,
	struct str *out, struct fault *why)
{
	const struct json *record;
	enum err e = json_read(k->result, NULL, &t->job.arena, &record, why);

	if (!e) *out = json_text(json_get(record, what));
	return e;
}

/* ---- small bodies ---- */

enum err desk_state_read(struct task *t, int64_t *out, struct fault *why)
{
	static const char *const states[] = { "ended", "live", "all" };
	int i = task_has_param(t, "state") ? name_find(states, 3, task_param(t, "state"))
					   : 1;

	if (i < 0) return fail_at(why, "/state", "live, ended or all");
	*out = i;
	return OK;
}

enum err desk_members_only(
	const struct json *body, const char *const *names, struct fault *why)
{
	enum err e = OK;

	if (!body) return OK;
	if (body->type != JSON_OBJECT) return fail_at(why, "", "must be an object");
	for (uint32_t i = 0; i < body->count; i++) {
		struct str name = body->members[i].name;
		const char *const *n = names;
		char pointer[100];

		while (*n && !str_is(name, *n))
			n++;
		snprintf(
			pointer, sizeof pointer, "/%.*s", STR_ARGS(utf8_first(name, 60)));
		if (!*n) e = fail_at(why, pointer, "unknown member");
	}
	return e;
}

enum err desk_reason_read(const struct json *body, struct str *out, struct fault *why)
{
	*out = STR_NONE;
	return body ? note_read(body, "reason", REASON_MAX, false, out, why) : OK;
}

enum err desk_reason_check(struct task *t, struct fault *why)
{
	struct str reason;

	return desk_reason_read(t->body, &reason, why);
}

enum err desk_empty_check(struct task *t, struct fault *why)
{
	static const char *const none[] = { NULL };

	return desk_members_only(t->body, none, why);
}

enum err last_event(struct rows *rows, int64_t ws, int64_t *out, struct fault *why)
{
	return rows_int(rows, SQL_EVENT_LAST, ARGS(ws), out, why);
}

struct str desk_id_bound(const char *prefix, int64_t ms, struct arena *arena)
{
	struct ids source = { .last_ms = ms - 1 };
	char id[ID_SIZE];

	ids_seed(&source, 1);
	id_make(&source, prefix, ms, id);
	return arena_str(arena, str_make(id, strlen(prefix) + 1 + 9));
}
