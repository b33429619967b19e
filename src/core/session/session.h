/* session.h - a durable line of work of one agent, and the status its asks give it. */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "core/ask/ask.h"
#include "core/run/on_ended.h"
#include "core/shared/digest.h"

enum session_status {
	SESSION_IDLE,
	SESSION_RUNNING,
	SESSION_WAITING_FOR_INPUT,
	SESSION_WAITING_FOR_APPROVAL,
	/* It has ended: */
	SESSION_COMPLETED,
	SESSION_FAILED,
	SESSION_CANCELLED,
};

/* Strings are borrowed. Empty means null. */
struct session {
	int64_t ws;
	struct str id;
	struct str title;
	struct str agent;
	/* Of a person whose id the agent is; empty: as the agent. */
	struct str agent_name;
	struct str token; /* that made it */
	struct str project;
	struct str external_id;
	struct str metadata;   /* JSON object */
	struct str on_settled; /* JSON object, or empty */
	struct str progress;   /* JSON object of the last progress, or empty */
	struct str search;     /* case-folded title */
	bool parallel;
	enum session_status status;
	/* Open asks by what they make the session wait for. */
	int64_t open_input;    /* blocking and error_recovery */
	int64_t open_blocking; /* the blocking among them: one, unless parallel */
	int64_t open_approval;
	int64_t open_other; /* non_blocking */
	int64_t settled;    /* how many of its asks are settled */
	int64_t version;
	int64_t created_ms;
	int64_t updated_ms;
	bool for_ask;	  /* made for one ask: completed once that is settled */
	int64_t heard_ms; /* when its agent was last heard of; 0: not known */
	/* Of a session whose agent Parley runs: */
	struct str run;	    /* the last run that is nobody's sub-agent; empty: none yet */
	bool run_open;	    /* that has not ended */
	struct str error;   /* JSON {kind, message}: why its last run failed; or empty */
	struct str spent;   /* JSON: what its runs used (core/run/usage.h); or empty */
	struct str starter; /* usr_… who started it */
	int64_t ended_ms; /* when it got the end that it has; 0: it has none, or it is unknown */
	bool sensitive;	     /* what it asks is not told outside of page and terminal */
	struct str on_ended; /* a webhook: told when a run of it has ended; or empty */
	struct str trace; /* of its asks that bring none: core/shared/trace.h; or empty */
};

/* A running session becomes idle if its agent is silent for this long. */
enum { SESSION_HEARD_MS = 10 * 60 * 1000 };

extern const char *const session_status_names[SESSION_CANCELLED + 1];
const char *session_status_name(enum session_status);
bool session_status_read(struct str, enum session_status *);
bool session_ended(const struct session *);    /* completed, failed, cancelled */
bool session_runnable(const struct session *); /* its agent is one that Parley runs */
/* Of those that Parley runs: did p start it? */
bool session_started_by(const struct session *, const struct principal *);
/* May p see it: everybody's, one of its own agent's, or one that it started. */
bool session_seen_by(const struct session *, const struct principal *);

/* An ask of this kind is opened or settled: counts it, sets the status. True when the
 * status changed. Opening in an ended session sets it going again only if not refused by
 * session_may_ask. */
bool session_opened(struct session *, enum ask_kind, int64_t now_ms);
bool session_settled(struct session *, enum ask_kind, int64_t now_ms);
/* Its agent asks in it: one that was made for another ask goes on, as a session of its own. */
void session_goes_on(struct session *, int64_t now_ms);
/* Its agent was heard of: true when that is news. One that was idle and waits for nothing
 * runs. */
bool session_heard(struct session *, int64_t now_ms);
/* A run of its own begins, or ended like this; it waits for people first. True when the status
 * changed. */
bool session_run_began(struct session *, struct str run);
bool session_run_ended(struct session *, enum session_status);
/* Nobody was heard of for SESSION_HEARD_MS: true when it was running, and is idle now. */
bool session_falls_idle(struct session *, int64_t now_ms);
/* ERR_CONFLICT: ended, or a blocking ask is open and it is not parallel. */
enum err session_may_ask(const struct session *, enum ask_kind, struct fault *why);
/* Waits for nothing more: no blocking, recovery or approval ask is open. */
bool session_resumed(const struct session *);
/* Its agent is not at work, and nothing of it is open. */
bool session_stopped(const struct session *);
/* Nothing of it is open: no ask, no run. */
bool session_over(const struct session *);
bool session_can_resume(const struct session *); /* and at least one ask is settled */

enum { EXTERNAL_ID_MAX = 256 }; /* code points */

/* A name that an agent gives to a session of its own, whichever way it comes: one line of
 * at most EXTERNAL_ID_MAX. `pointer` says where it was. */
enum err session_external_id_check(struct str, const char *pointer, struct fault *why);

/* Whom it wants called when an ask of it is settled. Empty: not. */
struct callback {
	struct str webhook, resumer;
};
enum err callback_read(
	struct str on_settled, struct arena *, struct callback *out, struct fault *why);
struct str callback_write(const struct callback *, struct arena *); /* empty: neither */

/* The body of POST /v1/sessions, checked. */
struct session_draft {
	struct str title, agent, project, external_id;
	struct str message, language;	  /* of an agent that Parley runs; or empty */
	const struct json *limits;	  /* of its first run; or NULL */
	int on_limit;			  /* the same: an enum on_limit */
	const struct json *output_schema; /* the same */
	struct str starter;		  /* who starts that; set by the desk */
	struct str trace;		  /* the same: core/shared/trace.h; or empty */
	bool parallel, sensitive;
	struct str metadata;	  /* JSON; "{}" when absent */
	struct str on_settled;	  /* JSON; empty when absent */
	struct callback callback; /* the same, read */
	struct on_ended on_ended; /* of its runs */
};
enum err session_draft_read(const struct json *body, struct arena *,
	struct session_draft *out, struct fault *why);
/* PATCH: title and/or status (any; an externally run session says how it is). */
struct session_patch {
	bool has_title, has_status;
	struct str title;
	enum session_status status;
};
enum err session_patch_read(
	const struct json *body, struct session_patch *out, struct fault *why);
/* {text ≤ 2000, step?, steps?} → the JSON object to keep and to send as event data. */
enum err session_progress_read(
	const struct json *body, struct arena *, struct str *out, struct fault *why);

/* `pending_asks`: a finished JSON array. */
void session_write(struct json_writer *, const struct session *, struct str pending_asks);

/* What never changes once the session was made. Not title, status, progress, callback. */
void session_digest(const struct session *, char out[SHORT_DIGEST_SIZE]);

#endif
