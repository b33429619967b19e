/* run.h - one execution of an agent in a session: its states, and what is kept of it. Pure.
 *
 *     queued ──claim──► running ──finish, fail──► completed, failed
 *       ▲                │   │
 *       ├──────yield─────┘   └──wait──► waiting ──resume──► queued
 *
 * and from each of the three that are not an end: cancel ──► cancelled. A sub-agent is a run
 * with a parent; a run with a parent is nobody's parent. Prefixes: run_, trouble_. */
#ifndef CORE_RUN_H
#define CORE_RUN_H

#include "base/str.h"
#include "core/delivery/lease.h"
#include "core/run/usage.h"

/* Why a run did not succeed: the kinds of `error.kind`. */
enum trouble {
	TROUBLE_NONE,
	TROUBLE_RATE_LIMITED,
	TROUBLE_OVERLOADED,
	TROUBLE_UNREACHABLE, /* no connection, or a reply that broke off or went silent */
	TROUBLE_UNAUTHORIZED, /* the key is missing, wrong or not enough */
	TROUBLE_NO_CREDIT,
	TROUBLE_REFUSED,  /* the provider calls the request wrong */
	TROUBLE_TOO_LONG, /* more than the model's context */
	TROUBLE_DECLINED, /* the model or a filter would not answer */
	TROUBLE_CUT,	  /* the answer reached the most a model may write */
	TROUBLE_EMPTY,	  /* the model said nothing, twice */
	TROUBLE_OUTPUT,	  /* its last words did not fit their schema, three times */
	TROUBLE_LIMIT,
	TROUBLE_LOOP, /* one call with the same arguments failed again and again */
	TROUBLE_REJECTED,
	TROUBLE_PROGRAM,
	TROUBLE_INTERNAL,
	TROUBLES,
};

const char *trouble_name(enum trouble);		       /* "rate_limited"; "" for none */
bool trouble_find(struct str name, enum trouble *out); /* false: no such kind */

enum run_status {
	RUN_QUEUED,
	RUN_RUNNING,
	RUN_WAITING,
	RUN_COMPLETED,
	RUN_FAILED,
	RUN_CANCELLED,
	RUN_STATUSES
};

/* What may happen to a run. */
enum run_action {
	RUN_CLAIM,
	RUN_YIELD, /* its process gives it back, or lost it */
	RUN_WAIT,
	RUN_RESUME, /* what it waited for is there */
	RUN_FINISH,
	RUN_FAIL,
	RUN_CANCEL,
	RUN_ACTIONS
};

/* Strings are borrowed. Empty means null. */
struct run {
	int64_t ws;
	struct str id;
	struct str session;
	struct str parent; /* run_… of which it is a sub-agent; empty: none */
	struct str call;   /* call_… of the parent that started it */
	struct str label;  /* its name among the tasks of that call */
	struct str agent;  /* name */
	struct str config; /* JSON: the agent as it was when the run began */
	enum run_status status;
	int64_t turn;	      /* model calls that were committed */
	int64_t attempt;      /* how often it was claimed */
	struct str waits_for; /* JSON array [{type, id, until}]; empty: nothing */
	/* Queued: when it may be claimed. Waiting: when it goes on by itself; 0: never. */
	int64_t wake_ms;
	/* Of the trouble it has with its model: how often that was called in vain, and since when it is
	 * patient (patience.h). */
	int64_t tries, trouble_ms;
	int64_t left_out, cut_upto,
		cut_each; /* of results that its model is sent (window_cut) */
	struct lease lease;
	struct str owner;    /* whose share of the slots it takes: the workspace */
	struct str provider; /* name */
	struct str model;
	struct str progress; /* JSON; or empty */
	struct str report;   /* markdown */
	struct str error;    /* JSON {kind, message}; or empty */
	struct str recovery; /* ask_… that decides how it goes on after an error */
	struct str notes;    /* that it began with, for its prompt; or empty */
	struct str roster; /* JSON: whom it could give tasks to when it began; or empty */
	struct str limits; /* JSON, as an agent's: those that hold now */
	struct str message;  /* msg_… whose tool calls are not all done; or empty */
	struct str first;    /* msg_… it began with */
	int64_t said;	     /* the number of the last message of its thread */
	struct str language; /* en, fr; or empty */
	struct usage usage;
	int64_t cost; /* nanodollars; of those calls that have a price */
	bool priced, partial;
	/* Of a run and its sub-agents together, by which limits are judged. */
	int64_t tree_tokens, tree_cost, tree_ms;
	/* Taken from the limits for the model call under way; of all of its tree. */
	int64_t held_tokens, held_cost, tree_held_tokens, tree_held_cost;
	struct str
		wasted; /* JSON (struct spending) of calls that left no message; or empty */
	struct str below; /* JSON (struct spending): of its sub-agents; or empty */
	int64_t context_tokens, context_max;
	int64_t sent_bytes,
		sent_tokens; /* the last count of its model (core/run/estimate.h) */
	int64_t tools_used, mcp_calls; /* calls */
	struct str tools; /* names of those that it called, in that order, by spaces */
	int64_t queued_ms, started_ms, ended_ms;
	int64_t worked_ms; /* time it worked, without waiting */
	struct str trace;  /* JSON, core/shared/trace.h; or empty */
	int64_t version;
};

const char *run_status_name(enum run_status);
bool run_status_read(struct str, enum run_status *);
bool run_ended(const struct run *); /* completed, failed, cancelled */
bool run_is_child(const struct run *);
/* Where the action leads, or RUN_STATUSES: it cannot happen to such a run. */
enum run_status run_next(enum run_status, enum run_action);
/* ERR_CONFLICT, and the run stays as it is, when the action cannot happen to it. */
enum err run_act(struct run *, enum run_action, struct fault *why);

/* The thread of messages in its session that it goes on: empty, or its id when it is a sub-agent,
 * which has one of its own. */
struct str run_thread(const struct run *);

/* {"kind": …, "message": …} in the arena. */
struct str run_error_write(enum trouble, struct str message, struct arena *);

/* The run as the contract shows it. */
void run_write(struct json_writer *, const struct run *, int64_t now_ms);

#endif
