/* agents.h - the agents that are set up to ask here: where each keeps its configuration,
 * and what goes into it. The table is agents.json, an object each; the page and docs/AGENTS.md are
 * made from it, too.
 *
 * A call may take as long as the server waits for a person (`mcp_wait`), so that it is the server
 * that ends it: where an agent has a setting for that, it is 10 minutes, and a hook's 11. Where it
 * has none, the default of `mcp_wait`, 50 s, fits. */
#ifndef CLI_CONNECT_AGENTS_H
#define CLI_CONNECT_AGENTS_H

#include "cli/connect/config_edit.h"

enum connect_scope { SCOPE_USER, SCOPE_PROJECT };

/* A file of an agent's. */
struct agent_file {
	enum config_format format;
	const char *env;    /* a variable that names the folder instead; NULL: none */
	const char *folder; /* below the home: ".codex"; "" is the home itself */
	const char *name;   /* in the folder */
	const char *other;  /* the name that counts if there is such a file; NULL: none */
	const char *project; /* below a project's folder; NULL: no such scope */
};

/* What goes into it. In `value`, which is JSON, {command} stands for this program's path
 * and {mcp} for the words behind it, as items of a list; {hook} for the command line of
 * the hook before calls, {prompts} of the one beside prompts, {env} for what hands the token on (`env` of the agent, or nothing); {url} for the
 * address of the MCP server and {token} for the agent's way to name PARLEY_TOKEN. */
struct agent_change {
	const struct agent_file *file; /* NULL ends a list */
	const char *path;
	const char *value;
	bool item;
	const char *known; /* as in struct config_change */
	bool trusts;	   /* it says that our hook of codex is trusted: codex_trust.h */
};

enum { AGENT_CHANGES = 5 };

/* How it reaches a server by HTTP, in the place of the first change's value. */
struct agent_remote {
	const char *file; /* where people put it; NULL: it has none to show */
	/* What {token} is; NULL: it takes it from PARLEY_TOKEN by itself. */
	const char *token;
	const char *value;
};

struct agent {
	const char *name;    /* "claude" */
	const char *title;   /* "Claude Code" */
	const char *program; /* on PATH; NULL: it has none to look for */
	const char *env;     /* how it hands PARLEY_TOKEN on to what it starts: members of
			      * its entry; NULL: by itself */
	const char *hook;    /* the words behind `parley hook NAME`; NULL: it has none */
	const char *run;     /* how it runs without a terminal, for the docs */
	const char *approve; /* it ignores a project's files until this was run there, and
			      * the person agreed; NULL: it does not ask */
	struct agent_change changes[AGENT_CHANGES];
	struct agent_change hooks[AGENT_CHANGES];   /* before its calls */
	struct agent_change prompts[AGENT_CHANGES]; /* beside its prompts */
	struct agent_remote remote;
};
extern const struct agent agents[]; /* up to one without a name */

const struct agent *agent_find(struct str name); /* NULL: there is none */
/* "claude, codex, …"; `remote`: those that a file is shown for. */
void agents_write(struct buf *, bool remote);

bool agent_installed(const struct agent *, struct arena *); /* is it on PATH? */

/* What differs from one call to another. */
struct agent_entry {
	struct str program; /* the path of this very one */
	struct str url;	    /* of a server elsewhere; empty: the one of this machine */
	struct str data; /* its folder, if it is not where one looks for it; or empty */
	struct str project; /* that all it asks belongs to; or empty */
	bool token;	    /* PARLEY_TOKEN is to be handed on */
};
/* The value of a change, written out. */
struct str agent_value(const struct agent *, const struct agent_change *,
	const struct agent_entry *, struct arena *);
/* The file that its first change goes to, if nothing were there yet: with the URL of the server in
 * `entry` the remote form, else the local one. */
enum err agent_file_write(const struct agent *, const struct agent_entry *entry,
	struct arena *, struct str *out, struct fault *why);
/* A path that another program can start us by. */
struct str own_path(struct arena *);
/* Where the file is; NULL: there is none for this scope. NUL-terminated. */
const char *agent_path(const struct agent_file *, enum connect_scope, struct arena *);

#endif
