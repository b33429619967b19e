/* ask.c - asks are made and settled here, whoever asks or settles. Nobody who listens is known:
 * what follows from the events is in reactions.c. */
#include "desk/ask/ask.h"

#include "base/keep.h"
#include "core/ask/ask.h"
#include "core/ask/because.h"
#include "core/ask/question_kind.h"
#include "core/shared/field.h"
#include "core/shared/show.h"
#include "desk/policy/require.h"

/* ---- settled ---- */

static struct str settled_data(const struct ask *a, struct arena *arena)
{
	struct buf b = { .max = 16384 };
	struct json_writer w = { .out = &b };
	char decision[DIGEST_SIZE], summary[SHORT_DIGEST_SIZE];

	decision_digest_in(a, arena, decision);
	digest_text(a->summary, summary);
	if (!decision[0]) arena->failed = true;
	jw_object(&w);
	jw_put_text(&w, "status", ask_status_name(a->status));
	show_json(&w, "answered_by", a->answered_by);
	jw_put_some(&w, "reason", a->reason);
	if (a->require.len) {
		char votes[SHORT_DIGEST_SIZE];

		votes_digest(a, votes);
		jw_put_text(&w, "votes", votes);
		show_text(&w, "approved_digest", a->approved_digest);
	}
	jw_put_text(&w, "decision", decision);
	jw_put_text(&w, "summary", summary);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

static enum err ask_settle_staged(struct task *t, struct rows *rows, struct ask *a,
	const struct settlement *how, struct staged **out, struct fault *why)
{
	struct session *s = rows_session(rows, a->ws, a->session);
	const char *type;
	struct staged *st;
	enum err e;

	if (!s)
		return fail(
			why, ERR_INTERNAL, "ask %.*s has no session", STR_ARGS(a->id));
	/* answered_by may be cut: the arena failed while it was written. */
	if (rows->arena->failed) return fail_memory(why);
	e = ask_finish(a, how, rows->now_ms, rows->arena, &type, why);
	if (e) return e;
	session_settled(s, a->kind, rows->now_ms);
	rows_touch_session(rows, s);
	st = rows_event(rows, type, s, a, settled_data(a, rows->arena));
	rows_wake(rows, st, a,
		desk_view(t->desk, s->title, desk_workspace(t, rows, a->ws)));
	st->lone = s->for_ask;
	*out = st;
	return OK;
}

enum err ask_settle_within(struct task *t, struct rows *rows, struct ask *a,
	const struct settlement *how, struct fault *why)
{
	struct staged *st;

	return ask_settle_staged(t, rows, a, how, &st, why);
}

enum err ask_settle(struct task *t, struct rows *rows, struct ask *a,
	const struct settlement *how, struct fault *why)
{
	struct session *s = rows_session(rows, a->ws, a->session);
	enum session_status was = s ? s->status : SESSION_IDLE;
	enum err e = ask_settle_within(t, rows, a, how, why);

	if (!e) session_watch_silence(rows, s);
	if (!e && s->status != was) session_stage_status(rows, s, was);
	return e;
}

/* The default that was checked when it was asked. One that no longer fits the rules must
 * not keep the ask, and every later deadline, from expiring: then it expires without. */
static enum err expire_default(struct rows *rows, const struct ask *a, struct answer *out,
	bool *found, struct fault *why)
{
	struct ask_parts parts;
	enum err e = ask_parts(a, rows->arena, &parts, why);

	*found = false;
	if (!e && parts.fallback) {
		e = answer_check_at(parts.questions, parts.questions_len, parts.fallback,
			"/default", rows->arena, out, why);
		*found = !e;
	}
	return rows->arena->failed ? ERR_MEMORY : OK;
}

enum err ask_expire(struct task *t, struct rows *rows, struct ask *a, struct fault *why)
{
	struct settlement how = { .verb = SETTLE_EXPIRE };
	struct answer answer;
	struct buf by = { .max = 1024 };
	struct fault wrong = { 0 };
	bool found;

	if (expire_default(rows, a, &answer, &found, &wrong)) return fail_memory(why);
	if (found) {
		how.answer = &answer;
		answered_by_write(&by, "default", NULL);
		how.answered_by = buf_keep_done(&by, rows->arena);
	}
	return ask_settle(t, rows, a, &how, why);
}

/* Expire first: a reply after the deadline must not win just because the timer is late. */
static enum err settle_in_time(
	struct task *t, struct rows *rows, struct ask *a, struct fault *why)
{
	if (a->status != ASK_PENDING || !a->deadline_ms || a->deadline_ms > rows->now_ms)
		return OK;
	return ask_expire(t, rows, a, why);
}

enum err ask_is_open(struct task *t, struct rows *rows, struct ask *a, struct fault *why)
{
	enum err e = settle_in_time(t, rows, a, why);

	if (e || a->status == ASK_PENDING) return e;
	/* Keep the expiry, although the request itself fails. */
	e = rows_conclude(rows, &t->job, why);
	if (e) return e;
	rows_savepoint(rows);
	return desk_settled_conflict(t, rows, a, why);
}

/* ---- settled by a rule ---- */

/* {"decision": {"value": "reject", "text": note}} for each approval question. */
static const struct json *ruled_answers(const struct ask_parts *parts, struct str value,
	struct str note, struct arena *arena)
{
	struct json *out = ARENA_NEW(arena, struct json);
	struct json_member *room =
		ARENA_ARRAY(arena, struct json_member, parts->questions_len + 1);
	struct json_member *both = ARENA_ARRAY(arena, struct json_member, 2);

	if (!out || !room || !both) return NULL;
	both[0] = (struct json_member){ STR("value"),
		{ .type = JSON_STRING, .text = value } };
	both[1] = (struct json_member){ STR("text"),
		{ .type = JSON_STRING, .text = note } };
	*out = (struct json){ .type = JSON_OBJECT, .members = room };
	for (size_t i = 0; i < parts->questions_len; i++)
		if (question_decides(&parts->questions[i]))
			room[out->count++] =
				(struct json_member){ parts->questions[i].key,
					{ .type = JSON_OBJECT,
						.count = note.len ? 2 : 1,
						.members = both } };
	return out;
}

/* Keeps the approval questions alone: a rule answers no others. */
static size_t approvals_only(struct ask_parts *parts)
{
	size_t n = 0;

	for (size_t i = 0; i < parts->questions_len; i++)
		if (question_decides(&parts->questions[i]))
			parts->questions[n++] = parts->questions[i];
	return n;
}

static struct str ruled_by(
	const struct rule_record *r, struct str mandate, struct arena *arena)
{
	return fields_text(arena,
		FIELDS(field_text("kind", STR("policy")), field_text("user", STR_NONE),
			field_text("name", rule_title(r, arena)),
			field_text("via", STR_NONE), field_text("rule", r->id),
			field_some(field_json("mandate", mandate))));
}

static enum err settled_by_rule(struct rows *rows, const struct ask *a,
	const struct rule_record *rule, struct str mandate, bool approve,
	struct settlement *out, struct answer *answer, struct fault *why)
{
	struct str note = approve ? STR_NONE : rule->note;
	const struct json *values;
	struct ask_parts parts;
	enum err e = ask_parts(a, rows->arena, &parts, why);

	if (e) return e;
	values = ruled_answers(
		&parts, approve ? STR("approve") : STR("reject"), note, rows->arena);
	if (!values) return fail_memory(why);
	e = answer_check_at(parts.questions, approvals_only(&parts), values, "/answers",
		rows->arena, answer, why);
	*out = (struct settlement){ .verb = SETTLE_ANSWER,
		.answer = answer,
		.answered_by = ruled_by(rule, mandate, rows->arena),
		.reason = note };
	return e;
}

/* In the moment in which it is asked: whoever asked gets the outcome with the reply. */
static enum err ask_settle_ruled(struct task *t, struct rows *rows, struct ask *a,
	const struct rule_verdict *v, struct fault *why)
{
	bool approve = v->ruling.effect == EFFECT_ALLOW;
	struct settlement how;
	struct answer answer;
	struct staged *st;
	enum err e = settled_by_rule(
		rows, a, v->ruling.rule, v->mandate, approve, &how, &answer, why);

	if (!e) e = ask_settle_staged(t, rows, a, &how, &st, why);
	if (!e) st->replied = true;
	return e;
}

enum err ask_settle_by(struct task *t, struct rows *rows, struct ask *a,
	const struct rule_record *rule, bool approve, struct fault *why)
{
	struct settlement how;
	struct answer answer;
	enum err e =
		settled_by_rule(rows, a, rule, STR_NONE, approve, &how, &answer, why);

	return e ? e : ask_settle(t, rows, a, &how, why);
}

enum err ask_cancel_all(struct task *t, struct rows *rows, struct session *s,
	struct str reason, struct fault *why)
{
	struct settlement how = { .verb = SETTLE_CANCEL, .reason = reason };
	struct ask *a = NULL;
	enum err e = OK;

	while (!e && (a = rows_next_ask(rows, s->ws, s->id, a)))
		e = ask_settle_within(t, rows, a, &how, why);
	return e;
}

/* ---- made ---- */

/* The log alone must show later whose vote counted. */
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
	char asked[SHORT_DIGEST_SIZE];

	asked_digest(a, asked);
	jw_object(&w);
	jw_put_text(&w, "kind", ask_kind_name(a->kind));
	jw_put_str(&w, "title", d->session_title);
	jw_put_text(&w, "priority", priority_name(a->priority));
	jw_put_text(&w, "risk", risk_name(a->risk));
	show_time(&w, "expires_at", a->deadline_ms);
	if (d->assignees_len) jw_put_raw(&w, "assignees", a->assignees);
	if (a->require.len) require_show(&w, a);
	because_event(&w, a);
	jw_put_text(&w, "asked", asked);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

static struct ask *ask_new(struct task *t, struct rows *rows, const struct draft *d,
	const struct ask_from *from)
{
	const struct session *s = from->session;
	struct ask *a = rows_new_ask(rows, s->ws);
	char digest[DIGEST_SIZE];

	if (!a) return NULL;
	a->session = s->id;
	a->agent = from->run ? from->run->agent : s->agent;
	if (from->run) {
		a->run = from->run->id;
	} else {
		a->agent_name = s->agent_name;
		a->token = t->job.who.token;
		a->requester = t->job.who.user;
		a->dedupe_key = t->dedupe_key;
	}
	a->project = s->project;
	a->trace = from->run ? from->run->trace : t->trace.len ? t->trace : s->trace;
	a->kind = d->kind;
	a->priority = d->priority;
	a->risk = d->risk;
	a->urgency = ask_urgency(d->risk, d->priority);
	a->exclusive = d->kind == ASK_BLOCKING && !s->parallel;
	a->fixed = s->sensitive && !d->sensitive
			   ? arena_print(rows->arena, "%.*s,\"sensitive\":true",
				     STR_ARGS(d->fixed))
			   : d->fixed;
	if (from->call.len)
		a->fixed = arena_print(rows->arena, "%.*s,\"call\":\"%.*s\"",
			STR_ARGS(a->fixed), STR_ARGS(from->call));
	a->search = d->search;
	a->assignees = STR("[]");
	a->replies = STR("[]");
	if (d->timeout_ms || from->timeout_ms)
		a->deadline_ms =
			rows->now_ms + (d->timeout_ms ? d->timeout_ms : from->timeout_ms);
	if (a->deadline_ms) rows_due_at(rows, a->deadline_ms);
	if (d->operation && d->kind == ASK_APPROVAL) {
		operation_digest(d->operation, NULL, s->id, digest);
		a->digest = arena_str(rows->arena, str_of(digest));
	}
	return a;
}

/* What rules say of it: how grave it is, who has to approve, which verifiers are due. */
static enum err ask_judge(struct task *t, struct rows *rows, const struct draft *d,
	const struct ask_from *from, struct ask *a, struct rule_verdict *v,
	struct fault *why)
{
	enum err e = OK;

	if (from->verdict) {
		*v = *from->verdict;
		a->because = because_keep(
			v->ruling.effect == EFFECT_ASK ? BECAUSE_RULE : BECAUSE_POLICY,
			v->ruling.hits, v->ruling.hits_len, rows->arena);
		a->risk = v->risk;
		a->urgency = ask_urgency(a->risk, a->priority);
	} else {
		e = ask_rule(t, rows, d, a, v, why);
	}
	if (e || ask_ruled(v)) return e;
	e = require_raise(
		rows, a, from->fresh ? NULL : from->session, &v->ruling.require, why);
	if (!e) ask_rule_verify(rows, a, &v->ruling);
	return e;
}

enum err ask_make(struct task *t, struct rows *rows, const struct draft *d,
	const struct ask_from *from, struct ask **out, struct fault *why)
{
	struct session *s = from->session;
	enum session_status was = from->was;
	struct rule_verdict v;
	struct ask *a = ask_new(t, rows, d, from);
	enum err e;

	e = require_raise(rows, a, from->fresh ? NULL : s, &d->require, why);
	if (!e && d->assignees_len)
		e = away_assignees(
			t, rows, a, d->assignees, d->assignees_len, &a->assignees, why);
	if (!e) e = ask_judge(t, rows, d, from, a, &v, why);
	if (e) return e;
	if (!from->fresh && !from->run) session_goes_on(s, rows->now_ms);
	session_opened(s, d->kind, rows->now_ms);
	if (!from->fresh) rows_touch_session(rows, s);
	rows_event(rows, "ask.created", s, a, ask_created_data(a, d, rows->arena));
	if (from->fresh) was = s->status;
	if (ask_ruled(&v)) e = ask_settle_ruled(t, rows, a, &v, why);
	session_watch_silence(rows, s);
	*out = a;
	if (!e && s->status != was) session_stage_status(rows, s, was);
	return e;
}
