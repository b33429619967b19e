/* require.h - how many approvals of whom an operation needs, and who has given them.
 *
 * `[{"approvals": 2, "from": ["team:ops", "user:usr_…", "role:admin"], "others": true}]`: every
 * part must be met. What several rules and the asking agent require adds up. Pure: who people
 * are when it is counted comes in as voters (core/approval/entitled.h makes them).
 *
 * Invariants:
 * 1. Votes are for a digest; votes for different digests never add up.
 * 2. A person counts at most once in a part, and so does somebody's delegate for them. */
#ifndef CORE_REQUIRE_H
#define CORE_REQUIRE_H

#include "base/json.h"
#include "core/shared/principal.h"

struct check; /* core/shared/body.h */
struct json_place;

enum {
	REQUIRE_PARTS_MAX = 4,
	REQUIRE_APPROVALS_MAX = 10,
	REQUIRE_FROM_MAX = 20,
};

enum require_kind { REQUIRE_TEAM, REQUIRE_USER, REQUIRE_ROLE };

struct require_from {
	enum require_kind kind;
	struct str name; /* the team's name or the user's id */
	enum role role;	 /* REQUIRE_ROLE: this role or above */
};

struct require_part {
	int64_t approvals;
	struct require_from *from;
	size_t from_len; /* 0: all who may settle */
	bool others; /* who made the asking token or started the session does not count */
};

/* Zeroed: nothing is required. Lives in an arena. */
struct require {
	struct require_part *parts;
	size_t len; /* several rules together may have more than REQUIRE_PARTS_MAX */
};

/* An array of parts; what is wrong is noted with its pointer. */
void require_check(struct check *, const struct json_place *, const struct json *,
	struct arena *, struct require *out);
/* The same at the pointer `at` ("/require"). */
enum err require_read(const struct json *, const char *at, struct arena *,
	struct require *out, struct fault *why);
/* As it was stored by require_text; `have` is passed over. Empty: nothing is required. */
enum err require_load(struct str, struct arena *, struct require *out, struct fault *why);
/* What both require; a part that another one covers is dropped. False: out of memory, and
 * `into` is as it was. */
bool require_merge(struct require *into, const struct require *more, struct arena *);
/* `*kept`, as it is stored, with what `more` requires, none of it counted yet; untouched where it
 * requires that already. */
enum err require_add(
	struct str *kept, const struct require *more, struct arena *, struct fault *why);
/* The array of parts, as JSON; empty when nothing is required. have[i] of part i is shown too, unless `have`
 * is NULL. */
struct str require_text(const struct require *, const int64_t *have, struct arena *);
/* Names this team? */
bool require_names_team(const struct require *, struct str name);

/* ---- counting ---- */

/* One person as they are now. */
struct voter {
	struct str id;
	enum role role;
	const struct str *teams; /* names of the teams they are in */
	size_t teams_len;
	const struct str *away; /* who is away and has them as delegate, nearest first */
	size_t away_len;
	bool may_settle; /* apart from what is required */
	bool starter;	 /* made the asking token or started the session */
};

/* Does this person count for the part? *stands_for is the one away whom they stand in for,
 * empty when they count by themselves. */
bool require_counts(
	const struct require_part *, const struct voter *, struct str *stands_for);
/* For any part of it? */
bool require_counts_any(const struct require *, const struct voter *);

/* A standing vote to approve. */
struct approval_vote {
	const struct voter *voter;
	struct str digest; /* of what it approves; empty: there is no operation */
	/* Found by require_count; of the first part that says so. */
	struct str stands_for;
	bool counts; /* found by require_count: in some part */
};

/* How many count for `digest`, for each part into have[]; true when every part is met. Sets
 * `counts` and `stands_for` of the votes for it. */
bool require_count(const struct require *, struct approval_vote *, size_t len,
	struct str digest, int64_t *have);

#endif
