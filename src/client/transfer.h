/* transfer.h - a client, and one HTTP exchange of it under way. Private to this folder. */
#ifndef CLIENT_TRANSFER_H
#define CLIENT_TRANSFER_H

#include "base/sse.h"
#include "client/client.h"

/* What a client is made of. */
struct client {
	struct client_setup with; /* its texts in the arena */
	void *multi;		  /* CURLM: transfers share its connections */
	struct arena arena;
	struct str base;   /* what paths are put behind; no trailing slash */
	struct str socket; /* NUL-terminated path, or empty */
	bool local;	   /* loopback or a socket: no proxy is asked */
};

struct transfer;

/* NULL when out of memory. The call is copied. An event stream is fed to `sse` as it comes, unless
 * that is NULL; any other body is kept for the result. */
struct transfer *transfer_start(struct client *, const struct api_call *, struct sse *);
struct transfer *transfer_free(struct transfer *); /* gives it up; returns NULL */
bool transfer_over(const struct transfer *);
int transfer_status(const struct transfer *); /* 0: no status line yet */
/* Of the reply; empty when it has none. Borrowed until the transfer moves on. */
struct str transfer_header(const struct transfer *, const char *name);
/* Its result, as client_call's; only once it is over. */
enum err transfer_result(
	struct transfer *, struct arena *, struct api_reply *out, struct fault *why);

enum stirred { STIRRED_NET, STIRRED_STOP, STIRRED_INPUT };
/* Moves all transfers of the client on, then sleeps at most `wait_ms` until something
 * happens. `input_fd` may be -1. */
enum stirred client_stir(struct client *, int input_fd, int64_t wait_ms);
/* How long to sleep before try number n, from 1 on: 250 ms doubling to 10 s, with
 * jitter, or as long as the server asks for in `why`, which may be NULL. */
int64_t transfer_backoff_ms(int n, const struct fault *why);

#endif
