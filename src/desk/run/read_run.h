/* read_run.h - the runs of a session, for whoever shows its whole state, and who may see what of them. Private
 * to desk. */
#ifndef DESK_READ_RUN_H
#define DESK_READ_RUN_H

#include "desk/shared/inner.h"

/* runs, messages, tool_calls, thoughts and tasks as members of an object that is being written:
 * the newest 1,000 of each; *truncated: there were more. */
enum err read_run_state(struct rows *, struct job *, const struct session *,
	struct json_writer *, bool *truncated, struct fault *);

/* Everybody's runs, or those in a session that it started. */
enum err read_run_may(struct job *, struct fault *);
/* A session whose agent's messages, runs and calls this principal may see. */
enum err read_run_session(struct job *, struct rows *, struct str id, struct fault *);
/* May this principal see what belongs to that session? What it may not see is not found. */
enum err read_run_part(struct job *, struct rows *, struct str session, const char *what,
	struct fault *);
/* One record by its id; ERR_NOT_FOUND. */
enum err read_run_one(struct job *, struct rows *, enum record_id, struct str which,
	const char *what, void *out, struct fault *);

#endif
