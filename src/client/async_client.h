/* async_client.h - calls that nobody stands and waits for, beside the event stream: for those
 * who must go on listening to a person. One thread; all happens in async_client_step. */
#ifndef CLIENT_ASYNC_CLIENT_H
#define CLIENT_ASYNC_CLIENT_H

#include "client/stream.h"

struct async_client;

/* The call's outcome, as client_call has it; all borrowed. `tag` is the sender's own. */
typedef void async_client_fn(
	void *ctx, int tag, enum err, const struct api_reply *, const struct fault *why);

enum couriered {
	COURIER_NEWS,	 /* something may have come */
	COURIER_INPUT,	 /* input_fd is readable */
	COURIER_STOPPED, /* the client's stop_fd is readable */
	COURIER_FAILED,	 /* the stream is over for good; why says */
};

struct async_client *async_client_new(
	struct client *); /* borrowed; NULL: out of memory */
struct async_client *async_client_free(
	struct async_client *); /* gives up what is under way */
/* The stream to keep going; borrowed. NULL: none. */
void async_client_stream(struct async_client *, struct stream *);
/* Copied; a call that writes gets an Idempotency-Key. Trouble that passes is tried again
 * for `patience_ms`. False: out of memory. */
bool async_client_send(struct async_client *, const struct api_call *,
	int64_t patience_ms, async_client_fn *, void *ctx, int tag);
size_t async_client_load(const struct async_client *); /* calls under way */
/* Moves everything on, then sleeps at most `wait_ms` until something happens. */
enum couriered async_client_step(
	struct async_client *, int input_fd, int64_t wait_ms, struct fault *why);

#endif
