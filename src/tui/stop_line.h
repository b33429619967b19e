/* stop_line.h - that agents are stopped: what, by whom, since when, why, and how it ends. */
#ifndef TUI_STOP_LINE_H
#define TUI_STOP_LINE_H

#include "tui/kept.h"
#include "tui/page.h"

/* Adds it to the page's row; `stops` are those in force, newest first. */
void stop_line_add(const struct kept_json *stops, struct page *, int64_t now_ms);

#endif
