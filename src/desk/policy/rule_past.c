/* rule_past.c - past approvals, as rules are tried on them; and what they say against a
 * rule. */
#include "core/ask/question_kind.h"
#include "core/shared/body.h"
#include "core/shared/field.h"
#include "desk/people/projects.h"
#include "desk/policy/rules.h"

enum { WARN_LOOK = 1000, WARN_ASKS = 20 };

/* ---- past operations ---- */

struct past_pass {
	past_fn *fn;
	void *ctx;
};

/* The agent asked for votes itself: no rule allows that. What rules required is another's. */
static bool brought_require(const struct ask *a)
{
	return a->require.len && str_find(a->because, STR("\"by\":\"rule\"")) < 0;
}

static enum err past_one(void *ctx, const void *record, const struct row *row,
	struct arena *scratch, struct fault *why)
{
	const struct past_pass *p = ctx;
	const struct ask *a = record;
	struct ask_parts parts;
	enum err e = ask_parts(a, scratch, &parts, why);
	bool approved = false;

	(void)row;
	if (!e) e = ask_approved(a, scratch, &approved, why);
	if (e || !parts.operation) return e;
	struct past_operation past = { .id = a->id,
		.agent = agent_known(a->agent, a->agent_name),
		.by_mode = a->run.len > 0,
		.status = a->status,
		.approved = approved,
		.rejected = a->status == ASK_ANSWERED && !approved,
		.by_person = str_find(a->answered_by, STR("\"kind\":\"human\"")) >= 0,
		.by_rule = str_find(a->answered_by, STR("\"kind\":\"policy\"")) >= 0,
		.answered_by = a->answered_by,
		.requires = brought_require(a) ||
			    !questions_only_decide(parts.questions, parts.questions_len),
		.sensitive = parts.sensitive,
		.created_ms = a->created_ms,
		.settled_ms = a->settled_ms,
		.operation = parts.operation };

	ask_operation(&past.look, a, parts.operation, NULL, scratch);
	return p->fn(p->ctx, &past, scratch, why);
}

enum err past_each(struct rows *rows, int64_t ws, const struct past_filter *f,
	past_fn *fn, void *ctx, struct fault *why)
{
	struct past_pass p = { fn, ctx };

	return rows_each(rows, RECORD_ASKS, SQL_APPROVALS,
		ARGS(ws, f->limit, f->agent, f->project, f->from_ms,
			f->to_ms ? f->to_ms : INT64_MAX),
		past_one, &p, why);
}

/* A call with an ask of its own is that approval; what is never gated has no category. */
static enum err past_call(void *ctx, const void *record, const struct row *row,
	struct arena *scratch, struct fault *why)
{
	const struct past_pass *p = ctx;
	const struct tool_call *c = record;
	int behind = records[RECORD_TOOL_CALLS].columns_len;
	struct past_operation past = { .id = c->id,
		.agent = row_text(row, behind),
		.call = true,
		.by_mode = true,
		.created_ms = c->created_ms };
	const struct json *verdict;
	enum operation_type type = TYPE_TOOL;
	struct str text;
	enum err e = json_read(c->verdict, NULL, scratch, &verdict, why);

	if (e) return e;
	if (!effect_read(json_text(json_get(verdict, "effect")), &past.was) ||
		past.was == EFFECT_ASK)
		return OK;
	operation_category_read(c->category, &type);
	text = fields_text(scratch, FIELDS(field_word("type", operation_type_name(type)),
					    field_text("name", c->name),
					    field_json("arguments", c->arguments),
					    field_word("risk", risk_name(c->risk))));
	e = json_read(text, NULL, scratch, &past.operation, why);
	if (e) return e;
	operation_view(&past.look, past.operation, NULL, past.agent,
		row_text(row, behind + 1), c->session, scratch);
	return p->fn(p->ctx, &past, scratch, why);
}

enum err past_replay(struct rows *rows, int64_t ws, int64_t from_ms, int64_t to_ms,
	past_fn *fn, void *ctx, struct fault *why)
{
	struct past_pass p = { fn, ctx };
	enum err e = rows_each(rows, RECORD_ASKS, SQL_OPERATIONS_ASKED,
		ARGS(ws, desk_id_bound("ask", from_ms, rows->arena), from_ms, to_ms),
		past_one, &p, why);

	return e ? e
		 : rows_each(rows, RECORD_TOOL_CALLS, SQL_OPERATIONS_CALLED,
			   ARGS(ws, desk_id_bound("call", from_ms, rows->arena), from_ms,
				   to_ms),
			   past_call, &p, why);
}

enum effect past_was(const struct past_operation *p)
{
	if (p->call) return p->was;
	return !p->by_rule ? EFFECT_ASK : p->approved ? EFFECT_ALLOW : EFFECT_DENY;
}

enum effect past_would(const struct policy_snapshot *snapshot,
	const struct past_operation *p, int64_t now_ms, struct arena *arena,
	struct rule_verdict *out)
{
	snapshot_rule(snapshot, &p->look, now_ms, p->requires ? DECIDE_NO_ALLOW : 0,
		arena, out);
	if (out->ruling.effect != EFFECT_NONE) return out->ruling.effect;
	return p->by_mode ? policy_effect(&snapshot->policy, p->look.type, out->risk)
			  : EFFECT_ASK;
}

/* ---- warnings ---- */

struct warn_pass {
	const struct rule_record *rule;
	const struct policy_snapshot *snapshot;
	struct rule_match match;
	enum effect effect;
	struct arena *arena; /* of the ids */
	int64_t looked, fits;
	struct str rejected[WARN_ASKS];
	size_t rejected_len;
};

static bool warn_fits(
	const struct warn_pass *p, const struct past_operation *past, struct arena *arena)
{
	return rule_fits(&p->match, p->effect, &past->look,
		policy_risk(&p->snapshot->policy, &past->look), arena);
}

/* What the rule is about. */
static enum err warn_aim(struct warn_pass *p, struct arena *arena, struct fault *why)
{
	enum err e = rule_parse(p->rule, arena, &p->match, NULL, why);

	if (!e && !effect_read(p->rule->effect, &p->effect))
		e = fail(why, ERR_INTERNAL, "a rule without an effect");
	return e;
}

static enum err warn_past(void *ctx, const struct past_operation *past,
	struct arena *arena, struct fault *why)
{
	struct warn_pass *p = ctx;

	(void)why;
	p->looked++;
	if (!warn_fits(p, past, arena)) return OK;
	p->fits++;
	if (p->effect == EFFECT_ALLOW && past->rejected && past->by_person &&
		p->rejected_len < WARN_ASKS)
		p->rejected[p->rejected_len++] = arena_str(p->arena, past->id);
	return OK;
}

static void warning_open(struct json_writer *w, const char *kind, const struct str *rules,
	size_t rules_len, const struct str *asks, size_t asks_len, const char *detail)
{
	jw_object(w);
	jw_put_text(w, "kind", kind);
	jw_put_array(w, "rules");
	for (size_t i = 0; i < rules_len; i++)
		jw_str(w, rules[i]);
	jw_array_end(w);
	jw_put_array(w, "asks");
	for (size_t i = 0; i < asks_len; i++)
		jw_str(w, asks[i]);
	jw_array_end(w);
	jw_put_text(w, "detail", detail);
}

static void warning_write(struct json_writer *w, const char *kind,
	const struct str *rules, size_t rules_len, const struct str *asks,
	size_t asks_len, const char *detail)
{
	warning_open(w, kind, rules, rules_len, asks, asks_len, detail);
	jw_object_end(w);
}

/* By the project, which most agents name themselves. */
static enum err unbound_warning(const struct warn_pass *p, struct rows *rows,
	int64_t now_ms, struct json_writer *w, struct fault *why)
{
	struct str detail;
	int64_t tokens = 0;
	enum err e =
		p->match.project.len || p->match.no_project
			? projects_unbound_read(rows, p->rule->ws, now_ms, &tokens, why)
			: OK;

	if (e || !tokens) return e;
	detail = projects_unbound_detail(tokens, p->arena);
	warning_open(w, "unbound", NULL, 0, NULL, 0, arena_copy(p->arena, detail));
	jw_put_int(w, "tokens", tokens);
	jw_object_end(w);
	return OK;
}

/* Denies that leave nothing of it. */
static void covered_warn(const struct warn_pass *p, int64_t now_ms, struct arena *arena,
	struct json_writer *w)
{
	struct str ids[WARN_ASKS];
	size_t len = 0;

	if (p->effect == EFFECT_DENY) return;
	for (size_t i = 0; i < p->snapshot->rules_len && len < WARN_ASKS; i++) {
		const struct rule_record *deny = &p->snapshot->rules[i];
		struct rule_match wide;
		struct rule_ask none;

		if (!str_is(deny->effect, "deny") || !rule_decides(deny, now_ms) ||
			str_eq(deny->id, p->rule->id) ||
			rule_parse(deny, arena, &wide, &none, NULL))
			continue;
		if (rule_match_covers(&wide, &p->match)) ids[len++] = deny->id;
	}
	if (len)
		warning_write(w, "covered", ids, len, NULL, 0,
			"a deny covers it: it will never decide");
}

static bool lasts_as_long(
	const struct rule_record *wide, const struct rule_record *narrow)
{
	return wide->uses_left < 0 &&
	       (!wide->expires_ms ||
		       (narrow->expires_ms && narrow->expires_ms <= wide->expires_ms));
}

/* Rules that do already what it does. What ask rules ask for adds up, so theirs must be the
 * same. */
static void again_warn(const struct warn_pass *p, int64_t now_ms, struct arena *arena,
	struct json_writer *w)
{
	struct str equal[WARN_ASKS], covering[WARN_ASKS];
	size_t equal_len = 0, covering_len = 0;

	for (size_t i = 0; i < p->snapshot->rules_len; i++) {
		const struct rule_record *other = &p->snapshot->rules[i];
		struct rule_match wide;

		if (!str_eq(other->effect, p->rule->effect) ||
			!rule_decides(other, now_ms) || str_eq(other->id, p->rule->id) ||
			!str_eq(other->ask, p->rule->ask) ||
			!lasts_as_long(other, p->rule) ||
			rule_parse(other, arena, &wide, NULL, NULL) ||
			!rule_match_covers(&wide, &p->match))
			continue;
		if (rule_match_covers(&p->match, &wide) && equal_len < WARN_ASKS)
			equal[equal_len++] = other->id;
		else if (covering_len < WARN_ASKS)
			covering[covering_len++] = other->id;
	}
	if (equal_len)
		warning_write(w, "equal", equal, equal_len, NULL, 0,
			"there is such a rule already");
	else if (covering_len)
		warning_write(w, "covered", covering, covering_len, NULL, 0,
			"a rule with the same effect covers it: it adds nothing");
}

/* A rule for every call of everybody. */
static void everything_warn(
	const struct warn_pass *p, struct arena *arena, struct json_writer *w)
{
	const struct rule_record all = { .effect = p->rule->effect,
		.match = STR("{\"tool\":[\"*\"]}") };
	struct rule_match match;

	if (p->effect != EFFECT_ASK && !rule_parse(&all, arena, &match, NULL, NULL) &&
		rule_match_covers(&p->match, &match))
		warning_write(w, "everything", NULL, 0, NULL, 0,
			p->effect == EFFECT_DENY
				? "it denies every operation of every agent"
				: "it allows every operation of every agent up to its risk");
}

static enum err rule_warnings(struct task *t, struct rows *rows,
	const struct rule_record *rule, const struct policy_snapshot *snapshot,
	int64_t now_ms, struct json_writer *w, struct fault *why)
{
	const struct past_filter filter = { .limit = WARN_LOOK };
	struct arena *arena = &t->job.arena;
	struct warn_pass p = { .rule = rule, .snapshot = snapshot, .arena = arena };
	enum err e = warn_aim(&p, arena, why);

	if (!e) e = past_each(rows, rule->ws, &filter, warn_past, &p, why);
	if (e) return e;
	if (p.looked && !p.fits)
		warning_write(w, "unused", NULL, 0, NULL, 0,
			arena_copy(arena,
				arena_print(arena,
					"it matches none of the last %lld operations",
					(long long)p.looked)));
	covered_warn(&p, now_ms, arena, w);
	again_warn(&p, now_ms, arena, w);
	everything_warn(&p, arena, w);
	if (p.rejected_len)
		warning_write(w, "rejected", NULL, 0, p.rejected, p.rejected_len,
			"it would have allowed what a person rejected");
	e = unbound_warning(&p, rows, now_ms, w, why);
	if (e) return e;
	return arena->failed ? fail_memory(why) : OK;
}

/* ---- what waits ---- */

enum { WAITING_LOOK = 10000 };

static enum err waiting_row(void *ctx, const struct past_operation *past,
	struct arena *arena, struct fault *why)
{
	struct warn_pass *p = ctx;

	(void)why;
	p->fits += warn_fits(p, past, arena);
	return OK;
}

/* Open approvals that it fits. */
static enum err rule_waiting(struct task *t, struct rows *rows,
	const struct rule_record *rule, const struct policy_snapshot *snapshot,
	int64_t *out, struct fault *why)
{
	struct warn_pass p = { .rule = rule, .snapshot = snapshot };
	struct past_pass pass = { waiting_row, &p };
	enum err e = warn_aim(&p, &t->job.arena, why);

	if (!e && rule->enabled && !rule->shadow)
		e = rows_each(rows, RECORD_ASKS, SQL_APPROVALS_WAITING,
			ARGS(rule->ws, WAITING_LOOK), past_one, &pass, why);
	*out = p.fits;
	return e;
}

/* ---- a rule with its warnings ---- */

static enum err warned_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	const struct rule_record *rule;
	struct policy_snapshot *snapshot = NULL;
	struct rule_shadows shadows = { 0 };
	int64_t waiting = 0;
	enum err e = rows_get(rows, RECORD_RULES, KEY(job->who.ws, t->id), &rule, why);

	if (!e && !rule) e = fail(why, ERR_NOT_FOUND, "no such rule");
	if (!e) e = snapshot_load(rows, job->who.ws, NULL, &snapshot, why);
	if (e) return e;
	jw_object(&w);
	rule_show_members(&w, rule, rows->now_ms);
	e = shadows_count(t, rows, &shadows, &rule, 1, why);
	shadow_show(&w, &shadows, rule);
	jw_put_array(&w, "warnings");
	if (!e) e = rule_warnings(t, rows, rule, snapshot, rows->now_ms, &w, why);
	jw_array_end(&w);
	if (!e) e = rule_waiting(t, rows, rule, snapshot, &waiting, why);
	jw_put_int(&w, "waiting", waiting);
	jw_object_end(&w);
	snapshot_free(snapshot);
	return e;
}

const struct use use_rule_warned =
	READS("rule_warned", MAY_SETTLE, JOB_SLOW, warned_read, NULL);
