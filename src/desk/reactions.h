/* reactions.h - what follows from events: one table, above all concepts. Private to desk.
 *
 * Use cases stage events and know nobody who listens. Before a batch is written, every event
 * that a job staged goes through the table, inside of the job's savepoint. */
#ifndef DESK_REACTIONS_H
#define DESK_REACTIONS_H

#include "desk/shared/happened.h"

/* Hooks of the clerk: the first asks for rows that reactions will need, the second runs
 * them. */
void reactions_need(void *desk, const struct job *, struct wants *);
enum err reactions_run(void *desk, struct job *, struct rows *, struct fault *);

#endif
