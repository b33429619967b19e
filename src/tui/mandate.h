/* mandate.h - approvals in advance in words: what is asked for, what is left of it, what is used. A sentence for each
 * line, as web/src/parts/common/MandateLines.svelte says it. */
#ifndef TUI_MANDATE_H
#define TUI_MANDATE_H

#include "base/json.h"
#include "tui/page.h"

/* What an operation asks for, {"lines", "until"}; NULL: it is something else. */
const struct json *mandate_asked(const struct json *operation);
/* A row for each line; `edited`: what the person leaves of it, NULL: all. */
void mandate_asked_draw(struct page *, const struct json *asked,
	const struct json *edited, int64_t now_ms);
/* One that is live: its title and end, with `hint` behind them, then what is used of each line. At most `max` rows. */
void mandate_live_draw(struct page *, const struct json *mandate, struct str hint,
	size_t max, int64_t now_ms);
/* "mcp__github__close_issue where /repo is web" */
struct str mandate_call_words(const struct json *line, struct arena *);
/* "7 of 20 used · 120.5 of 500" */
struct str mandate_used_words(const struct json *line, struct arena *);

#endif
