/* vote.h - approvals that need more than one. Private to desk. */
#ifndef DESK_VOTE_H
#define DESK_VOTE_H

#include "desk/people/roster.h"

/* Counts this answer as the caller's vote for the operation of `digest`. *met: how many votes
 * count, once they meet every part; 0: more are needed. A reject is kept as a vote, too, and
 * meets nothing: it settles by itself. */
enum err vote_give(struct task *, struct rows *, struct ask *, const struct ask_parts *,
	const struct answer *, struct str digest, int64_t *met, struct fault *);
/* Replies with the ask, which is still pending. */
void vote_given(struct task *, struct rows *, struct ask *);

#endif
