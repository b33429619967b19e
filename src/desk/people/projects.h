/* projects.h - what a rule, a team or a route by project has to say of agents that are not bound.
 * Private to desk. */
#ifndef DESK_PROJECTS_H
#define DESK_PROJECTS_H

#include "desk/shared/inner.h"

/* How many tokens of agents name any project they like: not the machine's own, whose holder may
 * change the store anyway. */
enum err projects_unbound_read(
	struct rows *, int64_t ws, int64_t now_ms, int64_t *out, struct fault *);
struct str projects_unbound_detail(int64_t tokens, struct arena *); /* in a sentence */
/* Adds `warnings` to the object that the job replies with; without one unless it goes by
 * project. */
enum err projects_unbound_warn(
	struct task *, struct rows *, bool by_project, struct fault *);

#endif
