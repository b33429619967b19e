/* rows_inner.h - what rows.c and write.c know of a row beside its record. */
#ifndef STORE_ROWS_INNER_H
#define STORE_ROWS_INNER_H

#include "store/rows.h"

/* The one copy of a row in a batch; its record lies behind it. */
struct row_copy {
	_Alignas(
		16) struct row_copy *next; /* the record is aligned as the arena aligns */
	const struct record *record;
	int64_t stored_version; /* 0: not in the store yet */
	const void *stored; /* the record as it is there, once it was changed; or NULL */
	uint64_t saved;	    /* the savepoint it was last saved for */
	bool deleted;
	bool undone;   /* made by a job that failed: as if it never was */
	bool due;      /* an ask that was loaded because its deadline has passed */
	bool external; /* a session that is found by its external id */
};

/* A copy as it was at the savepoint. */
struct row_saved {
	struct row_saved *next;
	struct row_copy *row;
	bool deleted, made;
};

static inline void *copy_record(const struct row_copy *row)
{
	return (void *)(uintptr_t)(row + 1);
}

static inline struct row_copy *copy_of(const void *record)
{
	return (struct row_copy *)(uintptr_t)record - 1;
}

static inline enum record_id copy_id(const struct row_copy *row)
{
	return (enum record_id)(row->record - records);
}

static inline struct str copy_session(const struct row_copy *row)
{
	return row->record->session_at
		       ? *(const struct str *)(const void *)((const char *)copy_record(
								     row) +
							     row->record->session_at)
		       : STR_NONE;
}

static inline struct row_copy *copy_find(
	const struct rows *rows, enum record_id id, struct str name)
{
	return table_get(&rows->of[id].named, name);
}

/* Not there for anybody: deleted, with its session, or never made. */
static inline bool copy_gone(const struct rows *rows, const struct row_copy *row)
{
	if (row->deleted || row->undone) return true;
	return rows->sessions_deleted && row->record->session_at &&
	       rows_session_deleted(rows, copy_session(row));
}

static inline bool copy_changed(const struct row_copy *row)
{
	return record_version(row->record, copy_record(row)) != row->stored_version;
}

/* Which record the rows of a statement are. */
struct loading {
	struct rows *rows;
	enum record_id id;
	const void *first; /* that it found; or NULL */
};

row_fn loaded_record;				/* ctx: struct loading */
row_fn loaded_session, loaded_open, loaded_due; /* ctx: struct rows */
row_fn loaded_ask;     /* ctx: struct rows; its session stands behind it */
row_fn loaded_log_end; /* ctx: struct log_end */
/* Is it here, or remembered from a batch before? Then it is here now. */
bool rows_recall_session(struct rows *, int64_t ws, struct str id);
bool rows_recall_ask(struct rows *, int64_t ws, struct str id); /* and its session */
/* How a session is named in rows.external. Empty: out of memory. */
struct str external_key(
	struct rows *, int64_t ws, struct str agent, struct str external_id);

#endif
