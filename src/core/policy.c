/* policy.c - how grave an operation is, and what the policy's mode says about it. */
#include "core/policy.h"

#include "core/rule_set_inner.h"

/* Rows below medium: every command must fit one of them. */
static bool risk_is_low(const struct policy *p, const struct operation_look *o)
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
	const struct policy *p, const struct operation_look *o, enum risk base)
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

static enum risk rows_risk(const struct policy *p, const struct operation_look *o)
{
	enum risk risk = policy_raise(p, o, RISK_NONE);

	if (risk != RISK_NONE) return risk;
	return !o->failed && risk_is_low(p, o) ? RISK_LOW : RISK_MEDIUM;
}

enum risk policy_risk(const struct policy *p, const struct operation_look *o)
{
	enum risk risk = rows_risk(p, o);

	return o->claimed > risk ? o->claimed : risk;
}

enum effect policy_effect(
	const struct policy *p, enum operation_type type, enum risk risk)
{
	bool asks = p->mode == MODE_MANUAL ||
		    (p->mode == MODE_SELECTIVE && p->selective[type]);

	if (risk == RISK_CRITICAL) return EFFECT_ASK;
	if (asks)
		return risk == RISK_LOW && p->auto_approve_low ? EFFECT_ALLOW
							       : EFFECT_ASK;
	return risk == RISK_HIGH && p->always_confirm_high ? EFFECT_ASK : EFFECT_ALLOW;
}
