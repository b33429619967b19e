/* run_follow.h - a run shown on a terminal until it ends: its text as it comes, reasoning, tool
 * calls, sub-agents and tasks; what it asks is answered in place, and Ctrl-C offers to stop it. */
#ifndef CLI_VERB_RUN_FOLLOW_H
#define CLI_VERB_RUN_FOLLOW_H

#include "cli/cli_call.h"

/* What is to be followed. */
struct run_follow {
	struct cli *cli;
	struct client *client; /* borrowed */
	struct str session, run;
	struct str after; /* the last event that is known already */
	struct str ask;	  /* that is open already; empty: none */
	bool over;	  /* the run has ended already */
	bool live;	  /* stdout is a terminal: everything is shown as it comes */
	bool no_wait;	  /* it ends when the run waits for a person or a provider */
	const struct json
		*past; /* messages, newest first, that are shown before it; or NULL */
};

/* Until the run has ended; then its report (unless it was shown), or with --json the run as JSON,
 * and how it ended. The exit status of `parley run`. */
int run_follow(const struct run_follow *);

#endif
