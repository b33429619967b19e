/* tool_call.c - the states of a tool call, its JSON. */
#include "core/run/tool_call.h"

#include "base/utf8.h"
#include "core/policy/operation.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

enum { TITLE_MAX = 200 }; /* code points */

static const struct {
	const char *name;
	bool ended;
} statuses[CALL_STATUSES] = {
	[CALL_PENDING] = { "pending" },
	[CALL_WAITING] = { "waiting" },
	[CALL_STARTED] = { "started" },
	[CALL_DONE] = { "done", .ended = true },
	[CALL_FAILED] = { "failed", .ended = true },
	[CALL_REJECTED] = { "rejected", .ended = true },
	[CALL_INTERRUPTED] = { "interrupted" },
	[CALL_CANCELLED] = { "cancelled", .ended = true },
};

static const char *const classes[] = {
	[CLASS_STORE] = "store",
	[CLASS_REPEAT] = "repeat",
	[CLASS_ONCE] = "once",
};

/* What is not here cannot happen. Nothing leads from started back to pending but the word of a
 * person about what was interrupted, or the class `repeat`, whose start is no promise. */
#define NO CALL_STATUSES
static const enum call_status nexts[CALL_STATUSES][CALL_ACTIONS] = {
	[CALL_PENDING] = { CALL_STARTED, CALL_WAITING, CALL_PENDING, CALL_DONE,
		CALL_FAILED, CALL_REJECTED, NO, CALL_CANCELLED },
	[CALL_WAITING] = { NO, NO, CALL_PENDING, CALL_DONE, CALL_FAILED, CALL_REJECTED,
		CALL_INTERRUPTED, CALL_CANCELLED },
	[CALL_STARTED] = { NO, CALL_WAITING, NO, CALL_DONE, CALL_FAILED, NO,
		CALL_INTERRUPTED, CALL_CANCELLED },
	[CALL_INTERRUPTED] = { NO, NO, CALL_PENDING, CALL_DONE, CALL_FAILED, NO, NO,
		CALL_CANCELLED },
	[CALL_DONE] = { NO, NO, NO, NO, NO, NO, NO, NO },
	[CALL_FAILED] = { NO, NO, NO, NO, NO, NO, NO, NO },
	[CALL_REJECTED] = { NO, NO, NO, NO, NO, NO, NO, NO },
	[CALL_CANCELLED] = { NO, NO, NO, NO, NO, NO, NO, NO },
};
#undef NO

ENUM_NAMES_IN(call_status, statuses, .name)
ENUM_NAMES(call_class, classes)

bool tool_call_ended(const struct tool_call *c)
{
	return statuses[c->status].ended;
}

bool tool_call_waits(const struct tool_call *c)
{
	return c->status == CALL_WAITING || c->status == CALL_INTERRUPTED;
}

bool tool_call_later(const struct tool_call *c)
{
	return c->status == CALL_WAITING && c->until_ms;
}

enum call_status tool_call_next(enum call_status status, enum call_action action)
{
	return nexts[status][action];
}

enum err tool_call_act(struct tool_call *c, enum call_action action, struct fault *why)
{
	enum call_status next = tool_call_next(c->status, action);

	if (next == CALL_STATUSES)
		return fail(why, ERR_CONFLICT, "tool call %.*s is %s", STR_ARGS(c->id),
			call_status_name(c->status));
	c->status = next;
	return OK;
}

void tool_call_digest(const struct tool_call *c, char so_far[SHORT_DIGEST_SIZE])
{
	char n[NUMBER_SIZE], created[NUMBER_SIZE];
	const struct str fields[] = { str_of(so_far), c->id, digest_number(c->n, n),
		c->wire, c->name, c->arguments, c->category, str_of(risk_name(c->risk)),
		str_of(call_class_name(c->class)), c->verdict,
		digest_number(c->created_ms, created) };

	digest_fields(fields, sizeof fields / sizeof *fields, so_far);
}

struct str tool_call_arguments(const struct tool_call *c)
{
	return c->approved_arguments.len ? c->approved_arguments : c->arguments;
}

/* As what was approved, where somebody edited that. */
static void title_write(struct json_writer *w, const struct tool_call *c)
{
	struct buf title = { .max = 1 << 20 };
	struct arena arena = { 0 };
	const struct json *arguments;

	if (!json_read(tool_call_arguments(c), NULL, &arena, &arguments, NULL))
		operation_own_title(c->name, arguments, &title);
	show_text(w, "title", utf8_first(buf_str(&title), TITLE_MAX));
	buf_done(&title);
	arena_done(&arena);
}

void tool_call_write(struct json_writer *w, const struct tool_call *c, struct str result)
{
	jw_object(w);
	show_text(w, "id", c->id);
	show_text(w, "run", c->run);
	show_text(w, "message", c->message);
	show_text(w, "name", c->name);
	title_write(w, c);
	show_json(w, "arguments", c->arguments);
	show_json(w, "approved_arguments", c->approved_arguments);
	show_text(w, "category", c->category);
	show_text(w, "risk", str_of(risk_name(c->risk)));
	show_text(w, "class", str_of(classes[c->class]));
	show_json(w, "verdict", c->verdict);
	show_text(w, "ask", c->ask);
	show_text(w, "child", c->child);
	show_text(w, "status", str_of(call_status_name(c->status)));
	show_text(w, "result",
		result.len	     ? result
		: tool_call_ended(c) ? c->result
				     : STR_NONE);
	show_text(w, "error", c->error);
	jw_put_int(w, "attempts", c->attempts);
	show_time(w, "started_at", c->started_ms);
	show_time(w, "ended_at", c->ended_ms);
	show_number(w, "duration_ms", c->ended_ms - c->started_ms,
		c->started_ms && c->ended_ms);
	show_text(w, "session", c->session);
	show_text(w, "server", c->server);
	show_number(w, "sent", c->sent, c->server.len > 0);
	show_text(w, "via", c->via);
	jw_object_end(w);
}
