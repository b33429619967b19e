/* mail_server.h - a mail server of the operator's: where it is, who signs in there, and whether
 * the connection is encrypted. It may be internal. */
#ifndef NET_MAIL_SERVER_H
#define NET_MAIL_SERVER_H

#include "base/arena.h"
#include "base/fault.h"

/* Texts are NUL-terminated and live in the arena. */
struct mail_server {
	const char *url;      /* without the user */
	const char *user;     /* NULL: nobody signs in */
	const char *password; /* NULL: none */
	/* Without it, no connection goes beyond this machine. With smtp: and imap: it is
	 * STARTTLS, and a server that cannot do it is not used. */
	bool tls;
};

/* "smtp://user@host:port": a plain scheme is encrypted unless the host is this machine
 * (127.…, [::1], localhost). False: out of memory, or no such URL. */
bool mail_server_read(
	struct str url, struct str password, struct arena *, struct mail_server *out);

/* Signs in and says nothing but NOOP; the calling thread waits. ERR_UNAVAILABLE: why says what
 * the server or the connection had against it. */
enum err mail_server_try(
	const struct mail_server *, int64_t timeout_ms, struct fault *why);

#endif
