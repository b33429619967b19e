/* ask_rule.h - rules on approvals: when they are asked, and when they are approved. */
#ifndef DESK_ASK_RULE_H
#define DESK_ASK_RULE_H

#include "desk/policy/policy_snapshot.h"

/* The ask that is being made: how grave it is, until when it waits, what the rules say. Zeroed
 * `out` when it is not a rule's to decide. Each rule that fits counts. */
enum err ask_rule(struct task *, struct rows *, const struct draft *, struct ask *,
	struct rule_verdict *out, struct fault *);
/* Allowed or denied: it is settled at once, by the rule. */
bool ask_ruled(const struct rule_verdict *);
/* Which verifiers these rules want; for who makes the ask, before its event. */
void ask_rule_verify(struct rows *, struct ask *, const struct ruling *);
/* What rules say by now of an open approval that a job replies with: *out is the ask with what
 * they require, task.denied the one that denies it. */
enum err ask_rule_since(struct task *, struct rows *, const struct ask *, struct ask *out,
	struct fault *);
/* A person approves it: rules count that hold now, also for arguments put in place (NULL: as asked).
 * ERR_DENIED_ANSWER when one denies that; what they require is added to the ask's own. */
enum err ask_rule_approved(struct task *, struct rows *, struct ask *,
	const struct json *operation, const struct json *arguments, struct fault *);

#endif
