/* run_gate.c - the verdict on a tool call of a run. */
#include "core/run/run_gate.h"

static const char *const words[] = { [EFFECT_ALLOW] = "a rule allows it",
	[EFFECT_ASK] = "a rule wants a person to decide",
	[EFFECT_DENY] = "a rule denies it" };

void run_gate(const struct policy *policy, const struct run_operation *op,
	const struct operation_view *look, const struct ruling *ruling,
	struct arena *arena, struct run_verdict *out)
{
	*out = (struct run_verdict){ .effect = EFFECT_ALLOW, .risk = op->risk };
	if (op->free) return;
	out->risk = policy_raise(policy, look, op->risk);
	out->timeout_ms = policy->timeout_ms;
	if (ruling->effect == EFFECT_NONE) {
		out->effect = policy_effect(policy, op->type, out->risk);
		out->rule = STR("policy");
		out->reason = out->effect == EFFECT_ALLOW
				      ? STR("the policy allows it")
				      : STR("the policy wants a person to decide");
		return;
	}
	out->effect = ruling->effect;
	out->rule = ruling->rule ? ruling->rule->id : STR_NONE;
	out->reason = ruling->rule && ruling->rule->note.len
			      ? arena_print(arena, "%s: %.*s", words[out->effect],
					STR_ARGS(ruling->rule->note))
			      : str_of(words[out->effect]);
	if (out->effect != EFFECT_ASK) return;
	if (ruling->risk > out->risk) out->risk = ruling->risk;
	if (ruling->timeout_ms) out->timeout_ms = ruling->timeout_ms;
}
