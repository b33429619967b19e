/* ticket.h - small signed texts that carry what a server would otherwise have to keep:
 * session ids, event ids of streams, the state of a request that needs input. They are
 * good on every node and after a restart, because all have the same key. */
#ifndef MCP_TICKET_H
#define MCP_TICKET_H

#include "mcp/revision.h"

/* What a ticket is for: one kind is never taken for another. */
enum ticket_kind {
	TICKET_SESSION = 's', /* Mcp-Session-Id */
	TICKET_EVENT = 'e',   /* the id of a stream's event */
	TICKET_STATE = 'q',   /* requestState */
	TICKET_FORM = 'f',    /* the id of a form that was sent to the client */
};

/* A session of the eras that have them. */
struct ticket_session {
	struct mcp_client client;
	struct str nonce;
	int64_t expires_ms;
	struct str agent; /* whose it is; empty: not said, as in those of old */
	/* Of a session at the gateway: the server's name, its own session and its revision. */
	struct str server, behind;
	int64_t speaks;
};

/* A call that waits for an ask: what is needed to answer it later. */
struct ticket_call {
	struct str ask;
	struct str id;	    /* JSON-RPC's, as JSON */
	struct str token;   /* who asked: tok_…; empty where it does not matter */
	unsigned how;	    /* enum result_how: how the outcome is told */
	int64_t expires_ms; /* 0: never */
	/* Of a request that was passed on: what its server said, or which question of the server it answers; whose
	 * it is, and the digest of what it says. */
	struct str state, question, agent, digest;
};

void ticket_session_write(struct buf *, struct str key, const struct ticket_session *);
bool ticket_session_read(
	struct str text, struct str key, struct arena *, struct ticket_session *out);
void ticket_call_write(
	struct buf *, struct str key, enum ticket_kind, const struct ticket_call *);
bool ticket_call_read(struct str text, struct str key, enum ticket_kind, struct arena *,
	struct ticket_call *out);

#endif
