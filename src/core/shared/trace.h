/* trace.h - W3C trace context: what came with a request, read and kept as JSON, and what is passed on. Pure.
 *
 * Kept is {"traceparent": "00-…", "tracestate": "…"|null}, as it is shown; empty: there is none. */
#ifndef CORE_TRACE_H
#define CORE_TRACE_H

#include "base/arena.h"

enum { TRACE_PARENT_LEN = 55, TRACE_ID_LEN = 32, TRACE_STATE_MAX = 4096 };

/* Empty: no traceparent came, or a malformed one. A malformed tracestate is dropped alone. */
struct str trace_read(struct str traceparent, struct str tracestate, struct arena *);
/* 32 hex digits, borrowed; empty: none. */
struct str trace_id(struct str kept);

/* For whoever is called on behalf of it; both empty: there is no trace. */
struct trace_on {
	struct str parent, state;
};
/* The same trace, with a parent id of ours: the same whenever `by` (a delivery, a call) is the same. */
struct trace_on trace_pass(struct str kept, struct str by, struct arena *);
/* The same as members of a JSON object, without braces. */
struct str trace_members(const struct trace_on *, struct arena *);

#endif
