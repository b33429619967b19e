/* gateway.h - passes messages on to MCP servers for agents from elsewhere, and runs the calls that were held. */
#ifndef AGENT_GATEWAY_H
#define AGENT_GATEWAY_H

#include "desk/desk.h"
#include "mcp/relay.h"

struct gateway;

/* `node`: the same after a restart. What its former self began and did not end is told as interrupted. */
struct gateway *gateway_new(struct desk *, struct str node, struct fault *why);
struct relay_server gateway_server(struct gateway *);
/* What is under way is cut; waits for its threads. What still comes is refused. */
void gateway_stop(struct gateway *);
struct gateway *gateway_free(struct gateway *); /* NULL is fine; returns NULL */

#endif
