/* courier.h - calls that nobody stands and waits for, beside the event stream: for those
 * who must go on listening to a person. One thread; all happens in courier_step. */
#ifndef CLIENT_COURIER_H
#define CLIENT_COURIER_H

#include "client/stream.h"

struct courier;

/* The call's outcome, as client_call has it; all borrowed. `tag` is the sender's own. */
typedef void courier_fn(
	void *ctx, int tag, enum err, const struct api_reply *, const struct fault *why);

enum couriered {
	COURIER_NEWS,	 /* something may have come */
	COURIER_INPUT,	 /* input_fd is readable */
	COURIER_STOPPED, /* the client's stop_fd is readable */
	COURIER_FAILED,	 /* the stream is over for good; why says */
};

struct courier *courier_new(struct client *);	/* borrowed; NULL: out of memory */
struct courier *courier_free(struct courier *); /* gives up what is under way */
/* The stream to keep going; borrowed. NULL: none. */
void courier_stream(struct courier *, struct stream *);
/* Copied; a call that writes gets an Idempotency-Key. Trouble that passes is tried again
 * for `patience_ms`. False: out of memory. */
bool courier_send(struct courier *, const struct api_call *, int64_t patience_ms,
	courier_fn *, void *ctx, int tag);
size_t courier_load(const struct courier *); /* calls under way */
/* Moves everything on, then sleeps at most `wait_ms` until something happens. */
enum couriered courier_step(
	struct courier *, int input_fd, int64_t wait_ms, struct fault *why);

#endif
