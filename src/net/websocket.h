/* websocket.h - a WebSocket that we open to somebody else: connected by a thread that waits, then
 * driven by a loop. Certificates are checked; without TLS (ws:) it reaches this machine alone.
 *
 *	websocket_open(…, &ws, why)		in the pool
 *	websocket_start(ws, loop, &events)	on the loop, as is all that follows
 *	websocket_free(ws) */
#ifndef NET_WEBSOCKET_H
#define NET_WEBSOCKET_H

#include "base/fault.h"
#include "net/loop.h"

struct websocket;

struct websocket_events {
	/* A text that came; borrowed for the call, which must not free the WebSocket. */
	void (*text)(void *ctx, struct str text);
	/* It has ended, whoever ended it; called once, and may free it. */
	void (*ended)(void *ctx, const char *why);
	void *ctx;
};

/* Waits for the connection and the upgrade. `stop_fd` that is readable ends it within a second.
 * ERR_UNAVAILABLE: why says. */
enum err websocket_open(const char *url, int64_t timeout_ms, int stop_fd,
	struct websocket **out, struct fault *why);
/* What came behind the upgrade is read before it returns. It never calls `ended`. */
void websocket_start(
	struct websocket *, struct loop *, const struct websocket_events *events);
/* What cannot be said, because it has ended, is dropped. */
void websocket_say(struct websocket *, struct str text);
void websocket_ping(struct websocket *);
/* When something last came: loop_now_ms. */
int64_t websocket_heard_ms(const struct websocket *);
/* Says goodbye if it still can. NULL is fine; returns NULL. */
struct websocket *websocket_free(struct websocket *);

#endif
