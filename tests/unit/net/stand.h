/* stand.h - a server on a loop's thread, and peers with plain sockets that talk to it.
 *
 * The server knows:
 *   /         "hello"                     /later    the same, from a post
 *   /echo     the body                    /park     parked until the test replies
 *   /big      4 MiB                       /hold     as /park, but not parked
 *   /pieces   "one" "two" in pieces       /stream   begun and parked
 *   /headers  with X-Test: yes            /empty    204 */
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

enum { HELD_MAX = 2048, BIG = 4 * 1024 * 1024 };

/* What /park, /hold and /stream leave open; loop's thread only. */
struct held {
	struct stand *stand;
	struct exchange *exchange; /* NULL: over or gone */
};

struct stand {
	struct loop *loop;
	struct http_server *server;
	pthread_t thread;
	int port;
	atomic_int handled, gone, stopped;
	struct held held[HELD_MAX];
	size_t held_len;
};

struct stand *stand_new(const char *address, const struct http_limits *);
void stand_stop(struct stand *, int64_t grace_ms); /* http_stop; does not wait */
void stand_free(struct stand *); /* stops if need be, waits for the loop's thread */
/* Runs fn on the loop's thread and waits for it. */
void stand_call(struct stand *, void (*fn)(struct stand *, void *), void *arg);
void stand_wait(atomic_int *counter, int value); /* at most 10 s, then fails */

/* ---- peers ---- */

struct reply {
	int status;
	char head[4096];
	struct buf body; /* without chunk framing */
	bool chunked;
};

int peer_open(const struct stand *); /* a connected socket; reads give up after 10 s */
int peer_unix(const char *path);
void peer_send(int fd, const char *text);
void peer_send_bytes(
	int fd, struct str); /* false starts of a closed peer are not errors */
bool peer_head(
	int fd, struct reply *); /* the head only; false at the end of the stream */
bool peer_reply(int fd, struct reply *); /* a whole reply */
bool peer_at_end(int fd);		 /* the server closed, in order */
void reply_done(struct reply *);

/* Sends, reads the reply, closes; the status. */
int stand_status(struct stand *, const char *request);

#endif
