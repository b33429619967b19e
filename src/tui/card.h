/* card.h - an ask as a page: who asks, what would run, what the agent says. Pure.
 *
 * The operation is drawn by us, in full and before the agent's words, so that nothing it
 * says pushes it off the first screen. */
#ifndef TUI_CARD_H
#define TUI_CARD_H

#include "base/json.h"
#include "tui/page.h"

struct card_look {
	int64_t now_ms;
	bool asked; /* the form below shows what is asked */
	bool raw;   /* the operation as JSON */
	bool tight; /* little room: the operation comes first, what stands above it below */
	struct str question;	      /* in full, where the form has no room for it */
	const struct json *arguments; /* as the person edited them; NULL: not */
	struct str me;		      /* usr_… of who looks; empty: unknown */
	const struct json *told;      /* who was told of it (tui/told.h); NULL: unknown */
	const struct json
		*tool; /* of a held call, as its server lists it; NULL: unknown */
	const struct json *before; /* events that led here, newest first; NULL: unknown */
};

struct card {
	size_t operation_row; /* its heading */
	size_t operation_end; /* the row behind the operation; 0: there is none */
};

struct card card_draw(struct page *, const struct json *ask, const struct card_look *);

#endif
