/* run_tree.h - runs as a list that was read, and the last run of a session with its sub-agents and the
 * tasks it has set itself. */
#ifndef TUI_RUN_TREE_H
#define TUI_RUN_TREE_H

#include "base/json.h"
#include "tui/page.h"

/* The items of a list, kept as JSON. { 0 } is empty and ready. */
struct run_page {
	struct arena arena;
	const struct json *items; /* NULL: none */
};

void run_page_done(struct run_page *);
void run_page_take(struct run_page *, const struct json *page);
/* Why this run failed; empty: it is not among them. */
struct str run_page_error(const struct run_page *, struct str run);
/* 1: the session's run is the next in the queue; 0: it is not there. Newest first. */
size_t run_page_place(const struct run_page *, struct str session);

/* { 0 } is empty and ready. */
struct run_tree {
	struct run_page runs, tasks;
};

void run_tree_done(struct run_tree *);
void run_tree_runs(struct run_tree *, const struct json *page);	 /* newest first */
void run_tree_tasks(struct run_tree *, const struct json *page); /* oldest first */
/* Adds a row for each, at most `max`. */
void run_tree_add(const struct run_tree *, struct page *, size_t max, struct arena *);

#endif
