/* hook.h - a call that an agent is about to make, and what is decided on it: what the hooks before
 * calls (hook.c) and beside prompts (hook_prompts.c) share. */
#ifndef CLI_VERB_HOOK_H
#define CLI_VERB_HOOK_H

#include "cli/approval.h"
#include "cli/connect/hook_agents.h"
#include "core/policy/tool_list.h"

/* What comes in on stdin, and who decides on it. */
struct hook {
	struct cli *cli;
	const struct hook_agent *agent;
	struct client *client;
	struct hook_event event;
	bool asks;	    /* it is the agent's own question to the person */
	bool plans;	    /* it wants to begin what it has planned */
	bool prompts;	    /* its own prompt is open, or opens after us */
	bool must_ask;	    /* --ask-only fits */
	struct str session; /* its id here */
	struct str key;	    /* of the request that asks */
	const char *dialect;
	const struct json *ask, *reply; /* as last seen; the reply in the dialect */
	const struct json *edited; /* what is handed back for the input; NULL: nothing */
	int64_t wait_ms;
	enum hook_decision then;		/* when that is over */
	bool untold;				/* the decision could not be written */
	struct tool_list deny, ask_only, allow; /* rules of the command line */
};

/* Takes the event of this name apart, NULL for that before a call. False: it is none. */
bool hook_event_take(struct hook *, const struct json *event, const char *name);
/* Always true: it is decided. */
bool hook_decide(struct hook *, enum hook_decision, struct str reason);
/* {"type": "tool", "name", "arguments"}; NULL: no memory. */
const struct json *hook_operation(struct hook *);
void hook_rules_read(struct hook *, const char *flag, bool allows, struct tool_list *out);
/* Whose session, project and machine it is. */
void hook_place_say(struct hook *);
/* The agent's session is one here, named after it; a second one in another project. Its tools may
 * run side by side. */
enum err hook_session_find(struct hook *, struct fault *why);
enum err hook_call(struct hook *, const char *method, struct str path, struct str body,
	struct str key, struct api_reply *out, struct fault *why);
/* Asks, with h->key. */
enum err hook_ask_put(struct hook *, struct fault *why);
/* Until it is settled or h->wait_ms is over. */
enum err hook_ask_await(struct hook *, struct fault *why);
bool hook_ask_pending(const struct hook *);
/* What was approved is this very call, and is used up with it. */
bool hook_approval_holds(struct hook *, struct approval *);
/* Nobody waits for it any more; what is decided later must not look like a yes. */
void hook_ask_withdraw(struct hook *, const char *reason);
bool hook_stop_decide(struct hook *);

/* parley hook AGENT --prompts. */
int hook_prompts_run(struct hook *);

#endif
