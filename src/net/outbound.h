/* outbound.h - HTTP requests to others, and mail, many at once on one thread (libcurl
 * underneath).
 *
 * Nothing is trusted: whom a connection goes to is asked at the moment it is made, so
 * that no name can lead elsewhere than it did when it was looked at; redirects are not
 * followed, proxies of the environment not used, replies not read beyond a bound,
 * certificates always checked. */
#ifndef NET_OUTBOUND_H
#define NET_OUTBOUND_H

#include "base/fault.h"

struct outbound;
struct mail_server;
struct pollfd;

struct outbound_reply {
	int status;	   /* 0: none came; of a mail, what SMTP said last */
	const char *error; /* why not; borrowed for the call */
	/* Of a mail: it was taken; the server's last line; and nothing is wrong with the
	 * message or whom it is for, but we could not sign in or get through. */
	bool taken, ours;
	const char *line;
	bool refused; /* because no address of it may be connected to */
	int64_t retry_after_ms;
	struct str body; /* where it is wanted, whole; borrowed for the call */
};

/* A message for one address; lines end with CR LF. */
struct outbound_mail {
	const struct mail_server *server;
	const char *from, *to;
};

/* A POST, or a mail. Everything but the headers is borrowed until done, which is called in
 * outbound_turn. */
struct outbound_request {
	const char *url;
	const char *const *headers; /* "name: value", up to NULL */
	struct str body;
	const struct outbound_mail
		*mail;	    /* then url, headers and may_connect are not read */
	int64_t timeout_ms; /* for the whole */
	/* May a connection go there? IPv6; an IPv4 address is mapped. */
	bool (*may_connect)(void *ctx, const uint8_t address[16]);
	void (*done)(void *ctx, const struct outbound_reply *);
	void *ctx;
	bool wants_body; /* of the reply, at most 64 KB: more is no reply */
};

/* may_connect where nothing else decides it: for addresses that are settings of the operator's. */
bool connect_to_any(void *ctx, const uint8_t address[16]);
bool connect_to_here(void *ctx, const uint8_t address[16]); /* this machine alone */

struct outbound *outbound_new(struct fault *why);
struct outbound *outbound_free(struct outbound *); /* NULL is fine; returns NULL */
/* What is under way for this ctx, or all of it when it is NULL; `done` is not called for it. */
void outbound_cut(struct outbound *, const void *ctx);
enum err outbound_send(
	struct outbound *, const struct outbound_request *, struct fault *why);
/* Moves everything on. When nothing came to its end by that, sleeps up to wait_ms until
 * something of it, or one of the fds, stirs, or outbound_wake is called. */
void outbound_turn(
	struct outbound *, const struct pollfd *fds, size_t len, int64_t wait_ms);
void outbound_wake(struct outbound *); /* from any thread */

#endif
