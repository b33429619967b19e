/* scope.h - a yes that holds for more than this call: approving may make a rule. */
#ifndef DESK_SCOPE_H
#define DESK_SCOPE_H

#include "desk/policy/rules.h"

/* What the body's `scope` asks for, checked. Zeroed: this call alone. */
struct scope {
	bool makes;
	bool open; /* other open approvals that it fits are settled by it, too */
	struct rule_record rule; /* as it is to be added */
};

/* Reads `scope` of a body that approves, or does not. ERR_INVALID: beyond what this person may
 * give for this operation, with what they may choose instead. Without one, an answer of a foreign
 * prompt that lasts ("always") is a scope, too: where it is beyond this person it becomes the
 * longest they may give, and is taken out of the answer, so that the foreign reply says once. */
enum err scope_read(struct task *, struct rows *, const struct ask *,
	const struct ask_parts *, struct answer *, struct scope *out, struct fault *);
/* After the ask was settled: makes the rule, settles the others, and names both in the reply. */
enum err scope_apply(struct task *, struct rows *, const struct ask *,
	const struct scope *, struct fault *);

#endif
