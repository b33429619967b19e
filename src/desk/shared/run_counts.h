/* run_counts.h - runs, tool calls and model calls of this process, counted for metrics: by workspace, and of
 * all of them. Labels are foreign, so there are only so many; what is beyond counts as "other". */
#ifndef DESK_RUN_COUNTS_H
#define DESK_RUN_COUNTS_H

#include "base/table.h"
#include "core/run/usage.h"
#include "desk/desk.h"
#include "desk/shared/labels.h"
#include "store/rows.h"

#include <pthread.h>

struct run_counts {
	pthread_mutex_t lock;
	struct table series; /* workspace, metric and labels → struct run_series */
	size_t len[16];	     /* of each metric, all workspaces together */
	struct counted_names agents, models;
};

void run_counts_init(struct run_counts *);
void run_counts_done(struct run_counts *);
void run_counts_commit(
	struct run_counts *, const struct rows *); /* a batch was committed */
/* In the text format of Prometheus; ws 0: of all workspaces. */
void run_counts_write(struct run_counts *, int64_t ws, struct buf *out);

#endif
