/* authorize.c - may this call run? Asked by gateways that people have: each call is decided, asked where a
 * person is needed, and the approval is used by the request that gets "allow". Whatever comes of it is
 * committed before it is said. */
#include "desk/policy/decide.h"

#include "base/hash.h"
#include "core/ask/ask.h"
#include "core/shared/body.h"
#include "desk/ask/ask.h"

/* For how long an approval that nobody has used yet waits for the same call. */
enum { AUTHORIZE_KEEP_MS = 24 * 3600 * 1000 };

struct authorize_body {
	const struct json *operation;
	struct draft draft; /* of the ask, should one be needed */
	struct str session; /* an id; or empty */
};

/* ---- read ---- */

static enum err authorize_draft(
	struct task *t, struct authorize_body *b, struct fault *why)
{
	struct draft_limits limits = desk_limits(t->desk);
	struct json_member *m = ARENA_ARRAY(&t->job.arena, struct json_member, 2);
	struct json ask = { .type = JSON_OBJECT, .count = 2, .members = m };

	if (!m) return fail_memory(why);
	m[0] = (struct json_member){ STR("kind"),
		{ .type = JSON_STRING, .text = STR("approval") } };
	m[1] = (struct json_member){ STR("operation"), *b->operation };
	return draft_read(&ask, &limits, &t->job.arena, &b->draft, why);
}

static enum err authorize_check(struct task *t, struct fault *why)
{
	struct authorize_body *b = TASK_CHECKED(t, struct authorize_body);
	const struct json *session = json_get(t->body, "session");
	enum risk risk;
	enum err e;

	if (!t->body) return fail_at(why, "/operation", "required");
	e = MEMBERS_ONLY(t->body, why, "operation", "session", "wait");
	b->operation = json_get(t->body, "operation");
	if (!json_is(b->operation, JSON_OBJECT))
		e = fail_at(
			why, "/operation", "required: {type?, name, arguments?, risk?}");
	else if (operation_read(b->operation, "/operation", &risk, why))
		e = why->err;
	if (session && session->type != JSON_NULL) {
		t->default_session = str_trim(json_text(session));
		if (!t->default_session.len)
			e = fail_at(why, "/session", "an id or external id of a session");
		else if (session_external_id_check(t->default_session, "/session", why))
			e = why->err;
	}
	if (id_valid(t->default_session, "ses")) b->session = t->default_session;
	if (!e) e = authorize_draft(t, b, why);
	b->draft.session = b->session;
	t->default_session_title = STR("Gateway");
	return e;
}

/* The same call of the same session is the same ask while that is open or unused. */
static void authorize_identify(struct task *t, const struct authorize_body *b)
{
	char same[DIGEST_SIZE], hex[2 * SHA256_SIZE + 1];
	uint8_t hash[SHA256_SIZE];
	struct str project = STR_NONE, text;

	if (t->dedupe_key.len) return;
	/* A project that is refused is refused again when it is decided. */
	if (!t->default_session.len && !project_choose(&t->project, t->job.who.projects,
					       STR_NONE, &project, NULL))
		t->default_session = arena_print(&t->job.arena, "gateway:%.*s%s%.*s",
			STR_ARGS(t->job.who.token), project.len ? ":" : "",
			STR_ARGS(project));
	operation_same(b->operation, NULL, same);
	text = arena_print(
		&t->job.arena, "authorize\n%.*s\n%s", STR_ARGS(t->default_session), same);
	sha256(text, hash);
	hex_write(hash, SHA256_SIZE, hex);
	t->dedupe_key = arena_str(&t->job.arena, str_of(hex));
}

static void authorize_needs(struct job *job, struct wants *w)
{
	struct task *t = task_of(job);
	const struct authorize_body *b = t->checked;
	const struct principal *p = &job->who;

	authorize_identify(t, b);
	if (b->session.len)
		wants_session(w, p->ws, b->session);
	else
		wants_external(w, p->ws, p->agent, t->default_session);
	wants_dedupe(w, p->ws, p->agent, t->dedupe_key);
	wants_settled(
		w, p->ws, p->agent, t->dedupe_key, w->rows->now_ms - AUTHORIZE_KEEP_MS);
}

/* ---- said ---- */

static struct authorized *authorized_new(struct task *t, struct fault *why)
{
	struct authorized *out = ARENA_NEW(&t->job.arena, struct authorized);

	if (!out) fail_memory(why);
	t->authorized = out;
	return out;
}

static enum err authorized_say(
	struct task *t, enum err e, const char *detail, struct authorized *out)
{
	out->err = e;
	out->decision = !e ? "allow" : e == ERR_APPROVAL_PENDING ? "ask" : "deny";
	out->detail = arena_str(&t->job.arena, str_of(detail));
	t->settled = e != ERR_APPROVAL_PENDING;
	return OK;
}

/* A stop, or a rule, holds by now whatever was approved. */
static enum err authorized_fault(
	struct task *t, const struct fault *why, struct authorized *out)
{
	bool stopped = why->err == ERR_STOPPED;
	struct str id = arena_str(&t->job.arena, str_of(why->member_text));

	out->by = stopped ? "person" : "rule";
	*(stopped ? &out->stop : &out->rule) = why->member ? id : STR_NONE;
	out->reason = arena_str(&t->job.arena, str_of(why->detail));
	return authorized_say(
		t, stopped ? ERR_STOPPED : ERR_DENIED_ANSWER, why->detail, out);
}

static enum err authorized_decided(struct task *t, struct rows *rows,
	const struct decided *d, struct authorized *out)
{
	struct arena *arena = &t->job.arena;
	bool policy = str_is(d->rule, "policy");
	int note = str_find(d->reason, STR(": "));

	out->by = d->stop.len	   ? "person"
		  : d->mandate.len ? "mandate"
		  : policy	   ? "policy"
				   : "rule";
	if (!policy) out->rule = arena_str(arena, d->rule);
	out->stop = arena_str(arena, d->stop);
	out->reason = arena_str(arena, decided_sentence(d, rows->arena));
	if (d->effect == EFFECT_ALLOW) return authorized_say(t, OK, "", out);
	if (d->stop.len)
		return authorized_say(t, ERR_STOPPED, arena_copy(arena, d->reason), out);
	return authorized_say(t, ERR_DENIED_ANSWER,
		note < 0 ? "denied by a rule"
			 : arena_copy(arena,
				   arena_print(arena, "denied by a rule%.*s",
					   STR_ARGS(str_from(d->reason, (size_t)note)))),
		out);
}

/* Who settled it, and what they said. */
static enum err authorized_answered(struct task *t, struct rows *rows,
	const struct ask *a, struct authorized *out, struct fault *why)
{
	const struct json *by, *answer;
	struct str kind, text = a->reason;
	enum err e = OK;

	if (a->answered_by.len) {
		e = json_read(a->answered_by, NULL, rows->arena, &by, why);
		if (e) return e;
		kind = json_text_of(by, "kind");
		out->by = str_is(kind, "policy")    ? "rule"
			  : str_is(kind, "default") ? "policy"
						    : "person";
		out->rule = arena_str(&t->job.arena, json_text_of(by, "rule"));
	}
	if (!text.len && a->answer.len) {
		e = json_read(a->answer, NULL, rows->arena, &answer, why);
		if (!e) text = json_text_of(json_get(answer, "decision"), "text");
	}
	out->reason = arena_str(&t->job.arena, text);
	return e;
}

static const char *refusal(const struct ask *a, bool approved)
{
	static const char *const words[] = { [ASK_SKIPPED] = "it was skipped",
		[ASK_EXPIRED] = "nobody answered in time",
		[ASK_CANCELLED] = "the approval was withdrawn" };

	if (approved && a->revoked.len) return "the approval was revoked: ask again";
	if (approved) return "it was approved with other arguments: send those";
	return a->status == ASK_ANSWERED ? "it was rejected" : words[a->status];
}

/* Good for this call, and for no other. */
static bool approval_unused(const struct ask *a, bool approved)
{
	return approved && !a->used_ms && !a->revoked.len &&
	       (!a->approved_digest.len || str_eq(a->approved_digest, a->digest));
}

/* What a call hears of its ask. */
static enum err authorize_of_ask(struct task *t, struct rows *rows, struct ask *a,
	struct authorized *out, struct fault *why)
{
	struct fault held = { 0 };
	bool approved;
	enum err e = ask_approved(a, rows->arena, &approved, why);

	if (e) return e;
	out->ask = arena_str(&t->job.arena, a->id);
	out->digest = arena_str(&t->job.arena, a->digest);
	t->ask = out->ask;
	if (a->status == ASK_PENDING) {
		e = approval_still_allowed(t, rows, a, &held);
		if (e == ERR_STOPPED || e == ERR_DENIED)
			return authorized_fault(t, &held, out);
		if (e) return fail(why, e, "%s", held.detail);
		return authorized_say(t, ERR_APPROVAL_PENDING,
			"a person has to approve it: send the request again", out);
	}
	if (approved && a->used_ms)
		return authorized_say(t, ERR_APPROVAL_PENDING,
			"the approval was used by another request: send the request again",
			out);
	e = authorized_answered(t, rows, a, out, why);
	if (e) return e;
	if (!approval_unused(a, approved)) {
		desk_note_fetched(t->desk, a->ws, a->id, false);
		return authorized_say(t, ERR_REJECTED, refusal(a, approved), out);
	}
	e = approval_consume(t, rows, a, a->digest, STR_NONE, &held);
	if (e == ERR_STOPPED || e == ERR_DENIED) return authorized_fault(t, &held, out);
	if (e) return fail(why, e, "%s", held.detail);
	return authorized_say(t, OK, "", out);
}

/* ---- decided ---- */

/* The session that the call names, or that its token has here; NULL: it is not made yet. */
static enum err authorize_session(struct task *t, struct rows *rows,
	const struct authorize_body *b, struct session **out, struct fault *why)
{
	const struct principal *p = &t->job.who;
	struct session *s =
		b->session.len ? rows_session(rows, p->ws, b->session)
			       : rows_external(rows, p->ws, p->agent, t->default_session);

	if (b->session.len && (!s || !principal_sees(p, s->agent)))
		return fail(why, ERR_NOT_FOUND, "no session %.*s", STR_ARGS(b->session));
	*out = s;
	return s ? desk_own(p, s->agent, why) : OK;
}

/* The ask of the same call: open, or settled and not heard of. */
static enum err authorize_known(
	struct task *t, struct rows *rows, struct ask **out, struct fault *why)
{
	const struct principal *p = &t->job.who;
	struct ask *open = rows_dedupe(rows, p->ws, p->agent, t->dedupe_key);
	struct ask *a = rows_settled(
		rows, p->ws, p->agent, t->dedupe_key, rows->now_ms - AUTHORIZE_KEEP_MS);
	bool approved = false;
	enum err e = OK;

	*out = NULL;
	if (open && open->deadline_ms && open->deadline_ms <= rows->now_ms)
		e = ask_expire(t, rows, open, why);
	if (open && !e && open->status == ASK_PENDING) *out = open;
	if (e || open || !a) return e;
	e = ask_approved(a, rows->arena, &approved, why);
	if (e) return e;
	if (approval_unused(a, approved) ||
		((a->status == ASK_ANSWERED || a->status == ASK_SKIPPED) && !a->used_ms &&
			!fetched_keep(t->desk, a)))
		*out = a;
	return OK;
}

static enum err authorize_ask(struct task *t, struct rows *rows,
	const struct authorize_body *b, struct authorized *out, struct fault *why)
{
	struct ask *a;
	enum err e = ask_by_request(t, rows, &b->draft, &a, why);

	return e ? e : authorize_of_ask(t, rows, a, out, why);
}

/* It may run without the ask that is open for it. */
static enum err authorize_withdraw(
	struct task *t, struct rows *rows, struct ask *a, struct fault *why)
{
	struct settlement how = { .verb = SETTLE_CANCEL,
		.reason = STR("allowed without it") };

	return a && a->status == ASK_PENDING ? ask_settle(t, rows, a, &how, why) : OK;
}

static enum err authorize_look(struct task *t, struct rows *rows,
	const struct authorize_body *b, struct session *s, struct operation_view *look,
	struct authorized *out, struct fault *why)
{
	char digest[DIGEST_SIZE];
	struct str project, agent;
	enum err e = projects_resolve(t, rows, s, STR_NONE, &project, why);

	if (e) return e;
	agent = s ? agent_known(s->agent, s->agent_name)
		  : agent_known(t->job.who.agent, session_agent_name(t));
	operation_view(look, b->operation, NULL, agent, project, s ? s->id : STR_NONE,
		rows->arena);
	look->requester = t->job.who.user;
	operation_digest(b->operation, NULL, s ? s->id : STR_NONE, digest);
	out->digest = arena_str(&t->job.arena, str_of(digest));
	return OK;
}

static enum err authorize_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct authorize_body *b = t->checked;
	struct authorized *out = authorized_new(t, why);
	struct operation_view look;
	struct session *s = NULL;
	struct ask *known = NULL;
	struct decided d;
	enum err e = out ? authorize_session(t, rows, b, &s, why) : ERR_MEMORY;

	if (!e && job->who.role != ROLE_AGENT)
		e = fail(why, ERR_NO_TOKEN, "an agent's token is needed");
	if (!e) e = authorize_known(t, rows, &known, why);
	if (!e && known && known->status != ASK_PENDING)
		return authorize_of_ask(t, rows, known, out, why);
	if (!e) e = authorize_look(t, rows, b, s, &look, out, why);
	if (!e) e = decide_operation(t, rows, &look, &d, why);
	if (e) return e;
	/* A mode that nobody has set lets nothing through here. */
	if (d.effect == EFFECT_ASK || (d.effect == EFFECT_ALLOW && d.by_default))
		return known ? authorize_of_ask(t, rows, known, out, why)
			     : authorize_ask(t, rows, b, out, why);
	e = decide_keep(t, rows, s, &look, &d, why);
	if (!e && d.effect == EFFECT_ALLOW) e = authorize_withdraw(t, rows, known, why);
	return e ? e : authorized_decided(t, rows, &d, out);
}

const struct use use_authorize = WRITES("authorize", MAY_ASK, JOB_ASKS, authorize_needs,
	authorize_decide, NULL, authorize_check);

static enum err asked_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct authorized *out = authorized_new(t, why);
	struct ask *a;
	enum err e = out ? desk_find_ask(t, rows, &a, why) : ERR_MEMORY;

	if (!e && !principal_asks_as(&job->who, a->agent))
		e = fail(why, ERR_FORBIDDEN, "only the agent that asked can use it");
	return e ? e : authorize_of_ask(t, rows, a, out, why);
}

const struct use use_authorize_asked =
	WRITES("authorize_asked", MAY_ASK, 0, desk_needs_ask, asked_decide, NULL, NULL);
