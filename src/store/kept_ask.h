/* kept_ask.h - an ask and what stands around it in one piece of memory, for whoever is told of
 * it once the rows of its batch are gone. */
#ifndef STORE_KEPT_ASK_H
#define STORE_KEPT_ASK_H

#include "core/ask/ask.h"

struct kept_ask {
	struct ask ask;
	struct ask_view view;  /* without a mark */
	struct kept_ask *next; /* of a list; NULL: the last */
};

/* How much memory it takes: a multiple of its alignment. */
size_t kept_ask_size(const struct ask *, const struct ask_view *);
struct kept_ask *kept_ask_put(void *at, const struct ask *, const struct ask_view *);

#endif
