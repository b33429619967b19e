/* sse.h - reads text/event-stream as it comes, in pieces of any size. */
#ifndef BASE_SSE_H
#define BASE_SSE_H

#include "base/buf.h"

/* Borrowed for the call. A frame without data (a bare id, a heartbeat) has data empty. */
struct sse_frame {
	struct str id;	 /* the last one seen, as the standard wants it */
	struct str type; /* "message" when not said */
	struct str data; /* lines joined by \n */
};

typedef bool sse_fn(void *ctx, const struct sse_frame *); /* false: no more */

/* { .fn = f, .ctx = c } is ready. */
struct sse {
	sse_fn *fn;
	void *ctx;
	struct buf line;
	struct buf id;	    /* of the last whole frame: where to go on from */
	struct buf next_id; /* of the frame that is being read */
	struct buf type, data;
	size_t most; /* bytes of a line and of an event; 0: SSE_LINE_MAX, SSE_EVENT_MAX */
	int64_t retry_ms; /* what the server asked for; 0: nothing */
	bool data_seen, id_seen;
	bool after_cr; /* a \n now belongs to the line end before it */
	bool started;  /* past a byte order mark */
	bool failed;   /* a line or an event too long, or fn wants no more */
};

enum { SSE_LINE_MAX = 1 << 20, SSE_EVENT_MAX = 1 << 21 };

bool sse_feed(struct sse *, struct str bytes); /* false once failed */
void sse_reset(struct sse *);		       /* a new connection; the id is kept */
void sse_done(struct sse *);

#endif
