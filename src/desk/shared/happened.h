/* happened.h - an event that a job staged, as reactions are given it. Private to desk. */
#ifndef DESK_HAPPENED_H
#define DESK_HAPPENED_H

#include "desk/shared/inner.h"

struct happened {
	struct task *task; /* that caused it */
	struct rows *rows;
	const struct staged *event;
	struct ask *ask;	 /* that it is about; or NULL */
	struct session *session; /* likewise */
};

/* Decides over rows, and may stage more events. What it refuses fails the job. */
typedef enum err react_fn(const struct happened *, struct fault *);

#endif
