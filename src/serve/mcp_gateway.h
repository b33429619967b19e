/* mcp_gateway.h - what the files of /mcp/NAME share: messages at the server (mcp_passing.c), calls that are held
 * (mcp_gated.c), and the methods (mcp_gateway.c). Private to them. */
#ifndef SERVE_MCP_GATEWAY_H
#define SERVE_MCP_GATEWAY_H

#include "desk/gateway.h"
#include "mcp/relay.h"
#include "serve/mcp.h"

/* Passes the message on, and then `then`, with mcp_of(r)->relay while that runs. */
mcp_fn passing_prepare; /* the task that is put next may let it go ahead of its commit */
void passing_drop(
	struct mcp *); /* what was prepared, and went ahead perhaps, is given up */
void passing_begin(struct request *, enum relay_kind, mcp_fn *then);
/* The request with this id in this session is given up; false: there is none. */
bool passing_cancel(struct serve *, struct str nonce, struct str id);
/* The response is the answer to a question of the server's: true: it is taken, and the request answered. */
bool passing_answer(struct request *);
/* The request brings the answer that a passed one waits for, and goes on in its place. */
bool passing_join(struct request *);
/* requestState of something that was passed on, bound to its agent and to what it says, for a day. */
struct str gated_state(struct request *, const struct ticket_call *, struct arena *);
/* The params as the server is to see them: with its own requestState. */
const struct json *gated_params(struct request *);
/* To who may not use the server, it is not there. */
mcp_fn gated_trouble;
/* The members of the server's result as they came, but for what a client of the other family needs. */
void gated_members(struct json_writer *, const struct json *result, enum revision client,
	bool list, const char *but);
/* Of a gateway on the agent's side (mcp_local.c): methods of its own, a client that greets, a call that is allowed,
 * one that is held and that it is to run. */
mcp_fn local_message, local_greet, local_pass;
void local_held(struct request *);
mcp_fn gated_held; /* the call that was just read waits, or has its outcome */
/* The members of its result as it stands, in an object that is open. */
void gated_result_members(struct serve *, struct json_writer *,
	const struct gateway_task *, const struct gated_told *, struct arena *);
/* The member _meta; `related`: it names its task. */
void gated_meta(struct json_writer *, const struct gateway_call *,
	const struct json *meta, bool related);

/* mcp_gated_listen.c: a stream beside those of calls, and what its server says on its own. */
struct gated_listener;
enum {
	BEHIND_MAX =
		64 *
		1024, /* bytes: a client that reads slower hears of no more progress */
};
mcp_fn gated_listen;
void gated_listener_say(struct gated_listener *, struct str message, bool spare);
void gated_listener_over(struct gated_listener *); /* it says no more */
/* What the server says beside calls is told to the listener, until that leaves. NULL: no memory. */
struct passing *passing_listen(struct request *, struct gated_listener *);
void passing_leave(struct passing *);

/* ---- mcp_gated_tasks.c ---- */

/* Is a call that is held to be a task? */
enum gateway_as gated_as(struct request *);
mcp_fn gated_task_reply; /* the call that was just read, as a task that begins */
/* A request about a task of ours: true: it is answered. */
bool gated_task(struct request *);
/* Withdraws the call, and then `then`, whatever came of that. */
void gated_cancel(struct request *, struct str call, mcp_fn *then, mcp_fn *otherwise);
/* What the gateway can do beside its server: the member of its capabilities. */
void gated_task_ability(
	struct json_writer *, enum revision client, const struct json *server);

#endif
