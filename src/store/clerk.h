/* clerk.h - threads that own the store's connections and work jobs in batches.
 *
 * A batch: load every row its jobs want, let each decide in turn over one copy of each
 * row, write what changed, number the events, commit once, then tell and hand every job
 * back. A statement that fails rolls the batch back, and its jobs run one by one. */
#ifndef STORE_CLERK_H
#define STORE_CLERK_H

#include "base/queue.h"
#include "core/shared/principal.h"
#include "store/committed.h"
#include "store/rows.h"

struct job;

enum job_flags {
	JOB_LATE =
		1, /* decide refuses by itself, once it knows that the thing may be seen */
	JOB_SLOW = 2, /* a read that may take long: not in the way of quick ones */
	JOB_OPEN = 4, /* needs no credential (login) */
	JOB_ASKS = 8, /* makes an ask, unless it fails */
	JOB_BRIEF =
		16, /* touches a few rows, whatever is asked: a loop may work it (clerk_try) */
};

/* What a use case is to the clerk: one const struct of these in its file. */
struct job_kind {
	const char *name;
	/* Writing kinds: say what is needed, then decide. */
	void (*needs)(struct job *, struct wants *);
	enum err (*decide)(struct job *, struct rows *, struct fault *);
	/* The same request again: answer from the record kept with its idempotency
	 * key. */
	enum err (*again)(
		struct job *, struct rows *, const struct key_record *, struct fault *);
	/* What decide did outside of rows, when the batch is rolled back. */
	void (*undo)(struct job *);
	/* Reading kinds: rows of one snapshot, in the job's arena; nothing of them is
	 * written. */
	enum err (*read)(struct job *, struct rows *, struct fault *);
	enum permission may; /* what the role must allow, checked before all else */
	unsigned flags;	     /* enum job_flags */
};

/* What a job must pass beside its credential, in the same turn: nothing is decided before.
 * Both may run several times, when a batch is decided anew. */
struct job_gate {
	/* Once it is known who it is; says what it needs. `wants` is NULL for reads. */
	enum err (*enter)(struct job *, struct wants *, struct fault *);
	/* Before it decides or reads. */
	enum err (*admit)(struct job *, struct rows *, struct fault *);
};

/* Whose credential it is, as the store knows them. */
struct credential {
	struct str kind;      /* token, cookie */
	struct str workspace; /* its name */
	struct str tools;
	struct str language;
	int64_t created_ms;
	int64_t expires_ms;
	int64_t mcp_wait_s;	/* how long an MCP call is held; -1: as the server does */
	bool mcp_local;		/* the client may show a question by itself */
	int64_t last_used_ms;	/* as the store knows it */
	int64_t again_s;	/* core/people/people.h; -1: as the server does */
	int64_t policy_version; /* of its workspace, in this very transaction */
	int64_t teams;		/* how many its workspace has */
	int64_t revocations;	/* of its workspace, when this was looked up */
	int64_t contacts;	/* how many its workspace has */
	bool note_use;		/* the last one is a while ago: it is to be noted */
};

/* One unit of work. Lives with whoever made it; the clerk has it between clerk_put and
 * done. */
struct job {
	struct link link;
	const struct job_kind *kind;
	struct arena arena; /* the job's memory, texts of the request included */
	/* Who: a hash of what was shown, or a principal known already, or a person whose
	 * who.ws, who.user and who.via are known: the rest is looked up with the job. */
	bool has_hash;
	bool person;
	uint8_t hash[SHA256_SIZE];
	struct principal who; /* filled from the store when has_hash */
	struct str from;      /* the caller's address, where that is kept; or empty */
	struct credential credential;
	const struct job_gate *gate; /* NULL: the credential is enough */
	/* Idempotency: empty key: none. */
	struct str key;
	struct str path;
	uint8_t body[SHA256_SIZE]; /* digest of the body's canonical form */
	struct str key_session;	   /* set by decide: the record goes with this session */
	struct str key_of;	   /* or with this user or token */
	struct str key_result;	   /* set by decide: JSON for `again` */
	/* What was found wrong with the request before it came here; told only to those
	 * who may ask at all. NULL: nothing. */
	const struct fault *refused;
	/* Outcome. */
	enum err err;
	bool decided;	/* decide succeeded in this try: undo may be due */
	uint64_t batch; /* that worked it; no other has the same, of any clerk */
	struct fault why;
	int status;	     /* of HTTP, on success: 200, 201, 204 */
	struct buf out;	     /* the reply, JSON */
	struct str conflict; /* the winner, as JSON, beside a conflict; in the arena */
	void (*done)(
		struct job *); /* on the clerk's thread; the job is the maker's again */
	void *ctx;	       /* the maker's */
	/* It has decided without an error, and its commit is begun; or NULL. What it found may be
	 * made ready, and nothing of it may be told before `done` is called without an error. The
	 * batch may fail and be decided anew: then it is called again. Not where other nodes
	 * write, too. On the thread that commits. */
	void (*ahead)(struct job *);
};

struct clerk_hooks {
	void *ctx;
	/* After a commit, on the clerk's thread; told is borrowed. NULL told: memory was
	 * short, readers must look at the log. */
	void (*told)(void *ctx, struct committed *);
	/* How long may the writing clerk sleep? It may put jobs. */
	int64_t (*nap_ms)(void *ctx);
	void (*committed)(
		void *ctx, const struct rows *); /* for what rows say beside events */
	void (*trouble)(
		void *ctx, const struct fault *); /* the store failed or works again */
	/* A job is to be decided: for rows that what follows from it will need. */
	void (*needs)(void *ctx, const struct job *, struct wants *);
	/* A job decided, and changed rows or staged events: for what follows from them. When it
	 * fails the job has failed. Called again when the job goes on after a savepoint. */
	enum err (*decided)(void *ctx, struct job *, struct rows *, struct fault *);
	/* All jobs of a batch have decided, where nobody else writes to the store: one more that is
	 * decided and committed with them; or NULL. If it fails, or they do, it is handed back as
	 * failed, and disturbs none of them. */
	struct job *(*follow)(void *ctx, const struct rows *);
};

struct clerk;

struct clerk_options {
	struct str url;		     /* "sqlite:PATH" */
	const struct db_options *db; /* or NULL */
	enum db_mode mode;
	const struct clerk_hooks *hooks; /* borrowed; may be NULL for readers */
	uint64_t seed;			 /* not 0: repeatable ids, for simulations */
	int index;			 /* among the writing clerks: rows.clerk */
};

void clerk_job_refuse(
	struct job *, const struct fault *why); /* sets `refused`, in any case */

struct clerk *clerk_new(
	const struct clerk_options *, struct fault *why); /* opens, no thread */
enum err clerk_start(struct clerk *, struct fault *why);  /* its thread */
bool clerk_put(
	struct clerk *, struct job *); /* any thread; false: stopping, job is yours */
/* The same for a list of jobs by their links, as one batch if that is free. */
bool clerk_put_all(struct clerk *, struct link *jobs);
/* Works the job on the caller's thread if the clerk sleeps and a commit is quick: two
 * thread changes less for a job that is alone. False: it must be put. */
bool clerk_try(struct clerk *, struct job *);
void clerk_wake(struct clerk *);
/* Both have started: what the reader sees of the writer's commits is durable when it tells. */
void clerk_reads_after(struct clerk *reader, struct clerk *writer);
/* What it sees by now is durable when this returns: for a read that tells before its end. */
void clerk_await(struct clerk *);
void clerk_stop(struct clerk *);	  /* works what is there, joins the thread */
struct clerk *clerk_free(struct clerk *); /* NULL is fine; returns NULL */
/* One batch on the caller's thread: for simulations and for admin without a server. */
void clerk_work(struct clerk *, struct link *jobs);
/* Takes at most `max` jobs that came since a batch began, may be worked with it, and act for one
 * of these credentials. On the clerk's thread. */
struct lookups;
typedef size_t more_fn(void *ctx, const struct lookups *, struct job **out, size_t max);
void clerk_gather(struct clerk *, more_fn *, void *ctx); /* before it works */
/* Of which workspace each job's credential is; 0: of none, or it cannot be asked now. On the
 * clerk's thread. */
void clerk_workspaces(struct clerk *, struct job **, int64_t *ws, size_t len);
/* Its connection, opened anew if it was lost; NULL: not now. On the clerk's thread. */
struct db *clerk_db(struct clerk *);
/* The store's time, as its connection knows it. On the clerk's thread. */
int64_t clerk_now_ms(struct clerk *);

#endif
