/* since.h - what rules made since say of open approvals: that nobody can approve them, or that it
 * takes more people. Looked up when they are read, so that it is over with the rule. Private to
 * desk. */
#ifndef DESK_SINCE_H
#define DESK_SINCE_H

#include "core/policy/policy.h"
#include "desk/shared/inner.h"

struct since_rule {
	struct rule_record rule;
	struct rule_match match;
	struct rule_ask ask;
	bool unreadable; /* it fits everything */
};

struct rules_since {
	struct since_rule *at;
	size_t len;
	/* Says how grave operations are; only where there are rules. */
	struct policy policy;
};

/* The rules that deny or require something, in the arena of the job; nothing is read of a
 * workspace without any. */
enum err since_read(
	struct task *, struct rows *, struct rules_since *out, struct fault *);
struct str since_denied(
	const struct rule_record *, struct arena *); /* {"rule", "note", "at"} */

struct since_said {
	struct str denied;  /* since_denied of the rule that does; empty: none */
	struct str require; /* the ask's own, with what rules require by now */
};
/* In the arena. */
struct since_said since_say(
	const struct rules_since *, const struct ask *, int64_t now_ms, struct arena *);

#endif
