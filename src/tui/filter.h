/* filter.h - what of a list is shown: filters that a key each moves to their next choice, and a menu of
 * the choices with how many rows each of them would show. */
#ifndef TUI_FILTER_H
#define TUI_FILTER_H

#include "tui/listing.h"
#include "tui/page.h"

enum { FILTER_CHOICES = 8 };

/* One that a list has: its choices, or the names that its rows have at an offset. */
struct filter_kind {
	int32_t letter;			     /* the key that goes on to the next choice */
	const char *name;		     /* a text; NULL: it has no menu */
	const char *choices[FILTER_CHOICES]; /* texts; the first, often NULL: no filter */
	size_t names;			     /* of a filter by name; 0: it has choices */
};

/* What is chosen. { 0 } lets everything through. */
struct filter {
	size_t at;	 /* of the choices */
	struct buf name; /* empty: all */
};

/* The filters of a list. */
struct filter_group {
	struct filter *filters;
	const struct filter_kind *kinds;
	size_t n;
	const struct row_list *rows; /* names are those of all of them */
	/* How many rows the list would show; NULL: the server filters. */
	size_t (*count)(const void *list);
	const void *list;
	/* How many the server counted for the first choices of the menu that is open. */
	const struct filter_counts *counts;
};

enum { FILTER_COUNTED = 64 };

struct filter_counts {
	int64_t n[FILTER_COUNTED];
	size_t len;
};

/* Which filter this key moves; `n`: none. F moves the first where none has that letter. */
size_t filter_find(const struct filter_group *, int32_t letter);
/* Goes on by so many choices, and round again. */
void filter_move(const struct filter_group *, size_t which, int by);
size_t filter_choices(const struct filter_group *, size_t which);
/* Calls `with` while this one is chosen. */
void filter_with(const struct filter_group *, size_t which, size_t choice,
	void (*with)(void *ctx), void *ctx);
void filter_clear(struct filter *); /* lets everything through */
bool filter_passes(const struct filter *, struct str name);
bool filter_on(const struct filter *, size_t n); /* one of them leaves something out */
/* The choices in words, in the head of the screen. */
void filter_head(const struct filter_group *, struct page *);
/* The menu of one of them, in no more than so many rows. */
void filter_menu(const struct filter_group *, size_t which, size_t rows, struct page *);
void filter_done(struct filter *, size_t n); /* everything is let through again */

#endif
