/* script.h - a server that says what a test tells it to, one connection after another. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "base/buf.h"

struct script;

/* Each line of the script serves one connection: the reply as it is, after which the
 * connection is closed; NULL: closed without a word once the request was read. Ends with
 * one whose `end` is set; then nobody listens any more. */
struct scene {
	const char *reply;
	bool end;
	int beats; /* then so many spaces, one every 1.25 s; -1: silence until the other side
		      hangs up */
	const char *then; /* after the beats */
};

struct script *script_start(const struct scene *);
const char *script_url(const struct script *);
/* Waits for its end; the requests, as they came, one after another. Yours. */
struct buf script_stop(struct script *);

/* A whole reply with this status line and JSON body. */
#define REPLY(status, body)                                                              \
	"HTTP/1.1 " status "\r\nContent-Type: application/json\r\nConnection: close\r\n" \
	"\r\n" body

#endif
