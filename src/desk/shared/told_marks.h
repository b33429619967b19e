/* told_marks.h - up to which event of each workspace this process, or the one before it, has told. A store that
 * went back (a copy was restored, a standby was promoted that had not got all) does not know, so the marks are
 * kept in a file beside it. Private to desk. */
#ifndef DESK_TOLD_MARKS_H
#define DESK_TOLD_MARKS_H

#include "base/fault.h"
#include "base/str.h"

#include <pthread.h>

struct told_mark {
	int64_t ws,
		made_ms; /* the workspace, and when it was made: another store has another */
	int64_t told;
	/* The store was seen to end at `end` after `lost` was told; lost 0: it was not. */
	int64_t lost, end;
};

struct told_marks {
	pthread_mutex_t lock; /* over all of it; never taken inside another */
	struct told_mark *at;
	size_t len;
	bool changed;
	char *file; /* NULL: none */
};

struct arena;
struct db;
struct rows;

void told_marks_init(struct told_marks *);
void told_marks_done(struct told_marks *);
/* Before anything is written: what the process before left in this folder, compared with the store. Without memory or
 * a folder nothing is kept. */
enum err told_marks_open(
	struct told_marks *, struct str folder, struct db *, struct fault *why);
/* Events up to `lost` were told, and the store ends at `end`. */
void told_marks_back(struct told_marks *, int64_t ws, int64_t lost, int64_t end);

/* Where the log of a workspace ends, and what was lost of it: 0 nothing. */
struct told_end {
	int64_t ws, made_ms, end, lost, lost_end;
};
struct told_ends {
	struct told_end *at;
	size_t len;
};
/* All of them, in the arena. */
enum err told_ends_find(struct told_marks *, struct rows *, struct arena *,
	struct told_ends *, struct fault *);
/* These are known now, and kept in the file if they are news. */
void told_marks_keep(struct told_marks *, const struct told_ends *);

#endif
