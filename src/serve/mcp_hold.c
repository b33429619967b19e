/* mcp_hold.c - calls that wait for an answer.
 *
 * The head of the reply goes out at once. Then there is a sign of life every 15 s, and at
 * the end, which is the answer or the end of the budget, the one message that the client
 * waits for. What is kept of a call meanwhile is a struct tool_wait. Until 2025-11-25
 * every event of its stream has an id that names the call, so that a client that lost the
 * stream gets its answer from any node, even one that never saw the call. */
#include "base/mem.h"
#include "desk/gateway.h"
#include "mcp/relay.h"
#include "serve/mcp.h"

#include <stdio.h>

#define EVENT_HEADERS API_HEADERS "X-Accel-Buffering: no\r\n"

/* How long clients should wait before they reconnect: many try only twice, which must not
 * both fall into a restart. Spread, so that not all come at once. */
enum { RETRY_MS = 3000, RETRY_SPREAD_MS = 2000 };

/* What is kept of a call: JSON-RPC's id, the progress token, the session's nonce; of one at the gateway its own
 * id and the token it came with. */
enum { ID, PROGRESS, NONCE, CALL, TOKEN, TEXTS };

struct tool_wait {
	struct hold hold;
	LIST_ENTRY(tool_wait) others;
	const struct buf *said; /* events to begin with, until it has begun */
	uint8_t revision;
	uint8_t how; /* enum result_how */
	bool streams : 1, form : 1, page : 1;
	uint16_t beats;
	char *why; /* its server was not reached; or NULL */
	uint16_t lens[TEXTS];
	char texts[];
};

static struct tool_wait *call_of(struct hold *h)
{
	return LINK_OF(h, struct tool_wait, hold);
}

static struct str call_text(const struct tool_wait *c, int which)
{
	const char *at = c->texts;

	for (int i = 0; i < which; i++)
		at += c->lens[i];
	return str_make(at, c->lens[which]);
}

void sse_write(struct buf *b, struct str id, struct str message)
{
	if (id.len) buf_print(b, "id: %.*s\n", STR_ARGS(id));
	buf_add(b, STR("event: message\ndata: "));
	buf_add(b, message);
	buf_add(b, STR("\n\n"));
}

/* The event id: a unique first part, then the ticket of the call. Empty for revisions without
 * ids. */
static void event_id(struct buf *out, const struct tool_wait *c)
{
	struct ticket_call t = { .ask = c->lens[CALL] ? call_text(c, CALL)
						      : str_of(c->hold.waiter.ask),
		.id = call_text(c, ID),
		.how = c->how };

	if (c->revision >= REV_2026_07_28) return;
	buf_print(out, "%u:", c->beats);
	ticket_call_write(out, serve_key(c->hold.serve), TICKET_EVENT, &t);
}

/* The message as an event, or as JSON. */
static void call_write(struct buf *out, const struct tool_wait *c, struct str message)
{
	struct buf id = { .max = 8192 };

	if (c->streams) {
		event_id(&id, c);
		sse_write(out, buf_str(&id), message);
	} else {
		buf_add(out, message);
	}
	buf_done(&id);
}

/* The event without data that a stream begins with, to come back to: clients before
 * 2025-11-25 would take it for a message, so theirs has no data line at all. */
static void sse_first_write(struct buf *b, struct str id, enum revision revision)
{
	buf_print(b, "id: %.*s\nretry: %d\n", STR_ARGS(id),
		RETRY_MS + (int)(random_u64(NULL) % RETRY_SPREAD_MS));
	buf_add_text(b, revision == REV_2025_11_25 ? "data: \n\n" : "\n");
}

/* ---- the kind of hold ---- */

static void call_begin(struct hold *h, int status)
{
	struct tool_wait *c = call_of(h);
	struct buf b = { 0 }, id = { .max = 8192 };

	http_begin(h->x, status, c->streams ? "text/event-stream" : "application/json",
		STR(EVENT_HEADERS));
	event_id(&id, c);
	if (c->streams && id.len) sse_first_write(&b, buf_str(&id), c->revision);
	buf_done(&id);
	if (c->streams && c->said) buf_add(&b, buf_str(c->said));
	c->said = NULL;
	if (b.len && !b.failed) http_write(h->x, buf_str(&b));
	buf_done(&b);
}

static void notice_end(struct buf *out, const struct tool_wait *c, struct json_writer *w)
{
	rpc_end(w);
	call_write(out, c, buf_str(w->out));
	buf_done(w->out);
}

static void progress_write(struct buf *out, const struct tool_wait *c)
{
	struct json_writer w = { .out = &(struct buf){ .max = 8192 } };

	rpc_call(&w, "notifications/progress", STR_NONE);
	jw_put_raw(&w, "progressToken", call_text(c, PROGRESS));
	jw_put_int(&w, "progress", c->beats);
	jw_put_text(&w, "message", "Waiting for a person to answer.");
	notice_end(out, c, &w);
}

static void call_beat(struct hold *h)
{
	struct tool_wait *c = call_of(h);
	struct buf b = { .max = 8192 };

	c->beats++;
	if (!c->streams)
		buf_add(&b, STR(" "));
	else if (c->lens[PROGRESS])
		progress_write(&b, c);
	if (c->streams) buf_add(&b, STR(": waiting\n\n"));
	http_write(h->x, buf_str(&b));
	buf_done(&b);
}

static void result_write(struct buf *out, const struct tool_wait *c,
	const struct ask_json *whole, struct arena *arena)
{
	struct json_writer w = { .out = out };

	result_begin(&w, call_text(c, ID), (enum revision)c->revision, "complete");
	c->hold.serve->mcp->result(&w, whole, c->how, arena);
	rpc_end(&w);
}

/* Somebody else was faster than who has the form before them: it can go. */
static void form_withdraw(struct buf *out, struct tool_wait *c)
{
	struct buf b = { 0 }, id = { 0 };
	struct json_writer w = { .out = &b };

	form_id(&id, c->hold.serve, str_of(c->hold.waiter.ask));
	rpc_call(&w, "notifications/cancelled", STR_NONE);
	jw_put_raw(&w, "requestId", buf_str(&id));
	notice_end(out, c, &w);
	buf_done(&id);
}

static void call_last(struct tool_wait *c, struct exchange *x, struct buf *message)
{
	struct buf b = { 0 };

	c->beats++;
	if (c->form) form_withdraw(&b, c);
	c->beats++;
	call_write(&b, c, buf_str(message));
	http_end_with(x, buf_str(&b));
	buf_done(&b);
}

static void call_cut(
	struct hold *h, struct exchange *x, enum err e, const struct fault *why)
{
	struct rpc_fault said = { 0 };
	struct json_writer w = { .out = &(struct buf){ 0 } };

	rpc_fail(&said, 200, e == ERR_NOT_FOUND ? RPC_INVALID_PARAMS : RPC_INTERNAL, "%s",
		why->detail);
	rpc_error(&w, call_text(call_of(h), ID), &said);
	call_last(call_of(h), x, w.out);
	buf_done(w.out);
}

static void call_tell(struct tool_wait *c, struct exchange *x,
	const struct ask_json *whole, struct arena *arena)
{
	struct fault why = { 0 };
	struct buf b = { 0 };

	result_write(&b, c, whole, arena);
	if (str_is(json_text_of(whole->answered_by, "via"), "mcp")) c->form = false;
	if (arena->failed || b.failed)
		call_cut(&c->hold, x, fail(&why, ERR_MEMORY, "out of memory"), &why);
	else
		call_last(c, x, &b);
	buf_done(&b);
}

/* Without an ask in the result, the ask is still pending as far as is known. */
static void call_end(struct hold *h, struct exchange *x, const struct wait_result *out)
{
	struct ask pending = { .id = str_of(h->waiter.ask) };
	struct ask_view nowhere = { 0 };
	struct ask_json whole = { .ask = &pending, .view = &nowhere };
	struct arena arena = { 0 };
	struct fault why = { 0 };

	if (out->ask &&
		ask_json_read(&out->ask->ask, &out->ask->view, &arena, &whole, &why))
		call_cut(h, x, why.err, &why);
	else
		call_tell(call_of(h), x, &whole, &arena);
	arena_done(&arena);
}

static void call_left(struct hold *h)
{
	LIST_REMOVE(call_of(h), others);
	mem_free(call_of(h)->why);
	call_of(h)->why = NULL;
}

static const struct hold_kind call_kind = { call_begin, call_beat, call_end, call_cut,
	call_left };

/* ---- waiting ---- */

static struct tool_wait *call_new(struct request *r, const struct hold_kind *kind,
	struct str ask, struct str call, int64_t wait_ms)
{
	struct mcp *m = mcp_of(r);
	struct str texts[] = { [ID] = m->rpc.id,
		[PROGRESS] = m->progress,
		[NONCE] = m->nonce,
		[CALL] = call,
		[TOKEN] = call.len ? m->token : STR_NONE };
	size_t len = texts[ID].len + texts[PROGRESS].len + texts[NONCE].len +
		     texts[CALL].len + texts[TOKEN].len;
	struct hold *h =
		hold_new(r, kind, offsetof(struct tool_wait, texts) + len, ask, wait_ms);
	struct tool_wait *c = h ? call_of(h) : NULL;
	char *at = c ? c->texts : NULL;

	if (!c) return NULL;
	for (int i = 0; i < TEXTS; i++) {
		if (texts[i].len) memcpy(at, texts[i].at, texts[i].len);
		at += c->lens[i] = (uint16_t)texts[i].len;
	}
	c->revision = (uint8_t)m->client.revision;
	c->streams = m->streams;
	c->how = (uint8_t)m->how;
	c->form = m->state == MCP_FORM;
	c->page = gated_page(m);
	c->hold.wants_record = !call.len;
	LIST_INSERT_HEAD(&r->serve->calls, c, others);
	return c;
}

static bool hold_call(struct request *r, const struct hold_kind *kind, struct str ask,
	struct str call, int64_t wait_ms)
{
	struct mcp *m = mcp_of(r);
	struct buf said = m->said;
	struct tool_wait *c;

	if (!r->x || wait_ms <= 0 || m->batch) return false;
	c = call_new(r, kind, ask, call, wait_ms);
	if (!c) return false;
	c->said = &said;
	buf_done(&m->out);
	m->said = (struct buf){ 0 };
	hold_start(&c->hold, r, 200);
	buf_done(&said);
	return true;
}

bool mcp_hold(struct request *r, struct str ask, int64_t wait_ms)
{
	return hold_call(r, &call_kind, ask, STR_NONE, wait_ms);
}

/* ---- calls at the gateway ---- */

static bool gated_wants(struct hold *h, struct task *t)
{
	struct gateway_task *g = ARENA_NEW(&t->job.arena, struct gateway_task);

	if (!g) return false;
	g->same = call_text(call_of(h), CALL);
	t->checked = g;
	return true;
}

/* Approved: whoever waits has it run. Another ask: that is what it waits for now. */
static void gated_look(struct hold *h, const struct task *t)
{
	const struct gateway_task *g = t->checked;

	if (g->call.ready && !call_of(h)->why)
		h->serve->relay->run(
			h->serve->relay->ctx, h->ws, g->call.server, g->call.id);
	if (g->what == GATEWAY_ENDED || str_is(g->call.ask, h->waiter.ask)) return;
	feed_unpark(&h->serve->feed, &h->waiter);
	h->again = true;
	snprintf(h->waiter.ask, sizeof h->waiter.ask, "%.*s", STR_ARGS(g->call.ask));
}

static void gated_tell(struct hold *h, struct exchange *x, const struct gateway_task *g)
{
	struct tool_wait *c = call_of(h);
	const struct gated_told told = { .revision = (enum revision)c->revision,
		.id = call_text(c, ID),
		.token = call_text(c, TOKEN),
		.rounds = c->how,
		.page = c->page,
		.why = c->why ? str_of(c->why) : STR_NONE };
	struct arena arena = { 0 };
	struct fault fault = { 0 };
	struct buf b = { 0 };

	gated_result(h->serve, &b, g, &told, &arena);
	if (arena.failed || b.failed) {
		call_cut(h, x, fail(&fault, ERR_MEMORY, "out of memory"), &fault);
	} else {
		gated_delivered(h->serve, h->ws, g);
		call_last(c, x, &b);
	}
	buf_done(&b);
	arena_done(&arena);
}

/* Without what was read, it waits as far as is known. */
static void gated_over(struct hold *h, struct exchange *x, const struct wait_result *out)
{
	struct gateway_task unknown = { .what = GATEWAY_HELD,
		.call = { .id = call_text(call_of(h), CALL),
			.ask = str_of(h->waiter.ask),
			.status = CALL_WAITING,
			.sent = 1 } };

	gated_tell(h, x, out->checked ? out->checked : &unknown);
}

static const struct hold_kind gated_kind = { call_begin, call_beat, gated_over, call_cut,
	call_left, &use_gateway_look, gated_wants, gated_look };

bool mcp_hold_gated(struct request *r, int64_t wait_ms, unsigned rounds)
{
	const struct gateway_task *g = mcp_of(r)->gateway;

	mcp_of(r)->how = rounds;
	return hold_call(r, &gated_kind, g->call.ask, g->call.id, wait_ms);
}

void mcp_unreached(struct serve *s, struct str call, struct str why)
{
	for (struct tool_wait *c = LIST_FIRST(&s->calls), *next; c; c = next) {
		next = LIST_NEXT(c, others);
		if (!c->hold.begun || c->why || !str_eq(call_text(c, CALL), call))
			continue;
		c->why = mem_alloc(why.len + 1);
		if (c->why) memcpy(c->why, why.at, why.len);
		if (c->why) c->why[why.len] = '\0';
		hold_over(&c->hold);
	}
}

struct str mcp_waits_for(struct serve *s, struct str nonce, struct str id)
{
	struct tool_wait *c;

	LIST_FOREACH(c, &s->calls, others)
	if (nonce.len && c->lens[CALL] && str_eq(call_text(c, NONCE), nonce) &&
		str_eq(call_text(c, ID), id))
		return call_text(c, CALL);
	return STR_NONE;
}

void mcp_forget(struct serve *s, struct str nonce, struct str id)
{
	for (struct tool_wait *c = LIST_FIRST(&s->calls), *next; c; c = next) {
		next = LIST_NEXT(c, others);
		if (nonce.len && str_eq(call_text(c, NONCE), nonce) &&
			str_eq(call_text(c, ID), id))
			hold_drop(&c->hold);
	}
}

/* As if their budget were over: a client may sit long on a stream that just breaks. */
void mcp_stop(struct serve *s)
{
	while (!LIST_EMPTY(&s->calls))
		hold_end(&LIST_FIRST(&s->calls)->hold, &(struct wait_result){ 0 });
}

/* ---- after a lost stream ---- */

/* The answer that was not there yet, or a wait for it, on a stream of its own. Even what is
 * settled comes as an event: a stream was asked for. A wait of one turn of the loop reads the
 * ask and ends with it. */
static void resumed(struct request *r)
{
	int64_t wait_ms = r->task.settled ? 1 : mcp_of(r)->wait_ms;

	if (!mcp_hold(r, r->task.id, wait_ms > 0 ? wait_ms : 1)) mcp_trouble(r);
}

void mcp_resume(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct str rest = m->last_event, beats;
	struct ticket_call t;

	if (str_cut(&rest, ':', &beats) &&
		ticket_call_read(rest, serve_key(r->serve), TICKET_EVENT,
			&r->task.job.arena, &t)) {
		m->rpc.id = t.id;
		m->streams = true;
		m->how = t.how;
		if (m->server.len || str_starts(t.ask, "call_"))
			gated_resume(r, t.ask);
		else
			mcp_read(r, t.ask, resumed);
	} else if (!mcp_enter_first(r, mcp_resume)) {
		mcp_refuse_as(r, 400, RPC_INVALID_REQUEST, "no event of this server");
	}
}
