/* counts.h - what this process has committed, counted for metrics: in all, and by
 * workspace. Counted after the commit, so that what is tried twice counts once. */
#ifndef DESK_COUNTS_H
#define DESK_COUNTS_H

#include "base/table.h"
#include "desk/desk.h"

#include <pthread.h>

struct counts {
	pthread_mutex_t lock;
	struct desk_counts all;
	struct table workspaces; /* number → struct workspace_counts */
};

void counts_init(struct counts *);
void counts_done(struct counts *);
void counts_commit(struct counts *, const struct rows *); /* a batch was committed */
enum ask_refusal counts_refusal_of(enum err);
void counts_refused(struct counts *, int64_t ws, enum ask_refusal);
/* ws 0: all of them. */
void counts_read(struct counts *, int64_t ws, struct desk_counts *out);

#endif
