/* mcp_local.c - what a gateway on the agent's side (parley mcp-gateway NAME -- COMMAND) asks of the desk about the server
 * that it started: which of its tools may be called, and calls that were held and that it runs itself. Prefix: local_.
 *
 *	parley/tools {tools, revision, truncated} or {error}   {tools} that may be called; without any of these: is the
 *	                                                       name free for it?
 *	parley/start {call, owner}                             {started, arguments}: its approval is used up
 *	parley/alive {owner}                                   the calls that it runs go on
 *	parley/end   {call, owner, how, result or text}        how: done, failed, cancelled, unknown
 *
 * A call that is allowed is replied to with _meta "parley/run"; one that is held says notifications/parley/held
 * {call, ask} first. */
#include "serve/mcp_gateway.h"

#include "base/json_pattern.h"
#include "base/keep.h"

/* Of a list of tools, in a message. */
enum { LOCAL_BODY_MAX = MCP_LIST_BYTES + (64 << 10) };

size_t mcp_body_max(const struct http_request *h)
{
	bool local = str_is(http_header(h, "parley-transport"), "local");

	return local && str_starts(h->path, "/mcp/") ? LOCAL_BODY_MAX : 0;
}

/* Its members alone: it is for the gateway, not for a client. */
static struct json_writer *local_result(struct request *r)
{
	struct mcp *m = mcp_of(r);

	m->w = (struct json_writer){ .out = &m->out };
	rpc_result(&m->w, m->rpc.id);
	return &m->w;
}

void local_greet(struct request *r)
{
	struct mcp *m = mcp_of(r);

	if (!str_is(m->rpc.method, "initialize")) {
		mcp_refuse_as(r, 200, RPC_NO_METHOD, "the server itself answers that");
		return;
	}
	revision_greet(m->rpc.params, &m->client);
	m->headers =
		mcp_session_header(r, &(struct ticket_session){ .server = m->server });
	JW(local_result(r),
		"'protocolVersion':%s,'capabilities':{},'serverInfo':{'name':%s,'version':'0'}",
		str_of(revision_name(m->client.revision)), m->server);
	mcp_send(r);
}

void local_pass(struct request *r)
{
	JW(local_result(r), "'_meta':{'parley/run':{}}");
	mcp_send(r);
}

void local_held(struct request *r)
{
	const struct gateway_call *c = &mcp_of(r)->gateway->call;

	mcp_say(r,
		JSON_TEXT(&r->task.job.arena,
			"{'jsonrpc':'2.0','method':'notifications/parley/held','params':{'call':%s,'ask':%s}}",
			c->id, c->ask));
}

/* ---- its tools ---- */

static void tools_kept(struct request *r)
{
	const struct gateway_local *g = r->task.checked;

	JW(local_result(r), "'tools':%j", g->tools);
	mcp_send(r);
}

static void tools_refused(struct request *r)
{
	const struct job *job = &r->task.job;

	if (job->err == ERR_CONFLICT)
		mcp_refuse_as(r, 200, RPC_INVALID_REQUEST, "%s", job->why.detail);
	else
		gated_trouble(r);
}

static bool tools_read(struct request *r, struct gateway_local *g)
{
	struct arena *arena = &r->task.job.arena;
	const struct json *tools = mcp_param(r, "tools"),
			  *truncated = mcp_param(r, "truncated"), *item = NULL;
	struct str error = json_text(mcp_param(r, "error"));
	struct mcp_found *f;

	if (!tools && !error.len) return true;
	f = ARENA_NEW(arena, struct mcp_found);
	if (!f || (tools && !json_is(tools, JSON_ARRAY))) return false;
	while (json_each(tools, &item))
		if (item->type != JSON_OBJECT) return false;
	*f = (struct mcp_found){ .status = error.len ? MCP_FAILED : MCP_READY,
		.error = str_first(error, 400),
		.revision = str_first(json_text(mcp_param(r, "revision")), 20),
		.tools = tools ? json_keep(tools, arena) : STR("[]"),
		.truncated = (truncated && truncated->type == JSON_TRUE) ||
			     (tools && tools->count > MCP_TOOLS_MAX) };
	g->found = f;
	return !tools || tools->count <= MCP_TOOLS_MAX;
}

/* ---- held calls ---- */

static void call_begun(struct request *r)
{
	const struct gateway_local *g = r->task.checked;

	JW(local_result(r), "'started':%j,'arguments':%j", json_bool(g->start.started),
		g->arguments);
	mcp_send(r);
}

static void call_told(struct request *r)
{
	local_result(r);
	mcp_send(r);
}

static bool end_read(struct request *r, struct gateway_local *g)
{
	static const char *const how[] = { [GATEWAY_DONE] = "done",
		[GATEWAY_FAILED] = "failed",
		[GATEWAY_CANCELLED] = "cancelled",
		[GATEWAY_UNKNOWN] = "unknown" };
	struct str said = json_text(mcp_param(r, "how"));
	const struct json *result = mcp_param(r, "result");
	size_t i = 0;

	while (i < sizeof how / sizeof *how && !str_is(said, how[i]))
		i++;
	if (i == sizeof how / sizeof *how ||
		(i == GATEWAY_DONE && !json_is(result, JSON_OBJECT)))
		return false;
	g->end.call = g->start.call;
	g->end.how = (enum gateway_how)i;
	g->end.text = i == GATEWAY_DONE ? json_keep(result, &r->task.job.arena)
					: json_text(mcp_param(r, "text"));
	return true;
}

/* ---- its methods ---- */

static const struct {
	const char *name;
	const struct use *use;
	bool (*read)(struct request *, struct gateway_local *);
	mcp_fn *then, *otherwise;
} methods[] = {
	{ "parley/tools", &use_gateway_tools, tools_read, tools_kept, tools_refused },
	{ "parley/start", &use_gateway_begin, NULL, call_begun, NULL },
	{ "parley/alive", &use_gateway_alive, NULL, call_told, NULL },
	{ "parley/end", &use_gateway_report, end_read, call_told, NULL },
};

void local_message(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct gateway_local *g = ARENA_NEW(&r->task.job.arena, struct gateway_local);
	size_t i = 0;

	while (i < sizeof methods / sizeof *methods &&
		!str_is(m->rpc.method, methods[i].name))
		i++;
	if (!g || m->rpc.kind != RPC_REQUEST || m->batch ||
		i == sizeof methods / sizeof *methods) {
		mcp_refuse_as(r, 200, RPC_NO_METHOD, "there is no such method");
		return;
	}
	*g = (struct gateway_local){ .server = m->server,
		.start = { .call = json_text(mcp_param(r, "call")),
			.owner = json_text(mcp_param(r, "owner")) } };
	if (methods[i].read && !methods[i].read(r, g)) {
		mcp_refuse_params(r, "it cannot be read");
		return;
	}
	mcp_task(r)->checked = g;
	mcp_put(r, methods[i].use, methods[i].then, methods[i].otherwise);
}
