/* rows_inner.h - what rows.c and write.c know of a row beside its record. */
#ifndef STORE_ROWS_INNER_H
#define STORE_ROWS_INNER_H

#include "base/queue.h"
#include "store/rows.h"

struct ask_row {
	struct ask ask;
	struct ask_row *next;
	int64_t stored_version; /* 0: not in the store yet */
	bool due;		/* loaded because its deadline has passed */
};

struct session_row {
	struct session session;
	struct session_row *next;
	int64_t stored_version;
	bool deleted;
};

struct key_slot {
	struct rows *rows;
	struct key_slot
		*next; /* in the order they were named: batches repeat themselves */
	int64_t ws;
	struct str token, path, key;
	struct key_record record;
	bool wanted, found;
	bool fresh; /* made in this batch: to be written */
};

static inline struct ask_row *ask_row_of(struct ask *a)
{
	return LINK_OF(a, struct ask_row, ask);
}

static inline struct session_row *session_row_of(struct session *s)
{
	return LINK_OF(s, struct session_row, session);
}

struct ask_row *rows_put_ask(struct rows *, const struct ask *);
struct session_row *rows_put_session(struct rows *, const struct session *);
struct key_slot *rows_key_slot(
	struct rows *, int64_t ws, struct str token, struct str path, struct str key);

#endif
