/* plan.h - tasks that wait for each other: which may begin, which never can. Pure. */
#ifndef CORE_PLAN_H
#define CORE_PLAN_H

#include "base/json.h"

enum { PLAN_MAX = 20, PLAN_AT_ONCE = 8 };

struct plan_task {
	struct str id;
	struct str agent, prompt, task;
	unsigned after; /* bit n: the task n comes first */
};

struct task_plan {
	struct plan_task tasks[PLAN_MAX];
	size_t len;
};

/* From the `tasks` of a call: [{id?, agent|prompt, task, after?}]; a task without an id is named
 * by its place, from 1. False: *wrong says what is wrong: an unknown or repeated id, a circle. */
bool plan_read(const struct json *tasks, struct arena *, struct task_plan *out,
	struct str *wrong);

enum plan_state { PLAN_HELD, PLAN_ACTIVE, PLAN_DONE, PLAN_FAILED };
enum plan_step { PLAN_STAY, PLAN_BEGIN, PLAN_SKIP };
/* What becomes of each task, by how they all are: begins when those before it are done, at most
 * PLAN_AT_ONCE at work; is skipped when one of those failed. */
void plan_next(const struct task_plan *, const enum plan_state *, enum plan_step *out);

#endif
