/* run_tree.h - the last run of a session with its sub-agents, and the tasks it has set itself. */
#ifndef TUI_RUN_TREE_H
#define TUI_RUN_TREE_H

#include "base/json.h"
#include "tui/page.h"

/* { 0 } is empty and ready. What is shown is kept as rows of JSON in the arenas. */
struct run_tree {
	struct arena runs_arena, tasks_arena;
	const struct json *runs, *tasks; /* items of the lists; NULL: none */
};

void run_tree_done(struct run_tree *);
void run_tree_runs(struct run_tree *, const struct json *page);	 /* newest first */
void run_tree_tasks(struct run_tree *, const struct json *page); /* oldest first */
/* Adds a row for each, at most `max`. */
void run_tree_add(const struct run_tree *, struct page *, size_t max, struct arena *);

#endif
