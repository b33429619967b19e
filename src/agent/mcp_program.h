/* mcp_program.h - MCP servers that are programs of the operator: one for each server and agent, started when it is first
 * spoken to and ended a minute after it was last. Any number of threads may speak to one at the same time. */
#ifndef AGENT_MCP_PROGRAM_H
#define AGENT_MCP_PROGRAM_H

#include "core/run/mcp_server.h"
#include "mcp/remote.h"

struct mcp_program;

/* The one of this server and agent (access.agent), which is started if it does not run; it stays as long as it is held.
 * NULL: *wrong says why, in the arena. */
struct mcp_program *mcp_program_take(
	const struct mcp_access *, struct arena *, struct str *wrong);
void mcp_program_give(struct mcp_program *);
/* What was agreed with it: the revision, and what it said of itself, as JSON; only who begins knows it not, and tells.
 * True: it is known; false: it is the caller's to begin, and everybody else waits for mcp_program_begun. */
bool mcp_program_begin(
	struct mcp_program *, struct arena *, enum revision *out, struct str *greeted);
void mcp_program_begun(
	struct mcp_program *, bool done, enum revision, struct str greeted);
int64_t mcp_program_next_id(struct mcp_program *);

enum program_ending {
	PROGRAM_ANSWERED,
	PROGRAM_ENDED, /* it is gone, or was ended for what it printed */
	PROGRAM_LATE,
	PROGRAM_STOPPED,
};

struct program_request {
	struct str message; /* one line */
	struct remote_reader *
		reads; /* gets what concerns it, on this thread; NULL: nothing is waited for */
	int64_t timeout_ms; /* for the whole */
	int64_t idle_ms;    /* without a sign of life; 0: no bound of its own */
	const bool *alive;  /* set while a message was read: a sign of life; or NULL */
	int stop_fd;	    /* readable: it is given up; -1: cannot be */
};
/* *wrong: why it ended, in the arena. */
enum program_ending mcp_program_run(struct mcp_program *, const struct program_request *,
	struct arena *, struct str *wrong);

/* All are ended, and none is started any more. */
void mcp_programs_end(void);

#endif
