/* tool_call.h - one call of a tool that a model asked for: its states, and what is kept of it.
 * Pure.
 *
 * Its class says what may be done with it when its process dies:
 *     store   done in the commit that decides it: once, for ever
 *     repeat  run again
 *     once    never run again by itself: a person decides */
#ifndef CORE_TOOL_CALL_H
#define CORE_TOOL_CALL_H

#include "core/policy/operation.h"
#include "core/shared/digest.h"

enum call_status {
	CALL_PENDING, /* may be run */
	CALL_WAITING, /* for a person, for sub-agents, or for a result that comes later */
	CALL_STARTED,
	CALL_DONE,
	CALL_FAILED,
	CALL_REJECTED,
	CALL_INTERRUPTED, /* its process died; a person decides */
	CALL_CANCELLED,
	CALL_STATUSES
};

enum call_action {
	CALL_START,
	CALL_ASK,   /* a person, sub-agents, or a result that comes later come first */
	CALL_ALLOW, /* it may run: approved, or to be tried again */
	CALL_FINISH,
	CALL_FAIL,
	CALL_REJECT,
	CALL_INTERRUPT,
	CALL_CANCEL,
	CALL_ACTIONS
};

enum call_class { CLASS_STORE, CLASS_REPEAT, CLASS_ONCE };

/* Strings are borrowed. Empty means null. */
struct tool_call {
	int64_t ws;
	struct str id;
	struct str session;
	struct str run;
	struct str message; /* of the model, that asked for it */
	int64_t n;	    /* its place in that message, from 0 */
	struct str wire;    /* the model's own name for it */
	struct str name;
	struct str arguments;	       /* JSON object */
	struct str approved_arguments; /* JSON object; empty: as asked */
	struct str category;
	enum risk risk;
	enum call_class class;
	/* JSON {effect, rule, reason}: what decided, when it was asked. */
	struct str verdict;
	struct str ask;	  /* ask_… it waits for, or waited for last */
	struct str child; /* run_… it started; of several the first */
	enum call_status status;
	/* Text; empty once it stands in a message. Until it ends, of an MCP server's: JSON, what that wants to know first. */
	struct str result;
	struct str answer; /* msg_… that holds the result */
	struct str error;  /* text; or empty */
	int64_t attempts;
	int64_t created_ms, started_ms, ended_ms;
	/* Its result comes later, until then; or 0. Of a started one at the gateway: unless who started it says so again by
	 * then, that process has gone. */
	int64_t until_ms;
	/* Of a call that was held at the gateway, which has no run. Then `result` is the server's, as JSON. */
	struct str server; /* its name; empty: a run's */
	struct str via;	   /* http, stdio */
	int64_t sent;	   /* how often it came */
	struct str same;   /* digest of what makes it the same call */
	struct str
		behind; /* JSON {client, session, revision}: who called, and its session at the server */
	struct str owner;     /* the process that started it */
	int64_t delivered_ms; /* when its caller had the outcome; or 0 */
	int64_t task; /* 1: it is a task of its caller, and runs once it is approved */
	int64_t version;
};

enum {
	CALL_RESULT_MAX = 1024 * 1024, /* bytes that are kept */
	CALL_MODEL_MAX = 64 * 1024,    /* bytes that a model gets */
};

const char *call_status_name(enum call_status);
bool call_status_read(struct str, enum call_status *);
const char *call_class_name(enum call_class);
bool call_class_read(struct str, enum call_class *);
bool tool_call_ended(const struct tool_call *); /* the model gets its result */
bool tool_call_waits(const struct tool_call *); /* for whatever it is */
/* For a result that comes later? */
bool tool_call_later(const struct tool_call *);
enum call_status tool_call_next(enum call_status, enum call_action);
enum err tool_call_act(struct tool_call *, enum call_action, struct fault *why);
/* Of the calls of a message, one after the other: what was asked for and what decided. Empty
 * before the first. */
void tool_call_digest(const struct tool_call *, char so_far[SHORT_DIGEST_SIZE]);
/* What runs: the arguments as they were approved. */
struct str tool_call_arguments(const struct tool_call *);

/* `result`: where it stands by now; empty: in the call. */
void tool_call_write(struct json_writer *, const struct tool_call *, struct str result);

#endif
