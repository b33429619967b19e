/* read_run.h - the runs of a session, for whoever shows its whole state. Private to desk. */
#ifndef DESK_READ_RUN_H
#define DESK_READ_RUN_H

#include "desk/shared/inner.h"

/* runs, messages, tool_calls, thoughts and tasks as members of an object that is being written:
 * the newest 1,000 of each; *truncated: there were more. */
enum err read_run_state(struct rows *, struct job *, const struct session *,
	struct json_writer *, bool *truncated, struct fault *);

#endif
