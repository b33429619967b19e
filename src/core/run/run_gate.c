/* run_gate.c - the verdict on a tool call of a run. */
#include "core/run/run_gate.h"

#include "core/policy/decided.h"

void run_gate(const struct policy *policy, const struct run_operation *op,
	const struct operation_view *look, const struct ruling *ruling,
	struct arena *arena, struct run_verdict *out)
{
	struct decided d;

	*out = (struct run_verdict){ .effect = EFFECT_ALLOW, .risk = op->risk };
	if (op->free) return;
	out->risk = policy_raise(policy, look, op->risk);
	out->timeout_ms = policy->timeout_ms;
	decided_make(&d, policy, op->type, ruling, out->risk, arena);
	out->effect = d.effect;
	out->risk = d.risk;
	out->rule = d.rule;
	out->reason = d.reason;
	if (d.effect == EFFECT_ASK && ruling->timeout_ms)
		out->timeout_ms = ruling->timeout_ms;
}
