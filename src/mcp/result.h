/* result.h - what a call gives back: asks as results of tools and as tasks. */
#ifndef MCP_RESULT_H
#define MCP_RESULT_H

#include "core/ask/ask.h"
#include "mcp/tools.h"

/* Does its dialect have something to say, though it may be pending? */
bool ask_has_reply(const struct ask_json *, struct arena *);

enum result_how {
	RESULT_RESUMED =
		1, /* the session is set going again by us: no need to come back */
	/* A client asks before it runs a tool of its own, and reads one text block: what
	 * stands beside it is taken for it. */
	RESULT_PROMPT = 2,
	RESULT_WITHDRAWN = 8, /* it was to be withdrawn: that it was is no error */
	RESULT_TASK = 4, /* it answers tasks/result of 2025-11-25, and names its task */
};
/* The members of a tool's result, in an object that is open: content, isError and
 * structuredContent. The reply is in the dialect that the ask came in. */
void ask_result_write(
	struct json_writer *, const struct ask_json *, unsigned how, struct arena *);
/* A text alone; or, for a mistake, what to do about it. */
void text_result_write(struct json_writer *, struct str text, bool error);
/* With structuredContent, which is the text, too, when there is no other. */
void data_result_write(struct json_writer *, struct str text, struct str data);
/* What was wrong with the arguments, in words for a model. */
struct str fault_text(const struct fault *, struct arena *);

/* A task as a client sees it. */
struct task_view {
	struct str id, message; /* or empty */
	const char *status;
	int64_t created_ms, updated_ms;
};
/* Its members, in an object that is open, as the revision names them. */
void result_task_write(
	struct json_writer *, const struct task_view *, enum revision, int64_t poll_ms);
/* The same of an ask. */
void task_write(struct json_writer *, const struct ask *, const char *status,
	enum revision, int64_t poll_ms);
/* "working", "completed", "cancelled" */
const char *task_status(const struct ask *);

/* What list_asks tells of each. */
void ask_listed_write(struct json_writer *, const struct ask_json *, struct arena *);

#endif
