/* fetch.h - one HTTP request that its thread waits for; the reply is handed over as it
 * comes.
 *
 * For threads that have nothing else to do meanwhile (a runner with a model's reply), never
 * for a loop. As with outbound.h nothing is trusted: every address is asked for when the
 * connection is made, redirects are not followed, certificates are checked. A fetcher
 * keeps its connections open for the next request, so a thread should keep its fetcher.
 *
 *	struct fetcher *f = fetcher_new(why);		once a thread
 *	fetcher_run(f, &request, &end);			as often as needed
 *	fetcher_free(f);
 *
 * To stop a request from another thread, make `stop_fd` readable (an eventfd that is written
 * to). It is noticed within milliseconds, whatever the peer does; it is not read here.
 * Prefix: fetcher_. */
#ifndef NET_FETCH_H
#define NET_FETCH_H

#include "base/fault.h"

struct fetcher;

struct fetch_request {
	const char *url;
	const char *const *headers; /* "name: value", up to NULL */
	bool get;		    /* else a POST of the body */
	const char *method;	    /* in place of GET or POST; or NULL */
	bool fresh;		    /* not over a connection that stands */
	/* What was sent is never sent again by itself: over one that stands only if that was used a moment ago. */
	bool once;
	struct str body;
	int64_t timeout_ms; /* for the whole */
	int64_t idle_ms;    /* without a sign of life; 0: no bound of its own */
	int stop_fd;	    /* -1: cannot be stopped */
	/* May a connection go there? IPv6; an IPv4 address is mapped. */
	bool (*may_connect)(void *ctx, const uint8_t address[16]);
	/* It is connected: may the request be sent? It may wait. NULL: yes. */
	bool (*may_send)(void *ctx);
	/* A piece of the body. True: a sign of life, idle_ms begins anew. */
	bool (*take)(void *ctx, int status, struct str bytes);
	/* Called after FETCH_TICK_MS without a byte, and whenever some came; or NULL. */
	void (*tick)(void *ctx);
	const bool *enough; /* set by `take`: what came is the whole; or NULL */
	void *ctx;
};

enum fetch_ending {
	FETCH_WHOLE,	   /* the reply came to its end */
	FETCH_CUT,	   /* it did not */
	FETCH_UNREACHABLE, /* no reply came */
	FETCH_REFUSED,	   /* no address of it may be connected to */
	FETCH_TIMEOUT,	   /* timeout_ms was up */
	FETCH_SILENT,	   /* idle_ms was up */
	FETCH_STOPPED,
};

struct fetch_end {
	enum fetch_ending how;
	int status;		/* 0: none came */
	bool sent;		/* something of the request may have been sent */
	bool later;		/* parley-later: 1 */
	char type[128];		/* content-type; or "" */
	char session[256];	/* mcp-session-id; or "" */
	char error[256];	/* "" when whole */
	char location[256];	/* where a redirect leads; or "" */
	int64_t retry_after_ms; /* retry-after-ms or retry-after; -1: neither */
	bool no_retry;		/* x-should-retry: false */
};

enum { FETCH_TICK_MS = 1000 };

struct fetcher *fetcher_new(struct fault *why);
struct fetcher *fetcher_free(struct fetcher *); /* NULL is fine; returns NULL */
void fetcher_run(struct fetcher *, const struct fetch_request *, struct fetch_end *out);
/* The same without a peer: this reply, after so long (and within the request's times); no url is needed. */
void fetch_made(const struct fetch_request *, int64_t delay_ms, int status,
	struct str bytes, struct fetch_end *out);

#endif
