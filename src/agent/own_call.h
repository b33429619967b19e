/* own_call.h - a tool of one's own, tried: on a thread that may wait. */
#ifndef AGENT_OWN_CALL_H
#define AGENT_OWN_CALL_H

#include "core/run/own_tool.h"

/* False: there was no memory for it. */
bool own_call_try(const struct tool_access *, const struct json *arguments,
	struct arena *, struct tool_outcome *out);

#endif
