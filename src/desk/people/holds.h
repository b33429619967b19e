/* holds.h - may this be deleted? Private to desk. */
#ifndef DESK_HOLDS_H
#define DESK_HOLDS_H

#include "core/people/legal_hold.h"
#include "desk/shared/inner.h"

/* ERR_HELD: holds keep it, whose ids are the task's `conflict`. */
enum err holds_on_session(
	struct task *, struct rows *, const struct session *, struct fault *);
enum err holds_on_user(struct task *, struct rows *, const struct user *, struct fault *);

#endif
