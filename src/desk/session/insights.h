/* insights.h - how asking goes, as JSON. Private to desk. */
#ifndef DESK_INSIGHTS_H
#define DESK_INSIGHTS_H

#include "desk/shared/inner.h"

/* By the parameters from, to, project, agent, kind, tz and order of the task. */
enum err insights_counted(struct task *, struct rows *, struct buf *out, struct fault *);

#endif
