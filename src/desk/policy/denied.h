/* denied.h - open approvals that a rule made since denies: nobody can approve them while it
 * holds. Looked up when they are read, so that it is over with the rule. Private to desk. */
#ifndef DESK_DENIED_H
#define DESK_DENIED_H

#include "core/policy/policy.h"
#include "desk/inner.h"

struct denying_rule {
	struct rule_record rule;
	struct rule_match match;
	bool unreadable; /* it fits everything */
};

struct denies {
	struct denying_rule *at;
	size_t len, cap;
	struct policy
		policy; /* says how grave operations are; only where there are rules */
};

/* The rules that deny, in the arena of the job; nothing is read of a workspace without any. */
enum err denies_read(struct task *, struct db *, struct denies *out, struct fault *);
struct str denied_told(
	const struct rule_record *, struct arena *); /* {"rule", "note", "at"} */
/* The same of the one that denies it, in the arena; empty: none does. */
struct str denied_by(
	const struct denies *, const struct ask *, int64_t now_ms, struct arena *);

#endif
