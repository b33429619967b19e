/* http_head.h - a whole head to a request, or a refusal. Between http_parse.c, which
 * gathers the lines, and http_head.c, which reads them. */
#ifndef NET_HTTP_HEAD_H
#define NET_HTTP_HEAD_H

#include "net/http_parse.h"

struct head_facts {
	uint64_t length; /* of the body, when not chunked */
	bool chunked;
	bool expects; /* 100 Continue */
	bool keep_alive;
};

/* Fills r->request from r->head. False: r is refused. */
bool head_read(struct http_reading *, struct head_facts *);
bool reading_refuse(struct http_reading *, int status, const char *detail); /* false */

#endif
