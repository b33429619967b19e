/* card.h - an ask as a person reads it in a terminal. */
#ifndef CLI_CARD_H
#define CLI_CARD_H

#include "base/json.h"
#include "cli/cli.h"

/* Agent's words are labelled as such; the operation is drawn by us, in full. */
struct card_facts {
	const struct json *told; /* see tui/told.h; NULL: unknown */
};
void card_write(
	struct cli *, const struct json *ask, const struct card_facts *, struct buf *out);

#endif
