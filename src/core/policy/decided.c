/* decided.c - a ruling, or the policy's mode, as a decision with its reason. */
#include "core/policy/decided.h"

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
