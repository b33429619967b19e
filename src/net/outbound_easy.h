/* outbound_easy.h - what all requests to others have in common. Private to src/net. */
#ifndef NET_OUTBOUND_EASY_H
#define NET_OUTBOUND_EASY_H

#include <curl/curl.h>
#include <netinet/in.h>

#include "base/str.h"

/* Whom a connection may go to, and whom it was refused. Lives as long as the request. */
struct outbound_gate {
	/* IPv6; an IPv4 address is mapped. */
	bool (*may_connect)(void *ctx, const uint8_t address[16]);
	void *ctx;
	char refused[INET6_ADDRSTRLEN]; /* an address it may not connect to; or "" */
};

/* Address, headers ("name: value", up to NULL), certificates and the rules that hold for
 * every request: no redirects, no proxies of the environment, HTTP/1.1, each address asked
 * for at the gate. *list is the caller's to free behind the request. False: no memory, or
 * no URL. */
bool outbound_easy_set(CURL *, struct outbound_gate *, const char *url,
	const char *const *headers, int64_t timeout_ms, struct curl_slist **list,
	char error[CURL_ERROR_SIZE]);
struct mail_server;
enum { MAIL_LINE_SIZE = 256 };
/* The same for a mail server: where it goes, who signs in, encryption, and the gate, which is filled.
 * `line` gets the last line that the server said. False: no memory. */
bool mail_easy_set(CURL *, struct outbound_gate *, const struct mail_server *,
	int64_t timeout_ms, char line[MAIL_LINE_SIZE], char error[CURL_ERROR_SIZE]);
/* Is it readable? -1: it cannot be. */
bool outbound_stop_asked(int fd);
/* Another limit of time for the next request of a handle that is set. */
void outbound_easy_limit(CURL *, int64_t timeout_ms);

#endif
