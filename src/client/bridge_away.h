/* bridge_away.h - what can be said to an MCP client while the server is away: who we are
 * and which tools there are is built in, so that an agent that started first has them. */
#ifndef CLIENT_BRIDGE_AWAY_H
#define CLIENT_BRIDGE_AWAY_H

#include "base/json.h"

/* The reply to initialize, server/discover, ping and tools/list, as one message. `version`:
 * what an older client agreed on, or empty. False: it takes the server. */
bool away_reply(
	const struct json *message, struct str version, bool strict, struct buf *out);
/* The result of a tool that could not be called. */
void away_tool_result(const struct json *message, struct str text, struct buf *out);
/* "Waiting for the server", to who asked for progress; false: nobody did. */
bool away_progress(const struct json *message, struct buf *out);

#endif
