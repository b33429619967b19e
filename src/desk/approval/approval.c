/* approval.c - what becomes of an approval: it is used once, by the agent that runs what was
 * approved, or taken back before. */
#include "desk/policy/rules.h"

#include "base/clock.h"
#include "base/hash.h"
#include "core/approval/vote.h"
#include "core/ask/ask.h"
#include "core/shared/field.h"

/* ---- use: by an agent's request (desk/proof/target.c), or by a run of ours ---- */

/* May the operation with this digest run now? */
static enum err approval_fits(struct task *t, struct rows *rows, const struct ask *a,
	struct str digest, struct fault *why)
{
	struct str right = a->approved_digest.len ? a->approved_digest : a->digest;
	char at[TIME_SIZE];
	bool approved;
	enum err e = ask_approved(a, rows->arena, &approved, why);

	if (e) return e;
	if (!approved) return desk_conflict(t, rows, a, why, "it was not approved");
	if (a->used_ms) {
		time_write(a->used_ms, at);
		return desk_conflict(t, rows, a, why, "the approval was used at %s", at);
	}
	if (a->revoked.len) {
		desk_conflict(t, rows, a, why, "the approval was revoked: ask again");
		return why->err = ERR_REVOKED;
	}
	if (!right.len || !same_secret(right, digest))
		return desk_conflict(t, rows, a, why,
			"the digest is not that of the approved operation");
	return OK;
}

enum err approval_still_allowed(
	struct task *t, struct rows *rows, const struct ask *a, struct fault *why)
{
	const struct json *edited = NULL;
	struct operation_view look;
	struct ask_parts parts;
	struct rule_verdict v;
	struct policy_snapshot *snapshot;
	enum err e = snapshot_of(t, rows, a->ws, &snapshot, why);

	if (e || !snapshot->version) return e;
	v.stop = snapshot_stop(snapshot, agent_known(a->agent, a->agent_name), a->project,
		a->session, rows->now_ms);
	if (v.stop) {
		stop_fail(v.stop, why);
		t->job.conflict = desk_shown(t, rows, a);
		return ERR_STOPPED;
	}
	if (!snapshot->rules_len) return OK;
	e = ask_parts(a, rows->arena, &parts, why);
	if (!e) e = ask_edited(a, &parts, rows->arena, &edited, why);
	if (e || !parts.operation) return e;
	ask_operation(&look, a, parts.operation, edited, rows->arena);
	snapshot_rule(snapshot, &look, rows->now_ms, DECIDE_NO_ALLOW, rows->arena, &v);
	if (v.ruling.effect != EFFECT_DENY) return OK;
	rule_fail(v.ruling.rule, ERR_DENIED, why);
	t->job.conflict = desk_shown(t, rows, a);
	return ERR_DENIED;
}

/* One that was given in advance is taken from what is left of that, now that it runs. */
static enum err approval_draw(
	struct task *t, struct rows *rows, const struct ask *a, struct fault *why)
{
	struct policy_snapshot *snapshot;
	struct operation_view look;
	struct ask_parts parts;
	const struct json *by;
	struct str rule;
	enum err e;

	if (str_find(a->answered_by, STR("\"man_")) < 0) return OK;
	e = json_read(a->answered_by, NULL, rows->arena, &by, why);
	rule = e ? STR_NONE : json_text_of(by, "rule");
	if (e || !str_starts(rule, "man_")) return e;
	e = snapshot_of(t, rows, a->ws, &snapshot, why);
	if (!e) e = ask_parts(a, rows->arena, &parts, why);
	if (e) return e;
	ask_operation(&look, a, parts.operation, NULL, rows->arena);
	e = mandate_use(snapshot, rows, rule, &look, a->risk, why);
	if (e == ERR_MANDATE_SPENT || e == ERR_REVOKED)
		t->job.conflict = desk_shown(t, rows, a);
	return e;
}

enum err approval_consume(struct task *t, struct rows *rows, struct ask *a,
	struct str digest, struct str target, struct fault *why)
{
	char decision[DIGEST_SIZE];
	enum err e = approval_fits(t, rows, a, digest, why);

	if (!e) e = approval_still_allowed(t, rows, a, why);
	if (!e) e = approval_draw(t, rows, a, why);
	if (e) return e;
	a->used_ms = rows->now_ms;
	a->used_for = target;
	a->used_jti = target.len ? rows_new_id(rows, "apv") : STR_NONE;
	decision_digest(a, decision);
	if (!decision[0]) rows->arena->failed = true;
	return routing_changed(t, rows, a, "ask.used",
		fields_text(
			rows->arena, FIELDS(field_str("digest", digest),
					     field_word("decision", decision),
					     field_some(field_text("for", a->used_for)),
					     field_some(field_text("jti", a->used_jti)))),
		false, why);
}

/* ---- revoke ---- */

/* Who made the rule that approved it; empty: a person did, or the rule is gone. */
static enum err revoke_maker(struct task *t, struct rows *rows, const struct ask *a,
	struct str *out, struct fault *why)
{
	const struct rule_record *rule;
	const struct json *by;
	struct str id;
	enum err e;

	*out = STR_NONE;
	if (!a->answered_by.len) return OK;
	e = json_read(a->answered_by, NULL, rows->arena, &by, why);
	id = e ? STR_NONE : json_text(json_get(by, "rule"));
	if (e || !id.len) return e;
	e = rule_find(t, rows, id, &rule, why);
	if (!e) *out = rule->made_user;
	return e == ERR_NOT_FOUND ? OK : e;
}

/* The ask, and the rules that end with it. */
static enum err revoke_reply(
	struct task *t, struct rows *rows, const struct ask *a, struct fault *why)
{
	struct json_writer w;
	const struct rule_record *r = NULL;
	enum err e = rule_made_by(t, rows, a, &r, why);

	if (e || !desk_reply_reopen(t, &w)) return e;
	jw_put_array(&w, "ended");
	while (!e && r) {
		jw_str(&w, r->id);
		e = rule_made_by(t, rows, a, &r, why);
	}
	jw_array_end(&w);
	jw_object_end(&w);
	return e;
}

static enum err revoke_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	char decision[DIGEST_SIZE];
	struct str reason, maker;
	struct ask *a;
	enum err e = desk_admit(t, rows, MAY_SETTLE, &a, why);

	if (!e) e = desk_reason_read(t->body, &reason, why);
	if (!e) e = revoke_maker(t, rows, a, &maker, why);
	if (!e)
		e = ask_revoke(a, &job->who,
			vote_approved(a, job->who.user, rows->arena) ||
				(maker.len && str_eq(maker, job->who.user)),
			reason, rows->now_ms, rows->arena, why);
	if (e == ERR_CONFLICT)
		return desk_conflict(t, rows, a, why, "%s",
			arena_copy(rows->arena, str_of(why->detail)));
	if (e) return e;
	decision_digest(a, decision);
	if (!decision[0]) rows->arena->failed = true;
	e = routing_changed(t, rows, a, "ask.revoked",
		fields_text(rows->arena, FIELDS(field_json("revoked", a->revoked),
						 field_word("decision", decision))),
		false, why);
	return e ? e : revoke_reply(t, rows, a, why);
}

const struct use use_revoke = WRITES("revoke", 0, JOB_LATE, desk_needs_ask, revoke_decide,
	ask_create_again, desk_reason_check);
