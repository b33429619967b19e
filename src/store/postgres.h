/* postgres.h - what the two halves of the PostgreSQL driver share. Private to them. */
#ifndef STORE_POSTGRES_H
#define STORE_POSTGRES_H

#include "store/db.h"

#include <libpq-fe.h>

/* Of a statement on this connection. */
enum statement_state { STATEMENT_NEW, STATEMENT_SENT, STATEMENT_READY };

struct postgres {
	struct db db; /* first */
	PGconn *conn;
	uint8_t prepared[SQL_COUNT]; /* enum statement_state */
	uint8_t guarded
		[SQL_COUNT]; /* the same, with the condition that they change a row */
	bool begin;	     /* BEGIN was said and goes out with the next list */
	bool begun;	     /* it went out: a transaction is open */
	bool hears;	     /* the time comes with its reply */
	bool owed;	     /* the replies to a ROLLBACK are still to be read */
	bool listening;
	bool warned; /* since the last list went out */
	/* The database's clock as it was last heard, and when that was by our own. */
	int64_t clock_ms, heard_ms;
};

static inline struct postgres *postgres_of(struct db *db)
{
	return (struct postgres *)(void *)db;
}

/* A result of the current row_fn. */
struct postgres_row {
	PGresult *result;
	int at;
};

enum err postgres_run(struct db *, struct call *, size_t len, struct fault *);
extern const char postgres_own[]; /* prepares the driver's own statements */
/* One of the driver's own statements, at once; `hear` may be NULL. */
enum err postgres_say(struct postgres *, const char *name, const char *arg, row_fn *hear,
	void *ctx, struct fault *);
enum err postgres_hear(struct postgres *, struct fault *); /* the database's clock */
/* Says BEGIN if it was held back, and reads what is owed: for what goes round the
 * lists. */
enum err postgres_settle(struct postgres *, struct fault *);
/* What the failure means to those above. r may be NULL: the connection itself failed.
 * commit: a COMMIT was on its way. */
enum err postgres_fail(
	struct postgres *, const PGresult *r, bool commit, struct fault *why);

#endif
