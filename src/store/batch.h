/* batch.h - one turn of a clerk's work: many jobs, one transaction. */
#ifndef STORE_BATCH_H
#define STORE_BATCH_H

#include "store/clerk.h"
#include "store/fast/fast.h"

struct owed;
struct syncer;

enum { BATCH_MAX = 512 };

struct batch_jobs {
	struct job **at;
	size_t len, room;
};

struct batch {
	struct db *db; /* NULL: lost; opened again before the next batch */
	struct str url;
	struct db_options options;
	enum db_mode mode;
	const struct clerk_hooks *hooks;
	more_fn *more; /* NULL: none can come while it is at work */
	void *more_ctx;
	struct ids ids;
	struct rows rows;
	struct rows reads; /* of a job that reads, in its own memory */
	struct table seen;
	struct arena arena;
	/* NULL: every commit is synced before it returns. Of a reading batch: the writer's. */
	struct syncer *syncer;
	uint64_t number; /* of this batch */
	int64_t job_ns;	 /* what a job took lately, without the sync */
	/* As the last batch left it, as long as nobody else wrote since then. */
	struct log_end log;
	struct fast fast;
	uint32_t state;	    /* of the store, by its driver */
	bool unfollowed;    /* the last one failed with a follower: the next has none */
	bool unsure;	    /* a commit may exist that was not told to anybody */
	int64_t pause_ms;   /* between attempts to open it; 0: the last one worked */
	int64_t attempt_ms; /* of the next one, by the steady clock */
};

enum err batch_open(struct batch *, struct fault *why);
/* Open, anew if it was lost; says by the hook when it cannot be, and can be again. */
enum err batch_reach(struct batch *, struct fault *why);
void batch_done(struct batch *);
/* As many more as there is room for may come along; all are handed back. */
void batch_write(struct batch *, struct batch_jobs *);
/* The same, at most OWED_JOBS of them, and their sync may be owed when it returns. */
void batch_write_ahead(struct batch *, struct job **, size_t len);
/* What the syncer could not sync fails, with an outcome that is unknown. */
void batch_take_back(struct batch *);
void batch_durable(const struct batch *, const struct owed *); /* tells and hands back */
void batch_read(struct batch *, struct job **, size_t len);

#endif
