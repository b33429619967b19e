/* session_view.h - one session with its runs, and its log as it grows. */
#ifndef TUI_SESSION_VIEW_H
#define TUI_SESSION_VIEW_H

#include "base/json.h"
#include "tui/listing.h"
#include "tui/run_tree.h"
#include "tui/screen.h"

enum feed_filter { FEED_ALL, FEED_ASKS, FEED_PROGRESS, FEED_STATUS, FEED_FILTERS };

/* One line of the log: a row of the listing. */
struct feed_row {
	struct str words;
	struct str ask, title; /* which ask it is about; empty: none, or not known */
	int64_t id, at_ms;
	enum feed_filter drawer;
};

enum { FEED_MAX = 2000 }; /* the oldest go */

/* { 0 } is empty and ready. */
struct session_view {
	struct buf id, title, agent, status, progress;
	struct row_list feed; /* of struct feed_row, those that the filter lets through */
	enum feed_filter filter;
	size_t back;  /* rows scrolled up from the end; 0: follows */
	size_t fresh; /* came while scrolled up */
	bool loading;
	struct run_tree tree;
	struct kept_json mandates; /* those that are live, newest first */
	bool runnable;		   /* Parley runs its agent: it can be written to */
};

void session_view_done(struct session_view *);
/* Starts anew with this session. */
void session_view_open(struct session_view *, struct str id);
void session_view_take(struct session_view *, const struct json *session);
/* An event of this session; those that are there already are passed over. */
void session_view_event(struct session_view *, const struct json *event);
int64_t session_view_last(const struct session_view *); /* the last event's number */
/* False: the key means nothing here. */
bool session_view_key(struct session_view *, const struct key *, size_t height);
void session_view_draw(
	struct session_view *, struct screen *, const struct area *, int64_t now_ms);

#endif
