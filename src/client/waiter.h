/* waiter.h - waits for one ask to be settled, through restarts and lost connections. */
#ifndef CLIENT_WAITER_H
#define CLIENT_WAITER_H

#include "client/client.h"

struct api_waiter;

/* Copied; the client is borrowed and must outlive the waiter. */
struct waiter_setup {
	struct client *client;
	struct str id;
	int64_t version;     /* of the ask as the caller knows it; 0: not at all */
	int64_t deadline_ms; /* UTC; a server not reached a minute later: give up; 0:
				never */
	void (*trouble)(
		void *ctx, const struct fault *); /* lost; once until it is back */
	void (*back)(void *ctx);		  /* reached again after trouble */
	void *ctx;
};

enum waited {
	WAITED_SETTLED, /* *out is the ask */
	WAITED_REPLY,	/* still pending, but changed: somebody asks back, say */
	WAITED_INPUT,	/* input_fd is readable; the wait goes on at the next call */
	WAITED_STOPPED, /* the client's stop_fd is readable */
	WAITED_FAILED,	/* why says; trying again would not help */
};

struct api_waiter *waiter_new(const struct waiter_setup *); /* NULL: out of memory */
struct api_waiter *waiter_free(struct api_waiter *); /* NULL is fine; returns NULL */
/* *out is borrowed until the next waiter_run. `input_fd` may be -1. */
enum waited waiter_run(
	struct api_waiter *, int input_fd, const struct json **out, struct fault *why);

#endif
