/* mcp_resume.c - a reply whose stream ended before it was whole: read on from the last event that came. Nothing is
 * sent again by this. Until 2025-11-25 alone. Prefix: link_. */
#include "agent/mcp_link_inner.h"

#include "base/clock.h"

#include <poll.h>
#include <string.h>

enum { PAUSE_MS = 1000, PAUSE_MOST_MS = 10 * 1000, VAIN_MAX = 3, EVENT_ID_MAX = 4096 };

const char **link_headers_from(
	const char *const *headers, struct str event, struct arena *arena)
{
	const char **out;
	size_t len = 0;

	if (event.len > EVENT_ID_MAX || memchr(event.at, '\r', event.len)) return NULL;
	while (headers[len])
		len++;
	out = ARENA_ARRAY(arena, const char *, len + 2);
	if (!out) return NULL;
	memcpy(out, headers, len * sizeof *headers);
	out[len] = arena_print(arena, "Last-Event-ID: %.*s", STR_ARGS(event)).at;
	return arena->failed ? NULL : out;
}

static bool can_go_on(const struct mcp_link *l, const struct remote_reader *r,
	const struct fetch_end *end)
{
	return l->revision < REV_2026_07_28 && r->form == REMOTE_STREAM && !r->done &&
	       (end->how == FETCH_WHOLE || end->how == FETCH_CUT) && end->status == 200 &&
	       r->sse.id.len;
}

void link_resume(struct mcp_link *l, struct remote_reader *r,
	const struct fetch_request *first, struct fetch_end *end)
{
	struct pollfd stop = { .fd = l->stop_fd, .events = POLLIN };
	int64_t until_ms = clock_mono_ms() + first->timeout_ms;
	struct fetch_request again = *first;
	struct fetch_end came = *end;

	again.get = true;
	again.body = STR_NONE;
	again.fresh = again.once = false;
	again.may_send = NULL;
	for (int vain = 0; vain < VAIN_MAX && can_go_on(l, r, &came);) {
		int64_t pause = r->sse.retry_ms ? r->sse.retry_ms : PAUSE_MS;
		size_t bytes = r->bytes;

		if (pause > PAUSE_MOST_MS) pause = PAUSE_MOST_MS;
		again.timeout_ms = until_ms - clock_mono_ms() - pause;
		again.headers =
			link_headers_from(first->headers, buf_str(&r->sse.id), l->arena);
		if (again.timeout_ms < 1 || !again.headers) return;
		if (poll(&stop, 1, (int)pause) > 0) {
			end->how = FETCH_STOPPED;
			return;
		}
		sse_reset(&r->sse);
		fetcher_run(l->fetcher, &again, &came);
		if (came.how == FETCH_STOPPED) end->how = FETCH_STOPPED;
		vain = r->bytes > bytes ? 0 : vain + 1;
		/* The server is away for a moment, perhaps. */
		if (came.how == FETCH_UNREACHABLE)
			came = (struct fetch_end){ .how = FETCH_CUT, .status = 200 };
	}
}
