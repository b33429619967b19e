/* hook_agents.h - the approval hooks of agents: what each writes on stdin before it runs a
 * tool, and what it reads as a decision. One row each. Pure but for printing. */
#ifndef CLI_CONNECT_HOOK_AGENTS_H
#define CLI_CONNECT_HOOK_AGENTS_H

#include "base/json.h"

/* A call that an agent is about to make, whoever it is. */
struct hook_event {
	struct str session; /* the agent's own id of it */
	struct str tool;
	const struct json *input;
	struct str call; /* the agent's id of the call; empty: it gives none */
	struct str cwd;	 /* or empty */
};

enum hook_decision {
	HOOK_ALLOW,
	HOOK_DENY,
	HOOK_ASK,   /* the agent's own prompt */
	HOOK_DEFER, /* the agent ends, and asks again when it is resumed */
};

struct hook_agent {
	const char *name;  /* as in `parley hook NAME` */
	const char *title; /* what its sessions are called */
	const char *event; /* its hook_event_name; NULL: it sends none */
	/* How its events are told from those of others, which are alike: a member that it
	 * alone sends, and a folder in the path of its transcript. NULL: none. */
	const char *sign, *folder;
	const char *session, *tool, *input, *call; /* members; `call` NULL: none */
	const char *question; /* a tool that asks the person: it is answered here */
	const char *planned;  /* a tool that shows a plan, for approval */
	/* How long a prompt waits for us, in ms: it is open meanwhile, or opens after that; 0: no
	 * hook beside prompts. And whether an edit can be handed back there. */
	int64_t prompt_ms;
	bool prompt_edits;
	bool defers; /* has HOOK_ASK and HOOK_DEFER */
	/* What a person edited can be handed back; or not; or it is merged into what there
	 * was, so that no member can be removed. */
	enum { HOOK_EDITS_ALL, HOOK_EDITS_NONE, HOOK_EDITS_MERGED } edits;
	struct str (*write)(struct arena *, const char *decision, struct str reason,
		const struct json *edited);
};

const struct hook_agent *hook_agent_find(struct str name); /* NULL: there is none */
/* `name`: of the event; NULL: the one before a call. False: it is no such event of this agent's. */
bool hook_event_read(const struct hook_agent *, const struct json *, const char *name,
	struct arena *, struct hook_event *out);
/* What Claude Code and Codex read as a decision on a prompt. */
struct str hook_prompt_text(
	bool allow, struct str message, const struct json *edited, struct arena *);
const char *hook_decision_name(enum hook_decision);
/* What it reads as a decision. `edited`: NULL: as it was. */
struct str hook_decision_text(const struct hook_agent *, enum hook_decision,
	struct str reason, const struct json *edited, struct arena *);
/* Can this edit be handed back? Otherwise it is a no. */
bool hook_agent_carries(
	const struct hook_agent *, const struct json *input, const struct json *edited);

#endif
