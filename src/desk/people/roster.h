/* roster.h - who people are while something is decided or shown: the rosters that
 * core/entitled judges by. Private to desk. */
#ifndef DESK_ROSTER_H
#define DESK_ROSTER_H

#include "core/approval/entitled.h"
#include "core/policy/rulebook.h"
#include "desk/shared/inner.h"

/* What an ask requires and the votes for it, read. */
struct ballot {
	struct require require;
	struct votes votes;
	struct roster roster;
};

/* While deciding: the teams of the workspace, and of its users those who matter to this ask. A
 * workspace without teams and an ask that requires nothing load nothing. If another node
 * changes people before this is written, the batch is decided anew. */
enum err ballot_open(struct task *, struct rows *, const struct ask *, struct ballot *out,
	struct fault *);
/* The teams alone. */
enum err roster_of_teams(
	struct task *, struct rows *, struct roster *out, struct fault *);
/* Everybody of the workspace, for questions about who there is at all. */
enum err roster_all(struct task *, struct rows *, struct roster *out, struct fault *);

/* The same of any workspace, for what no request asks for. */
enum err roster_everybody(struct rows *, int64_t ws, struct roster *out, struct fault *);

/* For readers: loaded when it is first needed, once a job. */
struct reading_roster {
	struct task *task;
	struct rows *rows;
	bool teams, users; /* loaded */
	struct roster roster;
};
enum err reading_roster_teams(struct reading_roster *, struct fault *);
enum err reading_roster_users(struct reading_roster *, struct fault *);

/* As it is to be shown now: with who counts now, in `arena`. Asks that are settled or require
 * nothing are as they are stored. */
enum err ask_fresh(const struct ask *, const struct roster *, struct arena *,
	struct ask *out, struct fault *);
/* The same while deciding, and in *reason why the caller may not settle it: NULL when they
 * may, or it is settled. */
enum err ask_fresh_for(struct task *, struct rows *, const struct ask *, struct ask *out,
	const char **reason, struct fault *);

#endif
