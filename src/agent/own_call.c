/* own_call.c - a call of a tool of one's own: the request, its tries, and what came of it. What was sent is sent
 * again only of class repeat, or when the other side said that it did nothing. */
#include "agent/inner.h"

#include "agent/own_call.h"
#include "base/clock.h"

#include <poll.h>

enum { PAUSE_MS = 200, PAUSE_MAX_MS = 10 * 1000 };

struct own_call {
	const struct tool_access *access;
	struct buf body;
};

static bool own_call_may_connect(void *ctx, const uint8_t address[16])
{
	return tool_request_may_connect(((struct own_call *)ctx)->access, address);
}

/* A little more than is kept, to know that there was more. */
static bool own_call_take(void *ctx, int status, struct str bytes)
{
	struct own_call *c = ctx;
	size_t room = CALL_RESULT_MAX + 16 - c->body.len;

	(void)status;
	if (c->body.len < CALL_RESULT_MAX + 16) buf_add(&c->body, str_first(bytes, room));
	return true;
}

/* Sleeps, unless it is stopped. */
static bool pause_for(int stop_fd, int64_t ms)
{
	struct pollfd p = { .fd = stop_fd, .events = POLLIN };

	return poll(&p, stop_fd >= 0, (int)ms) == 0;
}

/* How long before it is tried again; -1: it is not. */
static int64_t pause_ms(
	const struct tool_access *a, const struct fetch_end *end, int tries)
{
	bool repeat = own_tool_class(&a->tool) == CLASS_REPEAT;
	bool none = end->how != FETCH_WHOLE; /* no whole reply */
	int64_t ms = end->retry_after_ms >= 0 ? end->retry_after_ms
					      : (int64_t)PAUSE_MS << tries;

	if (tries >= OWN_TOOL_TRIES || end->how == FETCH_REFUSED) return -1;
	if (none ? end->sent && !repeat : !repeat || !tool_reply_again(end->status))
		return -1;
	return ms <= PAUSE_MAX_MS ? ms : PAUSE_MAX_MS;
}

static enum own_call_end own_call_ended(const struct tool_access *a,
	const struct fetch_end *end, struct str body, struct arena *arena,
	struct tool_outcome *out)
{
	bool once = own_tool_class(&a->tool) == CLASS_ONCE;

	out->failed = true;
	out->status = end->status;
	if (end->how == FETCH_STOPPED) return OWN_CALL_STOPPED;
	if (end->how == FETCH_WHOLE) {
		out->text = tool_reply_text(
			end->status, str_of(end->type), body, arena, &out->failed);
		out->later = end->status == 202 && end->later && a->callback.len;
		return OWN_CALL_DONE;
	}
	if (once && end->sent) {
		out->text = STR("No answer came");
		return OWN_CALL_UNKNOWN;
	}
	out->text = arena_str(arena, str_of(end->error));
	return OWN_CALL_DONE;
}

enum own_call_end own_call_run(struct fetcher *f, int stop_fd,
	const struct tool_access *a, const struct json *arguments, struct arena *arena,
	struct tool_outcome *out)
{
	int64_t began = clock_mono_ms(), limit = own_tool_timeout_ms(&a->tool), ms;
	struct own_call c = { .access = a };
	struct fetch_end end = { 0 };
	struct tool_request r;
	enum own_call_end how;

	*out = (struct tool_outcome){ .failed = true, .text = a->wrong };
	if (a->wrong.len) return OWN_CALL_DONE;
	if (a->tool.command.len) {
		how = own_command_run(stop_fd, a, arguments, arena, out);
		out->took_ms = clock_mono_ms() - began;
		return how;
	}
	for (int tries = 1;; tries++) {
		buf_clear(&c.body);
		if (!tool_request_make(a, arguments, clock_now_ms(), arena, &r)) {
			out->text = STR("out of memory");
			return OWN_CALL_DONE;
		}
		out->text = r.wrong;
		if (r.wrong.len) return OWN_CALL_DONE;
		fetcher_run(f,
			&(struct fetch_request){ .url = r.url,
				.headers = r.headers,
				.get = !r.body.len,
				.method = r.method,
				.fresh = true,
				.body = r.body,
				.timeout_ms = limit - (clock_mono_ms() - began),
				.stop_fd = stop_fd,
				.may_connect = own_call_may_connect,
				.take = own_call_take,
				.ctx = &c },
			&end);
		ms = end.how == FETCH_STOPPED ? -1 : pause_ms(a, &end, tries);
		if (ms < 0 || clock_mono_ms() - began + ms >= limit) break;
		if (!pause_for(stop_fd, ms)) {
			end.how = FETCH_STOPPED;
			break;
		}
	}
	how = own_call_ended(a, &end, buf_str(&c.body), arena, out);
	out->took_ms = clock_mono_ms() - began;
	buf_done(&c.body);
	return how;
}

bool own_call_try(const struct tool_access *a, const struct json *arguments,
	struct arena *arena, struct tool_outcome *out)
{
	struct fetcher *f = fetcher_new(NULL);
	enum own_call_end end = OWN_CALL_STOPPED;

	if (f) end = own_call_run(f, -1, a, arguments, arena, out);
	fetcher_free(f);
	return end == OWN_CALL_DONE || end == OWN_CALL_UNKNOWN;
}
