/* bridge_away.h - what can be said to an MCP client while the server is away: who we are
 * and which tools there are is built in, so that an agent that started first has them. */
#ifndef CLIENT_BRIDGE_AWAY_H
#define CLIENT_BRIDGE_AWAY_H

#include "mcp/revision.h"

/* The reply to initialize, server/discover, ping and tools/list, as one message. *revision: what
 * the client speaks; initialize agrees on another. False: it takes the server. */
bool away_reply(
	const struct rpc *, enum revision *revision, bool strict, struct buf *out);

#endif
