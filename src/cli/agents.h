/* agents.h - the agents that are set up to ask here: where each keeps its configuration,
 * and what goes into it. One row each; docs/AGENTS.md is made from the same rows. */
#ifndef CLI_AGENTS_H
#define CLI_AGENTS_H

#include "cli/config_edit.h"

enum scope { SCOPE_USER, SCOPE_PROJECT };

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
 * the hook, {env} for what hands the token on (`env` of the agent, or nothing). */
struct agent_change {
	const struct agent_file *file; /* NULL ends a list */
	const char *path;
	const char *value;
	bool item;
	const char *known; /* as in struct config_change */
	bool trusts;	   /* it says that our hook of codex is trusted: codex_trust.h */
};

enum { AGENT_CHANGES = 4 };

struct agent {
	const char *name;    /* "claude" */
	const char *title;   /* "Claude Code" */
	const char *program; /* on PATH; NULL: it has none to look for */
	const char *env;     /* how it hands PARLEY_TOKEN on to what it starts: members of
			      * its entry; NULL: by itself */
	const char *hook;    /* the words behind `parley hook NAME`; NULL: it has none */
	const char *run;     /* how it runs without a terminal, for the docs */
	const char *note;    /* for the docs; NULL: none */
	const char *approve; /* it ignores a project's files until this was run there, and
			      * the person agreed; NULL: it does not ask */
	struct agent_change changes[AGENT_CHANGES];
	struct agent_change hooks[AGENT_CHANGES];
};
extern const struct agent agents[]; /* up to one without a name */

const struct agent *agent_find(struct str name); /* NULL: there is none */
void agents_write(struct buf *);		 /* "claude, codex, …" */

bool agent_installed(const struct agent *, struct arena *); /* is it on PATH? */

/* What differs from one call to another. */
struct agent_entry {
	struct str program; /* the path of this very one */
	struct str url;	    /* of a server elsewhere; empty: the one of this machine */
	struct str data; /* its folder, if it is not where one looks for it; or empty */
	bool token;	 /* PARLEY_TOKEN is to be handed on */
};
/* The value of a change, written out. */
struct str agent_value(const struct agent *, const struct agent_change *,
	const struct agent_entry *, struct arena *);
/* Where the file is; NULL: there is none for this scope. NUL-terminated. */
const char *agent_path(const struct agent_file *, enum scope, struct arena *);

#endif
