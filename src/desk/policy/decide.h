/* decide.h - what is decided of an operation without a person, and that kept as an event. Private to desk. */
#ifndef DESK_DECIDE_H
#define DESK_DECIDE_H

#include "desk/policy/policy_snapshot.h"

/* Stops, then rules, mandates, the mode. What allows it counts a use, or is drawn from. */
enum err decide_operation(struct task *, struct rows *, const struct operation_view *,
	struct decided *out, struct fault *);
/* `policy.decided`, of what was allowed or denied; the session may be NULL. */
enum err decide_keep(struct task *, struct rows *, const struct session *,
	const struct operation_view *, const struct decided *, struct fault *);

#endif
