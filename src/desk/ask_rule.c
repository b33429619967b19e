/* ask_rule.c - what rules say of an approval: in the transaction in which it is asked, and again
 * when a person approves it. A policy's decision never looks like a person's. */
#include "desk/ask_rule.h"

#include "base/keep.h"
#include "core/body.h"
#include "core/show.h"
#include "desk/vote.h"

/* Nobody but a person can give those answers. */
static bool draft_has_more(const struct draft *d)
{
	for (size_t i = 0; i < d->questions_len; i++)
		if (d->questions[i].type != Q_APPROVAL && d->questions[i].required)
			return true;
	return false;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return !a ? b : !b || a < b ? a : b;
}

/* The shorter of what it brought and what the rules say; without either, the policy's. */
static void ask_deadline(struct rows *rows, const struct book *book,
	const struct draft *d, const struct ruling *r, struct ask *a)
{
	int64_t timeout_ms = sooner(d->timeout_ms, r->timeout_ms);

	if (!timeout_ms) timeout_ms = book->policy.timeout_ms;
	if (!timeout_ms || timeout_ms == d->timeout_ms) return;
	a->deadline_ms = rows->now_ms + timeout_ms;
	rows_due_at(rows, a->deadline_ms);
}

enum err ask_rule(struct task *t, struct rows *rows, const struct draft *d, struct ask *a,
	struct rule_verdict *out, struct fault *why)
{
	struct operation_look look;
	struct book *book;
	enum err e;

	*out = (struct rule_verdict){ 0 };
	if (d->kind != ASK_APPROVAL || !d->operation) return OK;
	e = desk_book(t->desk, &t->job, rows, a->ws, &book, why);
	if (e) return e;
	operation_look(
		&look, d->operation, NULL, a->agent, a->project, a->session, rows->arena);
	e = desk_rule(book, rows, &look,
		draft_has_more(d) || d->require.len ? DECIDE_NO_ALLOW : 0, &t->job.who,
		out, why);
	if (e) return e;
	a->risk = out->risk;
	a->urgency = ask_urgency(a->risk, a->priority);
	ask_deadline(rows, book, d, &out->ruling, a);
	t->stopped = stop_told(out->stop, &t->job.arena);
	return OK;
}

bool ask_ruled(const struct rule_verdict *v)
{
	return v->ruling.effect == EFFECT_ALLOW || v->ruling.effect == EFFECT_DENY;
}

/* ---- settling ---- */

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
		if (parts->questions[i].type == Q_APPROVAL)
			room[out->count++] =
				(struct json_member){ parts->questions[i].key,
					{ .type = JSON_OBJECT,
						.count = note.len ? 2 : 1,
						.members = both } };
	return out;
}

/* Those that a rule can answer come first. */
static size_t approvals_only(struct ask_parts *parts)
{
	size_t n = 0;

	for (size_t i = 0; i < parts->questions_len; i++)
		if (parts->questions[i].type == Q_APPROVAL)
			parts->questions[n++] = parts->questions[i];
	return n;
}

static struct str ruled_by(const struct kept_rule *r, struct arena *arena)
{
	struct buf b = { .max = 4096 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	show_text(&w, "kind", STR("policy"));
	show_text(&w, "user", STR_NONE);
	show_text(&w, "name", rule_title(r, arena));
	show_text(&w, "via", STR_NONE);
	show_text(&w, "rule", r->id);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

static enum err settle_by(struct task *t, struct rows *rows, struct ask *a,
	const struct kept_rule *rule, bool approve, bool quietly, struct fault *why)
{
	struct settlement how = { .verb = SETTLE_ANSWER };
	struct str note = approve ? STR_NONE : rule->note;
	const struct json *values;
	struct ask_parts parts;
	struct answer answer;
	enum err e = ask_parts(a, rows->arena, &parts, why);

	if (e) return e;
	values = ruled_answers(
		&parts, approve ? STR("approve") : STR("reject"), note, rows->arena);
	if (!values) return fail(why, ERR_MEMORY, "out of memory");
	e = answer_check_at(parts.questions, approvals_only(&parts), values, "/answers",
		rows->arena, &answer, why);
	if (e) return e;
	how.answer = &answer;
	how.answered_by = ruled_by(rule, rows->arena);
	how.reason = note;
	return quietly ? desk_settle_quietly(t, rows, a, &how, why)
		       : desk_settle(t, rows, a, &how, why);
}

/* Its agent has the outcome with the reply: no resumer is called for it. */
enum err ask_settle_ruled(struct task *t, struct rows *rows, struct ask *a,
	const struct rule_verdict *v, struct fault *why)
{
	return settle_by(
		t, rows, a, v->ruling.rule, v->ruling.effect == EFFECT_ALLOW, true, why);
}

enum err ask_settle_by(struct task *t, struct rows *rows, struct ask *a,
	const struct kept_rule *rule, bool approve, struct fault *why)
{
	return settle_by(t, rows, a, rule, approve, false, why);
}

enum err ask_rule_approved(struct task *t, struct rows *rows, struct ask *a,
	const struct json *operation, const struct json *arguments, struct fault *why)
{
	struct session *s = rows_session(rows, a->ws, a->session);
	struct operation_look look;
	struct rule_verdict v;
	struct book *book;
	enum err e = desk_book(t->desk, &t->job, rows, a->ws, &book, why);

	if (e || !book->rules_len) return e;
	operation_look(&look, operation, arguments, a->agent, a->project, a->session,
		rows->arena);
	book_rule(book, &look, rows->now_ms, DECIDE_NO_ALLOW, rows->arena, &v);
	if (rows->arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	if (v.ruling.effect == EFFECT_DENY)
		return rule_fail(v.ruling.rule, ERR_DENIED_ANSWER, why);
	return desk_require(rows, a, s, &v.ruling.require, why);
}
