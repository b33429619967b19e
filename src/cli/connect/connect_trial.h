/* connect_trial.h - one question through `parley mcp`, the way an agent asks. */
#ifndef CLI_CONNECT_CONNECT_TRIAL_H
#define CLI_CONNECT_CONNECT_TRIAL_H

#include "cli/cli.h"
#include "cli/connect/agents.h"

/* Starts the program as the entry says, asks, says where to answer, and waits for it at
 * most `wait_ms`. OK: *answer is what came back. ERR_BUSY: nobody answered in time; then
 * the question is withdrawn. */
enum err connect_trial_run(struct cli *, const struct agent_entry *, int64_t wait_ms,
	struct str *answer, struct fault *why);

#endif
