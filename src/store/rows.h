/* rows.h - the rows of one batch: what its jobs want, one copy of each, what changed.
 *
 * Jobs of a batch decide one after the other over the same copies, so that two answers to
 * one ask meet each other here, before any of them is written. All memory is the batch's
 * arena. Invariant: a job that fails leaves rows and events as it found them. */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include "base/id.h"
#include "base/table.h"
#include "core/delivery.h"
#include "core/event.h"
#include "core/session.h"
#include "store/db.h"

/* An event that a job staged; the clerk numbers it just before COMMIT. */
struct staged {
	struct staged *next;
	struct event event;
	struct str shown; /* the ask as it now is, as JSON, for whoever waits for it; or
			     empty */
};

/* What was answered to an idempotency key before. */
struct key_record {
	uint8_t body[SHA256_SIZE];
	int64_t status;
	struct str session;
	struct str result; /* JSON; what the job needs to answer again */
};

/* A write that is no ask, session or event: users, tokens, deletions. */
struct extra {
	struct extra *next;
	struct call call;
};

struct rows {
	int64_t now_ms; /* taken once a batch */
	struct arena *arena;
	struct ids *ids;
	struct db *db;	       /* for what a job must look up while it decides */
	struct table asks;     /* id → struct ask_row */
	struct table sessions; /* id → struct session_row */
	struct table external; /* "ws/external id" → struct session_row */
	struct table keys;     /* "ws/token/path/key" → struct key_record */
	struct ask_row *asks_first, **asks_end;
	struct session_row *sessions_first, **sessions_end;
	struct key_slot *keys_first, **keys_end;
	struct staged *staged_first, **staged_end;
	size_t staged_len;
	struct extra *extra_first, **extra_end;
	bool wrote; /* a job wrote by itself: there is something to commit */
	int64_t next_deadline_ms; /* earliest deadline set in this batch; 0: none */
	bool delivers;		  /* deliveries were staged in this batch */
};

/* ---- what a job wants, said before anything is loaded ---- */

struct wants {
	struct rows *rows;
	struct table seen;
	struct call *calls;
	size_t len, cap;
	bool failed; /* out of memory */
};

void wants_ask(struct wants *, int64_t ws, struct str id); /* its session comes along */
void wants_session(struct wants *, int64_t ws, struct str id);
void wants_external(struct wants *, int64_t ws, struct str external_id);
/* The agent's open ask of this digest, and its session. */
void wants_dedupe(struct wants *, int64_t ws, struct str agent, struct str dedupe_key);
void wants_open_asks(struct wants *, int64_t ws, struct str session);
void wants_due(struct wants *, int64_t limit); /* asks past their deadline */
void wants_key(
	struct wants *, int64_t ws, struct str token, struct str path, struct str key);

/* ---- what a job finds, and does ---- */

/* NULL: no such row in this workspace. */
struct ask *rows_ask(struct rows *, int64_t ws, struct str id);
struct session *rows_session(struct rows *, int64_t ws, struct str id);
struct session *rows_external(struct rows *, int64_t ws, struct str external_id);
struct ask *rows_dedupe(
	struct rows *, int64_t ws, struct str agent, struct str dedupe_key);
struct key_record *rows_key(
	struct rows *, int64_t ws, struct str token, struct str path, struct str key);
/* The open asks of a session asked for by wants_open_asks, or those past their deadline
 * when `session` is empty; start with *at = NULL; NULL at the end. */
struct ask *rows_next_ask(struct rows *, int64_t ws, struct str session, struct ask *at);
struct ask *rows_next_due(struct rows *, struct ask *at);

/* New rows with their id and time; NULL: out of memory. */
struct ask *rows_new_ask(struct rows *, int64_t ws);
struct session *rows_new_session(struct rows *, int64_t ws);
bool rows_name_external(struct rows *, struct session *); /* after external_id was set */
/* Says that it was changed and shall be written. Asks tell by their version. */
void rows_touch_session(struct rows *, struct session *);
void rows_delete_session(struct rows *, struct session *);
bool rows_session_deleted(struct rows *, struct str id);
/* `ask` may be NULL. Returns NULL when out of memory. */
struct staged *rows_event(struct rows *, const char *type, const struct session *,
	const struct ask *, struct str data);
bool rows_add_key(struct rows *, int64_t ws, struct str token, struct str path,
	struct str key, const struct key_record *);
/* args are copied (their texts are not). */
bool rows_extra(
	struct rows *, enum sql, const struct val *args, int len, bool must_change);

/* Loads it now if it is not here: for what is only known while deciding. */
enum err rows_fetch_ask(
	struct rows *, int64_t ws, struct str id, struct ask **out, struct fault *);
enum err rows_fetch_session(
	struct rows *, int64_t ws, struct str id, struct session **out, struct fault *);

enum err rows_fetch_open(struct rows *, const struct session *, struct fault *);

/* ---- for the clerk ---- */

void rows_start(struct rows *, struct arena *, struct db *, struct ids *, int64_t now_ms);
enum err rows_load(struct rows *, struct wants *, struct fault *);
bool rows_dirty(const struct rows *);
/* Writes what changed, numbers the events and commits. */
enum err rows_write(struct rows *, struct fault *);
void rows_done(struct rows *);

/* ---- records from result rows; texts are copied into the arena ---- */

enum err ask_from_row(
	const struct row *, struct arena *, struct ask *out, struct fault *);
enum err session_from_row(
	const struct row *, struct arena *, struct session *out, struct fault *);
enum err event_from_row(
	const struct row *, struct arena *, struct event *out, struct fault *);
enum err delivery_from_row(
	const struct row *, struct arena *, struct delivery *out, struct fault *);

#endif
