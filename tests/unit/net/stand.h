/* stand.h - a server on a loop's thread, and peers with plain sockets that talk to it.
 *
 * The server knows:
 *   /         "hello"                     /later    the same, from a post
 *   /echo     the body                    /park     parked until the test replies
 *   /big      4 MiB                       /hold     as /park, but not parked
 *   /pieces   "one" "two" in pieces       /stream   begun and parked
 *   /headers  with X-Test: yes            /empty    204
 *
 * Compiled with STAND_TLS all of it goes over TLS, so that the same tests hold there. */
#ifndef STAND_H
#define STAND_H

#include "base/buf.h"
#include "net/http.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/types.h>

#include <cmocka.h> /* last: it has a macro of fail() */

/* How long a condition may take: reached by tests that fail only. */
enum { STAND_PATIENCE_MS = 60 * 1000 };

enum { HELD_MAX = 2048, BIG = 4 * 1024 * 1024 };

/* What /park, /hold and /stream leave open; loop's thread only. */
struct held {
	struct stand *stand;
	struct exchange *exchange; /* NULL: over or gone */
};

struct stand {
	struct loop *loop;
	struct http_server *server;
	struct tls_context *tls; /* NULL: plain */
	pthread_t thread;
	int port;
	atomic_int handled, gone, stopped;
	struct held held[HELD_MAX];
	size_t held_len;
};

extern bool stand_tls; /* for stands to come */

struct stand *stand_new(const char *address, const struct http_limits *);
void stand_stop(struct stand *, int64_t grace_ms); /* http_stop; does not wait */
void stand_free(struct stand *); /* stops if need be, waits for the loop's thread */
/* Runs fn on the loop's thread and waits for it. */
void stand_call(struct stand *, void (*fn)(struct stand *, void *), void *arg);
void stand_wait(atomic_int *counter, int value); /* or fails after STAND_PATIENCE_MS */
void stand_connections(struct stand *, size_t wanted); /* waits until there are so many */

/* ---- peers ---- */

struct reply {
	int status;
	char head[4096];
	struct buf body; /* without chunk framing */
	bool chunked;
};

int peer_open(const struct stand *); /* a connected socket; reads give up after 10 s */
int peer_raw(const struct stand *);  /* the same, without TLS */
int peer_unix(const char *path);
void peer_send(int fd, const char *text);
void peer_send_bytes(
	int fd, struct str); /* false starts of a closed peer are not errors */
bool peer_head(
	int fd, struct reply *); /* the head only; false at the end of the stream */
bool peer_reply(int fd, struct reply *); /* a whole reply */
bool peer_at_end(int fd);		 /* the server closed, in order */
ssize_t peer_write(int fd, const void *, size_t len);
bool peer_read(int fd, void *out, size_t len); /* all of it */
void reply_done(struct reply *);

/* ---- peers that speak TLS (stand_tls.c) ---- */

struct ssl_st;
struct ssl_ctx_st;

/* Makes a certificate of this name, which signs itself, and its key. */
void certificate_make(const char *cert, const char *key, const char *name, int days);
/* TLS on a connected socket from here on. False: the handshake failed. */
bool peer_secure(int fd, void (*prepare)(struct ssl_st *)); /* NULL: as it is */
void peer_forget(int fd);	 /* no TLS there any more; -1: nowhere */
struct ssl_st *peer_tls(int fd); /* NULL: plain */
struct ssl_ctx_st *peer_context(void);
/* As send and recv. */
ssize_t peer_tls_write(int fd, const void *, size_t len);
ssize_t peer_tls_read(int fd, void *, size_t len);

/* Sends, reads the reply, closes; the status. */
int stand_status(struct stand *, const char *request);

#endif
