/* rules.c - rules: made, listed, changed, ended. Tightening is easy, loosening is not: any
 * member makes a deny or an ask; an allow, and loosening what another made, takes an admin. */
#include "desk/policy/rules.h"
#include "base/keep.h"
#include "desk/policy/require.h"
#include "desk/shared/collection.h"

#include "base/clock.h"
#include "core/policy/glob.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

static enum err out_of_memory(struct fault *why)
{
	return fail(why, ERR_MEMORY, "out of memory");
}

enum err rule_find(struct task *t, struct rows *rows, struct str id,
	const struct rule_record **out, struct fault *why)
{
	const struct val key[] = { val_int(t->job.who.ws), val_text(id) };
	enum err e = OK;

	if (!rows_find(rows, RECORD_RULES, id))
		e = rows_fetch(rows, RECORD_RULES, SQL_OF(RECORD_RULES, RECORD_GET), key,
			2, why);
	if (e) return e;
	*out = rows_find(rows, RECORD_RULES, id);
	if (*out && (*out)->ws == t->job.who.ws) return OK;
	return fail(why, ERR_NOT_FOUND, "no rule %.*s", STR_ARGS(str_first(id, 64)));
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

enum err rule_add(struct task *t, struct rows *rows, struct rule_record *like,
	const struct rule_record **out, struct fault *why)
{
	struct buf by = { .max = 4096 };
	struct policy_snapshot *snapshot;
	size_t live = 0;
	enum err e = desk_book(t->desk, &t->job, rows, t->job.who.ws, &snapshot, why);

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
	*out = rows_new(rows, RECORD_RULES, like);
	if ((*out)->expires_ms) rows_due_at(rows, (*out)->expires_ms);
	return OK;
}

/* What a rule wants must exist. */
static enum err rule_verifier(const struct desk *d, const struct rule_record *r,
	struct arena *arena, struct fault *why)
{
	struct rule_match match;
	struct rule_ask ask;
	struct str names = str_of(d->verifiers);
	enum err e = rule_parse(r, arena, &match, &ask, why);

	if (e || !ask.verify.len || desk_name_known(names, ask.verify)) return e;
	return fail_at(why, "/ask/verify",
		names.len ? "no such verifier; configured: %.*s"
			  : "no such verifier; none is configured%.*s",
		STR_ARGS(names));
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
	if (!e) e = desk_book(t->desk, &t->job, rows, a->ws, &snapshot, why);
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

/* Its warnings, and how many open approvals it fits, are read afterwards, by a reading clerk
 * (use_rule_warned). */
static void rule_reply(struct task *t, struct rows *rows, const struct rule_record *r)
{
	struct json_writer w = { .out = &t->job.out };

	t->id = arena_str(&t->job.arena, r->id);
	jw_object(&w);
	rule_show_members(&w, r, rows->now_ms);
	jw_put_array(&w, "warnings");
	jw_array_end(&w);
	jw_put_int(&w, "waiting", 0);
	jw_object_end(&w);
}

static enum err rule_make_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct rule_record like = *(const struct rule_record *)t->checked;
	const struct rule_record *r;
	enum err e;

	if (rule_allows(&like) && !role_may(job->who.role, MAY_ADMIN))
		return fail(why, ERR_FORBIDDEN,
			"only admins can create rules that allow; members can create ask and deny rules");
	if (like.expires_ms && like.expires_ms <= rows->now_ms)
		return fail_at(why, "/expires_at", "must be in the future");
	e = rule_check_require(t, rows, &like, why);
	if (!e) e = rule_check_from(t, rows, &like, why);
	if (!e) e = rule_verifier(t->desk, &like, rows->arena, why);
	if (!e) e = rule_add(t, rows, &like, &r, why);
	if (e) return e;
	job->status = 201;
	desk_keep_id(t, "rule", r->id);
	rule_reply(t, rows, r);
	return OK;
}

static enum err rule_again(
	struct job *job, struct rows *rows, const struct key_record *k, struct fault *why)
{
	struct task *t = task_of(job);
	const struct rule_record *r;
	struct str id;
	enum err e = desk_kept_id(t, k, "rule", &id, why);

	if (!e) e = rule_find(t, rows, id, &r, why);
	if (!e) rule_reply(t, rows, r);
	return e;
}

const struct use use_rule_make = WRITES(
	"rule_make", MAY_SETTLE, 0, NULL, rule_make_decide, rule_again, rule_check);

/* ---- change ---- */

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

static enum err rule_patch_decide(struct job *job, struct rows *rows, struct fault *why)
{
	static const struct str names[] = { STR("version") };
	static const struct members also = { names, 1 };
	struct task *t = task_of(job);
	const struct rule_record *found;
	struct rule_record after, *r;
	int64_t version;
	enum err e = rule_find(t, rows, t->id, &found, why);

	if (!e) e = version_read(t->body, &version, why);
	if (e) return e;
	if (!rule_holds(found, rows->now_ms))
		return fail(why, ERR_CONFLICT, "the rule has ended; create another");
	after = *found;
	e = rule_read(t->body, found, &also, rows->now_ms, rows->arena, &after, why);
	if (!e) e = rule_may_change(&job->who, found, &after, why);
	if (e) return e;
	if (version != found->version)
		return fail(why, ERR_CONFLICT,
			"the rule has changed since: version %lld now",
			(long long)found->version);
	if (after.expires_ms && after.expires_ms <= rows->now_ms)
		return fail_at(why, "/expires_at", "must be in the future");
	e = rule_check_require(t, rows, &after, why);
	if (!e) e = rule_verifier(t->desk, &after, rows->arena, why);
	r = e ? NULL : rows_change(rows, found);
	if (!r) return e ? e : out_of_memory(why);
	after.version = r->version;
	*r = after;
	if (r->expires_ms) rows_due_at(rows, r->expires_ms);
	rule_reply(t, rows, r);
	return OK;
}

const struct use use_rule_patch = WRITES(
	"rule_patch", MAY_SETTLE, 0, NULL, rule_patch_decide, NULL, version_patch_check);

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
	const struct val args[] = { val_int(a->ws), val_text(a->id) };
	struct policy_snapshot *snapshot;
	enum err e = OK;

	if (!*at) {
		e = desk_book(t->desk, &t->job, rows, a->ws, &snapshot, why);
		if (e || !snapshot->version) return e;
		e = rows_fetch(rows, RECORD_RULES, SQL_RULES_MADE_FROM, args, 2, why);
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
	e = desk_book(h->task->desk, &h->task->job, rows, h->session->ws, &snapshot, why);
	/* The first of all may be one that this very job made. */
	if (e || (!snapshot->version && !rows_next(rows, RECORD_RULES, NULL))) return e;
	member = arena_print(rows->arena, "\"session\":\"%.*s\"", STR_ARGS(id));
	for (size_t i = 0; !e && i < snapshot->rules_len; i++) {
		const struct val key[] = { val_int(snapshot->ws),
			val_text(snapshot->rules[i].id) };

		if (rule_of_session(&snapshot->rules[i], member) &&
			!rows_find(rows, RECORD_RULES, snapshot->rules[i].id))
			e = rows_fetch(rows, RECORD_RULES,
				SQL_OF(RECORD_RULES, RECORD_GET), key, 2, why);
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

/* ---- list, get ---- */

struct rule_list {
	struct task *t;
	struct json_writer *w;
	int64_t left, now_ms;
	struct str agent, last;
	bool more;
};

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

static enum err rule_listed(void *ctx, const struct row *row, struct fault *why)
{
	struct rule_list *l = ctx;
	struct arena scratch = { 0 };
	struct rule_record r;
	enum err e = OK;

	if (!l->more) e = record_read(&records[RECORD_RULES], row, &scratch, &r, why);
	if (!e && !l->more && rule_of_agent(&r, l->agent, &scratch)) {
		l->more = l->left-- == 0;
		if (!l->more) {
			rule_show(l->w, &r, l->now_ms);
			l->last = arena_str(&l->t->job.arena, r.id);
		}
	}
	arena_done(&scratch);
	return e;
}

static enum err rule_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct rule_list l = {
		.t = t, .w = &w, .now_ms = rows->now_ms, .agent = task_param(t, "agent")
	};
	struct str effect = task_param(t, "effect");
	enum effect known;
	struct list_page p;
	int64_t as_of = 0, state;
	enum err e = page_read(t, "rules", &p, why);

	if (!e) e = desk_state_read(t, &state, why);
	if (!e && task_has_param(t, "effect") && !effect_read(effect, &known))
		e = fail_at(why, "/effect", "allow, ask or deny");
	if (!e) e = last_event(rows, job->who.ws, &as_of, why);
	if (e) return e;
	/* Which of them concern an agent is not for the store to say. */
	const struct val args[] = { val_int(job->who.ws),
		val_text(p.has_cursor ? p.cursor[0] : STR("~")),
		val_int(l.agent.len ? INT32_MAX : p.limit + 1), val_text(effect),
		val_int(state), val_int(rows->now_ms) };
	l.left = p.limit;
	jw_object(&w);
	jw_put_array(&w, "items");
	e = rows_query(rows, SQL_RULES_LIST, args, 6, rule_listed, &l, why);
	jw_array_end(&w);
	page_end(t, &w, "rules", l.more ? &l.last : NULL, 1, as_of);
	jw_object_end(&w);
	return e;
}

const struct use use_rule_list =
	READS("rule_list", MAY_READ_ALL, 0, rule_list_read, NULL);

static enum err rule_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct rule_list l = { .t = t, .w = &w, .left = 1, .now_ms = rows->now_ms };
	const struct val key[] = { val_int(job->who.ws), val_text(t->id) };
	enum err e = rows_query(
		rows, SQL_OF(RECORD_RULES, RECORD_GET), key, 2, rule_listed, &l, why);

	if (e || l.last.len) return e;
	return fail(why, ERR_NOT_FOUND, "no rule %.*s", STR_ARGS(str_first(t->id, 64)));
}

const struct use use_rule_get = READS("rule_get", MAY_READ_ALL, 0, rule_get_read, NULL);
