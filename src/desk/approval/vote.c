/* vote.c - votes on approvals that need more than one: given and taken back; the one that meets
 * every part settles the ask. */
#include "desk/approval/vote.h"

#include "base/keep.h"

#include "core/ask/ask.h"
#include "core/ask/question_kind.h"
#include "core/shared/show.h"
#include "desk/ask/ask.h"
#include "desk/people/roster.h"

/* Keeps the votes and what they come to. */
static enum err ballot_keep(
	struct rows *rows, struct ask *a, struct ballot *b, struct fault *why)
{
	int64_t *have = ARENA_ARRAY(rows->arena, int64_t, b->require.len);
	struct str best;

	if (!have || !votes_count(a, &b->require, &b->roster, &b->votes, &best, have,
			     rows->arena))
		return fail_memory(why);
	a->votes = votes_text(&b->votes, rows->arena);
	a->require = require_text(&b->require, have, rows->arena);
	return OK;
}

static void have_write(struct json_writer *w, const struct ask *a, struct arena *arena)
{
	const struct json *parts;

	jw_put_array(w, "have");
	if (!json_read(a->require, NULL, arena, &parts, NULL))
		for (uint32_t i = 0; i < parts->count; i++)
			jw_json(w, json_get(&parts->items[i], "have"));
	jw_array_end(w);
}

/* The event of a vote that was given or taken back. */
static void vote_event(
	struct rows *rows, const struct ask *a, const char *type, const struct vote *v)
{
	struct buf data = { .max = 2 * VOTES_TEXT_MAX };
	struct json_writer w = { .out = &data };
	struct vote small = *v;
	char votes[SHORT_DIGEST_SIZE], asked[SHORT_DIGEST_SIZE];
	struct str text;

	asked_digest(a, asked);
	small.arguments = STR_NONE; /* the digest says which */
	votes_digest(a, votes);
	jw_object(&w);
	jw_key(&w, "vote");
	vote_write(&w, &small);
	have_write(&w, a, rows->arena);
	/* Rules made since the ask may require more. */
	show_json(&w, "require", a->require);
	show_json(&w, "starters", a->starters.len ? a->starters : STR("[]"));
	jw_put_text(&w, "votes", votes);
	jw_put_text(&w, "asked", asked);
	jw_object_end(&w);
	text = buf_keep_done(&data, rows->arena);
	rows_event(rows, type, rows_session(rows, a->ws, a->session), a, text);
}

static struct str decision_note(
	const struct ask_parts *parts, const struct answer *answer, struct arena *arena)
{
	const struct json *json;

	if (json_read(answer->json, NULL, arena, &json, NULL)) return STR_NONE;
	for (size_t i = 0; i < parts->questions_len; i++)
		if (question_decides(&parts->questions[i]))
			return json_text(json_get(
				json_get_str(json, parts->questions[i].key), "text"));
	return STR_NONE;
}

static struct vote vote_of(const struct job *job, struct rows *rows,
	const struct ask_parts *parts, const struct answer *answer, struct str digest)
{
	const struct principal *p = &job->who;
	struct vote v = { .user = p->user,
		.name = p->name,
		.via = p->via,
		.role = p->role,
		.value = answer->decision,
		.digest = digest,
		.reason = decision_note(parts, answer, rows->arena),
		.at_ms = rows->now_ms };

	if (answer->arguments) v.arguments = json_keep(answer->arguments, rows->arena);
	return v;
}

enum err vote_give(struct task *t, struct rows *rows, struct ask *a,
	const struct ask_parts *parts, const struct answer *answer, struct str digest,
	int64_t *met, struct fault *why)
{
	struct ballot b;
	struct vote v;
	int64_t *have;
	enum err e = ballot_open(t, rows, a, &b, why);

	*met = 0;
	if (!e && answer->decision == DECISION_APPROVE)
		e = refused(entitled_to_approve(
				    a, &b.require, &t->job.who, &b.roster, rows->arena),
			a, &t->job.who, why);
	if (e) return e;
	v = vote_of(&t->job, rows, parts, answer, digest);
	votes_put(&b.votes, &v);
	e = ballot_keep(rows, a, &b, why);
	if (!e && a->votes.len > VOTES_TEXT_MAX)
		return desk_conflict(
			t, rows, a, why, "its votes are full: reject it, or ask anew");
	if (!e && answer->decision != DECISION_APPROVE) return OK;
	have = e ? NULL : ARENA_ARRAY(rows->arena, int64_t, b.require.len);
	if (!e && !have) e = fail_memory(why);
	if (!e &&
		votes_meet(a, &b.require, &b.roster, &b.votes, digest, have, rows->arena))
		*met = (int64_t)votes_counting(&b.votes, digest);
	if (!e) vote_event(rows, a, "ask.voted", &b.votes.at[b.votes.len - 1]);
	return e;
}

/* The ask as it now is, still pending. */
void vote_given(struct task *t, struct rows *rows, struct ask *a)
{
	a->version++;
	desk_keep_ask(t, a);
	desk_reply_settled(t, rows, a);
}

/* ---- retract ---- */

static enum err retract_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct vote *found;
	struct vote was;
	struct ballot b;
	struct ask *a;
	enum err e = desk_admit(t, rows, MAY_READ_ALL, &a, why);

	if (!e) e = ask_is_open(t, rows, a, why);
	if (!e) e = ballot_open(t, rows, a, &b, why);
	if (e) return e;
	found = votes_find(&b.votes, job->who.user);
	if (!found) return desk_conflict(t, rows, a, why, "you have no vote on it");
	was = *found;
	votes_drop(&b.votes, job->who.user);
	e = ballot_keep(rows, a, &b, why);
	if (!e) vote_event(rows, a, "ask.retracted", &was);
	if (!e) vote_given(t, rows, a);
	return e;
}

const struct use use_retract = WRITES("retract", 0, JOB_LATE, desk_needs_ask,
	retract_decide, ask_settled_again, desk_empty_check);
