/* list.h - the pending asks a person sees: what a row needs of each, in the order they
 * want attention, filtered. Pure but for the heap. A row is a few hundred bytes, so that
 * thousands cost little. */
#ifndef TUI_LIST_H
#define TUI_LIST_H

#include "base/json.h"
#include "base/table.h"
#include "core/ask/ask.h"
#include "tui/filter.h"
#include "tui/line.h"

/* Why an ask stands where it does: the page's groups, in their order. */
enum list_group { GROUP_SOON, GROUP_HIGH, GROUP_OTHER, GROUPS };

/* A row of the listing. */
struct item {
	struct str id, title, agent, session, session_title, project;
	struct str assignees; /* ids, a line each */
	struct str end;	      /* what its deadline does: "rejected", “No” */
	struct str digest;    /* of its operation; empty: it has none */
	struct str line; /* its operation in pieces, by lines; empty: none, or too long */
	uint64_t shape;	 /* equal for one tool with the same names of arguments */
	bool voted;	 /* it requires approvals */
	enum ask_kind kind;
	enum risk risk;
	enum priority priority;
	int64_t created_ms, deadline_ms; /* 0: waits for ever */
	int64_t version;
	uint64_t form;	    /* equal for asks that one answer could settle */
	uint64_t like;	    /* equal for asks that differ in numbers alone: they fold */
	int64_t snoozed_ms; /* until when the person wants not to see it; 0: they do */
	bool read;	    /* the person has opened it */
	bool mine;	    /* assigned to the person; as it was arranged last */
	bool chosen;	    /* for a batch */
	/* As it was arranged last. */
	bool passes;	/* the filter lets it through */
	size_t similar; /* head of a fold: how many it stands for; 0: none */
	bool inside;	/* shown below the head of an open fold */
	enum list_group group;
	size_t section; /* it heads its group, of so many asks; 0: it does not */
};

/* Which of them are shown. */
enum list_filter {
	LIST_KIND,
	LIST_PRIORITY,
	LIST_SNOOZED, /* only those that are; otherwise only the others */
	LIST_PROJECT,
	LIST_AGENT,
	LIST_ASSIGNED, /* ASSIGNED_… */
	LIST_FILTERS,
};

enum { ASSIGNED_ANY, ASSIGNED_ME, ASSIGNED_NOBODY };

enum { FOLD_FROM = 3, FOLDS_OPEN = 64 };

/* { 0 } is empty and ready. */
struct list {
	struct table by_id;
	/* Of struct item: all in order of attention; those that pass the filter and are not
	 * folded away. */
	struct row_list rows;
	uint64_t open[FOLDS_OPEN]; /* likenesses whose folds are open */
	size_t open_at;
	struct filter filters[LIST_FILTERS];
	struct line *search; /* borrowed; NULL or empty: all */
	struct str me;	     /* the person's id; borrowed */
	bool failed;	     /* out of memory; what is there stays */
};

void list_done(struct list *);
/* Puts it in, or in an older version's place; list_arrange shows it. */
void list_put(struct list *, const struct json *ask);
void list_drop(struct list *, struct str id);
void list_drop_session(struct list *, struct str session);
/* Orders, filters and folds again; the cursor stays on its ask. Three or more alike become
 * one row in the first one's place; an open fold shows the rest below it. */
void list_arrange(struct list *, int64_t now_ms);
/* The line of a row, whose heading is a line above it; and which row stands on a line or below
 * that heading. */
size_t list_line(const struct list *, size_t row);
size_t list_row(const struct list *, size_t line);
struct item *list_find(const struct list *, struct str id); /* NULL: not there */
struct item *list_at(const struct list *);	/* under the cursor, or NULL */
bool list_select(struct list *, struct str id); /* false: not shown */
void list_fold(struct list *, int64_t now_ms); /* opens or closes the one at the cursor */
/* Marks the row of the cursor for a batch, or takes the mark away; a closed fold with all
 * it stands for. */
void list_choose(struct list *);
/* list_arrange shows what they let through. */
struct filter_group list_filters(struct list *);
void list_show_all(struct list *); /* no filter and no search any more */
/* Marked, and not hidden by the filter. */
size_t list_chosen(const struct list *);
void list_choose_none(struct list *);
/* Those that the filter lets through, also in folds. */
size_t list_passing(const struct list *);
/* Those that are not snoozed. */
size_t list_waiting(const struct list *, int64_t now_ms);
/* When the next snoozed ask comes back; 0: none is snoozed. */
int64_t list_next_wake(const struct list *, int64_t now_ms);
/* The one with the nearest deadline; NULL: none has one. */
const struct item *list_next_due(const struct list *);

#endif
