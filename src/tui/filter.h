/* filter.h - what of a list is shown: filters that a key each moves to their next choice. */
#ifndef TUI_FILTER_H
#define TUI_FILTER_H

#include "tui/listing.h"
#include "tui/page.h"

enum { FILTER_CHOICES = 8 };

/* One that a list has: its choices, or the names that its rows have at an offset. */
struct filter_kind {
	int32_t letter;			     /* the key that goes on to the next choice */
	const char *choices[FILTER_CHOICES]; /* texts; the first, often NULL: no filter */
	size_t names;			     /* of a filter by name; 0: it has choices */
};

/* What is chosen. { 0 } lets everything through. */
struct filter {
	size_t at;	 /* of the choices */
	struct buf name; /* empty: all */
};

/* True: the key changed one of the `n` filters. */
bool filter_key(struct filter *, const struct filter_kind *, size_t n,
	const struct row_list *, int32_t letter);
bool filter_passes(const struct filter *, struct str name);
bool filter_on(const struct filter *, size_t n); /* one of them leaves something out */
/* The choices in words, in the head of the screen. */
void filter_head(
	const struct filter *, const struct filter_kind *, size_t n, struct page *);
void filter_done(struct filter *, size_t n); /* everything is let through again */

#endif
