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

void mcp_task_write(struct request *r, struct json_writer *w, const struct json *ask)
{
	task_write(w, ask, task_status(ask), mcp_of(r)->client.revision,
		mcp_offer(r)->poll_ms);
}

static void task_put(
	struct request *r, const struct use *use, mcp_fn *then, mcp_fn *otherwise)
{
	if (!mcp_task_known(r)) return;
	mcp_task(r)->id = json_text(mcp_param(r, "taskId"));
	mcp_body(r, STR("{}"));
	mcp_put(r, use, then, otherwise);
}

/* ---- what has become of it ---- */

/* Since 2026-07-28 its outcome, or what it wants of the client, comes along. */
static void outcome_write(
	struct request *r, struct json_writer *w, const struct json *ask)
{
	const struct mcp_offer *offer = mcp_offer(r);
	struct arena *arena = &r->task.job.arena;
	struct mcp_input inputs[MCP_INPUTS_MAX];
	size_t wanted = mcp_inputs(r, ask, inputs);
	struct str failed = offer->failed ? offer->failed(ask, arena) : STR_NONE;

	const char *status = ask_is_pending(ask) ? (wanted ? "input_required" : "working")
			     : failed.len	 ? "failed"
						 : task_status(ask);

	task_write(w, ask, status, REV_2026_07_28, offer->poll_ms);
	if (wanted) inputs_write(w, inputs, wanted);
	if (strcmp(status, "failed") == 0) jw_put_raw(w, "error", failed);
	if (strcmp(status, "completed") != 0) return;
	jw_put_object(w, "result");
	offer->result(w, ask, 0, arena);
	jw_object_end(w);
}

static void task_got(struct request *r)
{
	const struct json *ask = mcp_out(r);
	struct json_writer *w = mcp_result(r, "complete");

	if (mcp_of(r)->client.revision >= REV_2026_07_28)
		outcome_write(r, w, ask);
	else
		mcp_task_write(r, w, ask);
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
		mcp_task_write(r, w, json_get(mcp_out(r), "ask"));
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
	mcp_form_take(r, mcp_out(r), mcp_param(r, "inputResponses"), mcp_ping);
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
	const struct json *page = mcp_out(r), *items = json_get(page, "items");
	const struct json *next = json_get(page, "next_cursor");
	struct json_writer *w = mcp_result(r, "complete");

	jw_put_array(w, "tasks");
	for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->count; i++) {
		jw_object(w);
		mcp_task_write(r, w, &items->items[i]);
		jw_object_end(w);
	}
	jw_array_end(w);
	if (json_is(next, JSON_STRING)) jw_put_json(w, "nextCursor", next);
	mcp_send(r);
}

void mcp_task_list(struct request *r)
{
	const struct param params[] = { { STR("status"), STR("all") },
		{ STR("cursor"), json_text(mcp_param(r, "cursor")) } };

	mcp_page(r, &use_ask_list, params, 2, tasks_listed);
}
