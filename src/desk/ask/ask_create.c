/* ask_create.c - an agent asks by a request: in a session that stands, or one of its own. */
#include "base/keep.h"
#include "core/ask/ask.h"
#include "core/ask/preset.h"
#include "desk/ask/ask.h"
#include "desk/policy/require.h"

enum { AGAIN_S = 15 * 60 };

/* One more of the members that never change. */
void ask_keep_foreign(struct draft *d, struct str foreign, struct arena *arena)
{
	d->fixed = arena_print(
		arena, "%.*s,\"foreign\":%.*s", STR_ARGS(d->fixed), STR_ARGS(foreign));
}

static void ask_keep_program(struct task *t, struct draft *d)
{
	struct buf b = { .max = d->fixed.len + 4096 };

	buf_add(&b, d->fixed);
	buf_add_text(&b, ",\"program\":");
	json_write_str(&b, t->program);
	if (t->machine_user.len) {
		buf_add_text(&b, ",\"machine_user\":");
		json_write_str(&b, t->machine_user);
	}
	d->fixed = buf_keep_done(&b, &t->job.arena);
}

static void ask_keep_source(struct task *t, struct draft *d)
{
	if (t->foreign.len) ask_keep_foreign(d, t->foreign, &t->job.arena);
	if (t->program.len) ask_keep_program(t, d);
}

/* Templates and lists are in the store: a body that uses one is expanded by ask_expand. Until
 * then only its session is known. */
static enum err ask_read(struct task *t, struct draft *d, struct fault *why)
{
	struct draft_limits limits = desk_limits(t->desk);

	if (!t->body) return draft_plain(t->plain, &t->job.arena, d, why);
	if (!preset_asked(t->body))
		return draft_read(t->body, &limits, &t->job.arena, d, why);
	d->session = json_text(json_get(t->body, "session"));
	return OK;
}

/* Expands the template or list, and reads the ask that results. */
static enum err ask_expand(
	struct task *t, struct rows *rows, const struct draft **out, struct fault *why)
{
	struct draft *d = ARENA_NEW(rows->arena, struct draft);
	struct draft_limits limits = desk_limits(t->desk);
	struct str session = (*out)->session;
	const struct json *body;
	enum err e = d ? presets_expand(rows, t->job.who.ws, t->body, &body, why)
		       : fail_memory(why);

	if (!e) e = draft_read(body, &limits, rows->arena, d, why);
	if (e) return e;
	ask_keep_source(t, d);
	d->session = session;
	*out = d;
	return OK;
}

static enum err ask_check(struct task *t, struct fault *why)
{
	struct draft *d = TASK_CHECKED(t, struct draft);
	enum err e;

	e = session_external_id_check(t->default_session, "/session", why);
	if (!e) e = ask_read(t, d, why);
	if (e) return e;
	if (t->id.len && d->session.len && !str_eq(t->id, d->session))
		return fail_at(why, "/session", "is not the session of this path");
	if (t->id.len) d->session = t->id;
	if (!d->session.len && str_starts(t->default_session, "ses_"))
		d->session = t->default_session;
	if (!preset_asked(t->body)) ask_keep_source(t, d);
	return OK;
}

static bool ask_goes_to_default(const struct task *t, const struct draft *d)
{
	return !d->session.len && t->default_session.len;
}

/* For how long an answer that its agent has not had is good for the same question. */
static int64_t again_ms(const struct job *job)
{
	int64_t own_s = job->credential.again_s;

	return (own_s >= 0 ? own_s : AGAIN_S) * 1000;
}

static void ask_needs(struct job *job, struct wants *w)
{
	const struct draft *d = task_of(job)->checked;

	if (d->session.len) wants_session(w, job->who.ws, d->session);
	if (ask_goes_to_default(task_of(job), d))
		wants_external(
			w, job->who.ws, job->who.agent, task_of(job)->default_session);
	wants_dedupe(w, job->who.ws, job->who.agent, task_of(job)->dedupe_key);
	if (again_ms(job))
		wants_settled(w, job->who.ws, job->who.agent, task_of(job)->dedupe_key,
			w->rows->now_ms - again_ms(job));
}

/* The conflict carries the open ask that stands in the way. */
static void ask_in_the_way(struct task *t, struct rows *rows, const struct session *s)
{
	struct ask *a = NULL;

	if (rows_fetch_open(rows, s, NULL)) return;
	while ((a = rows_next_ask(rows, s->ws, s->id, a)))
		if (a->exclusive)
			t->job.conflict = desk_show(t->desk, a, s->title,
				t->job.credential.workspace, rows->now_ms, &t->job.arena);
}

/* Its own session, or a standing one that is its to ask in, and its status before. */
static enum err ask_session(struct task *t, struct rows *rows, const struct draft *d,
	struct session **out, enum session_status *was, struct fault *why)
{
	bool to_default = ask_goes_to_default(t, d);
	struct session *s;
	enum err e;

	if (!d->session.len && !to_default) return OK;
	s = to_default ? rows_external(rows, t->job.who.ws, t->job.who.agent,
				 t->default_session)
		       : rows_session(rows, t->job.who.ws, d->session);
	if (!s && to_default) return OK;
	if (!s || !principal_sees(&t->job.who, s->agent))
		return fail(why, ERR_NOT_FOUND, "no session %.*s",
			STR_ARGS(str_first(
				to_default ? t->default_session : d->session, 64)));
	e = desk_own(&t->job.who, s->agent, why);
	/* An ask in the default session reopens it if it had ended. */
	*was = s->status;
	if (!e && to_default && session_ended(s)) s->status = SESSION_IDLE;
	if (!e) e = session_may_ask(s, d->kind, why);
	if (e == ERR_CONFLICT) ask_in_the_way(t, rows, s);
	if (!e) *out = s;
	return e;
}

/* A person settled it while nobody waited, and its agent does not know. */
static struct ask *ask_unheard(struct task *t, struct rows *rows)
{
	struct principal *p = &t->job.who;
	int64_t since_ms = rows->now_ms - again_ms(&t->job);
	struct ask *a = again_ms(&t->job) ? rows_settled(rows, p->ws, p->agent,
						    t->dedupe_key, since_ms)
					  : NULL;

	if (!a || (a->status != ASK_ANSWERED && a->status != ASK_SKIPPED) ||
		a->revoked.len || a->used_ms || fetched_keep(t->desk, a))
		return NULL;
	return a;
}

/* The agent asked the same again: it gets the outcome that it had not fetched. */
static void ask_asked_again(
	struct task *t, struct rows *rows, struct ask *a, const struct session *s)
{
	char decision[DIGEST_SIZE];

	a->again_ms = rows->now_ms;
	a->version++;
	decision_digest(a, decision);
	if (!decision[0]) rows->arena->failed = true;
	rows_event(rows, "ask.asked_again", s, a,
		arena_print(rows->arena, "{\"decision\":\"%s\"}", decision));
	desk_note_fetched(t->desk, a->ws, a->id, false);
}

/* If the same question is open, or its answer was never fetched, that ask is the reply. */
static bool ask_same(struct task *t, struct rows *rows)
{
	struct principal *p = &t->job.who;
	const struct ask *a = rows_dedupe(rows, p->ws, p->agent, t->dedupe_key);
	struct ask *unheard = a ? NULL : ask_unheard(t, rows);
	const struct session *s;

	if (unheard) a = unheard;
	if (a && project_admit(p->projects, a->project, NULL)) return false;
	s = a ? rows_session(rows, p->ws, a->session) : NULL;
	if (!s) return false;
	if (unheard) ask_asked_again(t, rows, unheard, s);
	t->ask = arena_str(&t->job.arena, a->id);
	t->resumable = s->on_settled.len > 0;
	desk_keep_ask(t, a);
	desk_reply_ask(t, rows, a);
	return true;
}

/* Of one job: so many open asks, and so many a minute. */
static enum err ask_check_caps(
	struct task *t, const struct session *s, int64_t now_ms, struct fault *why)
{
	struct desk *d = t->desk;
	int64_t open = s->open_input + s->open_approval + s->open_other;
	int64_t open_max = d->session_open, rate = d->session_rate, after_s = 0;
	bool taken;

	if (open_max && open >= open_max)
		return fail(why, ERR_TOO_MANY, "the session has %lld open asks already",
			(long long)open);
	pthread_mutex_lock(&d->rate_lock);
	taken = rate_take(&d->rate, s->id, rate, now_ms, &after_s);
	pthread_mutex_unlock(&d->rate_lock);
	if (taken) return OK;
	fail(why, ERR_TOO_MANY, "more than %lld asks a minute in one session",
		(long long)rate);
	why->retry_after_s = after_s;
	return ERR_TOO_MANY;
}

static struct session *ask_new_session(
	struct task *t, struct rows *rows, const struct draft *d, struct str project)
{
	return ask_goes_to_default(t, d)
		       ? session_make_default(t, rows, t->default_session, project)
		       : session_make_for_ask(t, rows, d->session_title, project);
}

/* Nobody waits for approvals that nobody can give. */
static enum err ask_check_require(struct task *t, struct rows *rows,
	const struct draft *d, const struct session *s, struct str project,
	struct fault *why)
{
	struct ask probe = { .ws = t->job.who.ws,
		.kind = d->kind,
		.token = t->job.who.token,
		.requester = t->job.who.user,
		.project = project };
	enum err e;

	if (!d->require.len) return OK;
	e = require_starters(rows, probe.ws, probe.token, s, &probe.starters, why);
	return e ? e
		 : require_check_people(t, rows, &probe, &d->require, "/require", why);
}

enum err ask_by_request(struct task *t, struct rows *rows, const struct draft *d,
	struct ask **out, struct fault *why)
{
	struct ask_from from = { .origin = ASK_BY_REQUEST };
	struct str project = STR_NONE;
	enum err e = ask_session(t, rows, d, &from.session, &from.was, why);

	if (!e) e = projects_resolve(t, rows, from.session, d->project, &project, why);
	if (!e)
		e = away_check_assignees(
			rows, t->job.who.ws, d->assignees, d->assignees_len, why);
	if (!e) e = ask_check_require(t, rows, d, from.session, project, why);
	if (!e && from.session) e = ask_check_caps(t, from.session, rows->now_ms, why);
	if (!e) e = desk_rate(t, rows->now_ms, why);
	if (e) return e;
	from.fresh = !from.session;
	if (from.fresh) from.session = ask_new_session(t, rows, d, project);
	e = ask_make(t, rows, d, &from, out, why);
	if (e) return e;
	t->unheard = from.fresh;
	t->resumable = from.session->on_settled.len > 0;
	return OK;
}

static enum err ask_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct draft *d = t->checked;
	struct ask *a;
	enum err e;

	t->stopped = STR_NONE;
	if (ask_same(t, rows)) return OK;
	e = d->questions_len ? OK : ask_expand(t, rows, &d, why);
	if (!e) e = ask_by_request(t, rows, d, &a, why);
	if (e) return e;
	job->status = 201;
	desk_keep_ask(t, a);
	desk_reply_ask(t, rows, a);
	return OK;
}

/* ---- again, by the key of the request ---- */

static enum err key_ask(struct task *t, struct rows *rows, const struct key_record *k,
	struct ask **out, struct fault *why)
{
	struct str id;
	enum err e = desk_kept_id(t, k, "ask", &id, why);

	if (!e) e = rows_fetch_ask(rows, t->job.who.ws, id, out, why);
	if (!e) t->ask = arena_str(&t->job.arena, id);
	return e;
}

enum err ask_create_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct task *t = task_of(job);
	struct ask *a;
	enum err e = key_ask(t, rows, k, &a, why);

	if (e) return e;
	if (job->who.role == ROLE_AGENT && a->settled_ms && !a->fetched_ms)
		desk_note_fetched(t->desk, a->ws, a->id, false);
	desk_reply_ask(t, rows, a);
	return OK;
}

enum err ask_settled_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct task *t = task_of(job);
	struct ask *a;
	enum err e = key_ask(t, rows, k, &a, why);

	if (!e) desk_reply_settled(t, rows, a);
	return e;
}

const struct use use_ask = {
	.job = { .name = "ask",
		.flags = JOB_BRIEF | JOB_ASKS,
		.may = MAY_ASK,
		.needs = ask_needs,
		.decide = ask_decide,
		.again = ask_create_again,
		.undo = desk_rate_undo },
	.check = ask_check,
};
