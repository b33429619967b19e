/* session.h - sessions made. Private to desk. */
#ifndef DESK_SESSION_H
#define DESK_SESSION_H

#include "desk/shared/inner.h"

/* With its event. NULL: out of memory. */
struct session *session_make(struct task *, struct rows *, const struct session_draft *);

#endif
