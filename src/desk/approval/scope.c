/* scope.c - approvals that hold for a while: the same call or a pattern, for a session, a time, or
 * always. The rule that is made is bound to the agent and the project, and never wider than the
 * policy lets this person go. */
#include "desk/approval/scope.h"

#include "desk/ask/ask.h"

#include "base/keep.h"
#include "core/ask/question_kind.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

#include <stdio.h>

enum { OPEN_MAX = 200 };

enum scope_length { FOR_ONCE, FOR_SESSION, FOR_TIME, FOR_ALWAYS };

struct scope_body {
	enum scope_length length;
	int64_t ms; /* FOR_TIME */
	bool pattern, open;
	struct str tool;
};

/* An approval that may hold for longer. */
struct scoping {
	struct task *t;
	struct rows *rows;
	const struct ask *a;
	const struct ask_parts *parts;
	struct answer *answer;
	struct scope_body body;
	/* What would be allowed, and by which policy; see scope_risk. */
	struct operation_view look;
	const struct policy *policy;
	enum risk risk;
};

/* ---- the body ---- */

static enum err for_read(const struct json *text, struct scope_body *b, struct fault *why)
{
	static const char *const words[] = { "once", "session", NULL, "always" };

	if (!text || text->type == JSON_NULL) return OK;
	for (int i = FOR_ONCE; i <= FOR_ALWAYS; i++)
		if (words[i] && str_is(json_text(text), words[i])) {
			b->length = (enum scope_length)i;
			return OK;
		}
	b->length = FOR_TIME;
	return duration_of(text, &b->ms) && b->ms > 0
		       ? OK
		       : fail_at(why, "/scope/for",
				 "must be once, session, always or a time such as 15m");
}

static enum err body_read(
	const struct json *scope, struct scope_body *b, struct fault *why)
{
	static const char *const names[] = { "for", "what", "tool", "open" };
	const struct json *what = json_get(scope, "what"),
			  *tool = json_get(scope, "tool"),
			  *open = json_get(scope, "open");
	enum err e = OK;

	if (!json_is(scope, JSON_OBJECT))
		return fail_at(why, "/scope", "must be an object");
	for (uint32_t i = 0; i < scope->count; i++)
		if (name_find(names, 4, scope->members[i].name) < 0)
			e = fail_at(why, "/scope", "unknown member %.*s",
				STR_ARGS(text_excerpt(scope->members[i].name)));
	if (for_read(json_get(scope, "for"), b, why)) e = why->err;
	if (what && !str_is(json_text(what), "same") &&
		!str_is(json_text(what), "pattern"))
		e = fail_at(why, "/scope/what", "same or pattern");
	b->pattern = str_is(json_text(what), "pattern");
	b->tool = json_text(tool);
	if (b->pattern && !b->tool.len)
		e = fail_at(why, "/scope/tool", "required: the pattern, Bash(npm test*)");
	if (!b->pattern && tool && tool->type != JSON_NULL)
		e = fail_at(why, "/scope/tool", "comes with \"what\": \"pattern\"");
	if (open && !json_is_bool(open)) e = fail_at(why, "/scope/open", "true or false");
	b->open = json_is(open, JSON_TRUE);
	if (!e && b->length == FOR_ONCE && (b->pattern || b->open))
		e = fail_at(why, "/scope/for", "once makes no rule: choose a time");
	return e;
}

/* ---- how far this person may go ---- */

static void duration_say(int64_t ms, char out[32])
{
	int64_t s = ms / 1000;

	if (s % 3600 == 0)
		snprintf(out, 32, "%lldh", (long long)(s / 3600));
	else if (s % 60 == 0)
		snprintf(out, 32, "%lldm", (long long)(s / 60));
	else
		snprintf(out, 32, "%llds", (long long)s);
}

static enum err scope_reach(const struct scoping *s, struct fault *why)
{
	const struct scope_body *b = &s->body;
	const struct policy *policy = s->policy;
	bool admin = role_may(s->t->job.who.role, MAY_ADMIN);
	char most[32];

	if (s->a->require.len)
		return fail_at(why, "/scope/for",
			"it needs more than one approval: choose once");
	if (s->look.type > TYPE_DB_OP)
		return fail_at(why, "/scope/for",
			"plans and approvals in advance are approved one by one: choose once");
	if (s->risk == RISK_CRITICAL)
		return fail_at(why, "/scope/for", "its risk is critical: choose once");
	if (s->risk == RISK_HIGH) {
		duration_say(policy->scope_high_ms, most);
		if (b->pattern)
			return fail_at(why, "/scope/what",
				"its risk is high: choose the same call");
		if (b->length != FOR_TIME || b->ms > policy->scope_high_ms)
			return fail_at(why, "/scope/for",
				"its risk is high: choose at most %s", most);
		return OK;
	}
	duration_say(policy->scope_member_ms, most);
	if (b->length == FOR_ALWAYS && !admin)
		return fail_at(why, "/scope/for",
			"only an admin can choose always: choose the session or at most %s",
			most);
	if (b->length == FOR_TIME && !admin && b->ms > policy->scope_member_ms)
		return fail_at(why, "/scope/for",
			"choose the session or at most %s; only an admin can give more",
			most);
	return OK;
}

/* ---- the rule ---- */

static struct str scope_match(const struct scoping *s, struct arena *arena)
{
	const struct scope_body *b = &s->body;
	const struct ask *a = s->a;
	struct buf text = { .max = 65536 };
	struct json_writer w = { .out = &text };

	jw_object(&w);
	jw_put_text(&w, "effect", "allow");
	jw_put_object(&w, "match");
	if (b->pattern) {
		jw_put_array(&w, "tool");
		jw_str(&w, b->tool);
		jw_array_end(&w);
	} else {
		show_text(&w, "same", str_of(s->look.same));
	}
	if (s->risk == RISK_HIGH) {
		jw_put_object(&w, "risk");
		show_text(&w, "max", STR("high"));
		jw_object_end(&w);
	}
	show_text(&w, "agent", agent_known(a->agent, a->agent_name));
	show_text(&w, "project", a->project);
	if (b->length == FOR_SESSION) show_text(&w, "session", a->session);
	jw_object_end(&w);
	jw_object_end(&w);
	return buf_keep_done(&text, arena);
}

/* Faults of the pattern are the fault of `scope.tool`. */
static void pattern_faults(struct fault *why)
{
	for (int i = 0; i < why->items_len; i++)
		snprintf(why->items[i].pointer, sizeof why->items[i].pointer,
			"/scope/tool");
}

static enum err scope_rule(const struct scoping *s, struct scope *out, struct fault *why)
{
	struct arena *arena = s->rows->arena;
	int64_t now_ms = s->rows->now_ms;
	struct rule_record like = { .made_from = s->a->id, .uses_left = -1 };
	const struct json *body;
	struct rule_match match;
	enum err e = json_read(scope_match(s, arena), NULL, arena, &body, why);

	if (!e) {
		e = rule_read(body, NULL, NULL, now_ms, arena, &like, why);
		if (e == ERR_INVALID) pattern_faults(why);
	}
	if (!e) e = rule_parse(&like, arena, &match, NULL, why);
	if (e) return e;
	if (!rule_fits(&match, EFFECT_ALLOW, &s->look, s->risk, arena))
		return fail_at(why, s->body.pattern ? "/scope/tool" : "/scope/what",
			"must match the call that is being approved");
	if (s->body.length == FOR_TIME) like.expires_ms = now_ms + s->body.ms;
	rule_from(&like, s->a->id, &s->look, s->parts->sensitive, arena);
	out->rule = like;
	out->makes = true;
	out->open = s->body.open;
	return OK;
}

/* ---- answers of foreign prompts that last ---- */

/* The key of the question by which dialects offer several ways to allow. */
static const struct str option_key = STR("option");

static struct str offer_chosen(const struct answer *answer, struct arena *arena)
{
	const struct json *all, *selected;

	if (json_read(answer->json, NULL, arena, &all, NULL)) return STR_NONE;
	selected = json_get(json_get_str(all, option_key), "selected");
	return json_is(selected, JSON_ARRAY) && selected->count
		       ? json_text(&selected->items[0])
		       : STR_NONE;
}

/* Takes that question out of the answers. */
static enum err offer_drop(const struct ask_parts *parts, struct answer *answer,
	struct arena *arena, struct fault *why)
{
	const struct json *all;
	struct json_member *room;
	struct json less;
	enum err e = json_read(answer->json, NULL, arena, &all, why);

	if (e) return e;
	room = ARENA_ARRAY(arena, struct json_member, all->count + 1);
	if (!room) return fail_memory(why);
	less = (struct json){ .type = JSON_OBJECT, .members = room };
	for (uint32_t i = 0; i < all->count; i++)
		if (!str_eq(all->members[i].name, option_key))
			room[less.count++] = all->members[i];
	return answer_check_at(parts->questions, parts->questions_len, &less, "/answers",
		arena, answer, why);
}

/* The longest that this person may give; FOR_ONCE: nothing longer. */
static struct scope_body scope_longest(const struct scoping *s, bool once)
{
	struct scope_body b = { .length = FOR_TIME };

	b.ms = s->risk == RISK_HIGH ? s->policy->scope_high_ms
				    : s->policy->scope_member_ms;
	if (once || s->a->require.len || s->risk == RISK_CRITICAL) b.length = FOR_ONCE;
	return b;
}

/* ---- both ---- */

static enum err scope_risk(struct scoping *s, struct fault *why)
{
	struct rows *rows = s->rows;
	struct rule_verdict v;
	struct policy_snapshot *snapshot;
	enum err e = snapshot_of(s->t, rows, s->a->ws, &snapshot, why);

	if (e) return e;
	ask_operation(
		&s->look, s->a, s->parts->operation, s->answer->arguments, rows->arena);
	snapshot_rule(snapshot, &s->look, rows->now_ms, DECIDE_NO_ALLOW, rows->arena, &v);
	/* A verifier may have raised the risk. */
	s->risk = v.risk > s->a->risk ? v.risk : s->a->risk;
	s->policy = &snapshot->policy;
	return OK;
}

static enum err scope_foreign(struct scoping *s, struct scope *out, struct fault *why)
{
	const struct ask_parts *parts = s->parts;
	struct arena *arena = s->rows->arena;
	const struct json *wish = parts->scopes ? json_get_str(parts->scopes,
							  offer_chosen(s->answer, arena))
						: NULL;
	bool once = s->t->of_many || s->t->limit;
	struct fault beyond = { 0 };
	enum err e;

	if (!wish || s->answer->decision != DECISION_APPROVE || !parts->operation)
		return OK;
	e = for_read(wish, &s->body, why);
	if (!e) e = scope_risk(s, why);
	if (e) return e;
	/* From a channel, an offer of the prompt ("always") allows this call only. */
	if (once || scope_reach(s, &beyond)) {
		s->body = scope_longest(s, once);
		e = offer_drop(parts, s->answer, arena, why);
	}
	return e || s->body.length == FOR_ONCE ? e : scope_rule(s, out, why);
}

enum err scope_read(struct task *t, struct rows *rows, const struct ask *a,
	const struct ask_parts *parts, struct answer *answer, struct scope *out,
	struct fault *why)
{
	const struct json *scope = json_get(t->body, "scope");
	struct scoping s = {
		.t = t, .rows = rows, .a = a, .parts = parts, .answer = answer
	};
	enum err e;

	*out = (struct scope){ 0 };
	if (!scope || scope->type == JSON_NULL) return scope_foreign(&s, out, why);
	e = body_read(scope, &s.body, why);
	if (e || s.body.length == FOR_ONCE) return e;
	if (a->kind != ASK_APPROVAL || !parts->operation ||
		answer->decision != DECISION_APPROVE)
		return fail_at(why, "/scope",
			"only the person who approves an operation can do so for longer");
	e = scope_risk(&s, why);
	if (!e) e = scope_reach(&s, why);
	return e ? e : scope_rule(&s, out, why);
}

/* ---- others that are open ---- */

/* Would this open approval be allowed if it were asked now, with the rule in force? */
static enum err open_fits(struct rows *rows, const struct policy_snapshot *snapshot,
	const struct rule_match *match, const struct ask *a, bool *fits,
	struct fault *why)
{
	struct operation_view look;
	struct rule_verdict v;
	struct ask_parts parts;
	enum err e;

	*fits = false;
	if (a->status != ASK_PENDING || a->require.len || a->verify.len ||
		(a->deadline_ms && a->deadline_ms <= rows->now_ms))
		return OK;
	e = ask_parts(a, rows->arena, &parts, why);
	if (e || !parts.operation) return e;
	if (!questions_only_decide(parts.questions, parts.questions_len)) return OK;
	ask_operation(&look, a, parts.operation, NULL, rows->arena);
	snapshot_rule(snapshot, &look, rows->now_ms, 0, rows->arena, &v);
	*fits = !v.stop &&
		(v.ruling.effect == EFFECT_NONE || v.ruling.effect == EFFECT_ALLOW) &&
		rule_fits(match, EFFECT_ALLOW, &look, v.risk, rows->arena);
	return OK;
}

static enum err open_settle(struct task *t, struct rows *rows,
	const struct policy_snapshot *snapshot, const struct rule_record *rule,
	struct json_writer *w, struct fault *why)
{
	struct str ids[OPEN_MAX * 5];
	struct rule_match match;
	struct ask *first = NULL;
	size_t len = 0, settled = 0;
	enum err e = rule_parse(rule, rows->arena, &match, NULL, why);

	if (!e) e = rows_fetch_ask(rows, rule->ws, rule->made_from, &first, why);
	if (e) return e;
	e = rows_texts(rows, SQL_APPROVALS_OPEN,
		ARGS(rule->ws, first->agent, first->project, OPEN_MAX * 5), ids,
		OPEN_MAX * 5, &len, why);
	for (size_t i = 0; !e && i < len && settled < OPEN_MAX; i++) {
		struct ask *a;
		bool fits = false;

		e = rows_fetch_ask(rows, rule->ws, ids[i], &a, why);
		if (!e) e = open_fits(rows, snapshot, &match, a, &fits, why);
		if (e || !fits) continue;
		e = ask_settle_by(t, rows, a, rule, true, why);
		if (!e) rows_rule_hit(rows, rule->ws, rule->id);
		jw_str(w, a->id);
		settled++;
	}
	return e;
}

enum err scope_apply(struct task *t, struct rows *rows, const struct ask *a,
	const struct scope *s, struct fault *why)
{
	struct buf list = { 0 };
	struct json_writer w = { .out = &list }, reply;
	struct rule_record like = s->rule;
	const struct rule_record *rule;
	struct policy_snapshot *snapshot;
	enum err e;

	if (!s->makes) return OK;
	e = snapshot_of(t, rows, a->ws, &snapshot, why);
	if (!e) e = rule_add(t, rows, &like, &rule, why);
	jw_array(&w);
	if (!e && s->open) e = open_settle(t, rows, snapshot, rule, &w, why);
	jw_array_end(&w);
	if (!e && desk_reply_reopen(t, &reply)) {
		jw_put_str(&reply, "rule", rule->id);
		jw_put_raw(&reply, "settled", buf_str(&list));
		jw_object_end(&reply);
	}
	if (list.failed) t->job.arena.failed = true;
	buf_done(&list);
	return e;
}
