/* shown.h - asks as a reader sees them: with their own mark, with why they may not settle it,
 * and with whose votes count now. Private to desk. */
#ifndef DESK_SHOWN_H
#define DESK_SHOWN_H

#include "desk/people/roster.h"
#include "desk/policy/since.h"

struct shown_later;

/* A list that asks are written into while a statement brings them. Those that require
 * approvals are written again at its end, once who people are has been read. */
struct shown_asks {
	struct reading_roster people;
	struct rules_since rules;
	struct json_writer *w;
	struct shown_later *first, **end;
	/* Where the next goes, of asks that are wanted themselves. */
	struct kept_ask **found_end;
	/* Of the ask that is added next, if it is wanted. */
	struct ask_proof proof;
};

/* Before the statement: what its rows will need. */
enum err shown_start(struct shown_asks *, struct task *, struct rows *,
	struct json_writer *, struct fault *);
/* The ask that `row` starts with; `a` was read from it. Of its session the title is looked at, and
 * what it was made for. `mark` may be NULL. */
enum err shown_add(struct shown_asks *, const struct row *, const struct ask *a,
	const struct session *, const struct mark *, struct fault *);
/* After the statement. */
enum err shown_end(struct shown_asks *, struct fault *);

/* One alone: votes as they count now, and in *why_not why the caller may not settle it, NULL
 * when they may. What denies it by now is the task's. */
enum err shown_one(struct shown_asks *, const struct ask *, struct ask *fresh,
	const char **why_not, struct fault *);

#endif
