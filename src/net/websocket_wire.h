/* websocket_wire.h - the client's side of RFC 6455 over bytes that somebody else moves: the request
 * for an upgrade, the reply to it, then frames (wslay underneath). No socket, so that it can be
 * fuzzed (fuzz/websocket.c).
 *
 *	asked --the right reply--> open --a close frame, or what is no frame--> ended
 *
 * Pings are answered here. Texts come whole, in UTF-8, and at most WEBSOCKET_TEXT_MAX long; a longer
 * one ends the connection. */
#ifndef NET_WEBSOCKET_WIRE_H
#define NET_WEBSOCKET_WIRE_H

#include "base/buf.h"
#include "base/fault.h"

enum { WEBSOCKET_KEY_SIZE = 16, WEBSOCKET_TEXT_MAX = 1 << 20 };

enum websocket_state { WEBSOCKET_ASKED, WEBSOCKET_OPEN, WEBSOCKET_ENDED };

struct websocket_wire;

/* The text is borrowed for the call. */
typedef void websocket_text_fn(void *ctx, struct str text);

/* The request for /path?query of the host is in `out` then. NULL: out of memory. */
struct websocket_wire *websocket_wire_new(
	struct str host, struct str path, const uint8_t key[WEBSOCKET_KEY_SIZE]);
struct websocket_wire *websocket_wire_free(struct websocket_wire *); /* returns NULL */
enum websocket_state websocket_wire_state(const struct websocket_wire *);
/* What is to be sent; who has sent some of it drops that. */
struct buf *websocket_wire_out(struct websocket_wire *);
/* Bytes that came; frames behind the reply wait for the next call. `text` is called for each text and
 * must not free the wire. ERR_BAD_REQUEST: this is not what a server of WebSockets says. */
enum err websocket_wire_feed(struct websocket_wire *, struct str bytes,
	websocket_text_fn *text, void *ctx, struct fault *why);
/* False: it is not open, or there is too much to send already. */
bool websocket_wire_say(struct websocket_wire *, struct str text);
bool websocket_wire_ping(struct websocket_wire *);
bool websocket_wire_close(struct websocket_wire *); /* nothing can be said after it */

#endif
