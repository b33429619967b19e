/* routing.c - people and an open ask: ask back, assign, claim, extend. It stays pending. */
#include "desk/people/roster.h"

#include "base/keep.h"
#include "core/ask/ask.h"
#include "core/shared/field.h"
#include "desk/ask/ask.h"

enum { CLAIM_MS = 2 * 60 * 1000, THREAD_MAX = 256 * 1024 /* bytes of all replies */ };

/* The ask, while it is open. */
static enum err route_open(
	struct task *t, struct rows *rows, const struct ask *a, struct fault *why)
{
	if (a->status != ASK_PENDING ||
		(a->deadline_ms && a->deadline_ms <= rows->now_ms))
		return desk_settled_conflict(t, rows, a, why);
	return OK;
}

static enum err route_admit(
	struct task *t, struct rows *rows, struct ask **a, struct fault *why)
{
	enum err e = desk_admit(t, rows, MAY_ROUTE, a, why);

	return e ? e : route_open(t, rows, *a, why);
}

enum err routing_changed(struct task *t, struct rows *rows, struct ask *a,
	const char *type, struct str data, bool wakes, struct fault *why)
{
	struct session *s = rows_session(rows, a->ws, a->session);
	struct staged *st;
	const char *refused;
	struct ask now, fresh;
	enum err e;

	a->version++;
	st = rows_event(rows, type, s, a, data);
	if (wakes)
		rows_wake(rows, st, a,
			desk_view(t->desk, s->title, t->job.credential.workspace));
	desk_keep_ask(t, a);
	e = ask_rule_since(t, rows, a, &now, why);
	if (!e) e = ask_fresh_for(t, rows, &now, &fresh, &refused, why);
	if (!e) desk_reply_marked(t, rows, &fresh, NULL, refused);
	return e;
}

/* ---- replies, of people and of the agent ---- */

static enum err reply_check(struct task *t, struct fault *why)
{
	struct str text;

	return note_read(t->body, "text", REPLY_MAX, true, &text, why);
}

static enum err reply_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	char thread[SHORT_DIGEST_SIZE];
	struct str text, data;
	struct ask *a;
	bool person = role_may(job->who.role, MAY_SETTLE);
	enum err e = desk_find_ask(t, rows, &a, why);

	if (!e && !person) e = desk_own(&job->who, a->agent, why);
	if (!e) e = desk_refused(t, why);
	/* A person may still reply to an expired ask: it is kept in its thread. */
	if (!e && !(person && a->status == ASK_EXPIRED)) e = route_open(t, rows, a, why);
	if (!e) e = note_read(t->body, "text", REPLY_MAX, true, &text, why);
	if (e) return e;
	if (a->replies.len > THREAD_MAX)
		return desk_conflict(
			t, rows, a, why, "its thread is full: settle it, or ask again");
	a->replies =
		ask_replies_add(a->replies, &job->who, text, rows->now_ms, rows->arena);
	digest_text(a->replies, thread);
	data = fields_text(rows->arena,
		FIELDS(field_str("by", job->who.name), field_bool("person", person),
			field_str("text", text),
			field_some(field_json("late",
				a->status == ASK_PENDING ? STR_NONE : STR("true"))),
			field_word("thread", thread)));
	job->status = 201;
	/* What its agent writes brings a snoozed ask back. */
	if (!person) rows_end_snoozes(rows, a->ws, a->id);
	return routing_changed(t, rows, a, "ask.replied", data, person, why);
}

const struct use use_reply = WRITES("reply", 0, JOB_LATE, desk_needs_ask, reply_decide,
	ask_create_again, reply_check);

/* ---- assign ---- */

struct assignment {
	struct str *ids;
	size_t len;
};

static enum err assign_check(struct task *t, struct fault *why)
{
	struct assignment *to = TASK_CHECKED(t, struct assignment);
	const struct json *ids = json_get(t->body, "assignees");
	enum err e = MEMBERS_ONLY(t->body, why, "assignees");

	if (!ids && !e) e = fail_at(why, "/assignees", "required");
	if (!e)
		e = assignees_read(
			ids, "/assignees", &t->job.arena, &to->ids, &to->len, why);
	return e;
}

/* Who was not among them before, but for who assigns: the others hear of it. */
static struct str added_text(const struct assignment *to, struct str before,
	struct str actor, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_array(&w);
	for (size_t i = 0; i < to->len; i++) {
		struct str quoted = arena_print(arena, "\"%.*s\"", STR_ARGS(to->ids[i]));

		if (str_find(before, quoted) < 0 && !str_eq(to->ids[i], actor))
			jw_str(&w, to->ids[i]);
	}
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

static enum err assign_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct assignment *to = t->checked;
	struct str before = STR_NONE, added;
	struct ask *a;
	enum err e = route_admit(t, rows, &a, why);

	if (!e) before = a->assignees;
	if (!e) e = away_check_assignees(rows, job->who.ws, to->ids, to->len, why);
	if (!e) e = away_assignees(t, rows, a, to->ids, to->len, &a->assignees, why);
	if (e) return e;
	added = added_text(to, before, principal_person(&job->who), rows->arena);
	return routing_changed(t, rows, a, "ask.assigned",
		fields_text(rows->arena, FIELDS(field_json("assignees", a->assignees),
						 field_json("added", added))),
		false, why);
}

const struct use use_assign = WRITES("assign", 0, JOB_LATE, desk_needs_ask, assign_decide,
	ask_create_again, assign_check);

/* ---- claim: advisory, runs out by itself ---- */

static enum err claim_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct str me = job->who.user.len ? job->who.user : job->who.token;
	struct ask *a;
	enum err e = route_admit(t, rows, &a, why);

	if (e) return e;
	if (a->claimed_until_ms > rows->now_ms && !str_eq(a->claimed_user, me))
		return desk_conflict(t, rows, a, why, "%.*s is answering it",
			STR_ARGS(str_first(a->claimed_name, 100)));
	a->claimed_user = me;
	a->claimed_name = job->who.name;
	a->claimed_until_ms = rows->now_ms + CLAIM_MS;
	return routing_changed(t, rows, a, "ask.claimed",
		fields_text(rows->arena,
			FIELDS(field_str("user", me), field_str("name", job->who.name),
				field_time("until", a->claimed_until_ms))),
		false, why);
}

const struct use use_claim = WRITES("claim", 0, JOB_LATE, desk_needs_ask, claim_decide,
	ask_create_again, desk_empty_check);

/* ---- extend ---- */

static enum err extend_read(struct task *t, int64_t *ms, struct fault *why)
{
	const struct json *timeout = json_get(t->body, "timeout");
	struct draft_limits limits = desk_limits(t->desk);
	enum err e = MEMBERS_ONLY(t->body, why, "timeout");

	if (e) return e;
	if (!timeout) return fail_at(why, "/timeout", "required");
	*ms = 0;
	if (timeout->type == JSON_NULL) return OK;
	return timeout_read(timeout, "/timeout", &limits, ms, why);
}

static enum err extend_check(struct task *t, struct fault *why)
{
	int64_t ms;

	return extend_read(t, &ms, why);
}

/* Later by that much; null: waits for ever. */
static enum err extend_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	int64_t ms;
	struct ask *a;
	enum err e = route_admit(t, rows, &a, why);

	if (!e) e = extend_read(t, &ms, why);
	if (e) return e;
	a->deadline_ms = ms ? (a->deadline_ms ? a->deadline_ms : rows->now_ms) + ms : 0;
	if (a->deadline_ms) rows_due_at(rows, a->deadline_ms);
	return routing_changed(t, rows, a, "ask.extended",
		fields_text(
			rows->arena, FIELDS(field_time("expires_at", a->deadline_ms))),
		false, why);
}

const struct use use_extend = WRITES("extend", 0, JOB_LATE, desk_needs_ask, extend_decide,
	ask_create_again, extend_check);
