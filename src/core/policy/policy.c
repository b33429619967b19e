/* policy.c - how grave an operation is, and what the policy's mode says about it. */
#include "core/policy/policy.h"

#include "core/policy/rule_set_inner.h"

/* Does a row that lowers the risk match every command? */
static bool risk_is_low(const struct policy *p, const struct operation_view *o)
{
	size_t parts = operation_parts(o);

	for (size_t part = 0; part < parts; part++) {
		bool fits = false;

		for (size_t i = 0; i < p->risks_len && !fits; i++)
			fits = p->risks[i].risk < RISK_MEDIUM &&
			       tools_allow_part(
				       p->risks[i].tools, p->risks[i].tools_len, o, part);
		if (!fits) return false;
	}
	return parts > 0;
}

enum risk policy_raise(
	const struct policy *p, const struct operation_view *o, enum risk base)
{
	enum risk risk = base;

	for (size_t i = 0; i < p->risks_len; i++) {
		const struct risk_row *row = &p->risks[i];

		if (row->risk >= RISK_MEDIUM && row->risk > risk &&
			(o->failed || tools_stop(row->tools, row->tools_len, o)))
			risk = row->risk;
	}
	return risk;
}

static enum risk rows_risk(const struct policy *p, const struct operation_view *o)
{
	enum risk risk = policy_raise(p, o, RISK_NONE);

	if (risk != RISK_NONE) return risk;
	return !o->failed && risk_is_low(p, o) ? RISK_LOW : RISK_MEDIUM;
}

enum risk policy_risk(const struct policy *p, const struct operation_view *o)
{
	enum risk risk = rows_risk(p, o);

	return o->claimed > risk ? o->claimed : risk;
}

enum effect policy_effect(
	const struct policy *p, enum operation_type type, enum risk risk)
{
	bool asks;

	if (risk == RISK_CRITICAL || type > TYPE_DB_OP) return EFFECT_ASK;
	asks = p->mode == MODE_MANUAL ||
	       (p->mode == MODE_SELECTIVE && p->selective[type]);
	if (asks)
		return risk == RISK_LOW && p->auto_approve_low ? EFFECT_ALLOW
							       : EFFECT_ASK;
	return risk == RISK_HIGH && p->always_confirm_high ? EFFECT_ASK : EFFECT_ALLOW;
}

/* ---- loosening ---- */

/* Does `after` allow something that `before` did not? `before` NULL: it asked for
 * everything. */
static bool effects_looser(const struct policy *before, const struct policy *after)
{
	for (int i = TYPE_TOOL; i <= TYPE_DB_OP; i++)
		for (int k = RISK_LOW; k <= RISK_HIGH; k++) {
			enum operation_type type = (enum operation_type)i;
			enum risk risk = (enum risk)k;

			if (policy_effect(after, type, risk) == EFFECT_ALLOW &&
				(!before ||
					policy_effect(before, type, risk) == EFFECT_ASK))
				return true;
		}
	return false;
}

/* This pattern with a risk from `min` to `max`. */
static bool risks_have(const struct policy *p, struct str pattern, int min, int max)
{
	for (size_t i = 0; i < p->risks_len; i++)
		for (size_t k = 0; k < p->risks[i].tools_len; k++)
			if ((int)p->risks[i].risk >= min &&
				(int)p->risks[i].risk <= max &&
				str_eq(p->risks[i].tools[k].text, pattern))
				return true;
	return false;
}

/* Does `b` give each pattern of `a` at least its risk? `low`: looks only at rows that lower the
 * risk, else only at the others. */
static bool risks_hold(const struct policy *a, const struct policy *b, bool low)
{
	for (size_t i = 0; i < a->risks_len; i++)
		for (size_t k = 0; k < a->risks[i].tools_len; k++)
			if ((a->risks[i].risk < RISK_MEDIUM) == low &&
				!risks_have(b, a->risks[i].tools[k].text,
					low ? RISK_LOW : (int)a->risks[i].risk,
					low ? RISK_LOW : RISK_CRITICAL))
				return false;
	return true;
}

unsigned policy_looser(const struct policy *before, const struct policy *after)
{
	unsigned in = 0;

	if (before->mode_unset && !after->mode_unset && effects_looser(NULL, after))
		in |= LOOSER_UNASKED;
	if (effects_looser(before, after)) in |= LOOSER_MODE;
	if (!risks_hold(before, after, false) || !risks_hold(after, before, true))
		in |= LOOSER_RISKS;
	if (after->scope_member_ms > before->scope_member_ms ||
		after->scope_high_ms > before->scope_high_ms)
		in |= LOOSER_SCOPES;
	return in;
}

/* ---- decided without asking anybody ---- */

static const char *const words[] = { [EFFECT_ALLOW] = "a rule allows it",
	[EFFECT_ASK] = "a rule wants a person to decide",
	[EFFECT_DENY] = "a rule denies it" };

void decided_make(struct decided *out, const struct policy *policy,
	enum operation_type type, const struct ruling *ruling, enum risk risk,
	struct arena *arena)
{
	const struct rule_record *rule = ruling->rule;

	*out = (struct decided){ .effect = ruling->effect, .risk = risk };
	if (ruling->effect == EFFECT_NONE) {
		out->effect = policy_effect(policy, type, risk);
		out->rule = STR("policy");
		out->by_default = policy->mode_unset;
		out->reason = out->effect == EFFECT_ALLOW
				      ? STR("the policy allows it")
				      : STR("the policy wants a person to decide");
		return;
	}
	if (ruling->effect == EFFECT_ASK && ruling->risk > risk) out->risk = ruling->risk;
	out->rule = rule ? rule->id : STR_NONE;
	out->reason = rule && rule->note.len
			      ? arena_print(arena, "%s: %.*s", words[out->effect],
					STR_ARGS(rule->note))
			      : str_of(words[out->effect]);
}

struct str decided_sentence(const struct decided *d, struct arena *arena)
{
	bool noted = str_find(d->reason, STR(": ")) >= 0;

	if (d->stop.len || !d->reason.len) return d->reason;
	if (str_is(d->rule, "policy"))
		return arena_print(arena, "No rule fits, and %.*s.", STR_ARGS(d->reason));
	return arena_print(
		arena, "A%.*s%s", STR_ARGS(str_from(d->reason, 1)), noted ? "" : ".");
}
