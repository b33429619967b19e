/* desk_rig.h - a desk on a store of its own, an agent who asks and people who answer, so
 * that a scenario reads like its story. Owns the desk and, for a store in a file, its
 *folder.
 *
 *	struct rig r;
 *	rig_open(&r, &(struct rig_options){ .alone = true });
 *	struct made ask = rig_ask(&r, NULL);
 *	assert_int_equal(rig_settle(&r, &use_answer, ask.id, NULL), OK);
 *	rig_close(&r);
 *
 * Any thread may do what a threaded rig does, except to open, reopen and close it. Texts
 *are JSON written with ' in the place of ". It knows nothing of cmocka: whoever calls
 *judges. */
#ifndef TESTS_DESK_RIG_H
#define TESTS_DESK_RIG_H

#include "desk/desk.h"

struct rig_options {
	bool cut;	/* on the disk whose power can be cut (cutvfs.h), as it is now */
	bool weak_sync; /* synchronous=NORMAL */
	int log_pages;	/* between checkpoints; 0: the usual */
	bool quick;	/* commits count as quick, however long they take */
	bool ahead; /* threaded: the sync of every commit is owed (store/fast/syncer.h) */
	bool hasty; /* and replies do not wait for it */
	bool alone; /* no threads */
	int64_t ask_rate;  /* asks a minute; 0: no limit */
	const char *place; /* a store that stands already, "sqlite:PATH"; NULL: a new one,
			    * or what PARLEY_TEST_STORE names, with all in it dropped */
	uint64_t seed;	   /* repeatable ids */
	bool one_writer;   /* a batch is worked in its order, on PostgreSQL as well */
	const char *webhook_internal, *resumers; /* as the desk's settings; or NULL */
	desk_told_fn *told;			 /* or NULL */
	void *told_ctx;
};

struct rig {
	struct desk *desk; /* NULL: it did not open */
	struct rig_options options;
	struct db_options db;
	char folder[64]; /* to be removed with all that is in it; or "" */
	char place[256];
	struct fault why; /* of an open that failed */
	/* Their tokens. The agent "builder" asks; "stranger" asks too, elsewhere; mia and
	 * noa are members, ada is an admin. */
	char agent[SECRET_SIZE], stranger[SECRET_SIZE];
	char mia[SECRET_SIZE], noa[SECRET_SIZE], ada[SECRET_SIZE];
};

/* False: why tells. rig_close is due in any case. */
bool rig_open(struct rig *, const struct rig_options *);
/* Drops all that Parley keeps there. */
bool place_clear(const char *place);
void rig_close(struct rig *);
/* The desk closed, if it is open, and opened again on the same store. */
bool rig_reopen(struct rig *);
void rig_shut(struct rig *); /* the desk alone */

/* ---- any use case ---- */

struct request {
	const struct use *use;
	const char *who;			  /* a token; NULL: the local admin */
	const char *id;				  /* or NULL */
	const char *body;			  /* JSON with '; NULL: none */
	const char *key;			  /* Idempotency-Key, or NULL */
	const char *query;			  /* "limit=5&order=attention", or NULL */
	const char *workspace;			  /* the local admin's; NULL: the first */
	const char *dedupe_key, *default_session; /* of an ask; or NULL */
	const char *mcp_session;     /* of an MCP client, behind mcp_gate; or NULL */
	void (*ahead)(struct job *); /* as the job has it; or NULL */
};

/* What came of it. It may not be moved while a desk has it. */
struct outcome {
	struct task task;
	enum err err;
	struct arena arena;	 /* of the trees below */
	const struct json *json; /* outcome_read filled it */
	const struct json *winner;
};

/* Does it and waits; outcome_done is due. */
enum err rig_do(struct rig *, const struct request *, struct outcome *);
bool rig_fill(const struct request *, struct outcome *); /* the task alone; false: why */
/* All of them as one batch of the writing clerk, in this order. Threaded rigs only. */
void rig_batch(struct rig *, const struct request *, struct outcome *, size_t len);
/* The reply, or the winner beside a conflict, as JSON; false: it is none. */
bool outcome_read(struct outcome *);
void outcome_done(struct outcome *);
/* Members by their names, "ask.answered_by.name"; NULL: not there. */
const struct json *json_at(const struct json *, const char *path);
struct str text_at(const struct json *, const char *path);
int64_t int_at(const struct json *, const char *path); /* -1: none */

/* ---- sentences ---- */

struct made {
	enum err err;
	char id[ID_SIZE]; /* "" when it failed */
	char session[ID_SIZE];
};

#define ASK_PLAIN "{'question':'Deploy?','type':'boolean'}"

struct made rig_ask(struct rig *, const char *key); /* ASK_PLAIN */
struct made rig_ask_body(struct rig *, const char *body, const char *key);
struct made rig_session(struct rig *, const char *body);
/* use_answer (with yes) and use_skip by mia, use_cancel by the agent. */
enum err rig_settle(struct rig *, const struct use *, const char *ask, const char *key);
enum err rig_delete(struct rig *, const char *session); /* by its agent */
/* The status of an ask, as ada sees it; "" when there is no such ask, "?" on an error. */
const char *rig_status(struct rig *, const char *ask);
/* The log checked against itself; the number of events, or -1 and what is wrong in why.
 */
int64_t rig_check(struct rig *, char why[256]);
/* One number from the log: how many of ask's events are of one of these types
 * ("ask.answered,ask.skipped"); -1 on an error. */
int64_t rig_count_events(struct rig *, const char *ask, const char *types);

/* A use that the program itself has, with what it hands over; its reply stays in the task until
 * rig_task_done. */
enum err rig_tell(struct rig *, const struct use *, struct task *, void *what);
void rig_task_done(struct task *);

#endif
