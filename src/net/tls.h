/* tls.h - TLS 1.2 and 1.3, the server's side, over bytes that somebody else moves.
 *
 * OpenSSL sits between two ends of ours: it reads what tls_feed lends and writes to the
 * caller's buffer. So a connection that waits keeps no buffer of either kind. Everything
 * here happens on the loop's thread. */
#ifndef NET_TLS_H
#define NET_TLS_H

#include "base/buf.h"
#include "base/fault.h"

enum { TLS_RECORD = 16 * 1024 }; /* the most text that one record carries */

/* ---- a certificate and its key ---- */

struct tls_context;

/* Both are files in PEM format, the certificate followed by its chain. */
struct tls_context *tls_context_new(struct str cert, struct str key, struct fault *why);
/* Reads them again, for connections to come; on failure all stays as it was. */
enum err tls_context_load(
	struct tls_context *, struct str cert, struct str key, struct fault *why);
int64_t tls_context_end_ms(const struct tls_context *); /* of the certificate, UTC */
/* After the last connection; NULL is fine; returns NULL. */
struct tls_context *tls_context_free(struct tls_context *);

/* ---- a connection ---- */

struct tls;

enum tls_step {
	TLS_TEXT,   /* some text came */
	TLS_MORE,   /* all that was fed is taken */
	TLS_END,    /* the peer said that it sends no more */
	TLS_HTTP,   /* what came first was no TLS but a request in plain HTTP */
	TLS_BROKEN, /* not TLS, or not as we want it; `out` may hold the reason for the
		       peer */
};

/* Every call may add records to `out`, which is borrowed. NULL: out of memory. */
struct tls *tls_new(struct tls_context *, struct buf *out);
struct tls *tls_free(struct tls *); /* NULL is fine; returns NULL */
bool tls_ready(const struct tls *); /* the handshake is done */
/* The bytes are borrowed until tls_read says anything but TLS_TEXT. */
void tls_feed(struct tls *, struct str bytes);
enum tls_step tls_read(struct tls *, char text[TLS_RECORD], size_t *len);
bool tls_write(struct tls *, struct str text); /* at most TLS_RECORD; false: broken */
/* The last record: we send no more. False: that was said, or cannot be. */
bool tls_close(struct tls *);

#endif
