/* card.h - an ask as a person reads it in a terminal. */
#ifndef CLI_CARD_H
#define CLI_CARD_H

#include "base/json.h"
#include "cli/cli.h"

/* Agent's words are labelled as such; the operation is drawn by us, in full. `told`: see
 * tui/told.h, `tool`: tui/card.h; NULL: unknown. */
void card_write(struct cli *, const struct json *ask, const struct json *told,
	const struct json *tool, struct buf *out);

#endif
