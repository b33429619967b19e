/* run.h - runs as whoever works on them sees them: claimed under a lease, told what to do next,
 * and reported step by step. Any number of processes may share a store: a run has one holder at
 * a time, and what a holder reports after it lost the run is refused.
 *
 * A runner does:
 *
 *	use_run_claim                        → works: for each the first step
 *	use_run_history                      → the messages, unless the work brought all it lacks
 *	RUN_STEP_MODEL: calls the model, then use_run_turn or use_run_trouble → the next step
 *	RUN_STEP_CALLS: runs them (one of class once after use_run_start), then use_run_calls
 *	RUN_STEP_LISTS: reads the tools of MCP servers, use_mcp_keep for each, then use_run_calls with none
 *	RUN_STEP_REST:  nothing: it waits, has ended, or was queued again; the lease is given up
 *
 * Everything that makes a run go on is committed with what it waited for. */
#ifndef DESK_RUN_H
#define DESK_RUN_H

#include "core/run/agent.h"
#include "core/run/budget.h"
#include "core/run/estimate.h"
#include "core/run/message.h"
#include "core/run/run_tool.h"
#include "core/run/usage.h"
#include "core/run/window.h"
#include "desk/desk.h"
#include "desk/run/configured.h"

enum { RUN_LEASE_MS = 30 * 1000 };

/* What its holder keeps of a run between its steps, so that it is not read again while it is
 * the same. */
struct run_known {
	struct str config; /* what `agent` was read from; empty: nothing yet */
	const struct agent_config *agent;
	const struct model_access *access; /* or NULL */
};

/* Which run, by which process, claimed for which time. A process that gave a run back and claimed it
 * again may still have a thread that does not know: the attempt tells the two apart. */
struct run_key {
	int64_t ws;
	struct str run, by;
	int64_t attempt;
	int64_t seen; /* the number of the last message that the process has; 0: it has none */
	const struct run_known *known; /* or NULL */
};

enum run_step { RUN_STEP_REST, RUN_STEP_MODEL, RUN_STEP_CALLS, RUN_STEP_LISTS };

struct run_asked {
	struct str key;
	const struct kept_ask *ask;
};

/* A tool call to be run outside of the store. */
struct run_do {
	struct str call, name, arguments;
	enum call_class class;
	bool begun; /* one of class repeat, in the commit that found it or before */
	/* Of one's own, or of an MCP server; NULL: a built-in one. */
	const struct tool_access *tool;
	/* What an MCP server wanted to know before it runs, and what came of it; or empty. */
	struct str wanted;
	struct run_asked *asked;
	size_t asked_len;
};

/* What is to be done next. Texts are in the arena of the task that found it. */
struct run_work {
	struct run_key key;
	struct str session, config, provider, model, language, notes;
	bool child, test_tools;
	/* Whom it may give tasks to: JSON [{"name","description"}]. Once, before the process knows its agent. */
	struct str roster;
	struct str templates; /* names of those that it can ask with. Likewise. */
	/* Its tools of one's own: JSON [{"name","description","schema"}]. Likewise. */
	struct str tools;
	int64_t turn;
	int64_t tries;	      /* calls in vain so far (run.tries) */
	int64_t percent;      /* of its tasks that are done; -1: it has none */
	int64_t time_left_ms; /* of its limit; 0: it has none */
	enum run_step step;
	struct model_access access;    /* of RUN_STEP_MODEL */
	struct budget_hold hold;       /* the same: what its call may have */
	struct estimate_count counted; /* the last count of its model */
	/* Its thread: which it is, its first and its last message; what of it goes to the model, as its limits
	 * and the calls before say. */
	struct str thread, first;
	int64_t said, history, context;
	struct window_cut cut;
	/* The messages behind key.seen up to `said`, by their numbers. None, if they are many: then
	 * use_run_history reads them. */
	struct run_message *fresh;
	size_t fresh_len;
	struct run_do *calls;
	size_t calls_len;
	struct mcp_access *lists; /* of RUN_STEP_LISTS: the servers */
	size_t lists_len;
};

/* use_run_claim, in task.checked: takes what is due. */
struct run_claim {
	struct str by, node;
	int64_t free, take;
	bool along; /* only what its own batch has queued, and only if nothing else is due */
	bool left;		/* found: something that is due was not taken */
	struct run_work *works; /* found; in the task's arena */
	size_t len;
	int64_t next_ms; /* when there may be more; 0: nothing waits */
};

/* use_run_history: what the model may be given of the thread of this work, on a reading
 * clerk. */
struct run_history {
	const struct run_work *work;
	struct run_message *messages; /* found, by their numbers; in the task's arena */
	size_t len;
};

/* use_run_turn: the model has answered. */
struct run_turn {
	struct run_key key;
	struct str content, kept, model, stop, prices;
	struct usage usage;
	int64_t cost; /* COST_UNKNOWN: there was no price */
	int64_t context_max;
	struct window_cut shortened;
	int64_t worked_ms;
	struct spending wasted;	   /* calls before it that left nothing */
	struct estimate_size sent; /* the request */
	bool again;		   /* the model wants to be called again as it is */
	bool cut;		   /* the answer was cut short at its greatest length */
	bool nothing;		   /* its provider says that it came to nothing */
	bool refused;		   /* it would not answer */
	struct str message;	   /* why, of these */
	struct str cut_call; /* the name of a call that was dropped for that; or empty */
	struct str misses; /* how it does not fit the schema of the output; found here */
	struct run_work next;
};

/* use_run_compact: a summary stands for some messages from now on. */
struct run_compact {
	struct run_key key;
	struct str text;	       /* empty: they are left out */
	int64_t after, upto, messages; /* window */
	int64_t before, tokens;	       /* estimated, before and after it */
	struct str model, prices;      /* of the call, if there was one */
	struct usage usage;
	int64_t cost;
	struct window_cut cut;
	int64_t worked_ms;
	struct spending wasted;
	struct run_work next;
};

/* use_run_trouble: it did not. */
struct run_trouble {
	struct run_key key;
	enum trouble kind;
	struct str message;
	bool passes;   /* the same request may succeed later */
	bool gone;     /* the provider does not offer the model */
	int64_t tries; /* calls of this model in vain, with those before (run_work.tries) */
	int64_t retry_after_ms; /* as the provider asks; -1: nothing said */
	uint64_t chance;	/* any number: pauses differ by it */
	int64_t worked_ms;
	struct spending wasted;
	struct run_work next;
};

/* use_run_reserve: the request, whole, has so many tokens, more than its hold pays for. */
struct run_reserve {
	const struct run_work *work;
	int64_t input;
	struct spending wasted; /* before it */
	bool held;		/* found; else the run rests at its limit */
	struct budget_hold hold;
};

/* use_run_wasted: a call was given up, and the run is not its worker's any more. */
struct run_wasted {
	int64_t ws;
	struct str run;
	struct spending spent;
};

struct run_outcome {
	struct str call;
	bool failed;
	struct str text;
	/* Of class once: it was begun, and nobody knows what came of it. `text` says why. */
	bool unknown;
	int64_t later_ms; /* its result comes later, within this time; 0: it has come */
	struct str wants; /* its server wants to know this first; or empty */
};

/* use_run_start, before a call of class once: found false when it must not be run. */
struct run_start {
	struct run_key key;
	struct str call;
	bool again; /* the outcome of the same, told before, is unknown; it was not run */
	bool started;
	struct str arguments; /* as approved */
};

/* use_run_elicit: while a call runs, its server wants to know something, and waits; asked in the run's session, for
 * a while. use_run_elicited, a read: what the ask has come to. */
struct run_elicit {
	struct run_key key;
	struct str call;
	struct str body, foreign;	/* as remote_input has them */
	char ask[ID_SIZE];		/* found by the first */
	const struct kept_ask *settled; /* found by the second; NULL: it is open */
};

/* use_run_calls: these have been run. */
struct run_calls {
	struct run_key key;
	const struct run_outcome *outcomes;
	size_t len;
	bool again; /* the outcome of the same, told before, is unknown */
	int64_t worked_ms;
	struct run_work next;
};

/* use_run_renew: these leases run for another while. What the process holds beside them is nobody's
 * work (the outcome of a commit was unknown, or no thread was left) and is queued again. */
struct run_renewal {
	struct str by;
	const struct run_key *runs; /* all that it works on */
	bool *lost;		    /* found */
	size_t len;
};

/* use_run_yield: what this process holds (or, without `own`, former ones of its node) is queued
 * again. */
struct run_yield {
	struct str by, node;
	bool own;
	int64_t count; /* found */
};

/* use_run_due, in task.checked: a struct lease_due. */
extern const struct use use_run_claim, use_run_due, use_run_history, use_run_turn,
	use_run_compact, use_run_trouble, use_run_start, use_run_elicit, use_run_elicited,
	use_run_calls, use_run_renew, use_run_yield, use_run_reserve, use_run_wasted;

/* A model call is over: counted for metrics. */
struct run_model_call {
	struct str provider, model;
	const char *status; /* "ok", or the kind of trouble */
	struct usage usage;
	int64_t cost;		   /* nanodollars; COST_UNKNOWN: there was no price */
	int64_t took_ms, first_ms; /* -1: no word came */
};
void run_count_call(struct desk *, int64_t ws, const struct run_model_call *);
/* What was decided about a call at the gateway; how long one took at its server. Either is left out: NULL, -1. */
void run_count_gateway(struct desk *, int64_t ws, struct str server, const char *effect,
	int64_t took_ms);

/* Called on the thread that commits. */
struct run_hooks {
	void *ctx;
	void (*woken)(void *ctx); /* runs may be claimed, or were taken away */
	/* Runs were queued in a batch of this process, which is about to be committed: a claim with
	 * `along`, in task.checked, that is decided in it; or NULL. Its task's `done` is called. */
	struct task *(*claim)(void *ctx);
};

/* With NULL they are never called again from then on. */
void run_listen(struct desk *, const struct run_hooks *);

#endif
