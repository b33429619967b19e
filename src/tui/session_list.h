/* session_list.h - the sessions as a list, in the page's sections, filtered; one of them unfolds
 * into its runs. Pure but for the heap. */
#ifndef TUI_SESSION_LIST_H
#define TUI_SESSION_LIST_H

#include "core/policy/operation.h"
#include "tui/dialog.h"
#include "tui/run_tree.h"

/* Groups of the list, in its order: the page's. */
enum session_section {
	SECTION_WAITING,
	SECTION_FAILED,
	SECTION_RUNNING,
	SECTION_COMPLETED, /* not long ago */
	SECTION_OTHERS,
	SECTIONS,
};

/* One block of memory; the texts lie behind it. */
struct session_item {
	struct str id, title, agent, project, status, run, cost, progress;
	enum session_section section;
	int64_t updated_ms;
	size_t asks;	     /* open ones */
	enum risk risk;	     /* the highest of theirs; RISK_NONE: none has one */
	int64_t deadline_ms; /* their nearest; 0: none */
	char text[];
};

/* { 0 } is empty and ready. */
struct sessions {
	struct session_item **all; /* by section, within one the newest first */
	size_t all_len;
	struct session_item **rows; /* those that the filter lets through */
	size_t len, at, top;	    /* top: the first line in sight */
	struct line search;
	struct buf project; /* empty: all */
	bool loaded;
	bool reading;	   /* a page is under way */
	bool stale;	   /* and something has happened since */
	int64_t looked_ms; /* monotonic; when it was asked for last */
	/* Beside it. */
	struct run_page failed,
		queued;	      /* why runs failed, and in which order they wait */
	struct run_tree tree; /* of the unfolded one */
	struct buf unfolded;  /* its id; empty: none */
	bool tree_reading, tree_stale;
};

void session_list_done(struct sessions *);
/* The cursor stays on its session, if that is still there. */
void session_list_take(struct sessions *, const struct json *page, int64_t now_ms);
void session_list_filter(struct sessions *); /* after search or project have changed */
void session_list_project_next(struct sessions *);
const struct session_item *session_list_at(const struct sessions *); /* or NULL */
void session_list_go(struct sessions *, int64_t by);
/* The next name after `now` among the sessions' projects or agents; empty: that was the last. */
struct str session_list_next_project(const struct sessions *, struct str now);
struct str session_list_next_agent(const struct sessions *, struct str now);
/* Has any of them a run that failed, or one that may wait for its turn? */
bool session_list_has(const struct sessions *, enum session_section);
/* The filter in words, for the head. */
void session_list_head(const struct sessions *, struct page *, struct arena *);
void session_list_draw(
	struct sessions *, struct screen *, const struct area *, int64_t now_ms);

#endif
