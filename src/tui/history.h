/* history.h - settled asks as a list, by day, newest first: when, what became of each, by whom, and
 * whether its agent has it. */
#ifndef TUI_HISTORY_H
#define TUI_HISTORY_H

#include "base/json.h"
#include "tui/filter.h"
#include "tui/screen.h"

/* One settled ask: a row of the listing. */
struct history_row {
	struct str id, outcome, title, who;
	struct str detail;  /* what is shown of the one under the cursor, by lines */
	int64_t at_ms, day; /* when, and on which day here */
	const char *then; /* what became of it: the id of a text; NULL: nothing to say */
	int64_t then_ms;
	bool changed; /* approved with other arguments: "approved+" */
};

enum history_filter {
	HISTORY_BY, /* settled by whom: me, or by rules */
	HISTORY_OUTCOME,
	HISTORY_DAYS, /* how far back */
	HISTORY_PROJECT,
	HISTORY_AGENT,
	HISTORY_FILTERS,
};

/* { 0 } is empty and ready. */
struct history {
	struct row_list rows; /* of struct history_row */
	struct buf cursor;    /* of the next page; empty: that was all */
	bool loaded;	      /* a page was received, so an empty list is empty */
	struct filter filters[HISTORY_FILTERS];
	struct filter_counts counts; /* of the menu that is open */
	struct line search;
};

/* Does a filter or a search leave some out? */
bool history_narrowed(const struct history *);
void history_show_all(struct history *); /* no filter and no search any more */
void history_clear(struct history *);	 /* no rows; the filter stays */
void history_done(struct history *);
/* The query of the next page: "status=settled&…". */
void history_query(const struct history *, struct buf *out, int64_t now_ms);
/* Of the next choice of this filter's menu that is not counted; false: all are. */
bool history_counts_query(struct history *, const struct row_list *sessions, size_t which,
	struct buf *out, int64_t now_ms);
void history_take(struct history *, const struct json *page);
bool history_ends(
	const struct history *); /* the last row was reached: the next page, please */
/* Projects and agents are those of the sessions. */
struct filter_group history_filters(struct history *, const struct row_list *sessions);
/* `loading`: a page is on its way; `beside`: the ask under the cursor is drawn whole beside it. */
void history_draw(struct history *, struct screen *, const struct area *, int64_t now_ms,
	bool loading, bool beside);

#endif
