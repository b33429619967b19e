/* mcp_tasks.c - asks as tasks: the extension of 2026-07-28, and what 2025-11-25 has in
 * its core. A task's id is its ask's. */
#include "serve/mcp.h"

bool mcp_task_known(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct rpc_fault why = { 0 };

	if (m->client.revision < REV_2026_07_28 || (m->client.can & CAN_TASKS))
		return true;
	why.data = STR("{\"requiredCapabilities\":{\"extensions\":"
		       "{\"io.modelcontextprotocol/tasks\":{}}}}");
	rpc_fail(&why, 400, RPC_NO_CAPABILITY, "the client did not declare tasks");
	mcp_refuse(r, &why);
	return false;
}

void mcp_task_write(struct request *r, struct json_writer *w, const struct ask *a)
{
	task_write(
		w, a, task_status(a), mcp_of(r)->client.revision, mcp_offer(r)->poll_ms);
}

static void task_put(
	struct request *r, const struct use *use, mcp_fn *then, mcp_fn *otherwise)
{
	if (mcp_task_known(r))
		mcp_do(r, use, json_text(mcp_param(r, "taskId")), STR("{}"), then,
			otherwise);
}

/* ---- what has become of it ---- */

/* Since 2026-07-28 its outcome, or what it wants of the client, comes along. */
static void outcome_write(struct request *r, struct json_writer *w)
{
	const struct mcp_offer *offer = mcp_offer(r);
	const struct ask_json *whole = mcp_whole(r);
	const struct ask *a = whole->ask;
	struct arena *arena = &r->task.job.arena;
	struct mcp_input inputs[MCP_INPUTS_MAX];
	size_t wanted = mcp_inputs(r, inputs);
	struct str failed = offer->failed ? offer->failed(whole, arena) : STR_NONE;
	const char *status = wanted				      ? "input_required"
			     : failed.len && a->status != ASK_PENDING ? "failed"
								      : task_status(a);

	task_write(w, a, status, REV_2026_07_28, offer->poll_ms);
	if (wanted) inputs_write(w, inputs, wanted);
	if (strcmp(status, "failed") == 0) jw_put_raw(w, "error", failed);
	if (strcmp(status, "completed") != 0) return;
	jw_put_object(w, "result");
	offer->result(w, whole, 0, arena);
	jw_object_end(w);
}

static void task_got(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	if (mcp_of(r)->client.revision >= REV_2026_07_28)
		outcome_write(r, w);
	else
		mcp_task_write(r, w, &r->task.found->ask);
	mcp_send(r);
}

void mcp_task_get(struct request *r)
{
	task_put(r, &use_ask_get, task_got, NULL);
}

/* ---- what the client does with it ---- */

static void task_cancelled(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	if (mcp_of(r)->client.revision < REV_2026_07_28)
		mcp_task_write(r, w, &r->task.found->ask);
	mcp_send(r);
}

/* An empty result acknowledges it, even when there is nothing left to cancel. */
static void task_over(struct request *r)
{
	if (r->task.job.err == ERR_CONFLICT &&
		mcp_of(r)->client.revision >= REV_2026_07_28)
		mcp_ping(r);
	else
		mcp_trouble(r);
}

void mcp_task_cancel(struct request *r)
{
	task_put(r, &use_cancel, task_cancelled, task_over);
}

static void task_update_got(struct request *r)
{
	mcp_form_take(r, mcp_param(r, "inputResponses"), mcp_ping);
}

void mcp_task_update(struct request *r)
{
	task_put(r, &use_ask_get, task_update_got, NULL);
}

/* ---- 2025-11-25 alone ---- */

void mcp_task_result(struct request *r)
{
	mcp_of(r)->how |= RESULT_TASK;
	task_put(r, &use_ask_get, mcp_await, NULL);
}

static void tasks_listed(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	jw_put_array(w, "tasks");
	for (const struct kept_ask *k = r->task.found; k; k = k->next) {
		jw_object(w);
		mcp_task_write(r, w, &k->ask);
		jw_object_end(w);
	}
	jw_array_end(w);
	jw_put_some(w, "nextCursor", r->task.next_cursor);
	mcp_send(r);
}

void mcp_task_list(struct request *r)
{
	const struct param params[] = { { STR("status"), STR("all") },
		{ STR("cursor"), json_text(mcp_param(r, "cursor")) } };

	mcp_page(r, &use_ask_list, params, 2, tasks_listed);
}
