/* ask_rule.c - what rules say of an approval: in the transaction in which it is asked, and again
 * when a person approves it. A policy's decision never looks like a person's. */
#include "desk/ask/ask_rule.h"

#include "core/ask/because.h"
#include "core/ask/question_kind.h"
#include "core/policy/verifier.h"
#include "desk/policy/require.h"
#include "desk/policy/since.h"

static int64_t sooner(int64_t a, int64_t b)
{
	return !a ? b : !b || a < b ? a : b;
}

/* The deadline: the sooner of the ask's and the rules'; without either, the policy's. */
static void ask_deadline(struct rows *rows, const struct policy_snapshot *snapshot,
	const struct draft *d, const struct ruling *r, struct ask *a)
{
	int64_t timeout_ms = sooner(d->timeout_ms, r->timeout_ms);

	if (!timeout_ms) timeout_ms = snapshot->policy.timeout_ms;
	if (!timeout_ms || timeout_ms == d->timeout_ms) return;
	a->deadline_ms = rows->now_ms + timeout_ms;
	rows_due_at(rows, a->deadline_ms);
}

/* Hooks, gate and gateways ask because the policy wants it; the agent would not have asked. */
static bool asked_for_policy(const struct task *t, const struct draft *d)
{
	return str_find(t->foreign, STR("\"dialect\":\"permission\"")) >= 0 ||
	       str_is(json_text(json_get(d->operation, "type")), "command") ||
	       t->job.kind == &use_authorize.job;
}

/* Would a rule allow it, were it not for the stop? */
static bool only_stopped(struct rows *rows, const struct policy_snapshot *snapshot,
	const struct operation_view *look, unsigned flags, const struct rule_verdict *v)
{
	struct ruling r;

	if (!v->stop || v->ruling.effect != EFFECT_NONE || !snapshot->rules_len)
		return false;
	rule_set_decide(
		snapshot->set, look, v->risk, rows->now_ms, flags, rows->arena, &r);
	return r.effect == EFFECT_ALLOW;
}

enum err ask_rule(struct task *t, struct rows *rows, const struct draft *d, struct ask *a,
	struct rule_verdict *out, struct fault *why)
{
	/* Only a person can answer a required question besides the approval. What no offer allows
	 * nobody approves; a request that imitates the mark only keeps rules from allowing it. */
	bool person = d->require.len ||
		      !questions_only_decide(d->questions, d->questions_len) ||
		      str_find(t->foreign, STR("\"never_once\":true")) >= 0;
	unsigned flags = person ? DECIDE_NO_ALLOW : 0;
	struct operation_view look;
	struct policy_snapshot *snapshot;
	enum err e;

	*out = (struct rule_verdict){ 0 };
	a->because = because_keep(
		a->run.len && d->kind == ASK_ERROR_RECOVERY ? BECAUSE_RUN : BECAUSE_AGENT,
		NULL, 0, rows->arena);
	if (d->kind != ASK_APPROVAL || !d->operation) return OK;
	e = snapshot_of(t, rows, a->ws, &snapshot, why);
	if (e) return e;
	ask_operation(&look, a, d->operation, NULL, rows->arena);
	e = snapshot_decide(snapshot, rows, &look, flags, out, why);
	if (!e && !person) e = mandate_decide(snapshot, rows, &look, false, out, why);
	if (e) return e;
	if (ask_ruled(out))
		a->because = STR_NONE;
	else if (out->ruling.effect == EFFECT_ASK)
		a->because = because_keep(BECAUSE_RULE, out->ruling.hits,
			out->ruling.hits_len, rows->arena);
	else if (only_stopped(rows, snapshot, &look, flags, out))
		a->because = because_keep(BECAUSE_STOP, NULL, 0, rows->arena);
	else if (asked_for_policy(t, d))
		a->because = because_keep(BECAUSE_POLICY, NULL, 0, rows->arena);
	a->risk = out->risk;
	a->urgency = ask_urgency(a->risk, a->priority);
	ask_deadline(rows, snapshot, d, &out->ruling, a);
	t->stopped = stop_told(out->stop, &t->job.arena);
	return OK;
}

bool ask_ruled(const struct rule_verdict *v)
{
	return v->ruling.effect == EFFECT_ALLOW || v->ruling.effect == EFFECT_DENY;
}

static bool is_listed(const struct verifications *v, struct str name)
{
	for (size_t i = 0; i < v->len; i++)
		if (str_eq(v->at[i].name, name)) return true;
	return false;
}

void ask_rule_verify(struct rows *rows, struct ask *a, const struct ruling *r)
{
	struct verifications all = { 0 };

	for (size_t i = 0; i < r->hits_len && all.len < VERIFIERS_MAX; i++) {
		struct rule_match match;
		struct rule_ask ask = { 0 };

		if (!r->hits[i]->ask.len ||
			rule_parse(r->hits[i], rows->arena, &match, &ask, NULL) ||
			!ask.verify.len || is_listed(&all, ask.verify))
			continue;
		all.at[all.len++] = (struct verification){ .name = ask.verify,
			.rule = r->hits[i]->id,
			.until_ms = rows->now_ms + VERIFIER_WAIT_MS };
	}
	a->verify = verifications_text(&all, rows->arena);
}

enum err ask_rule_since(struct task *t, struct rows *rows, const struct ask *a,
	struct ask *out, struct fault *why)
{
	struct session *s = rows_session(rows, a->ws, a->session);
	struct operation_view look;
	struct rule_verdict v;
	struct ask_parts parts;
	struct policy_snapshot *snapshot;
	enum err e;

	*out = *a;
	t->denied = STR_NONE;
	if (a->status != ASK_PENDING || a->kind != ASK_APPROVAL) return OK;
	e = snapshot_of(t, rows, a->ws, &snapshot, why);
	if (e || !snapshot->rules_len) return e;
	e = ask_parts(a, rows->arena, &parts, why);
	if (e || !parts.operation) return e;
	ask_operation(&look, a, parts.operation, NULL, rows->arena);
	snapshot_rule(snapshot, &look, rows->now_ms, DECIDE_NO_ALLOW, rows->arena, &v);
	if (v.ruling.effect == EFFECT_DENY)
		t->denied = since_denied(v.ruling.rule, &t->job.arena);
	return require_raise(rows, out, s, &v.ruling.require, why);
}

enum err ask_rule_approved(struct task *t, struct rows *rows, struct ask *a,
	const struct json *operation, const struct json *arguments, struct fault *why)
{
	struct session *s = rows_session(rows, a->ws, a->session);
	struct operation_view look;
	struct rule_verdict v;
	struct policy_snapshot *snapshot;
	enum err e = snapshot_of(t, rows, a->ws, &snapshot, why);

	if (e || !snapshot->rules_len) return e;
	ask_operation(&look, a, operation, arguments, rows->arena);
	snapshot_rule(snapshot, &look, rows->now_ms, DECIDE_NO_ALLOW, rows->arena, &v);
	if (v.ruling.effect == EFFECT_DENY)
		return rule_fail(v.ruling.rule, ERR_DENIED_ANSWER, why);
	return require_raise(rows, a, s, &v.ruling.require, why);
}
