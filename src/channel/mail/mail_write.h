/* mail_write.h - a message as mail servers take it (RFC 5322, 2045-2047): headers and two forms of
 * one text. Pure. No value can end its header: control bytes never reach one. */
#ifndef CHANNEL_MAIL_WRITE_H
#define CHANNEL_MAIL_WRITE_H

#include "base/buf.h"

struct mail_header {
	const char *name;
	struct str value; /* empty: left out */
	bool words;	  /* free text, encoded where it must be; else ASCII as it is */
};

struct mail_message {
	const struct mail_header *headers;
	size_t headers_len;
	struct str text, html; /* UTF-8 */
	struct str boundary;   /* letters and digits */
};

/* 7-bit lines, of at most 78 characters unless an address is longer, each ended by CR LF. */
void mail_write(struct buf *, const struct mail_message *);
/* "Mon, 16 Nov 2026 02:40:00 +0000" */
enum { MAIL_DATE_SIZE = 40 };
void mail_date(int64_t ms, char out[MAIL_DATE_SIZE]);

#endif
