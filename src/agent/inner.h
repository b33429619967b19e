/* inner.h - what the files of agent share. */
#ifndef AGENT_INNER_H
#define AGENT_INNER_H

#include "agent/learned.h"
#include "agent/runner.h"
#include "desk/run.h"
#include "desk/shared/transient.h"
#include "model/model.h"
#include "net/fetch.h"

#include <pthread.h>
#include <stdatomic.h>

/* What was claimed together; freed with the last run of it. */
struct claimed_runs {
	struct task task;
	struct run_claim claim;
	atomic_int refs;
	struct runner *runner;
};

/* Of the run that a thread has: it may have been handed out while its commit is under way. */
enum claim_state { CLAIM_KEPT, CLAIM_EARLY, CLAIM_LOST };

/* A message of a run. */
struct transcript_message {
	struct run_message said;      /* with its texts in one piece */
	struct model_written written; /* as the model gets it, once that was needed */
	struct estimate_size size;    /* of its content */
};

/* Those that its model may be given, by their numbers. */
struct transcript {
	struct run_message **at; /* each the first member of a transcript_message */
	size_t len, cap;
	bool summed; /* a summary came: what it stands for is to go */
};

/* What of a request is the same in all turns of a run. */
struct run_setup {
	bool ready;
	struct arena arena;
	struct str config; /* which the agent was read from */
	struct agent_config agent;
	struct str system;
	struct model_tool *tools;
	size_t tools_len;
};

/* `stop` of messages that are sent otherwise. */
#define SENT_PAUSE   "pause"   /* the model itself goes on from it */
#define SENT_REFUSAL "refusal" /* it is never sent again */

/* What the model is sent: the request is in worker.body. */
struct sent_request {
	struct sent *all; /* its messages, in the turn's arena */
	size_t len;
	struct window window;
	struct estimate_size size;
	int64_t tokens; /* estimated */
	int64_t output; /* that it may have at most; 0: no number is known */
	/* After the provider called a request too long: at most so many tokens, and its words. 0: it did not. */
	int64_t most;
	char said[256];
};

/* A thread that works on one run at a time. */
struct worker {
	struct worker *next;
	struct runner *runner;
	pthread_t thread;
	pthread_cond_t go;	   /* it has work, or the server stops */
	int stop_fd;		   /* readable: what is under way is to be given up */
	bool busy;		   /* under the runner's lock */
	atomic_bool told;	   /* to give up; written under the lock */
	struct run_work work;	   /* to begin with */
	struct claimed_runs *from; /* whose memory that is */
	_Atomic enum claim_state claim; /* of that run; written under the lock */
	char run[ID_SIZE];		/* that it works on; under the lock */
	int64_t ws, attempt;
	/* Of the step under way and the next: each task's arena holds what it found. */
	struct task tasks[2];
	int at;
	struct transcript transcript;
	struct run_setup setup;
	/* Of its run, as the setup and the step under way have it. */
	struct run_known known;
	struct fetcher *fetcher;
	struct buf body; /* of the request under way */
	struct sent_request sent;
	bool listed; /* the list of its run's provider was just read */
};

struct runner {
	struct desk *desk;
	struct runner_settings set;
	char node[128], by[160];
	pthread_mutex_t lock;
	pthread_cond_t wake; /* of the dispatcher */
	pthread_t thread;
	bool started, stopping;
	bool woken; /* runs were queued, or taken away */
	bool freed; /* a worker came back */
	bool stray; /* a run may be held that nobody works on */
	bool left;  /* the last claim left something that is due */
	/* The dispatcher is claiming: it waits until no other claim is under way, and none is
	 * begun until it has ended. */
	bool dealing;
	/* A claim that is decided with what queued its runs. */
	struct claimed_runs *along;
	bool endless; /* the dispatcher sleeps until it is woken, however long */
	bool listing; /* a list of models is being read */
	struct worker *workers;
	int64_t workers_len, busy;
	bool troubled;
	struct learned *learned; /* under the lock */
};

/* turn.c: one model call with its retries, reported; the next step is in *next. False: the run is
 * not ours any more, or the server stops. */
bool turn_run(struct worker *, const struct run_work *, struct run_work *next);
/* sent.c: the request of a turn, as its context allows. */
enum err sent_make(struct worker *, const struct run_work *, struct arena *,
	enum window_step *, struct fault *);
/* The same for a summary of what the window says. ERR_FULL: that is too long, too. */
enum err sent_summary(
	struct worker *, const struct run_work *, int64_t output, struct arena *);
/* The request once more, with sent.output. */
enum err sent_write(
	struct worker *, const struct run_work *, struct arena *, struct fault *);
/* About how many tokens there will be once that summary is there. */
int64_t sent_after(const struct worker *, struct str text);
/* It was too long for the provider: at most half from now on. False: it was halved before. */
bool sent_halve(struct worker *, const struct run_work *, const struct model_reply *);
/* call.c: the calls of a turn that are run outside of the store. */
bool call_run_all(struct worker *, const struct run_work *, struct run_work *next);

/* spend.c: what the request that is about to be sent may ask for. `rests`: its limits do not pay for it, and
 * the run rests. */
struct spend {
	int64_t output; /* tokens; 0: no number is known */
	bool rests;
};
/* Of a request of so many tokens; a longer one than was held for is held for anew, and then `wasted` is
 * told with it. False: the run is not ours any more. */
bool spend_fits(struct worker *, struct run_work *, int64_t input,
	struct spending *wasted, struct spend *out);
/* A call that leaves no message: input as it was told, else so many tokens; so many came out. */
void spend_waste(struct spending *, const struct run_work *, const struct usage *told,
	int64_t input, int64_t output);
/* Of a run that is not ours any more. */
void spend_tell(struct worker *, const struct run_work *, const struct spending *);

/* lists.c: the list of models of its provider, if it is time to read it; one at a time. */
void lists_read(struct worker *, const struct run_work *);

/* own_call.c: a call of a tool of one's own. `stop_fd`: readable, it is given up. */
enum own_call_end { OWN_CALL_DONE, OWN_CALL_UNKNOWN, OWN_CALL_STOPPED };
enum own_call_end own_call_run(struct fetcher *, int stop_fd, const struct tool_access *,
	const struct json *arguments, struct arena *, struct tool_outcome *out);

/* own_command.c: the same of one that is a command. `out` holds that it failed, without a word yet. */
enum own_call_end own_command_run(int stop_fd, const struct tool_access *,
	const struct json *arguments, struct arena *, struct tool_outcome *out);

/* mcp_link.c: a call of a tool of an MCP server. */
struct mcp_call {
	const struct tool_access *access;
	const struct json *arguments;
	/* Of one that is sent again with what its server wanted to know: members of its params; or empty. */
	struct str more;
	/* Once the server is reached and before anything of the call is sent; false: it is not to run. Or NULL. */
	bool (*starts)(void *ctx);
	/* How far it is; percent -1: unknown. */
	void (*progressed)(void *ctx, struct str text, int64_t percent);
	/* While it runs its server wants to know something: waits for *answer, a JSON object. False: it is not
	 * offered. */
	bool (*asks)(void *ctx, struct str method, const struct json *params,
		struct arena *, struct str *answer);
	void *ctx;
};
enum own_call_end mcp_link_run(struct fetcher *, int stop_fd, const struct mcp_call *,
	struct arena *, struct tool_outcome *out);

/* mcp_lists.c: reads the tools of the servers that its run is about to use, and has the step behind it. */
bool mcp_lists_read(struct worker *, const struct run_work *, struct run_work *next);
/* One of them, when it says that its tools are others by now. */
void mcp_lists_again(struct worker *, const struct mcp_access *);

/* transcript.c: takes the messages that a work brings, and before a model call reads those that are
 * still missing; key.seen says how far it is then. False: the run is not ours any more, or out of
 * memory. */
bool transcript_take(struct worker *, struct run_work *);
/* Where one of its messages is kept as the model gets it. */
struct model_written *transcript_written(const struct run_message *);
/* Of its content, as it is kept. */
struct estimate_size transcript_size(const struct run_message *);
void transcript_clear(struct transcript *);
void transcript_done(struct transcript *);

/* What all turns of its run have in common is made anew. */
void worker_forget(struct worker *);
/* A task of this worker whose arena lives until the step after the next one begins. */
struct task *worker_task(struct worker *);
/* Puts it and waits. The store in trouble: tried again until it works. False: the run is not ours
 * any more, or the server stops. */
bool worker_tell(struct worker *, const struct use *, struct task *, void *what);
/* The same for what no other thread can know: it is told again when the outcome of its commit is
 * unknown, and says so in *again, which is a member of `what`. */
bool worker_tell_again(
	struct worker *, const struct use *, struct task *, void *what, bool *again);
/* The store refused it, and would again. */
bool worker_failed(const struct task *);
/* Waits until the claim of its run is committed. False: it was not kept. Until then nothing may be
 * told of the run, inside or outside. */
bool worker_kept(struct worker *);
/* Sleeps, or until it is told to give up: false then. */
bool worker_sleep(struct worker *, int64_t ms);
bool worker_told(struct worker *);

#endif
