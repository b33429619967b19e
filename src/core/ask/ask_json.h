/* ask_json.h - an ask with all that is in it, for whoever tells it in other words than ours: its
 * record, what stands around it, and its JSON, read. */
#ifndef CORE_ASK_JSON_H
#define CORE_ASK_JSON_H

#include "core/ask/ask.h"

/* Borrowed from the record and its view, or in the arena it was read into. */
struct ask_json {
	const struct ask *ask;
	const struct ask_view *view;
	const struct json *fixed;     /* its members that never change */
	const struct json *questions; /* of these; NULL: none */
	const struct json *foreign;   /* likewise: the shape it came in */
	const struct json *answer, *answered_by, *replies, *revoked; /* NULL: none */
	struct str summary; /* and that the approval was taken back, if it was */
};

/* ERR_INTERNAL: what is stored cannot be read. */
enum err ask_json_read(const struct ask *, const struct ask_view *, struct arena *,
	struct ask_json *out, struct fault *);

#endif
