/* rows.h - the rows of one batch: what its jobs want, one copy of each, what changed.
 *
 * Jobs of a batch decide one after the other over the same copies, so that two answers to
 * one ask, or two changes of one user, meet each other here, before any of them is written.
 * All memory is the batch's arena.
 *
 * Invariants:
 * 1. There is one copy of a record in a batch. What is loaded again, by another statement,
 *    finds the copy; whoever looks for records by their contents looks at the copies.
 * 2. A job that fails leaves rows, events and counters as it found them: the batch rolls
 *    them back to the last savepoint.
 * 3. A change is written on the condition of the version it was decided on. */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include "base/id.h"
#include "base/table.h"
#include "store/record.h"

/* An event that a job staged; the clerk numbers it just before COMMIT. */
struct staged {
	struct staged *next;
	struct event event;
	/* The rows it is about, as they are in this batch; or NULL. */
	struct session *of_session;
	struct ask *of_ask;
	const struct ask *ask; /* for whoever waits for it, as it was then; or NULL */
	struct ask_view view;  /* of that ask */
	int64_t revocations;   /* of its workspace, when it was committed */
	bool lone;	       /* its session was made for this ask, and ended with it */
	bool replied;	       /* of a settlement: whoever asked gets it with the reply */
};

struct clerk_hooks;
struct job;
struct fast;
struct row_copy;
struct row_saved;

/* A statement over no single record: a counter that many raise, which is an increment and
 * no versioned copy, or the removal of what is old. */
struct statement {
	struct statement *next;
	struct call call;
};

/* The policy of a workspace that jobs of this batch decided by. */
struct policy_seen {
	struct policy_seen *next;
	int64_t ws, version;
};

/* A statement whose records are copies of this batch. */
struct fetched_once {
	struct fetched_once *next;
	enum sql sql;
	const struct val *args;
	int len;
};

/* Who people of a workspace were when a job decided by that. */
struct people_guard {
	struct people_guard *next;
	int64_t ws, revocations;
};

/* Where the log of a workspace stands: read in the transaction's turn, so that nobody else
 * moves it before the commit; or as the only writer left it. */
struct log_end {
	struct log_end *next;
	int64_t ws, last, revocations, policy_version, contacts;
	uint8_t hash[SHA256_SIZE];
	bool found;
};

/* What jobs decided beside their rows. */
struct rows_so_far {
	struct staged **staged_end;
	size_t staged_len;
	struct staged **reacted; /* what follows from the events before it is decided */
	struct statement **statements_end;
	int64_t next_deadline_ms; /* the earliest of rows_due_at; 0: none */
	bool delivers;		  /* deliveries were staged in this batch that are due */
	int64_t delivers_ms;	  /* and the first of those that are due later; 0: none */
	bool runs;   /* runs were queued for later, or taken from who works on them */
	bool queued; /* runs were queued that are due */
	bool held;   /* a call at the gateway may be run */
};

/* What a rollback goes back to. */
struct savepoint {
	uint64_t number; /* copies that were saved since carry it */
	struct row_saved *saved;
	struct rows_so_far so_far;
};

struct rows {
	int64_t now_ms;	   /* taken once a batch */
	int64_t commit_ns; /* how long it took to be written, once it was */
	struct arena *arena;
	struct ids *ids;
	struct db *db;
	struct {
		struct table named; /* record_name → struct row_copy */
		struct row_copy *first, **end;
	} of[RECORD_COUNT];
	struct table external; /* "ws/agent/external id" → struct row_copy of a session */
	size_t sessions_deleted;
	size_t people_changed; /* users and tokens that this batch changed or deleted */
	struct staged *staged_first;
	struct statement *statements_first;
	struct rows_so_far so_far;
	const struct clerk_hooks *hooks;
	struct policy_seen *policies;
	struct fetched_once *once;
	struct people_guard *guards;
	struct log_end *log_ends; /* of those that were wanted (wants_log_end) or known */
	struct log_end log_now;	  /* of the last one that events were added to */
	int clerk;		  /* which of the writing clerks works it, from 0 */
	struct fast *fast;	  /* NULL: others may write, too */
	struct savepoint point;
};

/* ---- what a job wants, said before anything is loaded ---- */

struct wants {
	struct rows *rows;
	struct table seen;
	struct call *calls;
	size_t len, cap;
	bool failed; /* out of memory */
};

/* One record by its key, of as many columns as its table says. */
void wants_record(struct wants *, enum record_id, const struct val *key);
/* The same, so that rows_fetch_once finds that it is here. */
void wants_once(struct wants *, enum record_id, const struct val *key);
void wants_ask(struct wants *, int64_t ws, struct str id); /* its session comes along */
void wants_session(struct wants *, int64_t ws, struct str id);
void wants_user(struct wants *, int64_t ws, struct str id);
void wants_external(struct wants *, int64_t ws, struct str agent, struct str external_id);
/* The agent's open ask of this digest, and its session. */
void wants_dedupe(struct wants *, int64_t ws, struct str agent, struct str dedupe_key);
void wants_settled(struct wants *, int64_t ws, struct str agent, struct str dedupe_key,
	int64_t since_ms);
void wants_open_asks(struct wants *, int64_t ws, struct str session);
void wants_due(struct wants *, int64_t limit); /* asks past their deadline */
/* So that its events can be numbered without another trip. */
void wants_log_end(struct wants *, int64_t ws);
void wants_also(struct wants *, const struct call *); /* anything else, as it is */
void wants_key(
	struct wants *, int64_t ws, struct str token, struct str path, struct str key);

/* ---- what a job finds ---- */

/* A run that is remembered from a batch before is here now. */
void rows_recall_run(struct rows *, int64_t ws, struct str id);

/* NULL: no such row in this workspace. Asks and sessions may be changed as they are; asks
 * tell so by their version, sessions by rows_touch_session. */
struct ask *rows_ask(struct rows *, int64_t ws, struct str id);
struct session *rows_session(struct rows *, int64_t ws, struct str id);
struct session *rows_external(
	struct rows *, int64_t ws, struct str agent, struct str external_id);
struct ask *rows_dedupe(
	struct rows *, int64_t ws, struct str agent, struct str dedupe_key);
/* The last one with this key that was settled after `since_ms`. */
struct ask *rows_settled(struct rows *, int64_t ws, struct str agent,
	struct str dedupe_key, int64_t since_ms);
const struct key_record *rows_key(
	struct rows *, int64_t ws, struct str token, struct str path, struct str key);
bool rows_session_deleted(const struct rows *, struct str id);
/* The open asks of a session asked for by wants_open_asks, or those past their deadline;
 * start with at = NULL; NULL at the end. */
struct ask *rows_next_ask(struct rows *, int64_t ws, struct str session, struct ask *at);
struct ask *rows_next_due(struct rows *, struct ask *at);
/* Any other record: the copy that is here under this name (record_name), or NULL; all of
 * them in the order they came, from at = NULL on. To be changed by rows_change alone. */
const void *rows_find(const struct rows *, enum record_id, struct str name);
const void *rows_next(const struct rows *, enum record_id, const void *at);
/* The same by its whole key. */
const void *rows_find_key(const struct rows *, enum record_id, const struct val *key);
/* Made by this batch: not in the store yet. */
bool rows_is_new(const void *record);
/* Was here, and was deleted by this batch. */
bool rows_ended(const struct rows *, enum record_id, struct str name);

/* Loads it now if it is not here: for what is only known while deciding. */
enum err rows_fetch_ask(
	struct rows *, int64_t ws, struct str id, struct ask **out, struct fault *);
enum err rows_fetch_session(
	struct rows *, int64_t ws, struct str id, struct session **out, struct fault *);
enum err rows_fetch_open(struct rows *, const struct session *, struct fault *);
/* ERR_NOT_FOUND, with a line that names it, when there is none. */
enum err rows_fetch_user(struct rows *, int64_t ws, struct str id,
	const struct user **out, struct fault *);
enum err rows_fetch_token(struct rows *, int64_t ws, struct str id,
	const struct token **out, struct fault *);
/* Every record that this statement finds; its columns are the record's. Which of the copies
 * still fit is for the caller to see: an earlier job may have changed them. */
enum err rows_fetch(struct rows *, enum record_id, enum sql, const struct val *, int len,
	struct fault *);
/* The same, but not again in a batch that has done it. */
enum err rows_fetch_once(struct rows *, enum record_id, enum sql, const struct val *,
	int len, struct fault *);
/* A look at the store that changes nothing and loads no record. */
enum err rows_query(struct rows *, enum sql, const struct val *, int len, row_fn *,
	void *ctx, struct fault *);
/* The same, a record at a time: read into a scratch arena that is emptied after each, so that lists
 * of any length cost the memory of one. Columns behind the record's are the row's. */
typedef enum err record_fn(void *ctx, const void *record, const struct row *,
	struct arena *scratch, struct fault *);
enum err rows_each(struct rows *, enum record_id, enum sql, const struct val *, int len,
	record_fn *, void *ctx, struct fault *);
/* One record by its key, loaded unless it is here; `out` is where a pointer to it goes: NULL, there
 * is none. */
enum err rows_get(
	struct rows *, enum record_id, const struct val *key, void *out, struct fault *);
/* The same, to be changed; made like `fresh` when there is none. */
enum err rows_open(struct rows *, enum record_id, const struct val *key,
	const void *fresh, void *out, struct fault *);
/* The first record that this statement finds, likewise. */
enum err rows_first(struct rows *, enum record_id, enum sql, const struct val *, int len,
	void *out, struct fault *);
/* The first column of the last row that it finds; `out` is left alone when there is none. */
enum err rows_int(struct rows *, enum sql, const struct val *, int len, int64_t *out,
	struct fault *);
/* As many of its first columns. */
enum err rows_ints(struct rows *, enum sql, const struct val *, int len, int64_t *out,
	int columns, struct fault *);
/* The first one of all rows, as texts, at most `max` of them. */
enum err rows_texts(struct rows *, enum sql, const struct val *, int len, struct str *out,
	size_t max, size_t *found, struct fault *);
/* All records of a workspace that are here, in the order they came; their first member is it. */
const void **rows_all(struct rows *, enum record_id, int64_t ws, size_t *len);
/* The engine's own check of its store. */
enum err rows_verify(struct rows *, struct fault *);

/* Rows of the same snapshot in memory of their own, for a read that takes page by page; rows_done ends
 * them. */
void rows_start_page(struct rows *page, const struct rows *of, struct arena *);

/* ---- what a job does ----
 *
 * None of this fails. Without memory the arena has failed: a job gets records and events that are
 * not the batch's, and the batch is not written. */

/* New rows with their id and time. */
struct ask *rows_new_ask(struct rows *, int64_t ws);
struct session *rows_new_session(struct rows *, int64_t ws);
void rows_name_external(struct rows *, struct session *); /* after external_id was set */
/* A copy of `record`, to be added; its key is set. */
void *rows_new(struct rows *, enum record_id, const void *record);
/* "usr_…": a new id in the arena. */
struct str rows_new_id(struct rows *, const char *prefix);
/* The same record, to be changed and written. */
void *rows_change(struct rows *, const void *record);
void rows_touch_session(struct rows *, struct session *);
/* Gone for every later job; what goes with a session goes, too. */
void rows_delete(struct rows *, const void *record);
/* `ask` may be NULL. */
struct staged *rows_event(struct rows *, const char *type, const struct session *,
	const struct ask *, struct str data);
/* Whoever waits for the ask is told of this event, with the ask as it is now. */
void rows_wake(struct rows *, struct staged *, const struct ask *, struct ask_view);
/* A delivery was staged that is due then: the deliverer looks when it is time. */
void rows_deliver_at(struct rows *, int64_t at_ms);
/* The desk must look again at this instant, for what is due then. */
void rows_due_at(struct rows *, int64_t at_ms);
/* Their agents have the outcomes of these asks, at most FETCHED_AT_ONCE of them and at least one,
 * unless they had them before. */
enum { FETCHED_AT_ONCE = 32 };
void rows_fetched(struct rows *, int64_t ws, const struct str *asks, size_t len);
/* Nobody's mark hides this ask any longer. */
void rows_end_snoozes(struct rows *, int64_t ws, struct str ask);
/* Somebody may have lost a right: streams of every node are to look. */
void rows_raise_revocations(struct rows *, int64_t ws);
/* Rules, stops or the policy changed: what was decided by another version, on any node, is not
 * committed any more. */
void rows_raise_policy(struct rows *, int64_t ws);
/* How often this batch raised it so far. */
int64_t rows_policy_raised(const struct rows *, int64_t ws);
/* A job decides by this version, as the store had it: the batch is void if another node
 * changes it first. */
void rows_policy_seen(struct rows *, int64_t ws, int64_t version);
/* A rule decided; all of a batch are written as one. */
void rows_rule_hit(struct rows *, int64_t ws, struct str rule);
/* A stop was lifted: resumers and runs that it held back are due. */
void rows_go_on(struct rows *, int64_t ws);
void rows_count_teams(struct rows *, int64_t ws, int64_t more); /* or fewer */
void rows_count_contacts(struct rows *, int64_t ws, int64_t more);
/* How many were added (or removed) by this batch so far. */
int64_t rows_contacts_counted(const struct rows *, int64_t ws);
/* Where the log of a workspace stands, as this batch knows it; or NULL. */
const struct log_end *rows_log_end(const struct rows *, int64_t ws);
/* What this job decides depends on who people of the workspace are, as of so many
 * `revocations`. If another node changes that before the batch is written, the batch is void
 * and is decided anew: so every event in the log agrees with the ones before it. */
void rows_guard_people(struct rows *, int64_t ws, int64_t revocations);
/* A word of a note that is made or deleted, by one of the SQL_MEMORY_WORD_… statements. */
void rows_word(struct rows *, enum sql, const struct val *, int len);
/* Removes what is old, by one of the …_PURGE statements, once the changes are written. */
void rows_purge(struct rows *, enum sql, const struct val *, int len);
/* What was made, changed or deleted since the savepoint, the latest first: start with a
 * zeroed one; false at the end. `before` is NULL for what is new. */
struct row_change {
	enum record_id id;
	const void *now, *before;
	bool deleted;
	const struct row_saved *at; /* rows.c's own */
};
bool rows_next_change(const struct rows *, struct row_change *);
/* The same of a run of this session. */
struct staged *rows_event_run(struct rows *, const char *type, const struct session *,
	struct str run, struct str data);
/* An event of no session and no agent. */
struct staged *rows_event_of(
	struct rows *, int64_t ws, const char *type, struct str data);
/* The same of an agent. */
struct staged *rows_event_by(
	struct rows *, int64_t ws, const char *type, struct str agent, struct str data);
/* Decides what follows from what the job did so far. The clerk does so for every job that
 * succeeds; a job that sets a savepoint of its own does it before. */
enum err rows_conclude(struct rows *, struct job *, struct fault *);
/* What was done so far stays, whatever comes of the job; and back to there. */
void rows_savepoint(struct rows *);
void rows_rollback(struct rows *);

/* ---- for the clerk ---- */

void rows_start(struct rows *, struct arena *, struct db *, struct ids *, int64_t now_ms);
enum err rows_load(struct rows *, struct wants *, struct fault *);
bool rows_dirty(const struct rows *);
/* May anything that credentials are looked up in be another after it? */
bool rows_change_credentials(const struct rows *);
/* Writes what changed, numbers the events and commits. */
enum err rows_write(struct rows *, struct fault *);
void rows_done(struct rows *);

#endif
