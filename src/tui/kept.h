/* kept.h - JSON of a reply that outlives it: a copy with memory of its own. */
#ifndef TUI_KEPT_H
#define TUI_KEPT_H

#include "base/json.h"

/* { 0 } is empty and ready. */
struct kept_json {
	struct arena arena;
	const struct json *json; /* NULL: none */
};

/* A copy in the arena; NULL: out of memory. */
const struct json *kept_copy(const struct json *, struct arena *);
void kept_set(struct kept_json *, const struct json *); /* in place of what was kept */
void kept_done(struct kept_json *);

#endif
