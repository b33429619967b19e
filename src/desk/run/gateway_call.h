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
/* May it be begun? By the word of a person, about what was to run or was cut short. */
enum err gateway_call_ready(
	struct rows *, const struct tool_call *, bool *ready, struct fault *);
/* One of the caller's own, and its session. */
enum err gateway_call_own(struct task *, struct rows *, struct str id,
	const struct tool_call **out, struct session **, struct fault *);
/* Its end: the result as JSON with CALL_FINISH, else why there is none. */
enum err gateway_call_end(struct task *, struct rows *, struct tool_call *,
	enum call_action, struct str text, struct fault *);
/* Does such a call, with its approval used up if there is one. A stop holds it back. */
enum err gateway_store_do(
	struct task *, struct rows *, struct tool_call *, struct fault *);
/* JSON array of those that may be called, as the server says them. */
struct str gateway_tools_on(const struct mcp_pins *, struct arena *);
/* Approved, it is begun by who says so; what came of it is kept. */
enum err gateway_call_start(
	struct task *, struct rows *, struct gateway_start *, struct fault *);
enum err gateway_call_keep(
	struct task *, struct rows *, const struct gateway_end *, struct fault *);
/* Its ask was settled. */
react_fn gateway_settled;

#endif
