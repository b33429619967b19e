/* vote.h - approvals that need more than one. Private to desk. */
#ifndef DESK_VOTE_H
#define DESK_VOTE_H

#include "desk/roster.h"

/* JSON array of those who do not count where others are required; empty: nobody. `s` may be
 * NULL: the ask has a session of its own. */
enum err desk_starters(struct rows *, int64_t ws, struct str token,
	const struct session *s, struct str *out, struct fault *);
/* Can it be met at all, by people as they are? An item with its pointer under `at` for each
 * part that cannot. Of `a` only who asks and the project are looked at. */
enum err desk_check_require(struct task *, struct rows *, const struct ask *a,
	const struct require *, const char *at, struct fault *);
/* The same of the rule that is made or changed: its `ask.require`. */
enum err rule_check_require(
	struct task *, struct rows *, const struct kept_rule *, struct fault *);
/* What this rule requires; nothing for most. */
enum err rule_require(
	const struct kept_rule *, struct arena *, struct require *out, struct fault *);
/* Adds to what the ask requires; for who makes it, before its event. */
enum err desk_require(struct rows *, struct ask *, const struct session *,
	const struct require *more, struct fault *);

/* Counts this answer as the caller's vote for the operation of `digest`. *met: how many votes
 * count, once they meet every part; 0: more are needed. A reject is kept as a vote, too, and
 * meets nothing: it settles by itself. */
enum err vote_give(struct task *, struct rows *, struct ask *, const struct ask_parts *,
	const struct answer *, struct str digest, int64_t *met, struct fault *);
/* Replies with the ask, which is still pending. */
enum err vote_given(struct task *, struct rows *, struct ask *, struct fault *);

#endif
