/* require.h - what approvals require. Private to desk. */
#ifndef DESK_REQUIRE_H
#define DESK_REQUIRE_H

#include "desk/people/roster.h"

/* JSON array of those who do not count where others are required; empty: nobody. `s` may be
 * NULL: the ask has a session of its own. */
enum err require_starters(struct rows *, int64_t ws, struct str token,
	const struct session *s, struct str *out, struct fault *);
/* Can it be met at all, by people as they are? An item with its pointer under `at` for each
 * part that cannot. Of `a` only who asks and the project are looked at. */
enum err require_check_people(struct task *, struct rows *, const struct ask *a,
	const struct require *, const char *at, struct fault *);
/* The same of the rule that is made or changed: its `ask.require`. */
enum err require_check_rule(
	struct task *, struct rows *, const struct rule_record *, struct fault *);
/* What this rule requires; nothing for most. */
enum err require_of_rule(
	const struct rule_record *, struct arena *, struct require *out, struct fault *);
/* Adds to what the ask requires; for who makes it, before its event. */
enum err require_raise(struct rows *, struct ask *, const struct session *,
	const struct require *more, struct fault *);

#endif
