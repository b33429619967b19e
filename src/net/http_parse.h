/* http_parse.h - bytes in, one request or a refusal out. Knows no socket.
 *
 * The head is gathered whole and line by line, so that what llhttp lets pass is refused
 * while it comes in; then llhttp reads it in one go, and every name and value is a slice
 * of it. The body's framing is read here: llhttp's usual build skips the byte after a
 * chunk size's CR unseen. However the bytes are cut, the outcome is the same. */
#ifndef NET_HTTP_PARSE_H
#define NET_HTTP_PARSE_H

#include "base/buf.h"
#include "net/http.h"

enum { HEADERS_MAX = 100, TARGET_MAX = 8 * 1024 };

enum parse_step {
	PARSE_MORE,	/* all bytes are taken, the request is not whole */
	PARSE_CONTINUE, /* the peer waits for "100 Continue" before its body; go on */
	PARSE_DONE,	/* `request` is whole */
	PARSE_REFUSED,	/* `status` and `detail` say why; no further bytes are taken */
};

enum parse_state {
	READ_LINE,
	READ_BODY,
	READ_CHUNK_SIZE,
	READ_CHUNK_EXTENSION,
	READ_CHUNK_SIZE_LF,
	READ_CHUNK,
	READ_CHUNK_CR,
	READ_CHUNK_LF,
	READ_TRAILER, /* at the start of a trailer's line */
	READ_TRAILER_LINE,
	READ_TRAILER_LF,
	READ_LAST_LF,
	READ_DONE,
	READ_REFUSED,
};

/* { 0 } is ready once reading_begin was called. */
struct http_reading {
	struct http_reading *next; /* for whoever keeps spare ones */
	enum parse_state state;
	size_t header_max, body_max;
	/* More, for some requests; NULL: for none. */
	size_t (*body_more)(const struct http_request *);
	struct buf head, body;
	size_t counted;	 /* bytes of the body that whoever reads it has accounted for */
	size_t line;	 /* where in `head` the line that is being read starts */
	uint64_t left;	 /* of the body, or of the chunk */
	size_t digits;	 /* of the chunk's size so far */
	size_t extra;	 /* bytes of chunk extensions and trailers */
	bool keep_alive; /* what the request says */
	int status;	 /* of the refusal */
	const char *detail;
	struct http_request request;
	struct http_header headers[HEADERS_MAX];
	struct arena arena;
};

void reading_begin(struct http_reading *, size_t header_max, size_t body_max);
/* Takes bytes until something is to be said; returns how many it took. */
size_t reading_feed(struct http_reading *, struct str bytes, enum parse_step *step);
/* Empties it; memory of modest size stays for the next request. */
void reading_clear(struct http_reading *);
void reading_done(struct http_reading *); /* frees what it holds, not itself */
bool reading_refuse(struct http_reading *, int status, const char *detail); /* false */

/* Of a head that is whole: http_head.c. */
struct head_facts {
	uint64_t length; /* of the body, when not chunked */
	bool chunked;
	bool expects; /* 100 Continue */
	bool keep_alive;
};
/* Fills r->request from r->head. False: r is refused. */
bool head_read(struct http_reading *, struct head_facts *);

#endif
