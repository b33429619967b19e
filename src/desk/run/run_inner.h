/* run_inner.h - what the use cases of runs share. Private to desk. */
#ifndef DESK_RUN_INNER_H
#define DESK_RUN_INNER_H

#include "core/run/message.h"
#include "core/run/run_limit.h"
#include "core/shared/field.h"
#include "desk/ask/ask.h"
#include "desk/run.h"
#include "desk/shared/happened.h"

/* A run that a job decides about. */
struct run_job {
	struct task *t;
	struct rows *rows;
	struct session *s; /* that it belongs to */
	struct run *r;
	const struct agent_config *agent; /* as the run has it; NULL: nobody asks */
};

/* ---- finding ---- */

/* The run, loaded if it is not here. ERR_NOT_FOUND. */
enum err run_fetch(
	struct rows *, int64_t ws, struct str id, const struct run **, struct fault *);
/* The same, to be changed, with its session, if the process still holds it; ERR_CONFLICT
 * otherwise. */
enum err run_hold(struct job *, struct rows *, const struct run_key *,
	struct run_job *out, struct fault *);
/* The calls of the message whose calls are not all done, loaded; then each by
 * run_calls_next. */
enum err run_calls_fetch(const struct run_job *, struct fault *);
/* The next call of this message behind `at`, in the order they were asked for. */
const struct tool_call *run_calls_next(
	const struct run_job *, const struct tool_call *at);
/* The sub-agents of a run, loaded; then each by rows_next. */
enum err run_children_fetch(struct rows *, const struct run *, struct fault *);

/* The agent as the run has it: the configuration it began with, and the limits that hold
 * now. */
enum err run_agent(const struct run *, const struct run_known *, struct arena *,
	struct agent_config *out, struct fault *);
/* The member `limits` of a configuration, as a run keeps it. */
struct str run_limits_of(struct str config, struct arena *);

/* ---- events ---- */

/* Stages an event of a run with these members (FIELDS); that of a sub-agent names its parent. */
void run_event(const struct run_job *, const char *type, const struct field *members,
	size_t len);
/* run.queued; 0: its place in the queue is not known, or it has none. */
void run_event_queued(const struct run_job *, int64_t place);

/* ---- steps ---- */

/* What the run does next: store tools are done, what must be asked is asked, a finished turn
 * gets its message of results, limits are judged. `claimed`: it comes from the queue, and what
 * had begun was cut. */
enum err run_go_on(
	const struct run_job *, bool claimed, struct run_work *out, struct fault *);
/* The same with the agent as the run has it. */
enum err run_advance(
	const struct run_job *, bool claimed, struct run_work *out, struct fault *);
/* The messages that its holder lacks, unless they are many, and what it needs to know of
 * them. */
enum err run_fresh(const struct run_job *, struct run_work *out, struct fault *);
/* It goes on: queued, if it waited. `by`: for the event. */
enum err run_resume(const struct run_job *, const char *by, struct fault *);
/* Takes the run from its worker: it starts again from its last row. */
enum err run_requeue(struct rows *, const struct run *, int64_t wake_ms, struct fault *);
/* A call of it has changed: it goes on if it can, else what it waits for is told anew. */
enum err run_goes_on(const struct run_job *, const char *by, struct fault *);
/* All calls of its message have ended: the message of results, from which the model goes on. They
 * stand there from now on. True: one was rejected. */
bool run_turn_close(const struct run_job *);
/* Nobody works on it until that comes. */
enum err run_rest(const struct run_job *, struct fault *);

/* ---- budgets ---- */

/* So much was used and worked, by it and its tree. */
enum err run_spend(const struct run_job *, const struct spending *, int64_t worked_ms,
	struct fault *);
/* The same of calls that left no message. */
enum err run_waste(const struct run_job *, const struct spending *, struct fault *);
/* Nothing is held for it any more. */
enum err run_release(struct rows *, struct run *, struct fault *);
/* Holds what the next call takes, in work->hold; *over: the limit that does not pay for it, or
 * RUN_LIMITS. Input 0: it is estimated from the rows. */
enum err run_reserve(const struct run_job *, int64_t input, struct run_work *,
	enum run_limit *over, struct fault *);
/* What its model was sent last, and how many tokens that was; 0: it is not known. */
void run_sent(struct run *, int64_t bytes, int64_t tokens, const struct window_cut *);

/* ---- ends ---- */

enum err run_complete(const struct run_job *, struct str report, struct fault *);
enum err run_fail(
	const struct run_job *, enum trouble, struct str message, struct fault *);
/* The run, its sub-agents, their calls and open asks. */
enum err run_cancel(const struct run_job *, struct str reason, struct fault *);
/* The model cannot go on: another is called in its place (run.model, and *again), or it is called again later,
 * or as run_recover. */
enum err run_troubled(
	const struct run_job *, const struct run_trouble *, bool *again, struct fault *);
/* The next of its fallbacks that can be used is its model from now on; *done false: there is none. */
enum err run_fall_back(const struct run_job *, enum trouble, bool *done, struct fault *);
/* Trouble that a person may mend: waits for an error_recovery ask where the agent says so, else
 * fails. */
enum err run_recover(
	const struct run_job *, enum trouble, struct str message, struct fault *);

/* May its model be told that its last words do not fit their schema? Twice. */
enum err run_may_repair(const struct run_job *, bool *out, struct fault *);

/* ---- calls ---- */

/* Gives a call its end: status, text, event. */
enum err run_call_end(const struct run_job *, struct tool_call *, enum call_action,
	struct str text, struct fault *);
/* Takes the calls of a model's message apart, decides on each, and begins what can begin in this
 * commit. Its parts with the ids of the calls put in go to *out, the digest of the calls to
 * `digest`. */
enum err run_calls_make(const struct run_job *, struct str message,
	const struct json *parts, struct str *out, char digest[SHORT_DIGEST_SIZE],
	struct fault *);
/* Does a pending call of class store. */
enum err run_tool_do(const struct run_job *, struct tool_call *, struct fault *);
/* Does a call of memory or todo that no run made: by an agent from elsewhere, in its session. *wrong: the text is an
 * error. */
enum err run_tool_alone(struct task *, struct rows *, struct session *,
	struct tool_call *, struct str *text, bool *wrong, struct fault *);
/* What was approved runs, once: the approval is used up now, if there is one and it is still
 * good for exactly this. */
enum err run_call_use(const struct run_job *, struct tool_call *, struct fault *);
/* Why an ask of a run is cancelled by a message: the run goes on. */
#define RUN_WROTE_INSTEAD "a person wrote instead"
/* What its agent may call, tools of one's own among them. */
enum err run_toolbox(const struct run_job *, struct run_toolbox *, struct fault *);
/* The digest of what would run as the call stands. */
enum err run_call_digest(struct rows *, const struct tool_call *, struct str session,
	char out[DIGEST_SIZE], struct fault *);
/* The server's key that the tokens of later results are made with. */
#define CALLBACK_KEY "callback"
/* A call of class once has no outcome: a person decides. `because`: why there is none. */
enum err run_call_interrupt(
	const struct run_job *, struct tool_call *, const char *because, struct fault *);
/* run_wants.c: an MCP server wants to know something before it runs the call: asked one after the other, and with the
 * last answer the call may be sent again. */
enum err run_call_wanted(
	const struct run_job *, struct tool_call *, struct str wants, struct fault *);
/* One was answered. */
enum err run_call_wants(const struct run_job *, struct tool_call *, struct fault *);
/* What was asked so, and what came of it, for who sends it. */
enum err run_call_asked(const struct run_job *, const struct tool_call *, struct run_do *,
	struct fault *);
/* What exactly would run, as asks and rules have it. */
struct str run_operation_text(enum operation_type, struct str name, struct str arguments,
	enum risk, struct arena *);

/* ---- asks ---- */

/* An ask of a run, from a body as POST /v1/asks takes it. */
enum err run_ask(const struct run_job *, struct ask_from, struct str body,
	struct ask **out, struct fault *);
/* An ask that a run waits for was settled: in the same commit the run goes on. */
react_fn run_settled;

/* ---- sub-agents ---- */

/* Starts what the call asks for; the call waits. An error for the model in *wrong. */
enum err run_children_start(const struct run_job *, struct tool_call *,
	const struct json *arguments, struct str *wrong, struct fault *);
/* One has ended: those after it go on or are skipped, and with the last the call is done. */
enum err run_child_ended(const struct run_job *, struct fault *);

/* ---- making ---- */

/* A run of the agent in this session, with its first message. */
enum err run_begin(struct task *, struct rows *, struct session *, const struct say *,
	const struct agent_record *, struct run **, struct fault *);

struct run_make {
	struct str session, parent, call, label, agent, config, text, language, limits;
	struct str provider, model, notes, trace;
	int64_t said; /* how many messages its thread has already */
	bool held;    /* waits for others before it is queued */
};
/* run_notes.c: the notes that a run with this first message begins with; empty: none. */
enum err run_notes(struct rows *, const struct session *, const struct agent_config *,
	struct str text, struct str *out, struct fault *);
/* A run with its first message. NULL: out of memory. */
struct run *run_new(struct rows *, struct session *, const struct run_make *);
/* The next message of its thread; the run is one that may be changed. */
struct run_message *run_message_new(
	struct rows *, struct run *, enum message_role, struct str content);
/* run.message. `line`: what lists show of it, or empty. `calls`: the digest of its tool calls, for
 * `check`; or empty. */
void run_message_event(const struct run_job *, const struct run_message *,
	struct str line, const char *calls);

#endif
