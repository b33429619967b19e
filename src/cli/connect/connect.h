/* connect.h - an agent's configuration, changed file by file. Owns reading, comparing and
 * replacing them; what goes in is in agents.h. */
#ifndef CLI_CONNECT_CONNECT_H
#define CLI_CONNECT_CONNECT_H

#include "cli/cli.h"
#include "cli/connect/agents.h"

/* A file before and after. A text whose `at` is NULL: it is not there. */
struct connect_file {
	const char *path;
	struct str before, after;
};

enum { CONNECT_FILES = 2 * AGENT_CHANGES };

struct connect_plan {
	const struct agent *agent;
	struct connect_file files[CONNECT_FILES];
	size_t files_len;
	bool shared; /* files of a project */
};

enum connect_what {
	CONNECT_SERVER = 1,  /* the entry and the permission to ask */
	CONNECT_HOOK = 2,    /* before its calls; instead of the other */
	CONNECT_PROMPTS = 4, /* beside its prompts; likewise */
};

/* How agents start this very program, by the settings of this call. */
/* `shared`: for a file of the project, which other people get as well. `project` may be empty. */
struct agent_entry connect_entry(struct cli *, bool shared, struct str project);

/* What would be written. ERR_NOT_FOUND: the agent has no file of this scope. Otherwise
 * why->detail names the file, and the line if it cannot be read. */
enum err connect_plan(const struct agent *, enum connect_scope, unsigned what,
	bool remove, const struct agent_entry *, struct arena *, struct connect_plan *out,
	struct fault *why);
/* The gateway before the commands of these MCP servers of the agent, or taken away. ERR_NOT_FOUND as above. */
enum err connect_gate(const struct agent *, enum connect_scope, const struct str *names,
	size_t len, bool remove, const struct agent_entry *, struct arena *,
	struct connect_plan *out, struct fault *why);
bool connect_changes(const struct connect_plan *);
/* All its files, each replaced at once by one beside it. */
enum err connect_write(const struct connect_plan *, struct fault *why);
/* The changes as a unified diff. */
void connect_diff(const struct connect_file *, struct buf *out);

/* How much of it is there. */
enum connect_state {
	CONNECTED_NOT,
	CONNECTED,
	CONNECTED_OTHERWISE, /* another program, another server, or a part of it only */
	CONNECT_BROKEN,	     /* a file cannot be read */
};
enum connect_state connect_state(const struct agent *, enum connect_scope, unsigned what,
	const struct agent_entry *, struct arena *, struct fault *why);

#endif
