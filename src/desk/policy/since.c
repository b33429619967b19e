/* since.c - what rules made since say of open approvals. */
#include "desk/policy/since.h"

#include "core/shared/field.h"

enum err since_read(
	struct task *t, struct rows *rows, struct rules_since *out, struct fault *why)
{
	const struct val args[] = { val_int(t->job.who.ws) };
	const struct rule_record *const *rules;
	const struct policy_record *p = NULL;
	enum err e;

	*out = (struct rules_since){ 0 };
	if (!t->job.credential.policy_version) return OK;
	e = rows_fetch(rows, RECORD_RULES, SQL_RULES_SINCE, args, 1, why);
	if (e || !rows_next(rows, RECORD_RULES, NULL)) return e;
	e = rows_get(rows, RECORD_POLICIES, args, &p, why);
	if (!e)
		e = policy_parse(p ? p->body : str_of(policy_default), rows->arena,
			&out->policy, why);
	if (e) return e;
	rules = (const struct rule_record **)rows_all(
		rows, RECORD_RULES, t->job.who.ws, &out->len);
	out->at = ARENA_ARRAY(rows->arena, struct since_rule, out->len);
	if (!out->at) out->len = 0;
	for (size_t i = 0; i < out->len; i++) {
		struct since_rule *s = &out->at[i];

		s->rule = *rules[i];
		s->unreadable =
			rule_parse(&s->rule, rows->arena, &s->match, &s->ask, NULL) != OK;
	}
	return OK;
}

struct str since_denied(const struct rule_record *r, struct arena *arena)
{
	return fields_text(
		arena, FIELDS(field_text("rule", r->id), field_str("note", r->note),
			       field_time("at", r->created_ms)));
}

static bool since_fits(const struct since_rule *s, enum effect effect,
	const struct operation_view *look, enum risk risk, int64_t now_ms,
	struct arena *arena)
{
	return str_is(s->rule.effect, effect_name(effect)) &&
	       rule_decides(&s->rule, now_ms) &&
	       (s->unreadable || rule_fits(&s->match, effect, look, risk, arena));
}

struct since_said since_say(const struct rules_since *rules, const struct ask *a,
	int64_t now_ms, struct arena *arena)
{
	struct since_said out = { .require = a->require };
	struct operation_view look;
	struct ask_parts parts;
	enum risk risk;

	if (!rules->len || a->status != ASK_PENDING || a->kind != ASK_APPROVAL ||
		ask_parts(a, arena, &parts, NULL) || !parts.operation)
		return out;
	ask_operation(&look, a, parts.operation, NULL, arena);
	risk = policy_risk(&rules->policy, &look);
	for (size_t i = 0; i < rules->len; i++) {
		const struct since_rule *s = &rules->at[i];

		if (!out.denied.len &&
			since_fits(s, EFFECT_DENY, &look, risk, now_ms, arena))
			out.denied = since_denied(&s->rule, arena);
		if (since_fits(s, EFFECT_ASK, &look, risk, now_ms, arena))
			require_add(&out.require, &s->ask.require, arena, NULL);
	}
	if (out.denied.len) out.require = a->require;
	return out;
}
