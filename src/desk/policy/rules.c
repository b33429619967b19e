/* rules.c - rules: made, listed, changed, ended. Tightening is easy, loosening is not: any
 * member makes a deny or an ask; an allow, and loosening what another made, takes an admin. */
#include "desk/policy/rules.h"
#include "base/keep.h"
#include "desk/policy/require.h"
#include "desk/shared/collection.h"

#include "base/clock.h"
#include "core/shared/body.h"
#include "core/shared/glob.h"
#include "core/shared/show.h"

static const struct collection rules;

enum err rule_find(struct task *t, struct rows *rows, struct str id,
	const struct rule_record **out, struct fault *why)
{
	const void *found;
	enum err e = collection_find(&rules, t, rows, id, &found, why);

	if (!e) *out = found;
	return e;
}

static bool rule_own(const struct principal *p, const struct rule_record *r)
{
	struct str person = principal_person(p);

	return person.len && str_eq(person, r->made_user);
}

static bool rule_allows(const struct rule_record *r)
{
	return str_is(r->effect, "allow");
}

/* ---- make ---- */

static enum err rule_check(struct task *t, struct fault *why)
{
	struct rule_record *r = TASK_CHECKED(t, struct rule_record);

	if (!t->body) return fail_at(why, "", "must be an object");
	return rule_read(t->body, NULL, NULL, clock_now_ms(), &t->job.arena, r, why);
}

enum err rule_read_at(struct task *t, const struct json *json, const char *at,
	struct rule_record *out, struct fault *why)
{
	int from = why->items_len;
	enum err e = rule_read(json, NULL, NULL, clock_now_ms(), &t->job.arena, out, why);

	fault_shift(why, from, at);
	return e;
}

/* Gives it what a new rule has, if there is room. */
static enum err rule_begin(
	struct task *t, struct rows *rows, struct rule_record *like, struct fault *why)
{
	struct buf by = { .max = 4096 };
	struct policy_snapshot *snapshot;
	size_t live = 0;
	enum err e = snapshot_of(t, rows, t->job.who.ws, &snapshot, why);

	if (e) return e;
	for (size_t i = 0; i < snapshot->rules_len; i++)
		live += rule_holds(&snapshot->rules[i], rows->now_ms);
	if (live >= RULES_MAX)
		return fail(why, ERR_CONFLICT,
			"%d rules hold already; end some of them first", RULES_MAX);
	answered_by_write(&by, "human", &t->job.who);
	like->ws = t->job.who.ws;
	like->id = rows_new_id(rows, "rul");
	like->made_by = buf_keep_done(&by, rows->arena);
	like->made_user = t->job.who.user;
	like->created_ms = rows->now_ms;
	if (like->expires_ms) rows_due_at(rows, like->expires_ms);
	return OK;
}

enum err rule_add(struct task *t, struct rows *rows, struct rule_record *like,
	const struct rule_record **out, struct fault *why)
{
	enum err e = rule_begin(t, rows, like, why);

	if (!e) *out = rows_new(rows, RECORD_RULES, like);
	return e;
}

/* What a rule wants must exist. */
static enum err rule_verifier(const struct desk *d, const struct rule_record *r,
	struct arena *arena, struct fault *why)
{
	struct rule_match match;
	struct rule_ask ask;
	struct str names = str_of(d->verifiers);
	enum err e = rule_parse(r, arena, &match, &ask, why);

	if (e || !ask.verify.len || delivery_name_known(names, ask.verify)) return e;
	return fail_at(why, "/ask/verify",
		names.len ? "no such verifier; configured: %.*s"
			  : "no such verifier; none is configured%.*s",
		STR_ARGS(names));
}

enum err rule_check_wants(
	struct task *t, struct rows *rows, const struct rule_record *r, struct fault *why)
{
	enum err e = require_check_rule(t, rows, r, why);

	return e ? e : rule_verifier(t->desk, r, rows->arena, why);
}

/* What it says it was made from must be an approval that it fits: else it could read as one call
 * and allow another. */
static enum err rule_check_from(
	struct task *t, struct rows *rows, struct rule_record *r, struct fault *why)
{
	struct operation_view look;
	struct rule_match match;
	struct ask_parts parts;
	struct policy_snapshot *snapshot;
	enum effect effect;
	struct ask *a;
	enum err e;

	if (!r->made_from.len) return OK;
	e = rows_fetch_ask(rows, t->job.who.ws, r->made_from, &a, why);
	if (e == ERR_NOT_FOUND) return fail_at(why, "/made_from/ask", "no such approval");
	if (!e) e = ask_parts(a, rows->arena, &parts, why);
	if (!e) e = snapshot_of(t, rows, a->ws, &snapshot, why);
	if (!e) e = rule_parse(r, rows->arena, &match, NULL, why);
	if (e) return e;
	if (!parts.operation) return fail_at(why, "/made_from/ask", "no such approval");
	ask_operation(&look, a, parts.operation, NULL, rows->arena);
	if (!effect_read(r->effect, &effect) ||
		!rule_fits(&match, effect, &look, policy_risk(&snapshot->policy, &look),
			rows->arena))
		return fail_at(why, "/made_from/ask",
			"the rule must match this approval, with its agent and project "
			"as they are");
	rule_from(r, a->id, &look, parts.sensitive, rows->arena);
	return OK;
}

/* Whoever made it may; of another's rule a member may take, not give. */
static enum err rule_may_change(const struct principal *p,
	const struct rule_record *before, const struct rule_record *after,
	struct fault *why)
{
	bool loosens = rule_loosens(before, after);

	if (role_may(p->role, MAY_ADMIN) || !loosens) return OK;
	if (rule_allows(after))
		return fail(why, ERR_FORBIDDEN, "only an admin can allow more");
	return rule_own(p, before)
		       ? OK
		       : fail(why, ERR_FORBIDDEN,
				 "only an admin can loosen another person's rule");
}

/* ---- end ---- */

/* `by` NULL: nobody ended it. */
static void rule_end(struct rows *rows, const struct rule_record *found,
	const struct principal *by, const char *reason)
{
	struct rule_record *r = rows_change(rows, found);

	r->ended_ms = rows->now_ms;
	r->ended = ended_write(by, rows->now_ms, reason, rows->arena);
}

/* Those that a suggestion named the ask for were made later. */
enum err rule_made_by(struct task *t, struct rows *rows, const struct ask *a,
	const struct rule_record **at, struct fault *why)
{
	struct policy_snapshot *snapshot;
	enum err e = OK;

	if (!*at) {
		e = snapshot_of(t, rows, a->ws, &snapshot, why);
		if (e || !snapshot->version) return e;
		e = rows_fetch(
			rows, RECORD_RULES, SQL_RULES_MADE_FROM, ARGS(a->ws, a->id), why);
	}
	while (!e && (*at = rows_next(rows, RECORD_RULES, *at)))
		if ((*at)->ws == a->ws && !(*at)->ended_ms &&
			str_eq((*at)->made_from, a->id) &&
			(*at)->created_ms == a->settled_ms)
			return OK;
	return e;
}

enum err rules_revoked(const struct happened *h, struct fault *why)
{
	const struct rule_record *r = NULL;
	enum err e = rule_made_by(h->task, h->rows, h->ask, &r, why);

	while (!e && r) {
		rule_end(h->rows, r, &h->task->job.who, "revoked");
		e = rule_made_by(h->task, h->rows, h->ask, &r, why);
	}
	return e;
}

/* Matches are kept as compact JSON, in which a quote is always escaped within a text. */
static bool rule_of_session(const struct rule_record *r, struct str member)
{
	return !r->ended_ms && str_find(r->match, member) >= 0;
}

enum err rules_of_session(const struct happened *h, struct fault *why)
{
	struct rows *rows = h->rows;
	struct str id = h->session->id, member;
	const struct rule_record *r = NULL;
	struct policy_snapshot *snapshot;
	enum err e;

	if (!session_ended(h->session)) return OK;
	e = snapshot_of(h->task, rows, h->session->ws, &snapshot, why);
	/* The first of all may be one that this very job made. */
	if (e || (!snapshot->version && !rows_next(rows, RECORD_RULES, NULL))) return e;
	member = arena_print(rows->arena, "\"session\":\"%.*s\"", STR_ARGS(id));
	for (size_t i = 0; !e && i < snapshot->rules_len; i++) {
		if (rule_of_session(&snapshot->rules[i], member) &&
			!rows_find(rows, RECORD_RULES, snapshot->rules[i].id))
			e = rows_fetch(rows, RECORD_RULES,
				SQL_OF(RECORD_RULES, RECORD_GET),
				ARGS(snapshot->ws, snapshot->rules[i].id), why);
	}
	while (!e && (r = rows_next(rows, RECORD_RULES, r)))
		if (r->ws == h->session->ws && rule_of_session(r, member))
			rule_end(rows, r, NULL, "session");
	return e;
}

static enum err rule_end_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct rule_record *found;
	enum err e = rule_find(t, rows, t->id, &found, why);

	if (e) return e;
	/* The end of an allow tightens. */
	if (!role_may(job->who.role, MAY_ADMIN) && !rule_own(&job->who, found) &&
		!rule_allows(found))
		return fail(
			why, ERR_FORBIDDEN, "only its creator or an admin can end it");
	if (!rule_holds(found, rows->now_ms))
		return fail(why, ERR_CONFLICT, "the rule has already ended");
	job->status = 204;
	rule_end(rows, found, &job->who, "revoked");
	return OK;
}

const struct use use_rule_end =
	WRITES("rule_end", MAY_SETTLE, 0, NULL, rule_end_decide, NULL, NULL);

/* ---- the collection ---- */

/* One that may concern this agent. */
static bool rule_of_agent(
	const struct rule_record *r, struct str agent, struct arena *arena)
{
	struct rule_match match;
	struct rule_ask ask;

	if (!agent.len || rule_parse(r, arena, &match, &ask, NULL)) return true;
	if (!match.agent.len) return true;
	return match.literal ? str_eq(match.agent, agent) : glob_fits(match.agent, agent);
}

static bool rule_lists(struct task *t, struct rows *rows, const void *record)
{
	struct arena scratch = { 0 };
	bool lists = rule_of_agent(record, task_param(t, "agent"), &scratch);

	(void)rows;
	arena_done(&scratch);
	return lists;
}

static enum err rule_args(
	struct task *t, struct rows *rows, struct val *args, int *len, struct fault *why)
{
	struct str effect = task_param(t, "effect");
	enum effect known;
	int64_t state = 0;
	enum err e = desk_state_read(t, &state, why);

	if (!e && task_has_param(t, "effect") && !effect_read(effect, &known))
		e = fail_at(why, "/effect", "allow, ask or deny");
	/* Which of them concern an agent is not for the store to say. */
	if (task_param(t, "agent").len) args[2] = val_int(INT32_MAX);
	args[(*len)++] = val_text(effect);
	args[(*len)++] = val_int(state);
	args[(*len)++] = val_int(rows->now_ms);
	return e;
}

static enum err shadows_read(struct task *t, struct rows *rows, struct fault *why)
{
	struct rule_shadows *s = TASK_CHECKED(t, struct rule_shadows);
	size_t len;
	const struct rule_record **all = (const struct rule_record **)rows_all(
		rows, RECORD_RULES, t->job.who.ws, &len);

	return s ? shadows_count(t, rows, s, all, len, why) : fail_memory(why);
}

/* In a reply to a write: its warnings, and how many open approvals it fits, are read afterwards, by a
 * reading clerk (use_rule_warned). */
static enum err rule_shown(struct task *t, struct rows *rows, struct json_writer *w,
	const void *record, struct fault *why)
{
	static const struct rule_shadows none;
	const struct rule_record *r = record;
	enum err e = OK;

	/* Of a list: all of its page at once, when the first is shown. */
	if (r->shadow && t->job.kind->read && !t->checked) e = shadows_read(t, rows, why);
	jw_object(w);
	rule_show_members(w, r, rows->now_ms);
	shadow_show(w, t->job.kind->read && t->checked ? t->checked : &none, r);
	if (!t->job.kind->read) {
		t->id = arena_str(&t->job.arena, r->id);
		jw_put_array(w, "warnings");
		jw_array_end(w);
		jw_put_int(w, "waiting", 0);
	}
	jw_object_end(w);
	return e;
}

static enum err rule_change(struct task *t, struct rows *rows,
	const struct rule_record *was, struct rule_record *after, struct fault *why)
{
	enum err e;

	if (!rule_holds(was, rows->now_ms))
		return fail(why, ERR_CONFLICT, "the rule has ended; create another");
	e = rule_read(t->body, was, &version_also, rows->now_ms, rows->arena, after, why);
	return e ? e : rule_may_change(&t->job.who, was, after, why);
}

static enum err rule_fill(struct task *t, struct rows *rows, const void *was,
	void *record, struct fault *why)
{
	struct rule_record *r = record;
	enum err e = was ? rule_change(t, rows, was, r, why) : OK;

	if (!was) *r = *(const struct rule_record *)t->checked;
	if (!was && rule_allows(r) && !r->shadow && !role_may(t->job.who.role, MAY_ADMIN))
		return fail(why, ERR_FORBIDDEN,
			"only admins can create rules that allow; members can create ask and deny rules");
	if (!e && r->expires_ms && r->expires_ms <= rows->now_ms)
		e = fail_at(why, "/expires_at", "must be in the future");
	if (!e) e = rule_check_wants(t, rows, r, why);
	if (!e && !was) e = rule_check_from(t, rows, r, why);
	if (!e && !was) e = rule_begin(t, rows, r, why);
	if (!e && r->expires_ms) rows_due_at(rows, r->expires_ms);
	return e;
}

static const struct collection rules = {
	.noun = "rule",
	.nouns = "rules",
	.record = RECORD_RULES,
	.id_at = offsetof(struct rule_record, id),
	.list = SQL_RULES_LIST,
	.paged = true,
	.first = "~",
	.args = rule_args,
	.lists = rule_lists,
	.show = rule_shown,
	.fill = rule_fill,
};

const struct use use_rule_list = LISTS("rule_list", MAY_READ_ALL, rules);
const struct use use_rule_get = GETS("rule_get", MAY_READ_ALL, rules);
const struct use use_rule_make = CREATES("rule_make", MAY_SETTLE, 0, rules, rule_check);
const struct use use_rule_patch =
	PATCHES("rule_patch", MAY_SETTLE, 0, rules, version_patch_check);
