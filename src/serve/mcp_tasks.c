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

static void task_put(
	struct request *r, const struct use *use, void (*then)(struct request *))
{
	struct str id = json_text(mcp_param(r, "taskId"));
	struct task *t;

	if (!mcp_task_known(r)) return;
	t = mcp_task(r);
	t->id = id;
	mcp_body(r, STR("{}"));
	request_put(r, use, then);
}

static void task_got(struct request *r)
{
	struct mcp *m = mcp_of(r);
	const struct json *ask;
	struct json_writer *w;

	if (r->task.job.err) {
		mcp_trouble(r);
		return;
	}
	ask = mcp_out(r);
	w = mcp_result(r, "complete");
	task_write(w, ask, m->client.revision);
	if (m->client.revision >= REV_2026_07_28 &&
		strcmp(task_status(ask), "completed") == 0) {
		jw_key(w, "result");
		jw_object(w);
		ask_result_write(w, ask, 0, &r->task.job.arena);
		jw_object_end(w);
	}
	mcp_send(r);
}

void mcp_task_get(struct request *r)
{
	task_put(r, &use_ask_get, task_got);
}

static void task_cancelled(struct request *r)
{
	struct mcp *m = mcp_of(r);
	bool over = r->task.job.err == ERR_CONFLICT;

	if (r->task.job.err && (!over || m->client.revision < REV_2026_07_28)) {
		mcp_trouble(r);
		return;
	}
	if (m->client.revision < REV_2026_07_28) {
		task_write(mcp_result(r, "complete"), json_get(mcp_out(r), "ask"),
			m->client.revision);
		mcp_send(r);
		return;
	}
	/* An empty result acknowledges it, even when there is nothing left to cancel. */
	mcp_result(r, "complete");
	mcp_send(r);
}

void mcp_task_cancel(struct request *r)
{
	task_put(r, &use_cancel, task_cancelled);
}

/* Our tasks never wait for input of the client's: there is nothing to do. */
static void task_updated(struct request *r)
{
	if (r->task.job.err) {
		mcp_trouble(r);
		return;
	}
	mcp_result(r, "complete");
	mcp_send(r);
}

void mcp_task_update(struct request *r)
{
	task_put(r, &use_ask_get, task_updated);
}

/* ---- 2025-11-25 alone ---- */

static void task_result_got(struct request *r)
{
	struct mcp *m = mcp_of(r);
	const struct json *ask;

	if (r->task.job.err) {
		mcp_trouble(r);
		return;
	}
	ask = mcp_out(r);
	m->task_result = true;
	if (!ask_is_pending(ask) || !mcp_hold(r, r->task.id, m->wait_ms, NULL))
		mcp_answer_now(r, ask);
}

void mcp_task_result(struct request *r)
{
	task_put(r, &use_ask_get, task_result_got);
}

static void tasks_listed(struct request *r)
{
	const struct json *page, *items, *next;
	struct json_writer *w;

	if (r->task.job.err) {
		mcp_trouble(r);
		return;
	}
	page = mcp_out(r);
	items = json_get(page, "items");
	next = json_get(page, "next_cursor");
	w = mcp_result(r, "complete");
	jw_key(w, "tasks");
	jw_array(w);
	for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->count; i++) {
		jw_object(w);
		task_write(w, &items->items[i], REV_2025_11_25);
		jw_object_end(w);
	}
	jw_array_end(w);
	if (json_is(next, JSON_STRING)) {
		jw_key(w, "nextCursor");
		jw_json(w, next);
	}
	mcp_send(r);
}

void mcp_task_list(struct request *r)
{
	struct str cursor = json_text(mcp_param(r, "cursor"));
	struct task *t = mcp_task(r);

	t->params = ARENA_ARRAY(&t->job.arena, struct param, 2);
	if (t->params) {
		t->params[t->params_len++] = (struct param){ STR("status"), STR("all") };
		if (cursor.len)
			t->params[t->params_len++] =
				(struct param){ STR("cursor"), cursor };
	}
	request_put(r, &use_ask_list, tasks_listed);
}
