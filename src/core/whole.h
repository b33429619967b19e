/* whole.h - an ask with all that is in it, for whoever tells it in other words than ours: its
 * record, what stands around it, and its JSON, read. */
#ifndef CORE_WHOLE_H
#define CORE_WHOLE_H

#include "core/ask.h"

/* Borrowed from the record and its view, or in the arena it was read into. */
struct whole_ask {
	const struct ask *ask;
	const struct ask_view *view;
	const struct json *fixed;     /* its members that never change */
	const struct json *questions; /* of these; NULL: none */
	const struct json *foreign;   /* likewise: the shape it came in */
	const struct json *answer, *answered_by, *replies, *revoked; /* NULL: none */
	struct str summary; /* and that the approval was taken back, if it was */
};

/* ERR_INTERNAL: what is stored cannot be read. */
enum err whole_read(const struct ask *, const struct ask_view *, struct arena *,
	struct whole_ask *out, struct fault *);

#endif
