/* mcp_gateway.c - /mcp/NAME: a server of the desk as an agent's own client sees it. Messages are passed on to the server
 * and back as they came; what calls a tool or reads something is decided first, and what a person must approve is
 * held. Prefix: gated_. */
#include "serve/mcp_gateway.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/json_pattern.h"
#include "base/keep.h"
#include "desk/run.h"
#include "desk/run/mcp_servers.h"

enum { TOOLS_MS = 60000, STATE_LIFE_MS = 24 * 3600 * 1000 };

/* ---- what is wrong ---- */

static void not_reached(struct request *r)
{
	struct mcp *m = mcp_of(r);
	const struct relay *relay = m->relay;

	if (relay->status == 404 && m->behind.len) {
		mcp_refuse_as(r, 404, RPC_INVALID_REQUEST, "no such session");
		return;
	}
	mcp_refuse_as(r, 200, RPC_NOT_REACHED, "%.*s: %.*s%.*s", STR_ARGS(m->server),
		STR_ARGS(relay->unknown ? STR("no answer came, and it may have run: ")
					: STR_NONE),
		STR_ARGS(str_first(relay->wrong, 400)));
}

/* ---- what comes back ---- */

static bool is_list(struct str method)
{
	return str_is(method, "tools/list") || str_is(method, "prompts/list") ||
	       str_is(method, "resources/list") ||
	       str_is(method, "resources/templates/list");
}

/* Since 2026-07-28 what was read says how long it is good, and for whom. */
static bool lacks_scope(const struct mcp *m, const struct json *result)
{
	return m->client.revision >= REV_2026_07_28 &&
	       str_is(m->rpc.method, "resources/read") && !json_get(result, "cacheScope");
}

static bool is_decided(const struct mcp *m)
{
	return m->rpc.kind == RPC_REQUEST &&
	       (str_is(m->rpc.method, "tools/call") ||
		       str_is(m->rpc.method, "resources/read") ||
		       str_is(m->rpc.method, "prompts/get"));
}

/* Since 2026-07-28 some errors have a status of their own. */
static int error_status(enum revision client, int64_t code)
{
	if (client < REV_2026_07_28) return 200;
	return code == RPC_NO_METHOD ? 404
	       : code == RPC_HEADER_MISMATCH || code == RPC_NO_CAPABILITY ||
			       code == RPC_NO_VERSION
		       ? 400
		       : 200;
}

static void passed(struct request *r)
{
	struct mcp *m = mcp_of(r);
	const struct relay *relay = m->relay;
	struct str wants = STR_NONE; /* what the server is to see again */

	if (m->gateway->tool.len)
		run_count_gateway(r->serve->desk, r->task.job.who.ws, m->server, NULL,
			relay->took_ms);
	if (!relay->reply) {
		not_reached(r);
		return;
	}
	if (m->client.revision >= REV_2026_07_28 && is_decided(m) &&
		str_is(json_text_of(relay->said.result, "resultType"), "input_required"))
		wants = json_text_of(relay->said.result, "requestState");
	m->w = (struct json_writer){ .out = &m->out };
	if (relay->said.result) {
		rpc_result(&m->w, m->rpc.id);
		gated_members(&m->w, relay->said.result, m->client.revision,
			is_list(m->rpc.method) || lacks_scope(m, relay->said.result),
			wants.len ? "requestState" : NULL);
		if (wants.len)
			jw_put_str(&m->w, "requestState",
				gated_state(r, &(struct ticket_call){ .state = wants },
					&r->task.job.arena));
		mcp_send(r);
		return;
	}
	JW(&m->w, "{'jsonrpc':'2.0','id':%j,'error':%j}", m->rpc.id,
		json_keep(json_get(relay->reply, "error"), &r->task.job.arena));
	mcp_send_as_is(r, error_status(m->client.revision, relay->said.code));
}

/* ---- who it is ---- */

/* What the server can do, as far as a client of this revision knows it. */
static void abilities_write(
	struct json_writer *w, const struct json *can, bool same, enum revision client)
{
	static const char *const mixed[] = { "tools", "resources", "prompts",
		"completions" };

	jw_object(w);
	for (uint32_t i = 0; can && i < can->count; i++) {
		bool known = same && !str_is(can->members[i].name, "tasks") &&
			     !str_is(can->members[i].name, "extensions");

		for (size_t k = 0; k < sizeof mixed / sizeof *mixed; k++)
			known |= str_is(can->members[i].name, mixed[k]);
		if (!known) continue;
		jw_name(w, can->members[i].name);
		jw_json(w, &can->members[i].value);
	}
	gated_task_ability(w, client, same ? can : NULL);
	jw_object_end(w);
}

static const struct json *info_of(const struct json *greeted)
{
	const struct json *info = json_get(greeted, "serverInfo");

	return info ? info
		    : json_get(json_get(greeted, "_meta"),
			      "io.modelcontextprotocol/serverInfo");
}

static void greeted(struct request *r)
{
	struct mcp *m = mcp_of(r);
	const struct relay *relay = m->relay;
	const struct json *said = relay->greeted, *info = info_of(said);
	const struct json *can = json_get(said, "capabilities");
	bool now = m->client.revision >= REV_2026_07_28;
	bool same = now == (relay->revision >= REV_2026_07_28);
	struct json_writer *w = &m->w;

	if (!relay->known) {
		not_reached(r);
		return;
	}
	if (!now) {
		revision_greet(m->rpc.params, &m->client);
		if (same) m->client.revision = relay->revision;
		m->headers = mcp_session_header(
			r, &(struct ticket_session){ .server = m->server,
				   .behind = same ? str_of(relay->session) : STR_NONE,
				   .speaks = relay->revision });
	}
	*w = (struct json_writer){ .out = &m->out };
	rpc_result(w, m->rpc.id);
	if (now) {
		JW(w, "'resultType':'complete'");
		jw_key(w, "supportedVersions");
		revisions_write(w);
		if (info)
			JW(w, "'_meta':{'io.modelcontextprotocol/serverInfo':%j}",
				json_keep(info, &r->task.job.arena));
	} else {
		jw_put_text(w, "protocolVersion", revision_name(m->client.revision));
		if (info)
			jw_put_json(w, "serverInfo", info);
		else
			JW(w, "'serverInfo':{'name':%s,'version':'0'}", m->server);
	}
	jw_key(w, "capabilities");
	if (!said) /* a program that runs already said it to somebody else */
		json_read(STR("{\"tools\":{}}"), NULL, &r->task.job.arena, &can, NULL);
	abilities_write(w, can, same, m->client.revision);
	jw_put_some(w, "instructions", json_text_of(said, "instructions"));
	if (now) JW(w, "'ttlMs':0,'cacheScope':'private'");
	mcp_send(r);
}

/* ---- its tools ---- */

static mcp_fn gated_again;

static void list_kept(struct request *r)
{
	if (r->task.job.err && r->task.job.err != ERR_NOT_FOUND)
		mcp_trouble(r);
	else
		gated_again(r);
}

static void list_came(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct arena *arena = &r->task.job.arena;
	struct mcp_listing *l = ARENA_NEW(arena, struct mcp_listing);
	struct mcp_found *f = ARENA_NEW(arena, struct mcp_found);
	int64_t ws = m->gateway->access.ws;

	if (!l || !f) {
		mcp_refuse_as(r, 200, RPC_INTERNAL, "out of memory");
		return;
	}
	*f = m->relay->found;
	f->tools = arena_str(arena, f->tools);
	f->error = arena_str(arena, f->error);
	f->revision = arena_str(arena, f->revision);
	*l = (struct mcp_listing){ .ws = ws, .server = m->server, .found = f };
	mcp_task(r);
	r->task.checked = l;
	m->gateway->listed = true;
	request_put(r, &use_mcp_keep, list_kept);
}

static void tools_listed(struct request *r)
{
	struct mcp *m = mcp_of(r);
	bool now = m->client.revision >= REV_2026_07_28;

	m->w = (struct json_writer){ .out = &m->out };
	rpc_result(&m->w, m->rpc.id);
	if (now) JW(&m->w, "'resultType':'complete'");
	jw_put_raw(&m->w, "tools", m->gateway->tools);
	if (now) jw_put_int(&m->w, "ttlMs", TOOLS_MS);
	jw_put_text(&m->w, "cacheScope", "private");
	mcp_send(r);
}

/* ---- requestState ---- */

/* Of what is asked for: the method, the name or address, the arguments. */
static struct str state_digest(struct request *r, struct arena *arena)
{
	struct buf b = { .max = 16 << 20 };
	uint8_t hash[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];

	buf_print(&b, "%.*s\n%.*s\n%.*s\n", STR_ARGS(mcp_of(r)->rpc.method),
		STR_ARGS(json_text(mcp_param(r, "name"))),
		STR_ARGS(json_text(mcp_param(r, "uri"))));
	if (mcp_param(r, "arguments")) json_canonical(&b, mcp_param(r, "arguments"));
	sha256(buf_str(&b), hash);
	buf_done(&b);
	hex_write(hash, SHA256_SIZE, hex);
	return arena_str(arena, str_of(hex));
}

struct str gated_state(
	struct request *r, const struct ticket_call *what, struct arena *arena)
{
	struct ticket_call t = *what;
	struct buf b = { .max = 1 << 20 };

	t.agent = r->task.job.who.agent;
	t.digest = state_digest(r, arena);
	t.expires_ms = clock_now_ms() + STATE_LIFE_MS;
	ticket_call_write(&b, serve_key(r->serve), TICKET_STATE, &t);
	return buf_keep_done(&b, arena);
}

const struct json *gated_params(struct request *r)
{
	struct arena *arena = &r->task.job.arena;
	const struct json *params = mcp_of(r)->rpc.params, *with;
	struct str text;

	if (!mcp_of(r)->came.state.len) return params;
	text = json_with(params, "requestState",
		JSON_TEXT(arena, "%s", mcp_of(r)->came.state), arena);
	return json_read(text, &mcp_list_limits, arena, &with, NULL) ? params : with;
}

/* The call that requestState names, or what was passed on; false: it is none of ours. Whose it is, is seen once they
 * are let in. */
static bool state_read(struct request *r, struct gateway_task *g)
{
	struct mcp *m = mcp_of(r);
	const struct json *state = mcp_param(r, "requestState");
	struct arena *arena = &r->task.job.arena;
	struct ticket_call t;

	if (!state) return true;
	if (!ticket_call_read(
		    json_text(state), serve_key(r->serve), TICKET_STATE, arena, &t) ||
		t.expires_ms <= clock_now_ms())
		return false;
	if (t.digest.len) {
		m->came = t;
		return str_eq(t.digest, state_digest(r, arena));
	}
	g->same = t.ask;
	m->how = t.how;
	return str_starts(t.ask, "call_") && g->tool.len;
}

static void state_refuse(struct request *r)
{
	mcp_refuse_params(r, "requestState is not of this gateway, or too old");
}

/* It brings what the server wanted to know. */
static void gated_join(struct request *r)
{
	if (!str_eq(mcp_of(r)->came.agent, r->task.job.who.agent))
		state_refuse(r);
	else if (!passing_join(r))
		mcp_refuse_params(r, "the server does not wait for this any more");
}

/* ---- calls ---- */

static void denied(struct request *r)
{
	struct mcp *m = mcp_of(r);

	if (m->gateway->reads) {
		mcp_refuse_params(r, "%.*s", STR_ARGS(m->gateway->text));
		return;
	}
	m->w = (struct json_writer){ .out = &m->out };
	rpc_result(&m->w, m->rpc.id);
	if (m->client.revision >= REV_2026_07_28) JW(&m->w, "'resultType':'complete'");
	text_result_write(&m->w, m->gateway->text, true);
	mcp_send(r);
}

static void decided(struct request *r)
{
	struct mcp *m = mcp_of(r);
	const struct gateway_task *g = m->gateway;
	const char *effect =
		g->what == GATEWAY_PASS					       ? "allow"
		: g->what == GATEWAY_DENIED				       ? "deny"
		: g->what == GATEWAY_HELD && g->call.sent == 1 && !g->same.len ? "ask"
									       : NULL;

	if (g->what != GATEWAY_PASS) passing_drop(m);
	if (g->tool.len && effect)
		run_count_gateway(
			r->serve->desk, r->task.job.who.ws, m->server, effect, -1);
	switch (g->what) {
	case GATEWAY_PASS:
		if (m->came.state.len && !str_eq(m->came.agent, r->task.job.who.agent))
			state_refuse(r);
		else
			m->beside ? local_pass(r) : passing_begin(r, RELAY_PASS, passed);
		break;
	case GATEWAY_DENIED: denied(r); break;
	case GATEWAY_REFUSED:
		mcp_refuse_params(r, "%.*s", STR_ARGS(m->gateway->text));
		break;
	case GATEWAY_UNREAD: passing_begin(r, RELAY_LIST, list_came); break;
	case GATEWAY_HELD:
	case GATEWAY_ENDED: gated_held(r); break;
	}
}

static const struct json no_arguments = { .type = JSON_OBJECT };

static void call_put(struct request *r, struct gateway_task *g)
{
	struct mcp *m = mcp_of(r);
	struct task *t = mcp_task(r);
	struct fault why = { 0 };

	t->checked = g;
	t->default_session = m->session;
	t->default_session_title = m->client.name.len ? m->client.name : STR("MCP");
	if (m->state >= MCP_ENTERED && mcp_call_entered(r, &why)) {
		mcp_refuse_params(r, "%s", why.detail);
		return;
	}
	if (!g->store) passing_prepare(r);
	mcp_put(r, &use_gateway_call, decided, gated_trouble);
}

static void call_begin(struct request *r, struct gateway_task *g)
{
	const struct json *arguments = mcp_param(r, "arguments");
	bool reads = str_is(mcp_of(r)->rpc.method, "resources/read");

	g->arguments = json_is(arguments, JSON_OBJECT) ? arguments : &no_arguments;
	if (str_is(mcp_of(r)->rpc.method, "tools/call")) {
		g->tool = json_text(mcp_param(r, "name"));
		g->as = gated_as(r);
	} else {
		static const char *const names[] = { "_meta", "requestState",
			"inputResponses", NULL };

		g->reads = reads ? "resources.read" : "prompts.get";
		g->arguments =
			json_without(mcp_of(r)->rpc.params, names, &r->task.job.arena);
		if (!json_is(g->arguments, JSON_OBJECT)) g->arguments = &no_arguments;
	}
	/* One of a server on the agent's side is for that, and the call is decided anew. */
	if (!state_read(r, g) && !g->local)
		state_refuse(r);
	else if (!mcp_of(r)->came.question.len)
		call_put(r, g);
	else if (!mcp_enter_first(r, gated_join))
		gated_join(r);
}

void gated_own(struct request *r, const struct tool *tool, const struct json *arguments,
	struct str session)
{
	struct mcp *m = mcp_of(r);
	struct gateway_task *g = ARENA_NEW(&r->task.job.arena, struct gateway_task);

	if (!g) {
		mcp_refuse_as(r, 200, RPC_INTERNAL, "out of memory");
		return;
	}
	*g = (struct gateway_task){ .server = STR("parley"),
		.store = true,
		.tool = str_of(tool->name),
		.arguments = arguments,
		.client = m->client.name,
		.via = STR("http"),
		.key = m->key };
	m->gateway = g;
	m->session = session;
	if (state_read(r, g))
		call_put(r, g);
	else
		mcp_refuse_params(r, "requestState is not of this call, or too old");
}

/* ---- everything else ---- */

/* What no client says since 2026-07-28. */
static bool is_removed(const struct mcp *m)
{
	static const char *const removed[] = { "initialize", "ping", "logging/setLevel",
		"resources/subscribe", "resources/unsubscribe" };
	bool found = false;

	for (size_t i = 0; i < sizeof removed / sizeof *removed; i++)
		found |= str_is(m->rpc.method, removed[i]);
	return found && m->client.revision >= REV_2026_07_28;
}

/* Of a held call the ask is withdrawn; of another the server is told. */
static void opened(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct str method = m->rpc.method, call;

	if (m->rpc.kind == RPC_REQUEST && is_removed(m))
		mcp_refuse_as(r, 404, RPC_NO_METHOD, "there is no method %.*s any more",
			STR_ARGS(method));
	else if (m->rpc.kind == RPC_REQUEST && str_is(method, "ping"))
		mcp_ping(r);
	else if (m->rpc.kind == RPC_REQUEST && m->beside)
		local_greet(r);
	else if (m->rpc.kind == RPC_REQUEST && str_is(method, "tools/list"))
		m->gateway->what == GATEWAY_UNREAD
			? passing_begin(r, RELAY_LIST, list_came)
			: tools_listed(r);
	else if (m->rpc.kind == RPC_REQUEST &&
		 (str_is(method, "initialize") || str_is(method, "server/discover")))
		passing_begin(r, RELAY_GREET, greeted);
	else if (m->rpc.kind == RPC_REQUEST && str_is(method, "subscriptions/listen") &&
		 !str_is(m->gateway->access.revision, revision_name(REV_2026_07_28)))
		gated_listen(r); /* what the other family has */
	else if (m->rpc.kind == RPC_REQUEST)
		passing_begin(r, RELAY_PASS, passed);
	else if (str_is(method, "notifications/cancelled") &&
		 (call = mcp_waits_for(r->serve, m->nonce,
			  rpc_id(mcp_param(r, "requestId"), &r->task.job.arena)))
			 .len)
		gated_cancel(
			r, arena_str(&r->task.job.arena, call), mcp_accept, mcp_accept);
	else if (str_is(method, "notifications/cancelled") &&
		 passing_cancel(r->serve, m->nonce,
			 rpc_id(mcp_param(r, "requestId"), &r->task.job.arena)))
		mcp_accept(r);
	else if (m->rpc.kind == RPC_RESPONSE && passing_answer(r))
		return;
	else if (m->behind.len)
		passing_begin(r, RELAY_PASS, mcp_accept);
	else
		mcp_accept(r);
}

/* Once more, after its tools were read. */
static void gated_again(struct request *r)
{
	struct mcp *m = mcp_of(r);

	if (is_decided(m)) {
		call_put(r, m->gateway);
		return;
	}
	mcp_task(r)->checked = m->gateway;
	mcp_put(r, &use_gateway_open, opened, gated_trouble);
}

void gated_message(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct gateway_task *g = ARENA_NEW(&r->task.job.arena, struct gateway_task);

	if (!g) {
		mcp_refuse_as(r, 200, RPC_INTERNAL, "out of memory");
		return;
	}
	*g = (struct gateway_task){ .server = m->server,
		.client = m->client.name,
		.via = m->stdio ? STR("stdio") : STR("http"),
		.behind = m->behind,
		.revision = m->behind.len ? str_of(revision_name(m->speaks)) : STR_NONE,
		.local = m->beside,
		.key = m->key };
	m->gateway = g;
	if (gated_task(r)) return;
	if (m->beside && str_starts(m->rpc.method, "parley/"))
		local_message(r);
	else if (is_decided(m))
		call_begin(r, g);
	else
		gated_again(r);
}

/* ---- DELETE ---- */

static void end_opened(struct request *r)
{
	passing_begin(r, RELAY_END, mcp_ended);
}

void gated_end(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct gateway_task *g = ARENA_NEW(&r->task.job.arena, struct gateway_task);

	if (!g) {
		mcp_ended(r);
		return;
	}
	*g = (struct gateway_task){ .server = m->server };
	m->gateway = g;
	mcp_task(r)->checked = g;
	mcp_put(r, &use_gateway_open, end_opened, mcp_ended);
}

/* ---- GET ---- */

void gated_stream(struct request *r)
{
	struct gateway_task *g = ARENA_NEW(&r->task.job.arena, struct gateway_task);

	if (!g) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	*g = (struct gateway_task){ .server = mcp_of(r)->server };
	mcp_of(r)->gateway = g;
	mcp_task(r)->checked = g;
	mcp_put(r, &use_gateway_open, gated_listen, gated_trouble);
}
