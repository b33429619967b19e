/* db.h - one connection to the store, whatever the engine. Owns connection and
 * statements.
 *
 * Everything goes through db_run: a list of calls, worked in order. SQLite works them one
 * by one; a driver with a wire sends them all and then reads all replies. So the layers
 * above state what they want in lists, and never learn which engine it is.
 *
 * A connection belongs to one thread at a time. Prefix: row_. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include "base/fault.h"
#include "base/progress.h"
#include "base/str.h"
#include "store/sql.h"

enum val_type { VAL_NULL, VAL_INT, VAL_TEXT, VAL_BYTES };

struct val {
	enum val_type type;
	int64_t integer;
	struct str text; /* TEXT, BYTES */
};

static inline struct val val_int(int64_t i)
{
	return (struct val){ VAL_INT, i, STR_NONE };
}

static inline struct val val_text(struct str s)
{
	return (struct val){ VAL_TEXT, 0, s };
}

static inline struct val val_bytes(const void *at, size_t len)
{
	return (struct val){ VAL_BYTES, 0, { at, len } };
}

static inline struct val val_name(const char *text)
{
	return val_text(str_of(text));
}

static inline struct val val_as_is(struct val v)
{
	return v;
}

/* The arguments of a statement, a text, a number or a val each, and how many they are: at most eight.
 * KEY: those of a record's key, without the count. */
#define ARGS(...) KEY(__VA_ARGS__), VALS_COUNT(__VA_ARGS__)
#define KEY(...)                                                                         \
	(const struct val[])                                                             \
	{                                                                                \
		VALS_OF(VALS_COUNT(__VA_ARGS__), __VA_ARGS__)                            \
	}
#define VAL(x)                                                                           \
	_Generic((x), struct str : val_text, char * : val_name, const char * : val_name, \
		struct val : val_as_is, default : val_int)(x)
#define VALS_COUNT(...)				   VALS_NINTH(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define VALS_NINTH(a, b, c, d, e, f, g, h, n, ...) n
#define VALS_OF(n, ...)				   VALS_JOIN(n, __VA_ARGS__)
#define VALS_JOIN(n, ...)			   VALS_##n(__VA_ARGS__)
#define VALS_1(x)				   VAL(x)
#define VALS_2(x, ...)				   VAL(x), VALS_1(__VA_ARGS__)
#define VALS_3(x, ...)				   VAL(x), VALS_2(__VA_ARGS__)
#define VALS_4(x, ...)				   VAL(x), VALS_3(__VA_ARGS__)
#define VALS_5(x, ...)				   VAL(x), VALS_4(__VA_ARGS__)
#define VALS_6(x, ...)				   VAL(x), VALS_5(__VA_ARGS__)
#define VALS_7(x, ...)				   VAL(x), VALS_6(__VA_ARGS__)
#define VALS_8(x, ...)				   VAL(x), VALS_7(__VA_ARGS__)

/* A row of a result, borrowed for the call of its row_fn. NULL reads as 0 or "". */
struct row;
int64_t row_int(const struct row *, int column);
struct str row_text(const struct row *, int column); /* TEXT and BYTES; borrowed */
bool row_packed(const struct row *, int column);

/* It must not use the connection: with a wire, other replies are still to come. */
typedef enum err row_fn(void *ctx, const struct row *, struct fault *why);

row_fn row_take_int; /* the first column into the int64_t that ctx is */

struct call {
	enum sql sql;
	const struct val *args;
	int args_len;
	row_fn *row; /* NULL: rows are not wanted */
	void *ctx;
	int64_t changed; /* out: rows inserted, updated or deleted */
	/* None: somebody else was first, and it is ERR_BUSY; nothing that follows it in its
	 * list is done then, nor is the list's COMMIT. */
	bool must_change;
	const char *text; /* of SQL_GIVEN */
};

enum db_mode { DB_WRITE, DB_READ };

struct db;

struct db_options {
	struct str url;	  /* what follows the scheme and its colon */
	const char *vfs;  /* SQLite only, for tests; NULL: the default */
	bool weak_sync;	  /* for the test that must fail: synchronous=NORMAL */
	int log_pages;	  /* SQLite's log between checkpoints, for tests; 0: the usual */
	int64_t quick_us; /* a commit that is quick, for tests; 0: the usual */
	int ahead_from; /* jobs in a batch whose sync may be owed, for tests; 0: the usual */
	bool hasty;	/* for the test that must fail: replies before that sync */
	bool patient; /* a transaction may rest for long: for copies */
	bool still; /* SQLite only, reading: nobody writes it; nothing is made beside it */
};

/* Hears of what other processes committed: their hint, as it was given. */
typedef void transient_fn(void *ctx, struct str hint);

/* What a driver must do. A driver is one const struct of these. */
struct db_driver {
	/* What follows CREATE TABLE (…) so that its rows lie in the order of their
	 * key. */
	const char *clustered;
	/* The type of the one number that is a table's key, and where its rows lie by it. */
	const char *row_key;
	const char *text; /* the type of a text that compares byte by byte */
	/* Between attempts to open it again, at first; each failure doubles it. 0: a new
	 * attempt costs nothing. */
	int64_t pause_ms;
	struct db *(*open)(const struct db_options *, enum db_mode, struct fault *why);
	void (*close)(struct db *);
	/* Works the calls in order; the first failure is the list's.
	 * ERR_BUSY: met another writer, or a unique index refused; the transaction is
	 * void. ERR_UNAVAILABLE: the engine could not; nothing of this transaction is
	 * kept. ERR_UNKNOWN: COMMIT failed in a way that leaves its outcome open; the
	 * connection must be closed and opened anew.
	 * BEGIN on a writing connection takes its turn, unless db.late says that db_turn
	 * will: see there.
	 * With a wire BEGIN may go out with the list that follows, and nobody waits for
	 * the reply to ROLLBACK. */
	enum err (*run)(struct db *, struct call *, size_t len, struct fault *);
	enum err (*script)(struct db *, const char *sql, struct fault *); /* migrations */
	enum err (*now_ms)(struct db *, int64_t *);
	/* Commits come back before their sync from now on, or no more; NULL: it cannot.
	 * owes: what the last commit's sync is to be done on; NULL: it was done. sync: on any
	 * thread, as long as the connection is open; false: it failed, and the outcome of
	 * all commits that owe it is unknown. */
	void (*sync_later)(struct db *, bool later);
	void *(*owes)(struct db *);
	bool (*sync)(void *owed);
	int64_t (*sync_ns)(struct db *); /* what a sync took lately */
	/* Gives back the memory of what it read; NULL: it keeps none. */
	void (*rest)(struct db *);
	/* In a transaction: another number than after our last commit when anybody else wrote
	 * since. NULL: others always may. */
	uint32_t (*state)(const struct db *);
	/* Is a commit now likely to take less than a millisecond? NULL: never. */
	bool (*is_quick)(const struct db *);
	/* Into the empty file at `path`, as this transaction sees the store; the file is
	 * not synced. `progress` may be NULL. */
	enum err (*backup)(struct db *, const char *path, progress_fn *progress,
		void *ctx, struct fault *);
	enum err (*verify)(
		struct db *, struct fault *); /* the engine's own integrity check */
	/* Of a store that other processes write to as well; NULL where there are none.
	 * hint: says to all of them, out of any transaction, that there is news.
	 * await: sleeps until hints of others came, fd is readable or ms have passed. */
	enum err (*hint)(struct db *, struct str hint, struct fault *);
	enum err (*await)(struct db *, int fd, int64_t ms, transient_fn *, void *ctx,
		struct fault *);
	int64_t (*row_int)(const struct row *, int column);
	struct str (*row_text)(const struct row *, int column);
	/* Is it a text that was packed (store/pack.h)? NULL: the engine packs long texts itself. */
	bool (*row_packed)(const struct row *, int column);
};

/* Drivers embed this first in their own. */
struct db {
	const struct db_driver *driver;
	enum db_mode mode;
	bool lost; /* the connection is gone: close it and open another */
	bool late; /* writing transactions take their turn by db_turn, not with BEGIN */
	int turn;  /* to be taken with the next list; TURN_NONE: none */
	struct packer *packer; /* NULL: the engine packs long texts itself */
};

struct row {
	const struct db *db;
	void *handle;
	int columns;
	int first; /* of them, that is called 0 */
};

/* The record that stands behind the first `columns` of a row. */
static inline struct row row_behind(const struct row *row, int columns)
{
	struct row rest = *row;

	rest.first += columns;
	return rest;
}

/* url: "sqlite:PATH" or "postgresql://…". ERR_INVALID for a scheme nobody knows. */
struct db *db_open(
	struct str url, enum db_mode, const struct db_options *, struct fault *);
struct db *db_close(struct db *); /* NULL is fine; returns NULL */
enum err db_run(struct db *, struct call *, size_t len, struct fault *);
/* One call, when a list would be ceremony. */
enum err db_one(struct db *, enum sql, const struct val *, int args_len, row_fn *,
	void *ctx, struct fault *);
enum err db_begin(struct db *, struct fault *);
enum err db_commit(struct db *, struct fault *);
enum err db_rollback(struct db *); /* fine when there is no transaction */
bool db_is_quick(const struct db *);

/* Of a store that several processes write to, writing transactions take turns: one at a time
 * of all of them, or of those in the same shard of workspaces. A turn lasts to the end of its
 * transaction. It goes out with the next list, at its head; what that list reads is what the
 * turn before it left. An embedded store has one writer anyhow. */
enum { TURN_NONE, TURN_ALL, TURN_SHARD, SHARDS = 64, TURNS = TURN_SHARD + SHARDS };
int turn_of(int64_t ws); /* TURN_SHARD … TURNS - 1 */
void db_turn(struct db *, int turn);

/* Do other processes write to this url, too? */
bool store_url_is_shared(struct str url);
const struct db_driver *store_url_driver(struct str url); /* NULL: an unknown scheme */
/* Does it name several hosts, of which one takes over when another fails? */
bool store_url_several(struct str url);
/* Does a commit wait for a standby that takes over with all that was acknowledged? An embedded store has none to
 * wait for: true. */
enum err db_synced(struct db *, bool *out, struct fault *);

extern const struct db_driver sqlite_driver, postgres_driver;

#endif
