/* vote.h - the votes on an approval that needs more than one: who stands for which operation.
 *
 * Invariants:
 * 1. A person has at most one vote on an ask.
 * 2. `counts` and `stands_for` are as they were when a vote was last given or taken back;
 *    who counts now is looked up again (core/approval/entitled.h). */
#ifndef CORE_VOTE_H
#define CORE_VOTE_H

#include "core/ask/ask.h"

enum { VOTES_TEXT_MAX = 512 * 1024 };

struct vote {
	struct str user;
	struct str name;
	struct str via;
	enum role role; /* that they voted with: a token may say less than its person */
	enum decision value;
	struct str digest;    /* of what it is for; empty: there is no operation */
	struct str arguments; /* JSON, as they were edited; empty: they were not */
	struct str reason;
	struct str stands_for; /* usr_… who is away; empty: nobody */
	int64_t at_ms;
	bool counts;
};

struct votes {
	struct vote *at; /* the oldest first; there is room for one more */
	size_t len;
};

enum err votes_load(
	const struct ask *, struct arena *, struct votes *out, struct fault *why);
/* NULL: they have none. */
const struct vote *votes_find(const struct votes *, struct str user);
/* Takes out the vote of this user; false: there was none. */
bool votes_drop(struct votes *, struct str user);
/* Puts it last, in place of one that they had. */
void votes_put(struct votes *, const struct vote *);
size_t votes_counting(const struct votes *, struct str digest); /* to approve this */
/* As it is stored and shown; empty when there is none. */
struct str votes_text(const struct votes *, struct arena *);
void vote_write(struct json_writer *, const struct vote *);
/* Did they approve it, or did their vote count? */
bool vote_approved(const struct ask *, struct str user, struct arena *);

#endif
