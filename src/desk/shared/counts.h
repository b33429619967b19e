/* counts.h - what this process has committed, counted for metrics: in all, and by
 * workspace. Counted after the commit, so that what is tried twice counts once. */
#ifndef DESK_COUNTS_H
#define DESK_COUNTS_H

#include "base/table.h"
#include "desk/desk.h"
#include "desk/shared/labels.h"

#include <pthread.h>

enum { COMMIT_BUCKETS = 8 };

struct counts {
	pthread_mutex_t lock;
	struct desk_counts all;
	struct table workspaces; /* number → struct workspace_counts */
	struct table series;	 /* workspace and labels of asks → struct ask_series */
	struct counted_names projects;
	/* Of batches: how long each took to be written. */
	int64_t commit_under[COMMIT_BUCKETS];
	double commit_s;
};

void counts_init(struct counts *);
void counts_done(struct counts *);
void counts_commit(struct counts *, const struct rows *); /* a batch was committed */
enum ask_refusal counts_refusal_of(enum err);
void counts_refused(struct counts *, int64_t ws, enum ask_refusal);
void counts_use_refused(struct counts *, int64_t ws); /* of an approval */
/* In the text format of Prometheus; ws 0: of all workspaces. */
void counts_write(struct counts *, int64_t ws, struct buf *);
/* ws 0: all of them. */
void counts_read(struct counts *, int64_t ws, struct desk_counts *out);

#endif
