/* listing.h - rows that a person moves through: one block of memory each, those that are shown,
 * a cursor, and what is in sight. Pure but for the heap. */
#ifndef TUI_LISTING_H
#define TUI_LISTING_H

#include "base/str.h"
#include "tui/key.h"

/* { 0 } is empty and ready. */
struct row_list {
	void **all; /* owned */
	size_t all_len, cap;
	void **shown; /* of these */
	size_t len;
	size_t at;  /* the row of the cursor, in shown */
	size_t top; /* the first line in sight; headings are lines, too */
};

/* A row begins with `n` texts, which lie behind its `size` bytes; what is between them is
 * zero. NULL: out of memory. */
void *listing_row(size_t size, const struct str *texts, size_t n);
/* Takes it, shown as the last. False: out of memory, or there is no row. */
bool listing_add(struct row_list *, void *row);
void listing_remove(
	struct row_list *, size_t i); /* of all; the cursor stays on its row */
void listing_clear(struct row_list *);
void listing_done(struct row_list *);

void *listing_at(const struct row_list *); /* under the cursor; NULL: no row is shown */
void listing_go(struct row_list *, int64_t by);
/* Moves the cursor by keys; false: this key is none of them. */
bool listing_key(struct row_list *, const struct key *, size_t height);
/* Brings the line of the cursor into sight, with so many above it. */
void listing_scroll(struct row_list *, size_t line, size_t above, size_t height);

/* Of the texts at this offset in the rows, the next after `now` in order; empty: that was the
 * last. */
struct str listing_next(const struct row_list *, size_t offset, struct str now);
/* Is what was searched for, already case-folded, in one of the texts? */
bool listing_found(const struct str *texts, size_t n, struct str folded);

#endif
