/* history.h - settled asks as a list, by day, newest first: when, what became of each, by whom, and
 * whether its agent has it. */
#ifndef TUI_HISTORY_H
#define TUI_HISTORY_H

#include "base/json.h"
#include "tui/listing.h"
#include "tui/screen.h"

/* One settled ask: a row of the listing. */
struct history_row {
	struct str id, outcome, title, who;
	int64_t at_ms, day; /* when, and on which day here */
	const char *then; /* what became of it: the id of a text; NULL: nothing to say */
	int64_t then_ms;
	bool changed; /* approved with other arguments: "approved+" */
};

/* { 0 } is empty and ready. */
struct history {
	struct row_list rows;	   /* of struct history_row */
	struct buf cursor;	   /* of the next page; empty: that was all */
	bool loaded;		   /* a page was received, so an empty list is empty */
	bool mine;		   /* only what I settled */
	size_t outcome;		   /* which outcomes; 0: all */
	size_t days;		   /* how far back; 0: all */
	struct buf project, agent; /* empty: all */
	struct line search;
};

void history_clear(struct history *); /* no rows; the filter stays */
void history_done(struct history *);
/* The query of the next page: "status=settled&…". */
void history_query(const struct history *, struct buf *out, int64_t now_ms);
void history_take(struct history *, const struct json *page);
bool history_ends(
	const struct history *); /* the last row was reached: the next page, please */
void history_outcome_next(struct history *);
void history_days_next(struct history *);
void history_head(const struct history *, struct page *); /* the filter */
/* `loading`: a page is on its way. */
void history_draw(struct history *, struct screen *, const struct area *, int64_t now_ms,
	bool loading);

#endif
