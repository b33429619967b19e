/* client.h - our own API from outside. Owns the connection and who we say we are.
 *
 * One thread. Connections are kept alive between calls. Nothing here writes to a
 * terminal: what went wrong is in `why`, in the server's own words where it spoke. */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "base/json.h"
#include "base/url_text.h"

struct client;

/* Copied. */
struct client_setup {
	struct str url;	  /* "http://127.0.0.1:7275", "https://…", "unix:/run/x.sock" */
	struct str token; /* sent as Bearer; empty: none */
	struct str cookie;    /* a person's login; empty: none */
	struct str via;	      /* what answered_by.via says of us: "cli", "terminal" */
	struct str workspace; /* a local admin's; empty: the first */
	struct str lang; /* of what the server says to people: "fr"; empty: English */
	struct str project, work_tree;	    /* of what is asked for; empty: none */
	struct str program;		    /* that asks; empty: this one */
	struct str machine_user;	    /* who runs it, by the name on this machine */
	struct str traceparent, tracestate; /* that it is part of; or empty */
	int stop_fd;	    /* once readable, whatever is under way ends; -1: never */
	int64_t silence_ms; /* a held reply without a byte for so long is lost; 0: 45 s */
};

struct client *client_new(const struct client_setup *, struct fault *why); /* NULL: why */
struct client *client_free(struct client *); /* NULL is fine; returns NULL */

struct header {
	const char *start; /* "Accept: "; NULL ends a table */
	struct str value;  /* empty: not sent */
};

struct api_call {
	const char *method;
	struct str path;  /* with its query: "/v1/asks?limit=10" */
	struct str body;  /* JSON; empty: none */
	struct str key;	  /* Idempotency-Key; empty: none */
	struct str after; /* Last-Event-ID; empty: none */
	int64_t hold_ms;  /* the server may hold the reply this long; -1: for ever */
	const struct header *headers; /* further ones; NULL: none */
	/* Gets the body of a 2xx as it comes, instead of the reply; false: no more. NULL: nobody. */
	bool (*take)(void *ctx, struct str bytes);
	void *take_ctx;
};

/* Lives in the arena of its call. */
struct api_reply {
	int status;	/* 0: no reply: not reached, lost on the way, or stopped */
	bool connected; /* a connection stood, so the call may have been received */
	bool stopped;	/* stop_fd became readable */
	struct str body;
	const struct json *json; /* NULL: the body is no JSON */
	struct str cookie;	 /* the login that the reply set, or empty */
};

/* One try. OK for 2xx; else the error of its status (ERR_UNAVAILABLE without a reply),
 * with why->items from the problem's `errors`. *out is filled either way. */
enum err client_call(struct client *, const struct api_call *, struct arena *,
	struct api_reply *out, struct fault *why);

/* How long to go on, and whom to tell that it takes a while. */
struct patience {
	int64_t total_ms;  /* -1: for ever */
	bool must_connect; /* a first try that finds no server is the last one */
	void (*trouble)(void *ctx, const struct fault *); /* once; NULL: nobody */
	void *ctx;
};

/* Tries again with backoff after a lost connection, 429, 502, 503 and 504. The call must
 * be safe to repeat: a GET, or one with a key. */
enum err client_insist(struct client *, const struct api_call *, const struct patience *,
	struct arena *, struct api_reply *out, struct fault *why);
bool reply_passing(const struct api_reply *); /* trouble that goes away by itself */

/* A fresh Idempotency-Key. */
struct str key_make(struct arena *);

#endif
