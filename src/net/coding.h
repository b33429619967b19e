/* coding.h - content codings of replies: which one a client takes, and a text written in it.
 * Prefix: coder_. */
#ifndef NET_CODING_H
#define NET_CODING_H

#include "base/buf.h"

/* The better one is the later one. */
enum coding { CODING_PLAIN, CODING_GZIP, CODING_ZSTD, CODINGS };

struct coding_choice {
	enum coding coding;
	bool plain_refused; /* "identity;q=0" or "*;q=0", and there is another */
};

const char *coding_name(enum coding); /* "gzip" */
/* Of Accept-Encoding (RFC 9110, 12.5.3), up to `best`. A weight that is none is 0. */
struct coding_choice coding_choose(struct str accept, enum coding best);

/* Compressors, made when they are first needed. Any thread may use them, one at a time does. */
struct coder;

struct coder *coder_new(void);		  /* NULL: out of memory */
struct coder *coder_free(struct coder *); /* NULL is fine; returns NULL */
/* False, and `out` empty: it does not fit into about its own length, or the library is not there. */
bool coder_write(struct coder *, enum coding, struct str text, struct buf *out);

#endif
