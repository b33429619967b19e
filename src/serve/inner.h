/* inner.h - what the files of serve share. */
#ifndef SERVE_INNER_H
#define SERVE_INNER_H

#include "base/pool.h"
#include "desk/desk.h"
#include "desk/shared/feed.h"
#include "desk/shared/problem.h"
#include "desk/shared/rate.h"
#include "desk/shared/transient.h"
#include "dialect/dialect.h"
#include "net/coding.h"
#include "net/http.h"
#include "serve/open_credentials.h"
#include "serve/password_pool.h"
#include "serve/serve.h"
#include "text/lang.h"

#include <sys/queue.h>

enum {
	LISTENERS_MAX = 8,
	HEARTBEAT_MS = 15000,
	AGAIN_MS = 1000,
	SPARE_REQUESTS = 256,
	SPARE_OUT = 16 * 1024, /* room for a reply that a spare one keeps, at most */
	HOLD_STEP = 16,
	HOLD_CLASSES = 32,
	RECEIVERS_MAX = 8
};

/* What the API says is for the moment and for no cache, and is what it says it is. */
#define API_HEADERS "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"

struct listener {
	struct serve *serve;
	struct http_server *http;
	bool local_admin;
};

struct serve {
	struct loop *loop;
	struct desk *desk;
	struct feed feed;
	/* What remains of a request that waits, by size. */
	struct pool holds[HOLD_CLASSES];
	struct listener listeners[LISTENERS_MAX];
	int listeners_len;
	int listeners_open;
	int away; /* requests that a clerk has */
	/* Those among them whose peer waits, the oldest first; looked at every second. */
	TAILQ_HEAD(, request) requests_away;
	struct tick away_tick;
	struct turn turn;
	char *url;
	struct settings set;	 /* as they were at the start */
	struct tls_context *tls; /* borrowed; NULL: plain */
	struct table noting;	 /* hash → struct use_note: being noted as used */
	struct table bearers;	 /* hash → struct open_credential */
	struct table heard; /* workspace → struct heard: revocations of other nodes */
	struct tick recheck_tick;
	bool rechecking;
	struct rate tries; /* of a name's password, of a call's later result */
	struct password_pool passwords;
	struct coder *coder;
	struct request *spare; /* with the room of their replies */
	int spares;
	LIST_HEAD(, tool_wait) calls; /* of MCP, that wait */
	const struct mcp_offer *mcp;  /* what MCP clients are offered */
	uint8_t guest
		[SHA256_SIZE]; /* the token of who shows none, where one is offered */
	uint8_t key[SERVER_KEY_SIZE];
	/* The frame of the events that are being passed on, made when first wanted. */
	struct frame *frame;
	int64_t frame_ws, frame_first, frame_last;
	int exports; /* under way: export.c */
	int probes;  /* in the pool: provider_test.c, tool_test.c, mcp_server_test.c */
	bool (*tool_try)(const struct tool_access *, const struct json *, struct arena *,
		struct tool_outcome *);
	bool (*mcp_try)(const struct mcp_access *, const struct json *, struct arena *,
		struct mcp_found *);
	const struct relay_server *relay;	 /* or NULL */
	LIST_HEAD(, passing) passings;		 /* messages at MCP servers */
	const struct receiver *const *receivers; /* up to NULL */
	void *states[RECEIVERS_MAX];		 /* theirs */
	int64_t started_ms;
	uint64_t requests, requests_by_class[6];
	void (*stopped)(void *);
	void *stopped_ctx;
};

/* What a request may carry. */
enum route_flags {
	BODY_JSON = 1,	     /* a JSON body, or none */
	BODY_TEXT = 2,	     /* plain text or a form, with a Bearer token */
	ROUTE_KEYED = 4,     /* honours Idempotency-Key */
	ROUTE_PAGE = 8,	     /* links from elsewhere may lead here */
	ROUTE_OPEN = 16,     /* no credential is looked for */
	ROUTE_ANYWHERE = 64, /* other sites and programs may send it: it needs no login */
	ROUTE_AUTHORIZES =
		128, /* who does not get 200 or 401 gets 403, whatever is wrong */
	ROUTE_ORIGINAL =
		256, /* all but Parley- headers are of another request, asked about here */
	ROUTE_PEOPLE = 32, /* an event may follow that says where the caller is */
};

struct request;
typedef void route_fn(struct request *);

struct route {
	const char *method; /* "GET" serves HEAD too, "*" all */
	const char *
		path; /* "/v1/asks/{id}": {id} is one segment; a last * any number of them */
	const struct use *use;
	route_fn *run; /* NULL: hand it to the desk and reply with what comes back */
	unsigned flags;
	const char *params; /* "limit cursor": the query parameters it knows */
};

extern const struct route routes[];
extern const struct route route_lost;
/* Would a person's browser rather see the page than a problem? */
bool route_is_for_people(const struct http_request *);
/* What a path asks for. */
struct route_search {
	struct str method, path;
	struct str id, of; /* found: {id} and {of} of the path */
	int status;	   /* 404 or 405, where none is found */
	char allow[64];	   /* the methods that the path has */
};
/* Of `routes` and, with a server, of its receivers; or NULL. */
const struct route *route_find(const struct serve *, struct route_search *);

/* How a reply is compressed. */
struct packing {
	struct coding_choice choice;
	bool may;  /* another client may get it in another form */
	bool done; /* what the job wrote is in that coding */
};

/* One request on its way through the desk. */
struct request {
	struct task task; /* first */
	struct post post;
	struct serve *serve;
	struct listener *listener;
	const struct route *route;
	struct exchange *x; /* NULL: the peer has gone */
	bool head;
	enum lang lang;	 /* of what it says when it refuses */
	bool cookie;	 /* who came with the browser's cookie */
	int64_t wait_ms; /* 0: do not wait */
	struct packing packing;
	const struct dialect *dialect;	/* spoken here; NULL: our own */
	bool strict;			/* and to the letter */
	void (*then)(struct request *); /* back on the loop */
	void *ctx;
	struct request *next;		/* of the spare ones */
	TAILQ_ENTRY(request) away_list; /* of those that are away */
	int64_t put_ms; /* loop time when it went away; 0: nobody waits for it */
};

/* NULL: out of memory. It belongs to the exchange until request_free. */
struct request *request_new(struct serve *, struct exchange *);
struct request *request_free(struct request *); /* returns NULL */
void request_watch(struct request *);		/* it notes when its peer goes */
/* A new task for the same caller; what lies in its arena stays. */
void request_renew(struct request *);
/* To the desk, and then `then` on the loop; it frees the request. */
void request_put(struct request *, const struct use *, void (*then)(struct request *));
/* The reply to a finished task, then frees the request. `headers` beside the usual. */
void request_reply(struct request *, struct str headers);
void request_finish(struct request *); /* the same without further headers */
/* Something else than what the job wrote; the request is over. */
void request_send(struct request *, int status, const char *type, struct str headers,
	struct str body);
/* A refusal without the desk. */
void request_refuse(struct request *, enum err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Replies with a problem; the route may be NULL. */
void serve_problem(struct serve *, struct exchange *, const struct route *, enum err,
	const struct fault *, enum lang, struct str headers);
void serve_try_end(struct serve *); /* after what was away came back */
void serve_count(struct serve *, int status);
/* One value of /metrics. */
void serve_metric(struct buf *, const char *name, const char *type, const char *help,
	int64_t value);
struct str serve_key(const struct serve *);

/* packing.c: compressed replies. */
enum { PACKING_LINES = 384 };
void packing_choose(struct request *); /* on the loop, while its head is there */
void packing_write(struct request *);  /* on the clerk's thread, when its job is done */
/* Head lines of its reply; empty: the usual ones. */
struct str packing_lines(const struct request *, char out[PACKING_LINES]);

/* gate.c: Host, Origin and Sec-Fetch-Site. */
enum err gate_check(struct serve *, const struct listener *, const struct http_request *,
	const struct route *, struct fault *);
/* Does the URL that people use have a name of its own, neither localhost nor an address? */
bool gate_url_is_named(const struct serve *);
/* A cookie's write must come from our own page. */
enum err gate_check_cookie(struct serve *, const struct http_request *, struct fault *);

/* enter.c: a request from what came over the wire. */
struct str request_cookie(const struct http_request *); /* of a login; empty: none */
enum err request_enter(struct request *, struct fault *);

/* dialect.c: a foreign request becomes the task's body. */
enum err request_translate(struct request *, struct fault *);
/* {"ask": …, "reply": …} */
enum err reply_translate(const struct dialect *, bool strict, const struct kept_ask *,
	struct buf *out, struct fault *);

/* wait.c: a reply that waits for an ask to be settled. */
struct hold;
/* What a wait ends with. */
struct wait_result {
	const struct kept_ask *ask; /* or NULL */
	struct str text;	    /* what was read, as JSON, where there is no ask */
	const void *checked;	    /* the task's; or NULL */
};
struct hold_kind {
	/* The head of the reply; status 0: it goes out at the end. */
	void (*begin)(struct hold *, int status);
	void (*beat)(struct hold *); /* every HEARTBEAT_MS */
	/* Writes the last bytes and ends the exchange. */
	void (*end)(struct hold *, struct exchange *, const struct wait_result *);
	void (*cut)(struct hold *, struct exchange *, enum err, const struct fault *);
	void (*left)(struct hold *); /* called at every end; or NULL */
	const struct use *read; /* use case that reads the awaited thing; NULL: an ask */
	/* Of those: fills the task that reads; looks at what was read, unless that is an error. Or NULL. */
	bool (*wants)(struct hold *, struct task *);
	void (*look)(struct hold *, const struct task *);
};
struct hold {
	struct waiter waiter;
	struct tick tick; /* heartbeat, or the end of the wait */
	const struct hold_kind *kind;
	struct serve *serve;
	struct exchange *x; /* NULL: the peer has gone */
	int64_t end_ms;	    /* loop time */
	int64_t ws;
	/* Whose wait it is; NULL: no credential was shown. */
	struct open_credential *bearer;
	uint32_t size;
	enum role role : 8; /* of who showed no credential */
	bool wants_record;  /* it is read as a record, not as text */
	bool begun;	    /* the head of the reply is out */
	bool reading;	    /* a read of the ask is with a clerk */
	bool again;	    /* news came meanwhile */
	bool unread;	    /* the store was away: soon again */
};
/* Parks it for the ask; `size` has room for what its kind keeps behind it. NULL: out of
 * memory. */
struct hold *hold_new(struct request *, const struct hold_kind *, size_t size,
	struct str ask, int64_t wait_ms);
/* Takes the exchange over from the request, whose task has just shown that the ask may be
 * seen, and frees the request. */
void hold_start(struct hold *, struct request *, int status);
void hold_end(struct hold *, const struct wait_result *); /* ends the wait with that */
void hold_over(struct hold *); /* its time is up: it is read, and ends with that */
void hold_drop(struct hold *); /* ends the reply as it is */
const struct open_credential *hold_bearer(const struct waiter *);
size_t holds_of(const struct serve *, int64_t ws); /* how many wait in a workspace */
void holds_stop(struct serve *);     /* ends every wait soon, with the ask as it is */
void hold_expelled(struct waiter *); /* its bearer has lost the right to wait */

/* stream.c: a reply that follows the log. */
struct event_stream;
struct stream_kind {
	void (*begin)(struct event_stream *); /* the first bytes after the head */
	void (*mark)(struct event_stream *);  /* every HEARTBEAT_MS, and at the start */
	void (*write)(struct event_stream *, struct buf *,
		const struct event *); /* or nothing */
	bool alike;		       /* an event is written alike for all of them */
	void (*left)(struct event_stream *); /* it is over; or NULL */
};
struct event_stream {
	struct follower follower;
	struct tick tick;
	const struct stream_kind *kind;
	struct serve *serve;
	struct exchange *x; /* NULL: the peer has gone */
	/* Whose stream it is; NULL: no credential was shown. */
	struct open_credential *bearer;
	enum role role; /* when it was opened */
	bool begun, reading;
	bool unread;		    /* the store was away: soon again */
	bool transient;		    /* hints of runs are wanted */
	struct event_filter filter; /* texts in `texts` */
	char *texts;		    /* NULL: there are none */
};
/* Takes the request over, and `st`, which is from the heap and may be the head of
 * something longer. `after`: -1: from now on. False: st is NULL, nothing was done. */
bool stream_open(struct request *, const struct stream_kind *, struct event_stream *st,
	int64_t after);

/* authorize.c: the members that follow those of any problem where calls are authorized; NULL: nothing was
 * decided. */
void authorize_members(struct json_writer *, const struct authorized *);
/* What is said there in place of another error, and with which status. */
/* What the server has no room for even before it is read. */
extern const struct http_decides authorize_unread;
/* How long a body may be that is longer than others: a list of tools, from a gateway on an agent's side. 0: none. */
size_t mcp_body_max(const struct http_request *);
enum err authorize_error(const struct route *, enum err, int *status);

/* wait.c, stream.c, login.c, page.c: routes that do more than ask the desk. */
route_fn route_ask, route_ask_get, route_message, route_session, route_run_get,
	route_events, route_login, route_logout, route_me, route_user, route_revoke,
	route_healthz, route_readyz, route_metrics, route_csv, route_openapi, route_page,
	route_page_lost, route_file, route_mcp, route_mcp_stream, route_mcp_end,
	route_resource, route_agent_test, route_provider_test, route_models, route_rule,
	route_tool_test, route_tool_result, route_signed, route_receipt, route_export,
	route_mcp_server_test, route_authorize, route_authorize_original;
void mcp_stop(struct serve *); /* calls that wait are told so */
/* mcp_passing.c, mcp_gated.c: what is at MCP servers is cut at the end. */
void gated_open(struct serve *);
void gated_stop(struct serve *);
/* mcp_gated_listen.c: who listens at the gateway hears of it. */
void gated_told(struct serve *, const struct committed *);
void told_arrived(struct serve *, struct committed *);
/* A hint as a frame, and to the streams that it goes to. */
void transient_write(struct buf *, const struct transient *, int64_t now_ms);
void streams_hint(struct serve *, int64_t ws, struct str session, const char *type,
	struct str frame);
void streams_expel(struct serve *); /* those whose bearer's role has changed */
/* The log of this workspace ends there: streams that were told more end. */
void streams_back(struct serve *, int64_t ws, int64_t end);

#endif
