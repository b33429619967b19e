/* stop_line.h - that agents are stopped: what, by whom, since when, why, and how it ends. */
#ifndef TUI_STOP_LINE_H
#define TUI_STOP_LINE_H

#include "tui/page.h"
#include "tui/run_tree.h"

/* Adds it to the page's row; `stops` are those in force, newest first. */
void stop_line_add(
	const struct run_page *stops, struct page *, int64_t now_ms, struct arena *);

#endif
