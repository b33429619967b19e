/* mcp_gateway.c - /mcp/NAME: a server of the desk as an agent's own client sees it. Messages are passed on to the server
 * and back as they came; what calls a tool or reads something is decided first, and what a person must approve is
 * held. Prefixes: gated_, passing_. */
#include "serve/mcp.h"

#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/keep.h"
#include "base/mem.h"
#include "desk/gateway.h"
#include "desk/run/mcp_servers.h"
#include "mcp/relay.h"

#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { ROUNDS_MAX = 8, STATE_LIFE_MS = 24 * 3600 * 1000, TOOLS_MS = 60000 };

/* ---- a message at the server ---- */

struct passing {
	struct relay relay; /* first */
	struct post post;
	LIST_ENTRY(passing) others;
	struct serve *serve;
	struct request *request;
	mcp_fn *then;
	bool streams, same; /* the client takes streams; it speaks as the server does */
};

/* Something that the server said before its reply. */
struct passing_said {
	struct post post;
	struct passing *passing;
	size_t len;
	char text[];
};

static void passing_cut(struct passing *p)
{
	const uint64_t one = 1;

	/* It can only fail when it is readable already. */
	if (write(p->relay.stop_fd, &one, sizeof one) < 0) return;
}

/* An allowed call whose client has gone is cancelled. */
static void passing_gone(void *ctx)
{
	struct passing *p = ctx;

	p->request->x = NULL;
	passing_cut(p);
}

static void passing_back(struct post *post)
{
	struct passing *p = LINK_OF(post, struct passing, post);
	struct serve *s = p->serve;
	struct request *r = p->request;

	s->away--;
	LIST_REMOVE(p, others);
	request_watch(r);
	mcp_of(r)->relay = &p->relay;
	p->then(r);
	close(p->relay.stop_fd);
	arena_done(&p->relay.arena);
	mem_free(p);
	serve_try_end(s);
}

static void passing_done(struct relay *relay)
{
	struct passing *p = (struct passing *)(void *)relay;

	loop_post(p->serve->loop, &p->post);
}

static void passing_say(struct post *post)
{
	struct passing_said *said = LINK_OF(post, struct passing_said, post);
	struct request *r = said->passing->request;
	struct mcp *m = mcp_of(r);
	struct buf b = { 0 };

	if (r->x && !m->begun) {
		serve_count(r->serve, 200);
		http_begin(r->x, 200, "text/event-stream",
			STR(API_HEADERS "X-Accel-Buffering: no\r\n"));
		m->begun = true;
	}
	sse_write(&b, STR_NONE, str_make(said->text, said->len));
	if (r->x && !b.failed) http_write(r->x, buf_str(&b));
	buf_done(&b);
	mem_free(said);
}

/* On the relay's thread. */
static bool passing_other(struct relay *relay, const struct rpc *rpc, struct str message)
{
	struct passing *p = (struct passing *)(void *)relay;
	struct passing_said *said;

	if (!p->streams || (!p->same && rpc->kind == RPC_REQUEST)) return false;
	said = mem_alloc(sizeof *said + message.len);
	if (!said) return false;
	*said = (struct passing_said){
		.post.fn = passing_say, .passing = p, .len = message.len
	};
	memcpy(said->text, message.at, message.len);
	loop_post(p->serve->loop, &said->post);
	return true;
}

static void passing_begin(struct request *r, enum relay_kind kind, mcp_fn *then)
{
	struct mcp *m = mcp_of(r);
	struct serve *s = r->serve;
	struct passing *p = s->relay ? mem_alloc(sizeof *p) : NULL;
	struct gateway_task *g = m->gateway;
	bool now = m->client.revision >= REV_2026_07_28;

	if (!p) {
		mcp_refuse_as(r, 200, RPC_INTERNAL, "out of memory");
		return;
	}
	*p = (struct passing){ .serve = s,
		.request = r,
		.then = then,
		.post.fn = passing_back,
		.streams = m->streams && !m->batch,
		.same = m->behind.len || now,
		.relay = { .kind = kind,
			.access = &g->access,
			.agent = r->task.job.who.agent,
			.client = m->client.revision,
			.known = m->behind.len > 0,
			.revision = m->speaks,
			.timeout_ms = g->access.timeout_ms,
			.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
			.method = m->rpc.method,
			.id = m->rpc.id,
			.arguments = g->arguments,
			.other = passing_other,
			.done = passing_done } };
	snprintf(p->relay.session, sizeof p->relay.session, "%.*s", STR_ARGS(m->behind));
	if (m->rpc.params) p->relay.params = json_keep(m->rpc.params, &r->task.job.arena);
	if (m->rpc.kind == RPC_RESPONSE) {
		p->relay.id = STR_NONE;
		p->relay.body = arena_str(&r->task.job.arena, http_request(r->x)->body);
	}
	if (kind == RELAY_GREET) {
		p->relay.known = false;
		if (!now) p->relay.greeting = p->relay.params;
	}
	s->away++;
	LIST_INSERT_HEAD(&s->passings, p, others);
	if (r->x) http_on_gone(r->x, passing_gone, p);
	s->relay->pass(s->relay->ctx, &p->relay);
}

void gated_stop(struct serve *s)
{
	struct passing *p;

	LIST_FOREACH(p, &s->passings, others)
	passing_cut(p);
}

/* ---- what is wrong ---- */

/* To who may not use it, it is not there. */
static void gated_trouble(struct request *r)
{
	if (r->task.job.err != ERR_NOT_FOUND || mcp_of(r)->batch) {
		mcp_trouble(r);
		return;
	}
	buf_done(&mcp_of(r)->out);
	buf_done(&mcp_of(r)->said);
	request_reply(r, STR_NONE);
}

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

/* The members of the server's result as they came, but for what a client of the other family needs. */
static void result_members(struct json_writer *w, const struct json *result,
	enum revision client, bool list, const char *but)
{
	bool now = client >= REV_2026_07_28, typed = false, lasts = false;

	for (uint32_t i = 0; i < result->count; i++) {
		const struct json_member *m = &result->members[i];

		if ((list && str_is(m->name, "cacheScope")) ||
			(but && str_is(m->name, but)))
			continue;
		typed |= str_is(m->name, "resultType");
		lasts |= str_is(m->name, "ttlMs");
		jw_name(w, m->name);
		jw_json(w, &m->value);
	}
	if (now && !typed) jw_put_text(w, "resultType", "complete");
	if (now && list && !lasts) jw_put_int(w, "ttlMs", 0);
	if (list) jw_put_text(w, "cacheScope", "private");
}

static void passed(struct request *r)
{
	struct mcp *m = mcp_of(r);
	const struct relay *relay = m->relay;

	if (!relay->reply) {
		not_reached(r);
		return;
	}
	m->w = (struct json_writer){ .out = &m->out };
	if (relay->said.result) {
		rpc_result(&m->w, m->rpc.id);
		result_members(&m->w, relay->said.result, m->client.revision,
			is_list(m->rpc.method), NULL);
		mcp_send(r);
		return;
	}
	JW(&m->w, "{'jsonrpc':'2.0','id':%j,'error':%j}", m->rpc.id,
		json_keep(json_get(relay->reply, "error"), &r->task.job.arena));
	mcp_send_as_is(r);
}

/* ---- who it is ---- */

/* What the server can do, as far as a client of this revision knows it. */
static void abilities_write(struct json_writer *w, const struct json *can, bool same)
{
	static const char *const mixed[] = { "tools", "resources", "prompts",
		"completions" };

	jw_object(w);
	for (uint32_t i = 0; can && i < can->count; i++) {
		bool known = same;

		for (size_t k = 0; k < sizeof mixed / sizeof *mixed; k++)
			known |= str_is(can->members[i].name, mixed[k]);
		if (!known) continue;
		jw_name(w, can->members[i].name);
		jw_json(w, &can->members[i].value);
	}
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
		JW(w, "'resultType':'complete','supportedVersions':[%s]",
			str_of(revision_name(REV_2026_07_28)));
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
	if (said)
		abilities_write(w, json_get(said, "capabilities"), same);
	else /* a program that runs already said it to somebody else */
		JW(w, "{'tools':{}}");
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

/* ---- held calls ---- */

static struct str told_state(struct serve *s, const struct gateway_task *g,
	const struct gated_told *told, struct arena *arena)
{
	struct ticket_call t = { .ask = g->call.id,
		.token = told->token,
		.how = told->rounds + 1,
		.expires_ms = clock_now_ms() + STATE_LIFE_MS };
	struct buf b = { .max = 8192 };

	ticket_call_write(&b, serve_key(s), TICKET_STATE, &t);
	return buf_keep_done(&b, arena);
}

static void call_meta(
	struct json_writer *w, const struct gateway_call *c, const struct json *meta)
{
	jw_put_object(w, "_meta");
	for (uint32_t i = 0; json_is(meta, JSON_OBJECT) && i < meta->count; i++) {
		jw_name(w, meta->members[i].name);
		jw_json(w, &meta->members[i].value);
	}
	JW(w, "'parley/call':{'id':%s,'ask':%s,'status':%s,'sent':", c->id, c->ask,
		str_of(call_status_name(c->status)));
	jw_int(w, c->sent);
	JW(w, "}}");
}

/* With a last item that says what a person changed. */
static void content_write(struct json_writer *w, const struct json *content,
	struct str edited, struct arena *arena)
{
	jw_put_array(w, "content");
	for (uint32_t i = 0; json_is(content, JSON_ARRAY) && i < content->count; i++)
		jw_json(w, &content->items[i]);
	JW(w, "{'type':'text','text':%s}]",
		arena_print(arena, "[A person changed the arguments to %.*s.]",
			STR_ARGS(edited)));
}

static struct str not_yet(struct serve *s, const struct gateway_call *c,
	const struct gated_told *told, struct arena *arena)
{
	if (told->why.len)
		return arena_print(arena,
			"Not run: %.*s. Its approval (%.*s) stays good: call %.*s again with the same arguments.",
			STR_ARGS(told->why), STR_ARGS(c->ask), STR_ARGS(c->tool));
	if (c->status == CALL_INTERRUPTED)
		return arena_print(arena,
			"It was started, and its outcome is unknown: a person decides (%.*s, %s/asks/%.*s). Call %.*s again with the same arguments to get the result.",
			STR_ARGS(c->ask), s->url, STR_ARGS(c->ask), STR_ARGS(c->tool));
	if (c->status == CALL_STARTED)
		return arena_print(arena,
			"It was approved and is running (%.*s). Call %.*s again with the same arguments to get the result.",
			STR_ARGS(c->ask), STR_ARGS(c->tool));
	return arena_print(arena,
		"Not run yet: waiting for approval (%.*s, %s/asks/%.*s). Call %.*s again with the same arguments to get the result.",
		STR_ARGS(c->ask), s->url, STR_ARGS(c->ask), STR_ARGS(c->tool));
}

void gated_result(struct serve *s, struct buf *out, const struct gateway_task *g,
	const struct gated_told *told, struct arena *arena)
{
	struct json_writer w = { .out = out };
	const struct gateway_call *c = &g->call;
	const struct json *result = NULL;
	bool ended = g->what == GATEWAY_ENDED, now = told->revision >= REV_2026_07_28;
	bool again = now && !ended && !told->why.len && !g->text.len &&
		     told->rounds < ROUNDS_MAX;

	rpc_result(&w, told->id);
	if (c->result.len) json_read(c->result, &mcp_list_limits, arena, &result, NULL);
	if (result) {
		if (c->edited.len) {
			static const char *const but[] = { "content", "_meta", NULL };

			content_write(&w, json_get(result, "content"), c->edited, arena);
			result_members(&w, json_without(result, but, arena),
				told->revision, false, NULL);
		} else {
			result_members(&w, result, told->revision, false, "_meta");
		}
	} else if (again) {
		JW(&w, "'resultType':'input_required','requestState':%s",
			told_state(s, g, told, arena));
	} else {
		if (now) JW(&w, "'resultType':'complete'");
		text_result_write(&w,
			ended	      ? c->error
			: g->text.len ? g->text
				      : not_yet(s, c, told, arena),
			true);
	}
	call_meta(&w, c, json_get(result, "_meta"));
	rpc_end(&w);
}

static void delivered(struct request *r)
{
	request_free(r);
}

void gated_delivered(struct serve *s, int64_t ws, const struct gateway_task *g)
{
	struct request *r = g->what == GATEWAY_ENDED ? request_new(s, NULL) : NULL;
	struct gateway_task *own;

	if (!r) return;
	own = ARENA_NEW(&r->task.job.arena, struct gateway_task);
	if (!own) {
		request_free(r);
		return;
	}
	own->same = arena_str(&r->task.job.arena, g->call.id);
	r->task.checked = own;
	r->task.job.who.ws = ws;
	request_put(r, &use_gateway_delivered, delivered);
}

static void held_reply(struct request *r, unsigned rounds)
{
	struct mcp *m = mcp_of(r);
	const struct gated_told told = { .revision = m->client.revision,
		.id = m->rpc.id,
		.token = m->token,
		.rounds = rounds };

	gated_result(r->serve, &m->out, m->gateway, &told, &r->task.job.arena);
	if (r->x && !m->batch) gated_delivered(r->serve, r->task.job.who.ws, m->gateway);
	mcp_send_as_is(r);
}

static void held(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct gateway_task *g = m->gateway;
	unsigned rounds = m->how;

	/* Whoever sends it again has it run, however long they wait. */
	if (g->call.ready)
		r->serve->relay->run(r->serve->relay->ctx, g->access.ws, g->call.id);
	if (g->what == GATEWAY_ENDED || !mcp_hold_gated(r, m->wait_ms, rounds))
		held_reply(r, rounds);
}

static void gone_reached(void *of, struct str call, struct str why);

void gated_open(struct serve *s)
{
	if (s->relay) s->relay->listen(s->relay->ctx, gone_reached, s);
}

struct unreached {
	struct post post;
	struct serve *serve;
	char call[ID_SIZE];
	char why[256];
};

static void unreached_tell(struct post *post)
{
	struct unreached *u = LINK_OF(post, struct unreached, post);

	mcp_unreached(u->serve, str_of(u->call), str_of(u->why));
	mem_free(u);
}

/* On the thread that tried. */
static void gone_reached(void *of, struct str call, struct str why)
{
	struct serve *s = of;
	struct unreached *u = mem_alloc(sizeof *u);

	if (!u) return;
	*u = (struct unreached){ .post.fn = unreached_tell, .serve = s };
	snprintf(u->call, sizeof u->call, "%.*s", STR_ARGS(call));
	snprintf(u->why, sizeof u->why, "%.*s",
		STR_ARGS(str_first(why, sizeof u->why - 1)));
	loop_post(s->loop, &u->post);
}

static void resume_read(struct request *r)
{
	struct mcp *m = mcp_of(r);
	int64_t wait_ms = m->gateway->what == GATEWAY_ENDED ? 1 : m->wait_ms;

	if (!mcp_hold_gated(r, wait_ms > 0 ? wait_ms : 1, m->how)) gated_trouble(r);
}

void gated_resume(struct request *r, struct str call)
{
	struct gateway_task *g = ARENA_NEW(&r->task.job.arena, struct gateway_task);

	if (!g) {
		mcp_refuse_as(r, 200, RPC_INTERNAL, "out of memory");
		return;
	}
	*g = (struct gateway_task){ .server = mcp_of(r)->server, .same = call };
	mcp_of(r)->gateway = g;
	mcp_task(r)->checked = g;
	mcp_put(r, &use_gateway_look, resume_read, gated_trouble);
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

	switch (m->gateway->what) {
	case GATEWAY_PASS: passing_begin(r, RELAY_PASS, passed); break;
	case GATEWAY_DENIED: denied(r); break;
	case GATEWAY_REFUSED:
		mcp_refuse_params(r, "%.*s", STR_ARGS(m->gateway->text));
		break;
	case GATEWAY_UNREAD: passing_begin(r, RELAY_LIST, list_came); break;
	case GATEWAY_HELD:
	case GATEWAY_ENDED: held(r); break;
	}
}

/* The call that requestState names; false: it is none of ours. */
static bool state_read(struct request *r, struct gateway_task *g)
{
	struct mcp *m = mcp_of(r);
	const struct json *state = mcp_param(r, "requestState");
	struct ticket_call t;

	if (!state) return true;
	if (!ticket_call_read(json_text(state), serve_key(r->serve), TICKET_STATE,
		    &r->task.job.arena, &t) ||
		t.expires_ms <= clock_now_ms() || !str_starts(t.ask, "call_"))
		return false;
	g->same = t.ask;
	m->how = t.how;
	return true;
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
	if (m->state >= MCP_ENTERED && mcp_call_entered(r, &why))
		mcp_refuse_params(r, "%s", why.detail);
	else
		mcp_put(r, &use_gateway_call, decided, gated_trouble);
}

static void call_begin(struct request *r, struct gateway_task *g)
{
	const struct json *arguments = mcp_param(r, "arguments");
	bool reads = str_is(mcp_of(r)->rpc.method, "resources/read");

	g->arguments = json_is(arguments, JSON_OBJECT) ? arguments : &no_arguments;
	if (str_is(mcp_of(r)->rpc.method, "tools/call")) {
		g->tool = json_text(mcp_param(r, "name"));
		if (!state_read(r, g)) {
			mcp_refuse_params(
				r, "requestState is not of this gateway, or too old");
			return;
		}
	} else {
		static const char *const names[] = { "_meta", NULL };

		g->reads = reads ? "resources.read" : "prompts.get";
		g->arguments =
			json_without(mcp_of(r)->rpc.params, names, &r->task.job.arena);
		if (!json_is(g->arguments, JSON_OBJECT)) g->arguments = &no_arguments;
	}
	call_put(r, g);
}

/* ---- everything else ---- */

static void cancel_done(struct request *r)
{
	mcp_accept(r);
}

/* Of a held call the ask is withdrawn; of another the server is told. */
static void opened(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct str method = m->rpc.method, ask;

	if (m->rpc.kind == RPC_REQUEST && str_is(method, "ping"))
		mcp_ping(r);
	else if (m->rpc.kind == RPC_REQUEST && str_is(method, "tools/list"))
		m->gateway->what == GATEWAY_UNREAD
			? passing_begin(r, RELAY_LIST, list_came)
			: tools_listed(r);
	else if (m->rpc.kind == RPC_REQUEST &&
		 (str_is(method, "initialize") || str_is(method, "server/discover")))
		passing_begin(r, RELAY_GREET, greeted);
	else if (m->rpc.kind == RPC_REQUEST)
		passing_begin(r, RELAY_PASS, passed);
	else if (str_is(method, "notifications/cancelled") &&
		 (ask = mcp_waits_for(r->serve, m->nonce,
			  rpc_id(mcp_param(r, "requestId"), &r->task.job.arena)))
			 .len)
		mcp_do(r, &use_cancel, ask,
			STR("{\"reason\":\"the client cancelled it\"}"), cancel_done,
			cancel_done);
	else if (m->behind.len)
		passing_begin(r, RELAY_PASS, mcp_accept);
	else
		mcp_accept(r);
}

static bool is_decided(const struct mcp *m)
{
	return m->rpc.kind == RPC_REQUEST &&
	       (str_is(m->rpc.method, "tools/call") ||
		       str_is(m->rpc.method, "resources/read") ||
		       str_is(m->rpc.method, "prompts/get"));
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
		.key = m->key };
	m->gateway = g;
	if (is_decided(m))
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

static void stream_refused(struct request *r)
{
	struct job *job = &r->task.job;

	job->err =
		fail(&job->why, ERR_METHOD, "there is no stream beside those of calls");
	request_reply(r, STR("Allow: POST, DELETE\r\n"));
}

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
	mcp_put(r, &use_gateway_open, stream_refused, gated_trouble);
}
