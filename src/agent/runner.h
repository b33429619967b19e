/* runner.h - works on runs: claims them, calls models, runs tools, reports each step.
 *
 * A running agent is a thread here; a waiting agent is a row, and nothing here knows of it. */
#ifndef AGENT_RUNNER_H
#define AGENT_RUNNER_H

#include "desk/desk.h"

struct runner;

struct runner_settings {
	/* The same after a restart: leases of its former self are freed. */
	struct str node;
	struct settings set; /* its texts are borrowed */
	bool shared;	     /* other nodes work on the same store */
};

struct runner *runner_new(
	struct desk *, const struct runner_settings *, struct fault *why);
enum err runner_start(struct runner *, struct fault *why);
/* Model calls are cut; what was claimed is queued again. Waits for its threads. */
void runner_stop(struct runner *);
struct runner *runner_free(struct runner *); /* NULL is fine; returns NULL */

#endif
