/* run_gate.h - what is decided about a tool call of a run: allowed, asked, denied. Pure.
 *
 * A rule's word first; without one the policy's, by the operation's category and risk. The risk is at least the one of
 * core/run/run_tool.c: rows of the policy and rules raise it, nothing lowers it. */
#ifndef CORE_RUN_GATE_H
#define CORE_RUN_GATE_H

#include "core/policy/policy.h"
#include "core/run/run_tool.h"

/* Texts are borrowed, or in the arena. */
struct run_verdict {
	enum effect effect;
	enum risk risk;
	struct str rule, reason; /* rule_…, or "policy"; empty: it is never gated */
	int64_t timeout_ms;	 /* of the approval; 0: none */
};

/* By this policy (the workspace's, with what the agent has of its own) and what its rules say. */
void run_gate(const struct policy *, const struct run_operation *,
	const struct operation_view *, const struct ruling *, struct arena *,
	struct run_verdict *out);

#endif
