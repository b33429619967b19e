/* http_conn.h - a connection, its exchange and its server: shared by the files of the
 * HTTP server, hidden from everyone else.
 *
 *   SHAKING (with TLS)
 *     │ handshake done
 *     ▼       bytes            whole             reply handed over
 *    IDLE ───────────► READING ─────► OPEN ───────────────────────► FLUSHING
 *     ▲                   │ refused                                    │ all is written
 *     └───────────────────┼──────────────── keep-alive ────────────────┤
 *                         └────► FLUSHING ───────► LINGERING ◄─────────┘ or the last
 *                                                       │ peer closes, 2 s, 256 KiB
 *    from everywhere: peer gone, timers, backlog ────► CLOSED ──► gone, freed
 *
 * Invariants: `reading` is there in READING and in OPEN until parked; an exchange is open
 * in OPEN, and in CLOSED until gone was called; bytes of a next request wait in `kept`;
 * memory is freed in conn_closed only, so a connection may be closed under any caller. */
#ifndef NET_HTTP_CONN_H
#define NET_HTTP_CONN_H

#include "base/pool.h"
#include "net/http_parse.h"
#include "net/tls.h"

enum {
	READ_SIZE = 64 * 1024,
	KEPT_MAX = 32 * 1024, /* of requests to come, while a reply waits */
	LINGER_MAX = 256 * 1024,
	LINGER_MS = 2000,
	SPARE_READINGS = 256,
	DATE_SIZE = 40,
	MANY_PARKED = 1000,
	TIDY_MS = 500,
	SMALL_BODY = 16 * 1024,
	PARTS_MAX = 4, /* of what is sent in one go */
};

/* What the TLS of a loop works with. Records are passed on before anything else runs, so
 * that `out` holds those of one connection only. */
struct sealing {
	struct buf out;
	char came[TLS_RECORD];
	char goes[TLS_RECORD];
};

/* What all connections of a loop share. */
struct hub {
	struct sealing *sealing; /* NULL: no server here speaks TLS */
	struct pool conns;
	struct loop *loop;
	struct tick tidy;	   /* after many have come to wait */
	void (*tidied)(void *ctx); /* http_on_tidy */
	void *tidied_ctx;
	int parked;    /* since it was last tidied */
	size_t bodies; /* bytes held of bodies that are being received */
	struct http_reading *spare;
	int spares;
	int64_t date_turn_ms; /* the turn of the loop that last looked at the clock */
	int64_t date_s;
	char date[DATE_SIZE]; /* "Date: …\r\n" */
	char bytes[READ_SIZE];
};

enum conn_phase {
	CONN_SHAKING,
	CONN_IDLE,
	CONN_READING,
	CONN_OPEN,
	CONN_FLUSHING,
	CONN_LINGERING,
	CONN_CLOSED,
};

struct exchange {
	struct http_reading *reading;
	void (*gone)(void *ctx);
	void *gone_ctx;
	void (*drained)(void *ctx);
	void *drained_ctx;
	bool open, begun, parked, spared, lasts;
	bool is_head, http_1_0;
};

/* What the socket did not take yet. */
struct outflow {
	struct rest *first, *last;
	size_t len;  /* bytes */
	size_t seen; /* of them, when the tick last looked for progress */
	size_t rests;
};

struct conn {
	struct watch watch; /* of the socket */
	struct exchange exchange;
	struct http_server *server;
	struct tls *tls; /* NULL: plain */
	LIST_ENTRY(conn) others;
	struct tick tick; /* of the phase: slow sender or reader, idle, linger */
	struct buf *kept;
	struct outflow *out; /* NULL: the socket has taken all */
	uint32_t thrown;     /* bytes thrown away while lingering */
	enum conn_phase phase : 8;
	bool reads;
	bool keep_alive; /* after this reply */
	bool taking;	 /* conn_take is at work further up the stack */
	bool paused;	 /* not reading: enough is kept */
	bool ended;	 /* the peer sends no more */
};

struct http_server {
	struct loop *loop;
	struct hub *hub;
	struct http_limits limits;
	struct tls_context *tls; /* of connections to come; NULL: plain */
	const char *always;	 /* a header's line, or NULL */
	const struct http_decides *decides;
	http_handler *handler;
	void *ctx;
	LIST_HEAD(, conn) conns;
	size_t conns_len;
	struct watch listener;
	int port;
	char *path;	/* of a unix socket, else NULL */
	bool listening; /* polling for connections */
	bool stopping;
	bool listener_closed;
	struct tick tick; /* accept again; or the end of the grace */
	void (*stopped)(void *);
	void *stopped_ctx;
};

/* ---- http_conn.c ---- */

struct hub *hub_of(struct loop *); /* NULL: out of memory */
/* Takes the descriptor, also on failure. */
bool conn_open(struct http_server *, int fd);
void conn_closed(struct conn *); /* its socket is: frees it */
void conn_cut(struct conn *);	 /* closes at once; gone follows on a later turn */
void conn_leave(struct conn *);	 /* the same, and says so if that can be done at once */
void conn_came(struct conn *, struct str bytes); /* from the socket */
void conn_got(struct conn *, struct str text);
void conn_ended(struct conn *); /* the peer sends no more */
void conn_ready(struct conn *); /* for requests */
void conn_over(struct conn *);	/* the reply is handed over */
void conn_watch(struct conn *); /* for progress of what waits */
void conn_wrote(struct conn *); /* some of what waited */

static inline struct conn *conn_of(const struct exchange *x)
{
	return LINK_OF(x, struct conn, exchange);
}

/* ---- http_tls.c ---- */

bool conn_secure(struct conn *); /* begins the handshake */
/* Bytes from the socket: what they say is passed to conn_got. */
void conn_unseal(struct conn *, struct str bytes);
bool conn_seal(struct conn *, const struct str *parts, size_t n); /* false: cut it */
/* Says once that no more follows. False: there is nothing to wait for. */
bool conn_bid_farewell(struct conn *);
struct sealing *sealing_new(void);
void sealing_free(struct sealing *); /* NULL is fine */

/* ---- http_socket.c ---- */

void socket_open(struct conn *, int fd);
void socket_close(struct conn *); /* conn_closed follows on a later turn */
void socket_read(struct conn *, bool on);
void socket_drop(struct conn *);	  /* what waits, when all is over */
size_t socket_waits(const struct conn *); /* bytes */
/* Bytes to the socket as they are; what it does not take is kept. False: cut it. */
bool conn_put(struct conn *, const struct str *parts, size_t n);
bool conn_put_frame(struct conn *, struct frame *, struct str bytes); /* of the frame */
/* Bytes that wait, with what it costs to keep them. */
size_t conn_backlog(const struct conn *);

/* ---- http_reply.c ---- */

void conn_continue(struct conn *);
void conn_refuse(struct conn *, int status, const char *detail);
/* The server lacks room for the request that begins with this, or that was read so far. */
void conn_refuse_full(struct conn *, struct str bytes, const char *detail);

/* ---- http_server.c ---- */

void server_lost_conn(struct http_server *);

/* ---- http_address.c: from "127.0.0.1:7275", "[::1]:0" or "unix:/path" to a socket ---- */

struct listening {
	int fd;
	int port;   /* 0 for a unix socket */
	char *path; /* yours; NULL unless it is a unix socket */
};
enum err address_listen(struct str address, struct listening *out, struct fault *why);

#endif
