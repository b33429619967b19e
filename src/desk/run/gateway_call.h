/* gateway_call.h - held calls at the gateway, as the files of it share them. Private to desk. */
#ifndef DESK_GATEWAY_CALL_H
#define DESK_GATEWAY_CALL_H

#include "desk/gateway.h"
#include "desk/run/run_inner.h"

/* call.held, call.started, call.finished; whoever waits for its ask looks at the call. */
void gateway_call_event(struct task *, struct rows *, const struct session *,
	const struct ask *, const struct tool_call *, const char *type);
/* What its caller is to see of it: what, call, text. */
enum err gateway_call_show(struct task *, struct rows *, const struct tool_call *,
	struct gateway_task *, struct fault *);
/* Its ask was settled. */
react_fn gateway_settled;

#endif
