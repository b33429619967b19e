/* bridge_inner.h - what the files of a bridge share: its messages under way (bridge.c), and a server that it starts itself
 * (local.c). Private to client. */
#ifndef CLIENT_BRIDGE_INNER_H
#define CLIENT_BRIDGE_INNER_H

#include <sys/queue.h>

#include "base/sse.h"
#include "client/bridge.h"
#include "client/transfer.h"
#include "mcp/remote.h"
#include "mcp/rpc.h"

struct local_server;
struct local_run;

enum {
	AWAY_MS = 45000, /* with a desk that was away when a tool was called: less than
			    what clients allow a call */
};

/* What a gateway on the agent's side asks by itself. */
enum bridge_own {
	OWN_NONE,
	OWN_TOOLS,  /* which of the server's tools may be called */
	OWN_WAIT,   /* is the ask of a held call settled? */
	OWN_START,  /* may it be begun? */
	OWN_ALIVE,  /* we run what we began */
	OWN_END,    /* what came of it */
	OWN_CANCEL, /* nobody wants it any more */
};

/* A message of the client under way, or the stream that older revisions listen to. */
struct bridge_call {
	LIST_ENTRY(bridge_call) others;
	struct bridge *bridge;
	struct transfer *transfer; /* NULL: pauses before it is tried again */
	struct arena arena;	   /* of the texts here */
	struct str body;	   /* the message; empty: listens */
	struct str id;		   /* as JSON; empty: nobody waits for a reply */
	struct str key;		   /* makes repeating it harmless */
	struct str method;
	struct str subject;  /* the tool, prompt, resource or task it is about */
	struct str revision; /* that it names; empty: an older one */
	struct str path;     /* of an own one; empty: the bridge's */
	enum bridge_own
		own; /* it is ours: what a gateway with a server of its own asks */
	struct local_run *run; /* the held call that it is, or is about; or NULL */
	struct str progress; /* its token for progress, as JSON; empty: none is wanted */
	struct sse sse;	     /* its id: where a lost stream goes on */
	bool answered;	     /* its reply has passed */
	bool greets;	     /* it is ours: the client's initialize, said again */
	int tries;	     /* that failed in a row */
	int64_t pause_until; /* monotonic */
	int64_t patience_until; /* monotonic; 0: not lost */
};

struct bridge {
	struct bridge_setup with;
	struct client *client; /* NULL: to be found */
	LIST_HEAD(, bridge_call) calls;
	struct buf line;
	bool skipping; /* the rest of a line too long */
	bool lost;     /* the server was not found where the client looks */
	bool broken;   /* nobody reads what we say, or memory gave out */
	/* What `initialize` agreed on; empty in the current revision. */
	struct buf session;
	struct buf version;
	/* What the server has not heard yet: it was away; or empty. */
	struct buf greeting;
	struct local_server *local; /* the server beside us; or NULL */
};

/* Writes the message to the client, and empties it. */
void bridge_say(struct bridge *, struct buf *message);
/* Without a message: listens. NULL: out of memory. */
struct bridge_call *bridge_call_new(struct bridge *, const struct json *message);
void bridge_call_free(struct bridge_call *);
/* It waits until the desk is there; it has waited for long enough. */
void bridge_call_away(struct bridge_call *);
void bridge_call_fail(struct bridge_call *, const struct fault *);

/* ---- local.c ---- */

/* Starts the server of `with.command`. */
struct local_server *local_new(struct bridge *, struct fault *why);
struct local_server *local_free(
	struct local_server *); /* and ends the server; NULL is fine */
/* Readable: the client or the server has something. `input`: is the client listened to? */
int local_fd(struct local_server *, bool input);
/* Moves on what lies here. False: the server has ended, or must. */
bool local_turn(struct local_server *);
int64_t local_sleep_ms(const struct local_server *);
bool local_busy(const struct local_server *); /* the server owes replies */
/* A message of the client. False: it is for the desk. */
bool local_client_said(struct local_server *, const struct json *message);
/* A message of the desk to a call. True: it is not for the client. */
bool local_desk_said(struct bridge_call *, const struct json *message);
/* An own call has its reply, or none. True: it is over. */
bool local_own_ended(struct bridge_call *, enum err, const struct api_reply *);
void local_call_gone(struct bridge_call *); /* it is freed */

#endif
