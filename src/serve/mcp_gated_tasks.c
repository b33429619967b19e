/* mcp_gated_tasks.c - calls held at the gateway as tasks of their client: the extension of 2026-07-28, and what
 * 2025-11-25 has in its core. A task's id is its call's; others are the server's own. Prefix: gated_. */
#include "serve/mcp_gateway.h"

#include "base/json_pattern.h"

enum { RESULT_WAIT_MS = 3600 * 1000 };

enum gateway_as gated_as(struct request *r)
{
	const struct mcp *m = mcp_of(r);

	if (m->client.revision >= REV_2026_07_28)
		return m->client.can & CAN_TASKS ? GATEWAY_TASK : GATEWAY_PLAIN;
	return m->client.revision == REV_2025_11_25 &&
			       json_is(mcp_param(r, "task"), JSON_OBJECT)
		       ? GATEWAY_TASK_IF_ALLOWED
		       : GATEWAY_PLAIN;
}

void gated_task_ability(
	struct json_writer *w, enum revision client, const struct json *server)
{
	const struct json *theirs = json_get(server, "extensions");

	if (client == REV_2025_11_25)
		JW(w, "'tasks':{'list':%j,'cancel':{},'requests':{'tools':{'call':{}}}}",
			json_get(json_get(server, "tasks"), "list") ? STR("{}")
								    : STR_NONE);
	if (client < REV_2026_07_28) return;
	jw_put_object(w, "extensions");
	for (uint32_t i = 0; json_is(theirs, JSON_OBJECT) && i < theirs->count; i++) {
		if (str_is(theirs->members[i].name, meta_tasks)) continue;
		jw_name(w, theirs->members[i].name);
		jw_json(w, &theirs->members[i].value);
	}
	JW(w, "'io.modelcontextprotocol/tasks':{}}");
}

/* ---- how it is ---- */

static const char *status_of(const struct gateway_call *c, enum revision client)
{
	bool now = client >= REV_2026_07_28;

	switch (c->status) {
	case CALL_DONE: return !now && c->erred ? "failed" : "completed";
	/* Since 2026-07-28 a result that is an error is one all the same. */
	case CALL_FAILED:
	case CALL_REJECTED: return now ? "completed" : "failed";
	case CALL_CANCELLED: return "cancelled";
	default: return "working";
	}
}

static struct str message_of(const struct gateway_call *c)
{
	switch (c->status) {
	case CALL_WAITING:
		return c->ready ? STR("It was approved.")
				: STR("A person has been asked.");
	case CALL_INTERRUPTED:
		return STR(
			"It was started, and its outcome is unknown: a person decides.");
	case CALL_STARTED: return STR("It was approved and is running.");
	default: return c->error;
	}
}

static void members_write(struct request *r, struct json_writer *w)
{
	const struct gateway_call *c = &mcp_of(r)->gateway->call;
	enum revision client = mcp_of(r)->client.revision;
	const struct task_view t = { .id = c->id,
		.status = status_of(c, client),
		.message = message_of(c),
		.created_ms = c->created_ms,
		.updated_ms = c->updated_ms };

	result_task_write(w, &t, client, mcp_offer(r)->poll_ms);
}

static struct json_writer *result_open(struct request *r, const char *type)
{
	struct mcp *m = mcp_of(r);

	m->w = (struct json_writer){ .out = &m->out };
	rpc_result(&m->w, m->rpc.id);
	if (m->client.revision >= REV_2026_07_28) jw_put_text(&m->w, "resultType", type);
	return &m->w;
}

void gated_task_reply(struct request *r)
{
	struct json_writer *w = result_open(r, "task");
	bool now = mcp_of(r)->client.revision >= REV_2026_07_28;

	if (!now) jw_put_object(w, "task");
	members_write(r, w);
	if (!now) jw_object_end(w);
	gated_meta(w, &mcp_of(r)->gateway->call, NULL, false);
	mcp_send(r);
}

/* ---- what its client asks about it ---- */

static void task_got(struct request *r)
{
	struct mcp *m = mcp_of(r);
	const struct gateway_task *g = m->gateway;
	struct json_writer *w = result_open(r, "complete");

	members_write(r, w);
	if (m->client.revision >= REV_2026_07_28 && g->what == GATEWAY_ENDED &&
		g->call.status != CALL_CANCELLED) {
		const struct gated_told told = { .revision = m->client.revision };

		jw_put_object(w, "result");
		gated_result_members(r->serve, w, g, &told, &r->task.job.arena);
		jw_object_end(w);
		if (r->x && !m->batch) gated_delivered(r->serve, r->task.job.who.ws, g);
	}
	mcp_send(r);
}

static void task_result_got(struct request *r)
{
	int64_t wait_ms = mcp_of(r)->gateway->what == GATEWAY_ENDED ? 1 : RESULT_WAIT_MS;

	if (!mcp_hold_gated(r, wait_ms, GATED_RELATED))
		mcp_refuse_params(r, "the task is not done yet");
}

static void task_updated(struct request *r)
{
	result_open(r, "complete");
	mcp_send(r);
}

static void task_cancelled(struct request *r)
{
	struct json_writer *w = result_open(r, "complete");

	if (mcp_of(r)->client.revision < REV_2026_07_28) members_write(r, w);
	mcp_send(r);
}

/* An empty result acknowledges it, even when there is nothing left to cancel. */
static void task_over(struct request *r)
{
	if (r->task.job.err == ERR_CONFLICT &&
		mcp_of(r)->client.revision >= REV_2026_07_28)
		task_updated(r);
	else if (r->task.job.err == ERR_CONFLICT)
		mcp_refuse_params(r, "%s", r->task.job.why.detail);
	else
		mcp_trouble(r);
}

static void task_looked(struct request *r)
{
	static const struct {
		const char *method;
		mcp_fn *then;
	} methods[] = {
		{ "tasks/get", task_got },
		{ "tasks/result", task_result_got },
		{ "tasks/update", task_updated },
		{ NULL, NULL },
	};
	struct mcp *m = mcp_of(r);
	size_t i = 0;

	if (!str_eq(m->gateway->call.server, m->server)) {
		mcp_refuse_params(r, "there is no such task at this server");
		return;
	}
	/* Whoever looks has it run, should nobody else. */
	if (m->gateway->call.ready)
		r->serve->relay->run(r->serve->relay->ctx, r->task.job.who.ws, m->server,
			m->gateway->call.id);
	while (methods[i].method && !str_is(m->rpc.method, methods[i].method))
		i++;
	if (methods[i].then)
		methods[i].then(r);
	else
		gated_cancel(r, m->gateway->call.id, task_cancelled, task_over);
}

static bool gated_put(struct request *r, struct str call, const struct use *use,
	mcp_fn *then, mcp_fn *otherwise)
{
	struct gateway_task *g = ARENA_NEW(&r->task.job.arena, struct gateway_task);

	if (!g) {
		mcp_refuse_as(r, 200, RPC_INTERNAL, "out of memory");
		return false;
	}
	*g = (struct gateway_task){ .server = mcp_of(r)->server, .same = call };
	mcp_of(r)->gateway = g;
	mcp_task(r)->checked = g;
	mcp_put(r, use, then, otherwise);
	return true;
}

bool gated_task(struct request *r)
{
	static const char *const methods[] = { "tasks/get", "tasks/result",
		"tasks/cancel", "tasks/update" };
	struct mcp *m = mcp_of(r);
	struct str id = json_text(mcp_param(r, "taskId"));
	bool ours = false;

	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		ours |= str_is(m->rpc.method, methods[i]);
	if (!ours || m->rpc.kind != RPC_REQUEST || !str_starts(id, "call_")) return false;
	if (mcp_task_known(r))
		gated_put(r, id, &use_gateway_look, task_looked, mcp_trouble);
	return true;
}

/* ---- withdrawn ---- */

static void cancelled(struct request *r)
{
	struct mcp *m = mcp_of(r);

	r->serve->relay->cancel(
		r->serve->relay->ctx, r->task.job.who.ws, m->gateway->call.id);
	m->cancelled(r);
}

void gated_cancel(struct request *r, struct str call, mcp_fn *then, mcp_fn *otherwise)
{
	mcp_of(r)->cancelled = then;
	gated_put(r, call, &use_gateway_cancel, cancelled, otherwise);
}
