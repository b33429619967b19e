/* http_address.h - from "127.0.0.1:7275", "[::1]:0" or "unix:/path" to a listening
 * socket. */
#ifndef NET_HTTP_ADDRESS_H
#define NET_HTTP_ADDRESS_H

#include "base/fault.h"

struct listening {
	int fd;
	int port;   /* 0 for a unix socket */
	char *path; /* yours; NULL unless it is a unix socket */
};

enum err address_listen(struct str address, struct listening *out, struct fault *why);

#endif
