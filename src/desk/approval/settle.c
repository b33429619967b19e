/* settle.c - the ways out of pending that somebody chooses: answer, skip, cancel. */
#include "core/shared/show.h"

#include "base/keep.h"
#include "desk/approval/mandates.h"
#include "desk/approval/scope.h"
#include "desk/approval/verify.h"
#include "desk/approval/vote.h"
#include "desk/ask/ask.h"

static enum err settle_finish(struct task *t, struct rows *rows, struct ask *a,
	const struct settlement *how, struct fault *why)
{
	enum err e = ask_settle(t, rows, a, how, why);

	if (e) return e;
	desk_keep_ask(t, a);
	desk_reply_settled(t, rows, a);
	return OK;
}

/* `votes`: how many counted, where approvals were required; else 0. */
static struct str settle_by(struct task *t, int64_t votes, struct arena *arena)
{
	struct buf b = { .max = 4096 };

	if (votes)
		ask_answered_by_vote(&b, &t->job.who, votes);
	else
		answered_by_write(&b, "human", &t->job.who);
	return buf_keep_done(&b, arena);
}

/* Who settles: a person of ours; their role says whether they may. */
static enum err settle_admit(
	struct task *t, struct rows *rows, struct ask **out, struct fault *why)
{
	struct ballot b;
	enum err e = desk_find_ask(t, rows, out, why);

	if (!e && !role_may(t->job.who.role, MAY_SETTLE))
		e = refused(REFUSED_ROLE, *out, &t->job.who, why);
	if (!e) e = desk_refused(t, why);
	if (!e) e = ask_is_open(t, rows, *out, why);
	if (!e) e = ballot_open(t, rows, *out, &b, why);
	if (e) return e;
	return refused(
		entitled_to_settle(*out, &t->job.who, &b.roster), *out, &t->job.who, why);
}

/* Or whoever sits at the client that asked: the token must say that it shows its
 * questions to a person, and no agent is let to approve what it does. */
static enum err form_admit(
	struct task *t, struct rows *rows, struct ask **out, struct fault *why)
{
	enum err e = desk_find_ask(t, rows, out, why);

	if (!e) e = desk_own(&t->job.who, (*out)->agent, why);
	if (!e && (!t->job.credential.mcp_local || (*out)->kind == ASK_APPROVAL))
		e = fail(why, ERR_FORBIDDEN, "this token cannot settle its own asks");
	if (!e) e = desk_refused(t, why);
	return e ? e : ask_is_open(t, rows, *out, why);
}

/* Whoever says what was shown settles nothing else. */
static enum err digest_admit(
	const struct ask *a, const struct json *body, struct fault *why)
{
	const struct json *shown = json_get(body, "digest");

	return !shown || str_eq(json_text(shown), a->digest)
		       ? OK
		       : fail(why, ERR_STALE, "the digest is of another operation");
}

typedef enum err admit_fn(struct task *, struct rows *, struct ask **, struct fault *why);

static enum err answer_settle(
	struct job *job, struct rows *rows, admit_fn *admit, struct fault *why)
{
	struct task *t = task_of(job);
	struct settlement how = { .verb = SETTLE_ANSWER };
	struct ask_parts parts;
	struct answer answer;
	struct scope scope;
	char digest[DIGEST_SIZE];
	int64_t votes = 0;
	struct ask *a;
	enum err e = admit(t, rows, &a, why);

	if (!e) e = ask_parts(a, rows->arena, &parts, why);
	if (!e)
		e = answer_check(parts.questions, parts.questions_len, t->body,
			rows->arena, &answer, why);
	if (!e) e = digest_admit(a, t->body, why);
	if (!e && t->of_many) e = many_admit(t->of_many, a, &parts, &answer, why);
	if (!e && t->limit)
		e = channel_admit(t->limit, a, &parts, &job->who, &answer, t->body,
			rows->arena, why);
	if (!e && answer.decision == DECISION_APPROVE && answer.arguments)
		e = mandate_edit_admit(rows, a, &parts, t->body, &answer, why);
	if (!e && answer.decision == DECISION_APPROVE && parts.never_once)
		e = fail_at(why, "/answers/decision",
			"the agent offers no way to allow this call alone: reject it");
	if (!e && answer.decision == DECISION_APPROVE) e = verify_pending(a, rows, why);
	if (!e && answer.decision == DECISION_APPROVE && parts.operation)
		e = ask_rule_approved(t, rows, a, parts.operation, answer.arguments, why);
	if (!e && a->require.len && t->of_many)
		e = fail(why, ERR_VOTES, "it requires approvals: vote on it by itself");
	if (!e) e = scope_read(t, rows, a, &parts, &answer, &scope, why);
	if (e) return e;
	how.answer = &answer;
	how.user = t->job.who.user;
	if (answer.arguments && parts.operation && a->digest.len) {
		operation_digest(parts.operation, answer.arguments, a->session, digest);
		how.approved_digest = arena_str(rows->arena, str_of(digest));
	}
	if (a->require.len) {
		e = vote_give(t, rows, a, &parts, &answer,
			how.approved_digest.len ? how.approved_digest : a->digest, &votes,
			why);
		if (e) return e;
		if (!votes && answer.decision == DECISION_APPROVE) {
			vote_given(t, rows, a);
			return OK;
		}
	}
	how.answered_by = settle_by(t, votes, rows->arena);
	e = settle_finish(t, rows, a, &how, why);
	return e ? e : scope_apply(t, rows, a, &scope, why);
}

static enum err answer_decide(struct job *job, struct rows *rows, struct fault *why)
{
	return answer_settle(job, rows, settle_admit, why);
}

static enum err form_answer_decide(struct job *job, struct rows *rows, struct fault *why)
{
	return answer_settle(job, rows, form_admit, why);
}

static enum err answer_check_body(struct task *t, struct fault *why)
{
	return t->body && t->body->type == JSON_OBJECT
		       ? OK
		       : fail_at(why, "", "an object with \"answers\" is required");
}

static enum err skip_settle(
	struct job *job, struct rows *rows, admit_fn *admit, struct fault *why)
{
	struct task *t = task_of(job);
	struct settlement how = { .verb = SETTLE_SKIP };
	struct ask_parts parts;
	struct ask *a;
	enum err e = admit(t, rows, &a, why);

	if (!e && t->limit) e = ask_parts(a, rows->arena, &parts, why);
	if (!e && t->limit)
		e = channel_admit(
			t->limit, a, &parts, &job->who, NULL, t->body, rows->arena, why);
	if (!e) e = desk_reason_read(t->body, &how.reason, why);
	if (e) return e;
	how.answered_by = settle_by(t, 0, rows->arena);
	how.user = t->job.who.user;
	return settle_finish(t, rows, a, &how, why);
}

static enum err skip_decide(struct job *job, struct rows *rows, struct fault *why)
{
	return skip_settle(job, rows, settle_admit, why);
}

static enum err form_skip_decide(struct job *job, struct rows *rows, struct fault *why)
{
	return skip_settle(job, rows, form_admit, why);
}

static enum err cancel_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct settlement how = { .verb = SETTLE_CANCEL };
	struct ask *a;
	enum err e = desk_find_ask(t, rows, &a, why);

	if (!e) e = desk_own(&job->who, a->agent, why);
	if (!e) e = desk_refused(t, why);
	if (!e) e = ask_is_open(t, rows, a, why);
	if (!e) e = desk_reason_read(t->body, &how.reason, why);
	return e ? e : settle_finish(t, rows, a, &how, why);
}

const struct use use_answer = WRITES("answer", 0, JOB_LATE | JOB_BRIEF, desk_needs_ask,
	answer_decide, ask_settled_again, answer_check_body);

const struct use use_skip = WRITES("skip", 0, JOB_LATE | JOB_BRIEF, desk_needs_ask,
	skip_decide, ask_settled_again, desk_reason_check);

const struct use use_cancel = WRITES("cancel", 0, JOB_LATE | JOB_BRIEF, desk_needs_ask,
	cancel_decide, ask_settled_again, desk_reason_check);

const struct use use_form_answer = WRITES("form_answer", 0, JOB_LATE | JOB_BRIEF,
	desk_needs_ask, form_answer_decide, ask_settled_again, answer_check_body);

const struct use use_form_skip = WRITES("form_skip", 0, JOB_LATE | JOB_BRIEF,
	desk_needs_ask, form_skip_decide, ask_settled_again, desk_reason_check);

/* ---- deadlines ---- */

enum { EXPIRE_AT_ONCE = 200 };

static void expire_needs(struct job *job, struct wants *w)
{
	(void)job;
	wants_due(w, EXPIRE_AT_ONCE);
}

/* A running session whose agent was silent for SESSION_HEARD_MS becomes idle. */
static enum err sessions_idle(struct rows *rows, struct fault *why)
{
	const struct session *found = NULL;
	enum err e = rows_fetch(rows, RECORD_SESSIONS, SQL_SESSIONS_SILENT,
		ARGS(rows->now_ms - SESSION_HEARD_MS, EXPIRE_AT_ONCE), why);

	while (!e && (found = rows_next(rows, RECORD_SESSIONS, found))) {
		struct session *s = rows_session(rows, found->ws, found->id);

		if (!s || !session_falls_idle(s, rows->now_ms)) continue;
		rows_touch_session(rows, s);
		session_stage_status(rows, s, SESSION_RUNNING);
	}
	return e;
}

static enum err expire_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct ask *a = NULL;
	enum err e = OK;

	while (!e && (a = rows_next_due(rows, a)))
		e = ask_expire(task_of(job), rows, a, why);
	if (!e) e = stops_end_due(rows, EXPIRE_AT_ONCE, why);
	if (!e) e = mandates_end_due(rows, EXPIRE_AT_ONCE, why);
	return e ? e : sessions_idle(rows, why);
}

const struct use use_expire =
	WRITES("expire", 0, JOB_OPEN, expire_needs, expire_decide, NULL, NULL);
