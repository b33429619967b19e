/* verify.c - verifiers of approvals: asked in the transaction of the ask, heard when their delivery
 * is reported. A verdict rejects, raises the risk and with it what is required, or leaves a
 * note; it never approves. */
#include "desk/approval/verify.h"

#include "base/keep.h"
#include "core/ask/ask.h"
#include "core/ask/because.h"
#include "core/shared/show.h"
#include "desk/ask/ask.h"
#include "desk/delivery/callbacks.h"
#include "desk/policy/require.h"

/* ---- asked ---- */

enum err verify_asked(const struct happened *h, struct fault *why)
{
	struct verifications all;
	enum err e;

	if (!h->ask->verify.len) return OK;
	e = verifications_load(h->ask->verify, h->rows->arena, &all, why);
	for (size_t i = 0; !e && i < all.len; i++)
		delivery_call_verifier(h->rows, h->ask, all.at[i].name, (int64_t)i);
	return e;
}

enum err verify_pending(const struct ask *a, struct rows *rows, struct fault *why)
{
	struct verifications all;
	const struct verification *v;
	enum err e;

	if (!a->verify.len) return OK;
	e = verifications_load(a->verify, rows->arena, &all, why);
	v = e ? NULL : verifications_wait(&all, rows->now_ms);
	if (!v) return e;
	fail(why, ERR_VERIFYING, "%.*s has not answered yet: approve in a moment",
		STR_ARGS(str_first(v->name, 60)));
	fail_member(why, "verifier", v->name);
	return ERR_VERIFYING;
}

/* ---- heard ---- */

static void verified_event(
	struct rows *rows, const struct ask *a, const struct verification *v)
{
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };
	struct verifications one = { .at = { *v }, .len = 1 };
	char asked[SHORT_DIGEST_SIZE], votes[SHORT_DIGEST_SIZE];
	struct str text = verifications_text(&one, rows->arena), data;

	asked_digest(a, asked);
	votes_digest(a, votes);
	jw_object(&w);
	/* The array has one object: show that, without the brackets. */
	show_json(&w, "verified", str_first(str_from(text, 1), text.len - 2));
	jw_put_text(&w, "risk", risk_name(a->risk));
	if (a->require.len) {
		show_json(&w, "require", a->require);
		show_json(&w, "starters", a->starters.len ? a->starters : STR("[]"));
		jw_put_text(&w, "votes", votes);
	}
	jw_put_text(&w, "asked", asked);
	jw_object_end(&w);
	data = buf_keep_done(&b, rows->arena);
	rows_event(rows, "ask.verified", rows_session(rows, a->ws, a->session), a, data);
}

static bool did_ask(const struct ruling *r, const struct rule_record *rule)
{
	for (size_t i = 0; i < r->hits_len; i++)
		if (r->hits[i] == rule) return true;
	return false;
}

/* What rules add at this higher risk: more approvals, or a deny (*deny). */
static enum err verified_rules(struct task *t, struct rows *rows, struct ask *a,
	enum risk risk, const struct rule_record **deny, struct fault *why)
{
	struct operation_view look;
	struct ruling before, after;
	struct ask_parts parts;
	struct policy_snapshot *snapshot;
	enum err e = ask_parts(a, rows->arena, &parts, why);

	*deny = NULL;
	if (!e) e = snapshot_of(t, rows, a->ws, &snapshot, why);
	if (e || !snapshot->rules_len || !parts.operation) return e;
	ask_operation(&look, a, parts.operation, NULL, rows->arena);
	rule_set_decide(snapshot->set, &look, policy_risk(&snapshot->policy, &look),
		rows->now_ms, DECIDE_NO_ALLOW, rows->arena, &before);
	rule_set_decide(snapshot->set, &look, risk, rows->now_ms, DECIDE_NO_ALLOW,
		rows->arena, &after);
	if (after.effect == EFFECT_DENY) *deny = after.rule;
	if (after.risk > a->risk) a->risk = after.risk;
	for (size_t i = 0; !e && after.effect == EFFECT_ASK && i < after.hits_len; i++) {
		struct require more;

		if (did_ask(&before, after.hits[i])) continue;
		a->because = because_keep(
			BECAUSE_VERIFIER, after.hits, after.hits_len, rows->arena);
		e = require_of_rule(after.hits[i], rows->arena, &more, why);
		if (!e)
			e = require_raise(rows, a, rows_session(rows, a->ws, a->session),
				&more, why);
	}
	return e;
}

/* The verdict as a rule, for whoever shows why an ask was rejected. */
static struct rule_record verifier_rule(const struct verification *v, struct arena *arena)
{
	return (struct rule_record){ .id = v->rule,
		.note = v->note.len ? arena_print(arena, "%.*s: %.*s", STR_ARGS(v->name),
					      STR_ARGS(v->note))
				    : v->name };
}

static enum err verified_apply(struct task *t, struct rows *rows, struct ask *a,
	const struct verification *v, const struct rule_record **deny,
	struct rule_record *own, struct fault *why)
{
	enum err e = OK;

	*deny = NULL;
	if (v->risk > a->risk) {
		a->risk = v->risk;
		e = verified_rules(t, rows, a, v->risk, deny, why);
		a->urgency = ask_urgency(a->risk, a->priority);
	}
	if (!e && v->verdict == VERDICT_DENY) {
		*own = verifier_rule(v, rows->arena);
		*deny = own;
	}
	return e;
}

/* What it said; that it failed is `unsure`, with why. */
static struct verification outcome_verdict(
	const struct delivery_outcome *o, struct arena *arena)
{
	struct verification v = { .verdict = VERDICT_UNSURE, .note = o->error };
	struct fault wrong = { 0 };

	if (o->ending == ENDED_WELL && verdict_read(o->output, arena, &v, &wrong))
		v.note = arena_str(arena, str_of(wrong.detail));
	return v;
}

enum err verify_done(struct task *t, struct rows *rows, const struct delivery *d,
	const struct delivery_outcome *o, struct fault *why)
{
	struct verification said = outcome_verdict(o, rows->arena), *v;
	struct rule_record own;
	const struct rule_record *deny;
	struct verifications all;
	struct ask *a;
	enum err e = rows_fetch_ask(rows, d->ws, d->ask, &a, why);

	if (e) return e == ERR_NOT_FOUND ? OK : e;
	if (a->status != ASK_PENDING) return OK;
	e = verifications_load(a->verify, rows->arena, &all, why);
	if (e || d->round < 0 || (size_t)d->round >= all.len) return e;
	v = &all.at[d->round];
	v->verdict = said.verdict;
	v->note = said.note;
	v->risk = said.risk;
	v->at_ms = rows->now_ms;
	a->verify = verifications_text(&all, rows->arena);
	e = verified_apply(t, rows, a, v, &deny, &own, why);
	if (e) return e;
	a->version++;
	verified_event(rows, a, v);
	return e || !deny ? e : ask_settle_by(t, rows, a, deny, false, why);
}
