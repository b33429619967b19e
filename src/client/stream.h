/* stream.h - the server's events, every one once and in order, through reconnects. */
#ifndef CLIENT_STREAM_H
#define CLIENT_STREAM_H

#include "base/sse.h"
#include "client/client.h"

struct stream;

/* Copied; the client is borrowed and must outlive the stream. */
struct stream_setup {
	struct client *client;
	struct str query; /* "session=…&types=…" without '?'; empty: everything */
	struct str after; /* go on after this number; empty: from now on */
	sse_fn *event;	  /* for each frame with data; false ends the stream */
	void (*trouble)(
		void *ctx, const struct fault *); /* lost; once until it is back */
	void (*back)(void *ctx);
	void *ctx;
};

enum streamed {
	STREAMED_ENDED,	  /* the event function wants no more */
	STREAMED_INPUT,	  /* input_fd is readable; goes on at the next call */
	STREAMED_STOPPED, /* the client's stop_fd is readable */
	STREAMED_TIME,	  /* wait_ms is over; goes on at the next call */
	STREAMED_FAILED,  /* why says; trying again would not help */
};

struct stream *stream_new(const struct stream_setup *); /* NULL: out of memory */
struct stream *stream_free(struct stream *);		/* NULL is fine; returns NULL */
/* `input_fd` may be -1; `wait_ms` -1: for ever. */
enum streamed stream_run(
	struct stream *, int input_fd, int64_t wait_ms, struct fault *why);
/* For those who stir the client themselves: opens and reopens it as need be, without
 * sleeping. *sleep_ms is lowered to when that is wanted again. STREAMED_TIME: it goes
 * on. */
enum streamed stream_move(struct stream *, int64_t *sleep_ms, struct fault *why);

#endif
