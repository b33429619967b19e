/* run_rig.h - the threads that work on runs, played by hand on a rig that is alone: runs are claimed in the
 * name of any process, the model says what the test says, tools are run or are not. */
#ifndef TESTS_RUN_RIG_H
#define TESTS_RUN_RIG_H

#include "core/run/tool_call.h"
#include "desk/run.h"
#include "desk_rig.h"

enum { HELD_CALLS = 8 };

/* What a process has to do for a run it claimed. */
struct held {
	char run[ID_SIZE], session[ID_SIZE], by[32];
	int64_t ws, attempt, seen;
	int64_t tries; /* calls in vain */
	bool child;
	const char *kept, *prices; /* said of the next turn; NULL: nothing */
	bool again; /* what it tells of calls it told before, and did not hear the outcome */
	struct budget_hold hold; /* of RUN_STEP_MODEL */
	struct price price;
	/* What the next turn used; else a little. */
	bool counted;
	struct usage usage;
	int64_t cost;
	struct spending wasted;
	enum run_step step;
	char calls[HELD_CALLS][ID_SIZE]; /* of RUN_STEP_CALLS */
	enum call_class classes[HELD_CALLS];
	char callback[128]; /* of the first, if it is a tool of one's own */
	size_t calls_len;
	int64_t later_ms; /* its calls say that their results come within this time; 0: they have come */
};

/* A provider, the agent "helper" with all tools, and "boss", whose operations are never asked about. */
bool run_rig_prepare(struct rig *);
/* A session of this agent with a first message. */
struct made run_rig_start(struct rig *, const char *agent, char run[ID_SIZE]);
struct held run_rig_held(const struct run_work *); /* that a claim brought */
/* What this process gets, at most `max`. */
size_t run_rig_claim(struct rig *, const char *by, struct held *out, size_t max);
/* The model says this: parts as JSON with '. What is next is in *h, unless it failed. */
enum err run_rig_turn(struct rig *, struct held *h, const char *content);
enum err run_rig_trouble(struct rig *, struct held *h, enum trouble);
/* The same of what may pass, after all the quick tries. */
enum err run_rig_outage(struct rig *, struct held *h, uint64_t chance);
/* Brings the result of a call that comes later, with its token. */
enum err run_rig_bring(struct rig *, const char *call, const char *token);
/* A call of class once begins; *started: it may be run, with these arguments. */
enum err run_rig_begin(struct rig *, const struct held *h, size_t call, bool *started,
	char arguments[512]);
/* All calls have been run. */
enum err run_rig_calls(struct rig *, struct held *h);
/* lost[i]: not this process's any more. */
enum err run_rig_renew(
	struct rig *, const char *by, const struct held *, bool *lost, size_t len);
enum err run_rig_cancel(struct rig *, const char *run); /* by mia */
/* A run's status; "?" on an error. */
const char *run_rig_status(struct rig *, const char *run);

#endif
