/* fetch_made.c - a reply that no peer sent, handed over as one that came after a while. */
#include "net/fetch.h"

#include <poll.h>
#include <stdio.h>

/* False: it was stopped. */
static bool waited(const struct fetch_request *r, int64_t ms)
{
	struct pollfd stop = { .fd = r->stop_fd, .events = POLLIN };

	for (; r->tick && ms > FETCH_TICK_MS; ms -= FETCH_TICK_MS) {
		if (poll(&stop, 1, FETCH_TICK_MS)) return false;
		r->tick(r->ctx);
	}
	return poll(&stop, 1, ms > 0 ? (int)ms : 0) == 0;
}

void fetch_made(const struct fetch_request *r, int64_t delay_ms, int status,
	struct str bytes, struct fetch_end *out)
{
	int64_t most_ms =
		r->idle_ms && r->idle_ms < r->timeout_ms ? r->idle_ms : r->timeout_ms;

	*out = (struct fetch_end){ .how = FETCH_STOPPED, .retry_after_ms = -1 };
	snprintf(out->error, sizeof out->error, "stopped");
	if (!waited(r, delay_ms < most_ms ? delay_ms : most_ms)) return;
	if (delay_ms >= most_ms) {
		out->how = most_ms == r->timeout_ms ? FETCH_TIMEOUT : FETCH_SILENT;
		snprintf(out->error, sizeof out->error, "nothing came for %lld s",
			(long long)most_ms / 1000);
		return;
	}
	if (r->may_send && !r->may_send(r->ctx)) return;
	out->how = FETCH_WHOLE;
	out->status = status;
	out->error[0] = '\0';
	r->take(r->ctx, status, bytes);
}
