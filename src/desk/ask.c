/* ask.c - an agent asks: the ask, its session if it brought none, and their events. */
#include "base/clock.h"
#include "core/decision.h"
#include "core/preset.h"
#include "core/show.h"
#include "desk/ask_rule.h"
#include "desk/telling.h"
#include "desk/verify.h"
#include "desk/vote.h"

enum { AGAIN_S = 15 * 60 };

/* One more of the members that never change. */
static void ask_keep_foreign(struct task *t, struct draft *d)
{
	d->fixed = arena_print(&t->job.arena, "%.*s,\"foreign\":%.*s", STR_ARGS(d->fixed),
		STR_ARGS(t->foreign));
}

/* What it asks with a template or a list is in the store: no more than its session is known
 * here, and that no question is read yet. */
static enum err ask_read(struct task *t, struct draft *d, struct fault *why)
{
	struct draft_limits limits = desk_limits(t->desk);

	if (!t->body) return draft_plain(t->plain, &t->job.arena, d, why);
	if (!preset_asked(t->body))
		return draft_read(t->body, &limits, &t->job.arena, d, why);
	d->session = json_text(json_get(t->body, "session"));
	return OK;
}

/* Reads it now, in the rows' arena. */
static enum err ask_expand(
	struct task *t, struct rows *rows, const struct draft **out, struct fault *why)
{
	struct draft *d = ARENA_NEW(rows->arena, struct draft);
	struct draft_limits limits = desk_limits(t->desk);
	struct str session = (*out)->session;
	const struct json *body;
	enum err e = d ? desk_expand(rows, t->job.who.ws, t->body, &body, why)
		       : fail(why, ERR_MEMORY, "out of memory");

	if (!e) e = draft_read(body, &limits, rows->arena, d, why);
	if (e) return e;
	d->session = session;
	*out = d;
	return OK;
}

static enum err ask_check(struct task *t, struct fault *why)
{
	struct draft *d = ARENA_NEW(&t->job.arena, struct draft);
	enum err e;

	if (!d) return fail(why, ERR_MEMORY, "out of memory");
	e = external_id_check(t->default_session, "/session", why);
	if (!e) e = ask_read(t, d, why);
	if (e) return e;
	if (t->id.len && d->session.len && !str_eq(t->id, d->session))
		return fail_at(why, "/session", "is not the session of this path");
	if (t->id.len) d->session = t->id;
	if (!d->session.len && str_starts(t->default_session, "ses_"))
		d->session = t->default_session;
	if (t->foreign.len) ask_keep_foreign(t, d);
	t->checked = d;
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
	telling_wants(job, w);
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

/* All that says later, from the log alone, whose vote counts. */
static void require_show(struct json_writer *w, const struct ask *a)
{
	char votes[SHORT_DIGEST_SIZE];

	votes_digest(a, votes);
	show_json(w, "require", a->require);
	show_text(w, "requester", a->requester);
	show_json(w, "starters", a->starters.len ? a->starters : STR("[]"));
	show_text(w, "project", a->project);
	show_text(w, "digest", a->digest);
	jw_put_text(w, "votes", votes);
}

static struct str ask_created_data(
	const struct ask *a, const struct draft *d, struct arena *arena)
{
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };
	struct str out;
	char at[TIME_SIZE], asked[SHORT_DIGEST_SIZE];

	asked_digest(a, asked);
	jw_object(&w);
	jw_put_text(&w, "kind", ask_kind_name(a->kind));
	jw_put_str(&w, "title", d->session_title);
	jw_put_text(&w, "priority", priority_name(a->priority));
	jw_put_text(&w, "risk", risk_name(a->risk));
	jw_key(&w, "expires_at");
	if (a->deadline_ms) time_write(a->deadline_ms, at);
	jw_text(&w, a->deadline_ms ? at : NULL);
	if (d->assignees_len) jw_put_raw(&w, "assignees", a->assignees);
	if (a->require.len) require_show(&w, a);
	jw_put_text(&w, "asked", asked);
	jw_object_end(&w);
	if (b.failed) arena->failed = true;
	out = arena_str(arena, buf_str(&b));
	buf_done(&b);
	return out;
}

static struct ask *ask_make(
	struct task *t, struct rows *rows, const struct draft *d, const struct session *s)
{
	struct ask *a = rows_new_ask(rows, s->ws);
	char digest[DIGEST_SIZE];

	if (!a) return NULL;
	a->session = s->id;
	a->agent = s->agent;
	a->agent_name = s->agent_name;
	a->token = t->job.who.token;
	a->requester = t->job.who.user;
	a->project = s->project;
	a->kind = d->kind;
	a->priority = d->priority;
	a->risk = d->risk;
	a->urgency = ask_urgency(d->risk, d->priority);
	a->exclusive = d->kind == ASK_BLOCKING && !s->parallel;
	a->fixed = s->sensitive && !d->sensitive
			   ? arena_print(rows->arena, "%.*s,\"sensitive\":true",
				     STR_ARGS(d->fixed))
			   : d->fixed;
	a->search = d->search;
	a->assignees = STR("[]");
	a->replies = STR("[]");
	a->dedupe_key = t->dedupe_key;
	if (d->timeout_ms) a->deadline_ms = rows->now_ms + d->timeout_ms;
	if (a->deadline_ms) rows_due_at(rows, a->deadline_ms);
	if (d->operation && d->kind == ASK_APPROVAL) {
		operation_digest(d->operation, NULL, s->id, digest);
		a->digest = arena_str(rows->arena, str_of(digest));
	}
	return a;
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
		a->revoked.len || a->used_ms || desk_was_fetched(t->desk, a))
		return NULL;
	return a;
}

/* Its outcome is handed out now, to who asked the same again. */
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

/* The same question is open already, or was answered unheard: its ask is the answer to
 * this one, too. */
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
	desk_reply_ask(t, a, s, rows->now_ms);
	return true;
}

static struct session *ask_new_session(
	struct task *t, struct rows *rows, const struct draft *d, struct str project)
{
	return ask_goes_to_default(t, d)
		       ? desk_new_default_session(t, rows, t->default_session, project)
		       : desk_new_session(t, rows, d->session_title, project);
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
	e = desk_starters(rows, probe.ws, probe.token, s, &probe.starters, why);
	return e ? e : desk_check_require(t, rows, &probe, &d->require, "/require", why);
}

static bool ask_rate_take(struct task *t, int64_t now_ms, int64_t *retry_after_s)
{
	struct desk *d = t->desk;
	bool taken;

	pthread_mutex_lock(&d->rate_lock);
	taken = rate_take(&d->rate, t->job.who.token, d->ask_rate, now_ms, retry_after_s);
	pthread_mutex_unlock(&d->rate_lock);
	return taken;
}

static void ask_rate_give_back(struct task *t)
{
	struct desk *d = t->desk;

	pthread_mutex_lock(&d->rate_lock);
	rate_give_back(&d->rate, t->job.who.token, d->ask_rate);
	pthread_mutex_unlock(&d->rate_lock);
}

enum err desk_ask_put(struct task *t, struct rows *rows, const struct draft *d,
	struct session *s, const struct ask_of_run *of, struct ask **out,
	struct fault *why)
{
	enum session_status was = s->status;
	struct ask *a = ask_make(t, rows, d, s);
	enum err e;

	if (!a) return fail(why, ERR_MEMORY, "out of memory");
	a->run = of->run;
	a->agent = of->agent;
	a->agent_name = a->token = a->requester = a->dedupe_key = STR_NONE;
	if (of->risk) a->risk = of->risk;
	a->urgency = ask_urgency(a->risk, a->priority);
	if (of->timeout_ms && !a->deadline_ms) {
		a->deadline_ms = rows->now_ms + of->timeout_ms;
		rows_due_at(rows, a->deadline_ms);
	}
	e = of->require ? desk_require(rows, a, s, of->require, why) : OK;
	if (e) return e;
	session_opened(s, d->kind, rows->now_ms);
	rows_touch_session(rows, s);
	if (!rows_event(rows, "ask.created", s, a, ask_created_data(a, d, rows->arena)))
		return fail(why, ERR_MEMORY, "out of memory");
	*out = a;
	return s->status == was ? OK : desk_stage_status(rows, s, was, why);
}

static enum err ask_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct draft *d = t->checked;
	struct session *s = NULL;
	enum session_status was = SESSION_IDLE;
	bool fresh;
	struct str project = STR_NONE;
	struct rule_verdict v;
	struct ask *a;
	enum err e;

	t->stopped = STR_NONE;
	if (ask_same(t, rows)) return OK;
	e = d->questions_len ? OK : ask_expand(t, rows, &d, why);
	if (!e) e = ask_session(t, rows, d, &s, &was, why);
	if (!e) e = desk_project(t, rows, s, d->project, &project, why);
	if (!e)
		e = desk_check_assignees(
			rows, job->who.ws, d->assignees, d->assignees_len, why);
	if (!e) e = ask_check_require(t, rows, d, s, project, why);
	if (e) return e;
	if (!ask_rate_take(t, rows->now_ms, &why->retry_after_s)) {
		int64_t after_s = why->retry_after_s;

		fail(why, ERR_RATE, "more than %lld asks a minute",
			(long long)t->desk->ask_rate);
		why->retry_after_s = after_s;
		return ERR_RATE;
	}
	fresh = !s;
	if (fresh) s = ask_new_session(t, rows, d, project);
	a = s ? ask_make(t, rows, d, s) : NULL;
	if (!a) return fail(why, ERR_MEMORY, "out of memory");
	e = desk_require(rows, a, fresh ? NULL : s, &d->require, why);
	if (!e && d->assignees_len)
		e = desk_assignees(
			rows, a->ws, d->assignees, d->assignees_len, &a->assignees, why);
	if (!e) e = ask_rule(t, rows, d, a, &v, why);
	if (!e && !ask_ruled(&v))
		e = desk_require(rows, a, fresh ? NULL : s, &v.ruling.require, why);
	if (!e && !ask_ruled(&v)) e = desk_verify(rows, a, &v.ruling, why);
	if (e) return e;
	if (!fresh) session_goes_on(s, rows->now_ms);
	session_opened(s, d->kind, rows->now_ms);
	if (!fresh) rows_touch_session(rows, s);
	rows_event(rows, "ask.created", s, a, ask_created_data(a, d, rows->arena));
	if (fresh) was = s->status;
	if (ask_ruled(&v)) e = ask_settle_ruled(t, rows, a, &v, why);
	desk_look_again(rows, s);
	if (!e && s->status != was) e = desk_stage_status(rows, s, was, why);
	if (!e) e = telling_asked(t, rows, a, why);
	if (e) return e;
	job->status = 201;
	t->unheard = fresh;
	t->resumable = s->on_settled.len > 0;
	t->ask = arena_str(&job->arena, a->id);
	desk_keep_ask(t, a);
	desk_reply_ask(t, a, s, rows->now_ms);
	return OK;
}

static void ask_undo(struct job *job)
{
	struct task *t = task_of(job);

	if (job->status == 201) ask_rate_give_back(t);
}

const struct use use_ask = {
	.job = { .name = "ask",
		.brief = true,
		.permission = MAY_ASK,
		.needs = ask_needs,
		.decide = ask_decide,
		.again = desk_again_ask,
		.undo = ask_undo },
	.check = ask_check,
};
