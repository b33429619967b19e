/* entitled.h - who may settle an ask, and whose vote counts: the one place that says so.
 *
 * May settle (answer, skip, vote): who has the role, is in a team that covers the project where
 * any team does (admins always), and did not ask for the approval themselves. To approve what
 * requires approvals one must also count for a part of it; to reject it, not.
 * Prefixes: roster_, votes_, require_. */
#ifndef CORE_ENTITLED_H
#define CORE_ENTITLED_H

#include "core/approval/vote.h"
#include "core/people/people.h"
#include "core/people/team.h"
#include "core/policy/require.h"

enum refusal {
	REFUSED_NOT,
	REFUSED_ROLE,
	REFUSED_TEAM,
	REFUSED_SELF,
	REFUSED_REQUIRE,
	REFUSED_CHANNEL,
};

/* People as they are when something is decided; found by who calls. */
struct roster {
	const struct team_parts *teams; /* all of the workspace */
	size_t teams_len;
	/* Those who voted, are required, or stand in for them. */
	const struct user **users;
	size_t users_len;
	int64_t now_ms;
};

/* NULL: gone. */
const struct user *roster_user(const struct roster *, struct str id);
const struct team *roster_team(const struct roster *, struct str id);
const struct team *roster_team_named(const struct roster *, struct str name);
const char *refusal_name(enum refusal); /* the `reason` of the problem; NULL: none */
/* ERR_NOT_ENTITLED with its reason; OK for REFUSED_NOT. */
enum err refused(
	enum refusal, const struct ask *, const struct principal *, struct fault *why);

/* May p settle it, apart from what it requires? */
enum refusal entitled_to_settle(
	const struct ask *, const struct principal *, const struct roster *);
/* May p approve it? The requirement was read from the ask. */
enum refusal entitled_to_approve(const struct ask *, const struct require *,
	const struct principal *, const struct roster *, struct arena *);

/* The delegate of this user now: the first of the chain who is not away. Empty: the user is
 * not away, or no delegate is available. If the chain is a ring or too long, it stays with
 * the user. */
struct str roster_delegate(const struct roster *, const struct user *, struct arena *);

/* Would they be let in where a team covers projects like this? */
bool roster_covers(const struct roster *, const struct user *, struct str pattern);

/* Looks up who counts, for every vote; have[] (one a part) is for the operation that most
 * stand for, which *best says. False: out of memory. */
bool votes_count(const struct ask *, const struct require *, const struct roster *,
	struct votes *, struct str *best, int64_t *have, struct arena *);
/* Does this digest meet every part, as votes_count left them? */
bool votes_meet(const struct ask *, const struct require *, const struct roster *,
	struct votes *, struct str digest, int64_t *have, struct arena *);

/* What it requires as it is stored, and `reach` in parts that too few could ever count for: how many
 * could. The roster is everybody. */
struct str require_reached(const struct ask *, const struct roster *, struct arena *);
/* How many people of `roster` could ever count for this part. */
int64_t require_reach(const struct ask *, const struct require_part *,
	const struct roster *, struct arena *);

#endif
