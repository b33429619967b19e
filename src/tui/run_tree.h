/* run_tree.h - runs as a list that was read, and the last run of a session with its sub-agents and the
 * tasks it has set itself. */
#ifndef TUI_RUN_TREE_H
#define TUI_RUN_TREE_H

#include "tui/kept.h"
#include "tui/page.h"

/* Why this run failed; empty: it is not among them. */
struct str run_page_error(const struct kept_json *, struct str run);
/* 1: the session's run is the next in the queue; 0: it is not there. Newest first. */
size_t run_page_place(const struct kept_json *, struct str session);

/* { 0 } is empty and ready. */
struct run_tree {
	struct kept_json runs;	/* newest first */
	struct kept_json tasks; /* oldest first */
};

void run_tree_done(struct run_tree *);
/* Adds a row for each, at most `max`. */
void run_tree_add(const struct run_tree *, struct page *, size_t indent, size_t max);

#endif
