/* http.h - an HTTP/1.1 server on llhttp and libuv: requests in, replies out.
 *
 * One exchange at a time on a connection: pipelined requests wait in the socket's buffer
 * until the reply before them is done. A body is whole before the handler is called.
 *
 * Refused here, before any handler (a problem+json reply, then close where framing is in
 * doubt): what is not HTTP/1.0 or 1.1; a missing or second Host in 1.1; a space before a
 * header's colon; folded headers; bare CR or LF in headers; Content-Length with
 * Transfer-Encoding, differing or repeated Content-Length, a coding other than chunked:
 * 400. Headers over 32 KiB: 431. Body over the limit: 413. Upgrade is ignored. Slow
 * senders get 408 and are closed; an idle connection is closed quietly. While more bytes
 * of unfinished bodies are held than `bodies_max`, further ones are 503: nobody has shown
 * a credential that was looked at before a body is whole. */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include "base/arena.h"
#include "net/loop.h"

enum http_method {
	HTTP_M_GET,
	HTTP_M_HEAD,
	HTTP_M_POST,
	HTTP_M_PUT,
	HTTP_M_PATCH,
	HTTP_M_DELETE,
	HTTP_M_OPTIONS,
	HTTP_M_OTHER
};

struct http_header {
	struct str name; /* lower case */
	struct str value;
};

/* Borrowed until the reply is done or the exchange is parked. */
struct http_request {
	enum http_method method;
	struct str method_name; /* as it came */
	struct str target;	/* as it came */
	struct str path;	/* before '?', not decoded */
	struct str query;	/* after '?', not decoded */
	struct str body;
	struct http_header *headers;
	size_t headers_len;
	bool http_1_0;
};

/* STR_NONE when absent. `name` in lower case. */
struct str http_header(const struct http_request *, const char *name);

struct exchange;
struct http_server;
struct tls_context;

struct http_limits {	   /* 0: the default */
	size_t header_max; /* 32 KiB */
	size_t body_max;   /* 1 MiB */
	/* Of a request that says its length and may be longer: how long; NULL: none may. */
	size_t (*body_more)(const struct http_request *);
	size_t bodies_max;  /* of all bodies that are being received: 16 MiB, and as
			     * much again for those of at most 16 KiB */
	size_t backlog_max; /* bytes a slow reader of a stream may be behind: 256 KiB */
	int64_t idle_ms;    /* between requests: 75 s */
	int64_t send_ms;  /* a whole request from its first byte, or a handshake: 30 s */
	int64_t write_ms; /* a reply that makes no progress: 30 s */
	size_t connections; /* 0: as many as there are file descriptors, less 64 */
};

typedef void http_handler(void *ctx, struct exchange *);

/* fn runs some time after very many exchanges were parked at once: what was kept at hand for
 * their requests may go. */
void http_on_tidy(struct loop *, void (*fn)(void *ctx), void *ctx);

/* address: "127.0.0.1:7275", "[::1]:0", "unix:/path" (mode 0600). Several servers may
 * share a loop and a handler; `ctx` tells them apart. */
struct http_server *http_listen(struct loop *, struct str address,
	const struct http_limits *, http_handler *, void *ctx, struct fault *why);
/* Connections from now on speak TLS. The context (tls.h) is borrowed and may be loaded
 * again meanwhile. False: out of memory. */
bool http_secure(struct http_server *, struct tls_context *);
int http_port(const struct http_server *); /* 0 for a unix socket */
/* A finished line "Name: value\r\n" that every reply carries; borrowed. NULL: none. */
void http_always(struct http_server *, const char *line);
/* Paths that begin with `prefix` are asked by gateways, some of which take 5xx for leave: what is
 * refused with 503 before the handler sees it is 403 there, with these headers and members. Borrowed. */
struct http_decides {
	const char *prefix, *headers, *members;
};
void http_decides(struct http_server *, const struct http_decides *);
/* No new connections; idle ones are closed, open exchanges may finish: `Connection:
 * close`. Parked exchanges and streams are ended with http_gone. After grace_ms the rest
 * is cut. `done` runs on the loop when none is left; the server is freed after it. */
void http_stop(struct http_server *, int64_t grace_ms, void (*done)(void *), void *ctx);
size_t http_connections(const struct http_server *);

/* ---- an exchange: one request and its reply, on the loop's thread ---- */

const struct http_request *http_request(const struct exchange *); /* NULL once parked */
/* The peer's address, to tell strangers apart: of IPv6 the network of 64 bits. Empty for
 * a unix socket. */
enum { PEER_SIZE = 48 };
void http_peer(const struct exchange *, char out[PEER_SIZE]);

/* Called once when the peer goes away (or the server stops) before the reply is done.
 * After it the exchange must not be touched. NULL fn clears it. */
void http_on_gone(struct exchange *, void (*fn)(void *ctx), void *ctx);

/* Does its reply take long? Then a peer that half-closes is gone, too. */
void http_lasts(struct exchange *, bool);

/* Sends a whole reply. `headers` are finished lines "Name: value\r\n…" or empty. HEAD
 * gets the same headers and no body. The exchange is over when this returns. */
void http_reply(struct exchange *, int status, const char *content_type,
	struct str headers, struct str body);

/* A reply in pieces: chunked, or until close for HTTP/1.0. */
void http_begin(
	struct exchange *, int status, const char *content_type, struct str headers);
/* False: the reader is too far behind and is being cut off (gone follows on a later
 * turn). */
bool http_write(struct exchange *, struct str bytes);
void http_end(struct exchange *); /* the exchange is over when this returns */
void http_end_with(struct exchange *, struct str bytes); /* the last bytes, in one go */
/* What the socket has not taken yet. Who has much to send stops while there is some and
 * goes on in `fn`, which is called each time all of it has left. NULL fn clears it. */
size_t http_backlog(const struct exchange *);
void http_on_drained(struct exchange *, void (*fn)(void *ctx), void *ctx);

/* Gives up request, arena, parser and read buffer while the reply waits (before or after
 * http_begin). What remains of the connection is under 400 bytes with its handle. */
void http_park(struct exchange *);
/* Its end is on its way: a server that stops waits for it, within its grace, where it
 * would cut what only waits. */
void http_spare(struct exchange *);

/* One text for many streams: framed once, sent to each without a copy where the socket
 * takes it at once. */
struct frame {
	int refs;	    /* owner's loop thread only */
	struct str chunked; /* with chunk framing */
	struct str plain;
};
struct frame *frame_new(struct str bytes); /* one reference, yours; NULL: out of memory */
struct frame *frame_drop(struct frame *);  /* returns NULL */
bool http_write_frame(struct exchange *, struct frame *); /* as http_write */

const char *http_status_text(int status); /* "Not Found" */
/* Percent-decodes into the arena; false for a bad escape, U+0000 or bad UTF-8. '+' is a
 * blank in queries only. */
bool http_decode(struct str, bool query, struct arena *, struct str *out);

#endif
