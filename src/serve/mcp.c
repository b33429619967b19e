/* mcp.c - the endpoint of the Model Context Protocol: a message in, who sent it, its method
 * found, its reply out. Stateless in every revision: whatever a session, a stream or an
 * unfinished request needs is in the tickets that the client brings back (mcp/ticket.h).
 * What is served comes from tables (struct mcp_offer). */
#include "serve/mcp_gateway.h"

#include "base/clock.h"
#include "core/shared/trace.h"

enum { BATCH_MAX = 50 };

/* Several messages in one body, which 2025-03-26 has: one after the other. */
struct mcp_batch {
	const struct json *messages;
	uint32_t next;
	struct buf replies;
	struct json_writer w;
	struct mcp common; /* what holds for all of them */
};

static mcp_fn batch_next, run;

/* ---- replies ---- */

/* What the request holds outside its arena. */
static void mcp_done(struct mcp *m)
{
	buf_done(&m->out);
	buf_done(&m->said);
	if (m->batch) buf_done(&m->batch->replies);
	m->batch = NULL;
}

static void replied(struct request *r)
{
	r->x = NULL;
	if (!mcp_of(r)->kept) request_free(r);
}

static void reply(
	struct request *r, int status, const char *content_type, struct str body)
{
	struct mcp *m = mcp_of(r);

	if (r->x) {
		http_on_gone(r->x, NULL, NULL);
		serve_count(r->serve, status);
		http_reply(r->x, status, body.len ? content_type : NULL,
			arena_print(&r->task.job.arena, API_HEADERS "%.*s",
				STR_ARGS(m->headers)),
			body);
	}
	mcp_done(m);
	replied(r);
}

/* The message is written: as it is, behind what was said before, or into the batch. */
static void reply_message(struct request *r, int status)
{
	struct mcp *m = mcp_of(r);

	if (m->out.failed || m->said.failed || r->task.job.arena.failed) {
		mcp_done(m);
		request_refuse(r, ERR_MEMORY, "out of memory");
	} else if (m->begun) {
		sse_write(&m->said, STR_NONE, buf_str(&m->out));
		if (r->x) {
			http_on_gone(r->x, NULL, NULL);
			http_end_with(r->x, buf_str(&m->said));
		}
		mcp_done(m);
		replied(r);
	} else if (m->batch) {
		jw_raw(&m->batch->w, buf_str(&m->out));
		batch_next(r);
	} else if (m->said.len) {
		sse_write(&m->said, STR_NONE, buf_str(&m->out));
		reply(r, 200, "text/event-stream", buf_str(&m->said));
	} else {
		reply(r, status, "application/json", buf_str(&m->out));
	}
}

struct json_writer *mcp_result(struct request *r, const char *type)
{
	struct mcp *m = mcp_of(r);

	m->w = (struct json_writer){ .out = &m->out };
	result_begin(&m->w, m->rpc.id, m->client.revision, type);
	return &m->w;
}

void mcp_send(struct request *r)
{
	rpc_end(&mcp_of(r)->w);
	reply_message(r, 200);
}

void mcp_send_as_is(struct request *r, int status)
{
	reply_message(r, status);
}

void mcp_say(struct request *r, struct str message)
{
	sse_write(&mcp_of(r)->said, STR_NONE, message);
}

void mcp_refuse(struct request *r, const struct rpc_fault *why)
{
	struct mcp *m = mcp_of(r);
	struct json_writer w = { .out = &m->out };

	buf_clear(&m->out);
	buf_done(&m->said);
	rpc_error(&w, m->rpc.id, why);
	reply_message(r, why->status);
}

void mcp_accept(struct request *r)
{
	if (mcp_of(r)->batch)
		batch_next(r);
	else
		reply(r, 202, NULL, STR_NONE);
}

void mcp_tool_error(struct request *r, struct str text)
{
	text_result_write(mcp_result(r, "complete"), text, true);
	mcp_send(r);
}

void mcp_trouble(struct request *r)
{
	const struct job *job = &r->task.job;
	bool invalid = job->err == ERR_NOT_FOUND || job->err == ERR_INVALID ||
		       job->err == ERR_BAD_REQUEST;
	struct str text = fault_text(&job->why, &r->task.job.arena);

	if (job->err == ERR_NO_TOKEN) {
		mcp_done(mcp_of(r));
		request_reply(r, STR_NONE);
		return;
	}
	if (mcp_of(r)->tool && job->err != ERR_INTERNAL)
		mcp_tool_error(r, text);
	else
		mcp_refuse_as(r, 200, invalid ? RPC_INVALID_PARAMS : RPC_INTERNAL, "%.*s",
			STR_ARGS(text));
}

/* ---- to the desk and back ---- */

const struct ask_json *mcp_whole(struct request *r)
{
	static const struct ask none;
	static const struct ask_view nowhere;
	static const struct ask_json empty = { .ask = &none, .view = &nowhere };
	struct mcp *m = mcp_of(r);
	struct arena *arena = &r->task.job.arena;
	const struct kept_ask *k = r->task.found;
	struct ask_json *whole;

	if (m->whole && m->whole->ask == &k->ask) return m->whole;
	whole = ARENA_NEW(arena, struct ask_json);
	if (whole && ask_json_read(&k->ask, &k->view, arena, whole, NULL) == OK)
		return m->whole = whole;
	arena->failed = true;
	return &empty;
}

const struct json *mcp_param(struct request *r, const char *name)
{
	return json_get(mcp_of(r)->rpc.params, name);
}

struct task *mcp_task(struct request *r)
{
	request_renew(r);
	r->task.job.who.via = STR("mcp");
	r->task.project = mcp_of(r)->project;
	r->task.trace = mcp_of(r)->trace;
	return &r->task;
}

void mcp_body(struct request *r, struct str json)
{
	json_read(arena_str(&r->task.job.arena, json), NULL, &r->task.job.arena,
		&r->task.body, NULL);
}

/* On the clerk's thread: notes who the client is. */
static enum err entered(struct task *t, struct fault *why)
{
	struct request *r = (struct request *)(void *)t;
	struct mcp *m = mcp_of(r);
	struct job *job = &t->job;
	int64_t own_s = job->credential.mcp_wait_s;

	if (m->owner.len && !str_eq(m->owner, job->who.agent)) {
		t->mcp_ended = true; /* another agent's session: not found */
		return fail(why, ERR_NOT_FOUND, "no such session");
	}
	m->state = MCP_ENTERED;
	m->token = job->who.token;
	m->tools = (struct tools_for){ job->credential.tools, job->who.runs, STR_NONE };
	m->bound = job->who.projects;
	m->local = job->credential.mcp_local;
	m->wait_ms = own_s >= 0 ? own_s * 1000 : r->serve->set.mcp_wait_ms;
	if (m->batch) m->wait_ms = 0;
	if (m->wait_max_ms >= 0 && m->wait_ms > m->wait_max_ms)
		m->wait_ms = m->wait_max_ms;
	if (m->tool && !tool_allowed(m->tool, &m->tools))
		return fail(why, ERR_FORBIDDEN, "there is no tool %s", m->tool->name);
	return m->tool || m->server.len ? mcp_call_entered(r, why) : OK;
}

/* Turned away, and with them all messages of a batch. */
static void turn_away(struct request *r)
{
	struct mcp *m = mcp_of(r);

	mcp_done(m);
	m->tool = NULL;
	if (r->task.mcp_ended)
		mcp_refuse_as(r, 404, RPC_INVALID_REQUEST, "%s", r->task.job.why.detail);
	else
		mcp_trouble(r);
}

static void put_back(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct job *job = &r->task.job;
	bool gated = job->gate != NULL;

	if (job->err) passing_drop(m);
	if (gated && r->task.mcp_ended)
		turn_away(r);
	else if (gated && m->state >= MCP_ENTERED && m->tool &&
		 job->err == ERR_FORBIDDEN && !tool_allowed(m->tool, &m->tools))
		mcp_refuse_params(r, "there is no tool %s", m->tool->name);
	else if (!job->err)
		m->then(r);
	else if (m->state >= MCP_ENTERED)
		(m->otherwise ? m->otherwise : mcp_trouble)(r);
	else if (job->kind == &use_mcp_enter.job || job->err == ERR_NO_TOKEN ||
		 job->err >= ERR_UNAVAILABLE)
		turn_away(r);
	else /* What is wrong with it is told to those who may come in. */
		mcp_enter_first(r, run);
}

void mcp_put(struct request *r, const struct use *use, mcp_fn *then, mcp_fn *otherwise)
{
	struct mcp *m = mcp_of(r);

	m->then = then;
	m->otherwise = otherwise;
	if (m->state == MCP_READ) {
		r->task.job.gate = &mcp_gate;
		r->task.mcp_session = m->nonce;
		r->task.entered = entered;
	}
	request_put(r, use, put_back);
}

void mcp_do(struct request *r, const struct use *use, struct str id, struct str body,
	mcp_fn *then, mcp_fn *otherwise)
{
	struct task *t = mcp_task(r);

	t->id = id;
	t->wants_record = true;
	if (body.len) mcp_body(r, body);
	mcp_put(r, use, then, otherwise);
}

void mcp_page(struct request *r, const struct use *use, const struct param *params,
	size_t len, mcp_fn *then)
{
	struct task *t = mcp_task(r);

	t->wants_record = true;
	t->params = ARENA_ARRAY(&t->job.arena, struct param, len);
	for (size_t i = 0; t->params && i < len; i++)
		if (params[i].value.len) t->params[t->params_len++] = params[i];
	mcp_put(r, use, then, NULL);
}

bool mcp_enter_first(struct request *r, mcp_fn *again)
{
	if (mcp_of(r)->state >= MCP_ENTERED) return false;
	mcp_task(r);
	mcp_put(r, &use_mcp_enter, again, NULL);
	return true;
}

/* ---- methods ---- */

/* What each revision knows. */
static const struct mcp_method methods[] = {
	{ "initialize", REV_2025_03_26, REV_2025_11_25, mcp_initialize },
	{ "ping", REV_2025_03_26, REV_2025_11_25, mcp_ping },
	{ "server/discover", REV_2026_07_28, REV_2026_07_28, mcp_discover },
	{ "tools/list", REV_2025_03_26, REV_2026_07_28, mcp_tools_list, true },
	{ "tools/call", REV_2025_03_26, REV_2026_07_28, mcp_tools_call, true },
	{ "resources/list", REV_2025_03_26, REV_2026_07_28, mcp_resources_list },
	{ "resources/templates/list", REV_2025_03_26, REV_2026_07_28,
		mcp_templates_list },
	{ "resources/read", REV_2025_03_26, REV_2026_07_28, mcp_resources_read },
	{ "prompts/list", REV_2025_03_26, REV_2026_07_28, mcp_prompts_list },
	{ "prompts/get", REV_2025_03_26, REV_2026_07_28, mcp_prompts_get },
	{ "completion/complete", REV_2025_03_26, REV_2026_07_28, mcp_complete },
	{ "subscriptions/listen", REV_2026_07_28, REV_2026_07_28, mcp_listen },
	{ "tasks/get", REV_2025_11_25, REV_2026_07_28, mcp_task_get },
	{ "tasks/cancel", REV_2025_11_25, REV_2026_07_28, mcp_task_cancel },
	{ "tasks/result", REV_2025_11_25, REV_2025_11_25, mcp_task_result },
	{ "tasks/list", REV_2025_11_25, REV_2025_11_25, mcp_task_list },
	{ "tasks/update", REV_2026_07_28, REV_2026_07_28, mcp_task_update },
	{ 0 },
};

static const struct mcp_method *method_find(
	const struct mcp_method *at, struct str name, enum revision revision)
{
	for (; at->name; at++)
		if (str_is(name, at->name) && revision >= at->from && revision <= at->to)
			return at;
	return NULL;
}

static void run_request(struct request *r)
{
	struct mcp *m = mcp_of(r);
	enum revision revision = m->client.revision;
	const struct mcp_method *method = method_find(methods, m->rpc.method, revision);

	if (!method) method = method_find(mcp_offer(r)->methods, m->rpc.method, revision);
	if ((!method || !method->asks_desk) && mcp_enter_first(r, run)) return;
	if (method && !(m->batch && method->run == mcp_initialize))
		method->run(r);
	else
		mcp_refuse_as(r, revision >= REV_2026_07_28 ? 404 : 200, RPC_NO_METHOD,
			"there is no method %.*s %s %s",
			STR_ARGS(str_first(m->rpc.method, 64)),
			method ? "among several messages of" : "in",
			revision_name(revision));
}

static void run_notification(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct arena *arena = &r->task.job.arena;
	struct str id, call;

	if (mcp_enter_first(r, run)) return;
	if (!str_is(m->rpc.method, "notifications/cancelled")) {
		mcp_accept(r);
		return;
	}
	id = rpc_id(mcp_param(r, "requestId"), arena);
	call = arena_str(arena, mcp_waits_for(r->serve, m->nonce, id));
	if (call.len) {
		gated_cancel(r, call, mcp_accept, mcp_accept);
		return;
	}
	mcp_forget(r->serve, m->nonce, id);
	mcp_accept(r);
}

static void run(struct request *r)
{
	struct mcp *m = mcp_of(r);

	const struct json *meta = mcp_param(r, "_meta");
	struct arena *arena = &r->task.job.arena;

	m->progress = rpc_id(json_get(meta, "progressToken"), arena);
	if (json_get(meta, "traceparent"))
		m->trace = trace_read(json_text_of(meta, "traceparent"),
			json_text_of(meta, "tracestate"), arena);
	r->task.trace = m->trace;
	if (m->server.len)
		gated_message(r);
	else if (m->rpc.kind == RPC_REQUEST)
		run_request(r);
	else if (m->rpc.kind == RPC_NOTIFICATION)
		run_notification(r);
	else
		mcp_form_response(r);
}

/* ---- who calls ---- */

static struct mcp_wire wire_of(const struct http_request *h)
{
	return (struct mcp_wire){ str_trim(http_header(h, "mcp-protocol-version")),
		str_trim(http_header(h, "mcp-method")),
		str_trim(http_header(h, "mcp-name")) };
}

/* Until 2025-11-25: what the session id says, or else the header. */
static bool request_read_session(struct request *r, const struct http_request *h,
	const struct mcp_wire *wire, struct rpc_fault *why)
{
	struct mcp *m = mcp_of(r);
	struct str id = http_header(h, "mcp-session-id");
	struct ticket_session s = { .client = { .revision = REV_2025_03_26 } };

	if (wire->version.len && !revision_read(wire->version, &s.client.revision))
		return rpc_fail(why, 400, RPC_INVALID_REQUEST,
			"MCP-Protocol-Version: %.*s is not served",
			STR_ARGS(str_first(wire->version, 32)));
	if (id.len && !str_is(m->rpc.method, "initialize") &&
		(!ticket_session_read(id, serve_key(r->serve), &r->task.job.arena, &s) ||
			s.expires_ms <= clock_now_ms() || !str_eq(s.server, m->server) ||
			s.speaks < 0 || s.speaks >= REVISIONS))
		return rpc_fail(why, 404, RPC_INVALID_REQUEST, "no such session");
	m->client = s.client;
	m->nonce = s.nonce;
	m->owner = s.agent;
	m->behind = s.behind;
	m->speaks = (enum revision)s.speaks;
	return true;
}

static bool request_read_client(
	struct request *r, const struct http_request *h, struct rpc_fault *why)
{
	struct mcp *m = mcp_of(r);
	struct mcp_wire wire = wire_of(h);

	if (!revision_is_stateless(&m->rpc, &wire))
		return request_read_session(r, h, &wire, why);
	m->client.revision = REV_2026_07_28;
	if (m->rpc.kind != RPC_REQUEST) return true;
	return revision_check(&m->rpc, &wire, &r->task.job.arena, &m->client, why);
}

/* ---- batches ---- */

static void batch_done(struct request *r)
{
	struct mcp_batch *b = mcp_of(r)->batch;
	bool any;

	jw_array_end(&b->w);
	any = b->replies.len > 2;
	reply(r, any ? 200 : 202, "application/json",
		any ? buf_str(&b->replies) : STR_NONE);
}

static void batch_next(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct mcp_batch *b = m->batch;

	buf_done(&m->out);
	buf_done(&m->said);
	if (b->next == b->messages->count) {
		batch_done(r);
		return;
	}
	*m = b->common;
	if (rpc_read(&b->messages->items[b->next++], &r->task.job.arena, &m->rpc))
		run(r);
	else
		mcp_refuse_as(r, 200, RPC_INVALID_REQUEST, "not a JSON-RPC 2.0 message");
}

static void batch_entered(struct request *r)
{
	mcp_of(r)->batch->common = *mcp_of(r);
	batch_next(r);
}

static bool batch_open(
	struct request *r, const struct json *messages, struct rpc_fault *why)
{
	struct mcp *m = mcp_of(r);
	struct mcp_batch *b = ARENA_NEW(&r->task.job.arena, struct mcp_batch);

	if (m->client.revision != REV_2025_03_26)
		return rpc_fail(why, 400, RPC_INVALID_REQUEST,
			"several messages at once are of 2025-03-26 only");
	if (!messages->count || messages->count > BATCH_MAX || !b)
		return rpc_fail(why, 400, RPC_INVALID_REQUEST,
			"from 1 to %d messages at once", BATCH_MAX);
	b->messages = messages;
	m->batch = b;
	b->w = (struct json_writer){ .out = &b->replies };
	jw_array(&b->w);
	return true;
}

/* ---- the route ---- */

static bool message_read(
	struct request *r, const struct http_request *h, struct rpc_fault *why)
{
	struct mcp *m = mcp_of(r);
	struct arena *arena = &r->task.job.arena;
	struct str type = http_header(h, "content-type");
	const struct json *message;
	struct fault wrong = { 0 };

	if (type.len && !str_starts(type, "application/json"))
		return rpc_fail(why, 415, RPC_INVALID_REQUEST,
			"Content-Type: application/json is needed");
	if (m->beside) arena->max = MCP_LIST_MEMORY;
	if (json_read(arena_str(arena, h->body), m->beside ? &mcp_list_limits : NULL,
		    arena, &message, &wrong))
		return rpc_fail(why, 400, RPC_PARSE_ERROR, "%s", wrong.detail);
	if (json_is(message, JSON_ARRAY))
		return request_read_client(r, h, why) && batch_open(r, message, why);
	if (!rpc_read(message, arena, &m->rpc))
		return rpc_fail(
			why, 400, RPC_INVALID_REQUEST, "not a JSON-RPC 2.0 message");
	return request_read_client(r, h, why);
}

static struct mcp *mcp_new(struct request *r)
{
	struct mcp *m = ARENA_NEW(&r->task.job.arena, struct mcp);
	struct str accept = http_header(http_request(r->x), "accept");

	if (!m) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return NULL;
	}
	m->streams = str_find(accept, STR("text/event-stream")) >= 0;
	m->key = r->task.job.key;
	m->project = r->task.project;
	m->trace = r->task.trace;
	m->wait_max_ms = -1;
	m->server = r->task.id;
	m->session = arena_str(&r->task.job.arena,
		str_trim(http_header(http_request(r->x), "parley-session")));
	m->beside = str_is(http_header(http_request(r->x), "parley-transport"), "local");
	m->stdio = m->beside ||
		   str_is(http_header(http_request(r->x), "parley-transport"), "stdio");
	r->ctx = m;
	if (mcp_offer(r)->guest && !r->task.job.has_hash && !r->listener->local_admin) {
		r->task.job.has_hash = true;
		memcpy(r->task.job.hash, r->serve->guest, SHA256_SIZE);
	}
	return m;
}

void route_mcp(struct request *r)
{
	struct rpc_fault why = { 0 };

	if (!mcp_new(r)) return;
	if (!message_read(r, http_request(r->x), &why))
		mcp_refuse(r, &why);
	else if (mcp_of(r)->batch)
		mcp_enter_first(r, batch_entered);
	else
		run(r);
}

/* ---- GET and DELETE: the revisions with sessions ---- */

static bool refuse_method(struct request *r)
{
	struct mcp_wire wire = wire_of(http_request(r->x));
	struct job *job = &r->task.job;

	if (!r->head && !str_is(wire.version, revision_name(REV_2026_07_28)))
		return false;
	job->err = fail(&job->why, ERR_METHOD, "in this revision there is POST alone");
	request_reply(r, STR("Allow: POST\r\n"));
	return true;
}

static bool session_enter(struct request *r)
{
	const struct http_request *h = http_request(r->x);
	struct mcp_wire wire = wire_of(h);
	struct rpc_fault why = { 0 };

	if (request_read_session(r, h, &wire, &why)) return true;
	mcp_refuse(r, &why);
	return false;
}

void route_mcp_stream(struct request *r)
{
	struct mcp *m;

	if (refuse_method(r) || !mcp_new(r) || !session_enter(r)) return;
	m = mcp_of(r);
	m->last_event = arena_str(
		&r->task.job.arena, http_header(http_request(r->x), "last-event-id"));
	if (m->last_event.len)
		mcp_resume(r);
	else if (m->server.len)
		gated_stream(r);
	else
		mcp_enter_first(r, mcp_listen_legacy);
}

void mcp_ended(struct request *r)
{
	reply(r, 204, NULL, STR_NONE);
}

void route_mcp_end(struct request *r)
{
	if (refuse_method(r) || !mcp_new(r) || !session_enter(r)) return;
	if (!mcp_of(r)->nonce.len) {
		mcp_refuse_as(r, 400, RPC_INVALID_REQUEST, "Mcp-Session-Id is needed");
		return;
	}
	mcp_task(r);
	mcp_put(r, &use_mcp_end, mcp_of(r)->behind.len ? gated_end : mcp_ended, NULL);
}
