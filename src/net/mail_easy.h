/* mail_easy.h - a libcurl handle for a mail server. Private to src/net. */
#ifndef NET_MAIL_EASY_H
#define NET_MAIL_EASY_H

#include "net/mail_server.h"
#include "net/outbound_easy.h"

enum { MAIL_LINE_SIZE = 256 };

/* Where it goes, who signs in, encryption, certificates, and the gate, which is filled.
 * `line` gets the last line that the server said. False: no memory. */
bool mail_easy_set(CURL *, struct outbound_gate *, const struct mail_server *,
	int64_t timeout_ms, char line[MAIL_LINE_SIZE], char error[CURL_ERROR_SIZE]);

#endif
