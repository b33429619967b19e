/* target.c - an approval is used by the agent that asked, and proved to whoever runs the operation: with a
 * signed token that names the target, which the target may redeem here, once over all nodes. */
#include "desk/proof/signing.h"

#include "base/clock.h"
#include "base/keep.h"
#include "core/approval/vote.h"
#include "core/shared/field.h"

/* ---- use ---- */

struct use_body {
	struct str digest, target; /* target may be empty */
};

static enum err target_read(const struct json *value, struct str *out, struct fault *why)
{
	if (!json_is(value, JSON_STRING) || !approval_token_for(value->text))
		return fail_at(why, "/for",
			"must be 1 to %d printable ASCII characters without a blank",
			APPROVAL_FOR_MAX);
	*out = value->text;
	return OK;
}

static enum err use_approval_check(struct task *t, struct fault *why)
{
	static const char *const more[] = { "for", NULL };
	struct use_body *b = TASK_CHECKED(t, struct use_body);
	const struct json *target = json_get(t->body, "for");
	enum err e = note_read(json_without(t->body, more, &t->job.arena), "digest",
		DIGEST_SIZE, true, &b->digest, why);

	if (target && target->type != JSON_NULL && target_read(target, &b->target, why))
		e = why->err;
	return e;
}

/* ["Ada", "Max"]: whose approval it is. */
static enum err approvers_write(
	const struct ask *a, struct arena *arena, struct str *out, struct fault *why)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct votes votes = { 0 };
	const struct json *by;
	enum err e = a->votes.len ? votes_load(a, arena, &votes, why) : OK;

	jw_array(&w);
	for (size_t i = 0; i < votes.len; i++)
		if (votes.at[i].value == DECISION_APPROVE) jw_str(&w, votes.at[i].name);
	if (!votes.len && a->answered_by.len &&
		!json_read(a->answered_by, NULL, arena, &by, NULL))
		jw_str(&w, json_text_of(by, "name"));
	jw_array_end(&w);
	*out = buf_keep_done(&b, arena);
	return e;
}

static enum err token_write(struct task *t, struct rows *rows, const struct ask *a,
	const struct json *operation, const struct jws_signer *key, struct fault *why)
{
	struct approval_claims c = { .issuer = str_of(t->desk->url),
		.audience = a->used_for,
		.agent = agent_known(a->agent, a->agent_name),
		.jti = a->used_jti,
		.workspace = desk_workspace(t, rows, a->ws),
		.ask = a->id,
		.session = a->session,
		.digest = a->approved_digest.len ? a->approved_digest : a->digest,
		.type = json_text_of(operation, "type"),
		.name = json_text_of(operation, "name"),
		.risk = str_of(risk_name(a->risk)),
		.issued_s = rows->now_ms / 1000 };
	struct buf token = { .max = 65536 };
	char decision[DIGEST_SIZE];
	struct json_writer w;
	enum err e = approvers_write(a, rows->arena, &c.by, why);

	if (e) return e;
	c.expires_s = c.issued_s + t->desk->set.approval_ttl_ms / 1000;
	decision_digest_in(a, rows->arena, decision);
	c.decision = str_of(decision);
	if (!jws_write_compact(
		    &token, key, APPROVAL_TYP, approval_token_payload(&c, rows->arena)))
		e = fail_memory(why);
	if (!e && desk_reply_reopen(t, &w)) {
		jw_put_str(&w, "approval", buf_str(&token));
		jw_object_end(&w);
	}
	buf_done(&token);
	return e;
}

static enum err use_for(struct task *t, struct rows *rows, struct ask *a,
	const struct use_body *b, struct fault *why)
{
	struct jws_signer signer;
	struct ask_parts parts;
	enum err e = ask_parts(a, rows->arena, &parts, why);

	if (!e && !parts.operation)
		e = fail_at(why, "/for", "the ask has no operation to prove");
	if (!e) e = signing_open(t, rows, a->ws, &signer, why);
	if (!e) e = approval_consume(t, rows, a, b->digest, b->target, why);
	return e ? e : token_write(t, rows, a, parts.operation, &signer, why);
}

static enum err use_approval_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct use_body *b = t->checked;
	struct ask *a;
	enum err e = desk_find_ask(t, rows, &a, why);

	if (!e && a->run.len)
		e = desk_conflict(
			t, rows, a, why, "the run that asked uses it by itself");
	if (!e && !principal_asks_as(&job->who, a->agent))
		e = fail(why, ERR_FORBIDDEN, "only the agent that asked can use it");
	if (!e) e = desk_refused(t, why);
	if (e) return e;
	return b->target.len ? use_for(t, rows, a, b, why)
			     : approval_consume(t, rows, a, b->digest, STR_NONE, why);
}

const struct use use_approval_consume = WRITES("use", 0, JOB_LATE | JOB_BRIEF,
	desk_needs_ask, use_approval_decide, NULL, use_approval_check);

/* ---- redeem ---- */

struct redeem_body {
	struct str token, target;
	const struct json *operation;
};

static enum err redeem_check(struct task *t, struct fault *why)
{
	struct redeem_body *b = TASK_CHECKED(t, struct redeem_body);
	const struct json *token = json_get(t->body, "approval");
	enum risk risk;
	enum err e = MEMBERS_ONLY(t->body, why, "approval", "for", "operation");

	b->operation = json_get(t->body, "operation");
	if (!json_is(token, JSON_STRING))
		e = fail_at(why, "/approval", "required");
	else
		b->token = token->text;
	if (target_read(json_get(t->body, "for"), &b->target, why)) e = why->err;
	if (!b->operation)
		e = fail_at(why, "/operation", "required");
	else if (operation_read(b->operation, "/operation", &risk, why))
		e = why->err;
	return e;
}

static enum err redeem_refuse(enum proof_word word, struct fault *why)
{
	const char *name = proof_word_name(word);

	fail(why, ERR_APPROVAL, "this approval is not valid here: %s", name);
	fail_member(why, "reason", str_of(name));
	return ERR_APPROVAL;
}

static enum err redeem_reply(struct task *t, const struct ask *a)
{
	struct json_writer *w = TO_REPLY(&t->job);

	buf_clear(&t->job.out);
	jw_object(w);
	jw_put_str(w, "jti", a->used_jti);
	jw_put_str(w, "ask", a->id);
	jw_object_end(w);
	return OK;
}

/* Is it still the agent's to use? Who may not see the ask is not shown it. */
static enum err redeem_allowed(
	struct task *t, struct rows *rows, const struct ask *a, struct fault *why)
{
	char at[TIME_SIZE];
	enum err e = OK;

	if (a->redeemed_ms) {
		time_write(a->redeemed_ms, at);
		e = fail(why, ERR_USED, "the approval was redeemed at %s", at);
	} else if (a->revoked.len) {
		e = fail(why, ERR_REVOKED, "the approval was revoked: ask again");
	} else {
		e = approval_still_allowed(t, rows, a, why);
	}
	if (e && !principal_sees(&t->job.who, a->agent)) t->job.conflict = STR_NONE;
	return e;
}

static enum err redeem_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct redeem_body *b = t->checked;
	struct approval_claims c = { 0 };
	struct proof_keys keys;
	enum proof_word word;
	struct ask *a;
	enum err e = signing_keys(rows, job->who.ws, &keys, why);

	if (e) return e;
	word = approval_token_check(
		b->token, &keys, b->target, b->operation, rows->now_ms, rows->arena, &c);
	if (rows->arena->failed) return fail_memory(why);
	if (word) return redeem_refuse(word, why);
	e = rows_fetch_ask(rows, job->who.ws, c.ask, &a, why);
	/* A session that was deleted took its asks along: nobody can say that it is the first time. */
	if (e == ERR_NOT_FOUND) return redeem_refuse(PROOF_ONCE, why);
	if (!e && !str_eq(a->used_jti, c.jti)) return redeem_refuse(PROOF_ONCE, why);
	if (!e) e = redeem_allowed(t, rows, a, why);
	if (e) return e;
	a->redeemed_ms = rows->now_ms;
	a->version++;
	rows_event(rows, "approval.redeemed", rows_session(rows, a->ws, a->session), a,
		fields_text(rows->arena, FIELDS(field_str("jti", a->used_jti),
						 field_str("for", a->used_for),
						 field_text("name", job->who.name))));
	desk_keep_ask(t, a);
	return redeem_reply(t, a);
}

static enum err redeem_again(struct job *job, struct rows *rows,
	const struct key_record *kept, struct fault *why)
{
	struct task *t = task_of(job);
	struct str id;
	struct ask *a;
	enum err e = desk_kept_id(t, kept, "ask", &id, why);

	if (!e) e = rows_fetch_ask(rows, job->who.ws, id, &a, why);
	return e ? e : redeem_reply(t, a);
}

const struct use use_redeem =
	WRITES("redeem", 0, 0, NULL, redeem_decide, redeem_again, redeem_check);
