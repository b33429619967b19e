/* mcp_lists.c - the tools of the MCP servers that a run uses, read before its model is told of them: at the first
 * use, every hour, and when a server says that they are others. */
#include "agent/inner.h"

#include "agent/mcp_link.h"
#include "base/clock.h"
#include "desk/run/mcp_servers.h"

/* False: it was given up. */
static bool list_read(struct worker *w, const struct mcp_access *a)
{
	struct arena arena = { .max = MCP_LIST_MEMORY };
	struct mcp_listing told = { .ws = a->ws, .server = a->name };
	struct task t = { .checked = &told };
	struct mcp_found found;

	if (!mcp_link_list(w->fetcher, w->stop_fd, a, &arena, &found))
		found = (struct mcp_found){ .status = MCP_FAILED,
			.error = STR("out of memory") };
	told.found = &found;
	if (!worker_told(w)) desk_wait(w->runner->desk, &use_mcp_keep, &t);
	task_empty(&t);
	arena_done(&arena);
	return !worker_told(w);
}

void mcp_lists_again(struct worker *w, const struct mcp_access *a)
{
	list_read(w, a);
	worker_forget(w);
}

bool mcp_lists_read(struct worker *w, const struct run_work *work, struct run_work *next)
{
	struct run_calls none = { .key = work->key };
	int64_t began_ms = clock_mono_ms();
	bool ours = true;

	for (size_t i = 0; ours && i < work->lists_len; i++)
		ours = list_read(w, &work->lists[i]);
	if (!ours) return false;
	worker_forget(w);
	none.worked_ms = clock_mono_ms() - began_ms;
	ours = worker_tell_again(w, &use_run_calls, worker_task(w), &none, &none.again);
	if (ours) *next = none.next;
	return ours;
}
