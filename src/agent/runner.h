/* runner.h - works on runs: claims them, calls models, runs tools, reports each step.
 *
 * A running agent is a thread here; a waiting agent is a row, and nothing here knows of it. */
#ifndef AGENT_RUNNER_H
#define AGENT_RUNNER_H

#include "desk/desk.h"

struct runner;

struct runner_settings {
	struct str
		node; /* the same after a restart: leases of its former self are freed */
	int64_t runs_max;   /* threads */
	int64_t timeout_ms; /* of one model call */
	int64_t idle_ms;    /* without a line of data */
	bool shared;	    /* other nodes work on the same store */
};

enum { RUNS_MAX = 64, MODEL_TIMEOUT_MS = 300 * 1000, MODEL_IDLE_MS = 90 * 1000 };

struct runner *runner_new(
	struct desk *, const struct runner_settings *, struct fault *why);
enum err runner_start(struct runner *, struct fault *why);
/* Model calls are cut; what was claimed is queued again. Waits for its threads. */
void runner_stop(struct runner *);
struct runner *runner_free(struct runner *); /* NULL is fine; returns NULL */

#endif
