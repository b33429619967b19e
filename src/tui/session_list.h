/* session_list.h - the sessions as a list, in the page's sections, filtered; one of them unfolds
 * into its runs. Pure but for the heap. */
#ifndef TUI_SESSION_LIST_H
#define TUI_SESSION_LIST_H

#include "core/policy/operation.h"
#include "tui/dialog.h"
#include "tui/filter.h"
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

/* A row of the listing. */
struct session_item {
	struct str id, title, agent, project, status, run, cost, progress;
	struct str end; /* what the nearest deadline of its asks does */
	enum session_section section;
	int64_t updated_ms;
	size_t asks;	     /* open ones */
	enum risk risk;	     /* the highest of theirs; RISK_NONE: none has one */
	int64_t deadline_ms; /* their nearest; 0: none */
};

/* { 0 } is empty and ready. */
struct sessions {
	/* Of struct session_item: by section, within one the newest first; those that the
	 * filter lets through. */
	struct row_list rows;
	struct line search;
	struct filter project;
	bool loaded;
	bool stale;	   /* something has happened since it was read */
	int64_t looked_ms; /* monotonic; when it was asked for last */
	/* Beside it. */
	struct kept_json failed,
		queued;	      /* why runs failed, and in which order they wait */
	struct run_tree tree; /* of the unfolded one */
	struct buf unfolded;  /* its id; empty: none */
};

void session_list_done(struct sessions *);
/* The cursor stays on its session, if that is still there. */
void session_list_take(struct sessions *, const struct json *page, int64_t now_ms);
void session_list_filter(struct sessions *); /* after search or project have changed */
/* No filter and no search any more. False: there was none. */
bool session_list_show_all(struct sessions *);
/* session_list_filter shows what they let through. */
struct filter_group session_list_filters(struct sessions *);
/* Has any of them a run that failed, or one that may wait for its turn? */
bool session_list_has(const struct sessions *, enum session_section);
/* `reading`: the runs of the unfolded one are on their way. */
void session_list_draw(struct sessions *, struct screen *, const struct area *,
	int64_t now_ms, bool reading);

#endif
