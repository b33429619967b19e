/* bridge.c - carries the messages of an MCP client to the server and back. */
#include "client/bridge_inner.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/mem.h"
#include "mcp/header.h"
#include "mcp/result.h"
#include "mcp/tools.h"

enum {
	LINE_BYTES = 4 << 20, /* a message of the client */
	PATIENCE_MS = 300000, /* with a server that went away while it held a call */
	FAREWELL_MS = 1000,   /* for replies under way when the input ends */
};

void bridge_say(struct bridge *b, struct buf *message)
{
	size_t done = 0;

	buf_add_char(message, '\n');
	b->broken |= message->failed;
	while (!b->broken && done < message->len) {
		ssize_t n =
			write(b->with.out_fd, message->at + done, message->len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ b->with.out_fd, POLLOUT, 0 }, 1, -1);
		else if (n == 0 || errno != EINTR)
			b->broken = true;
	}
	buf_done(message);
}

static void bridge_error(
	struct bridge *b, struct str id, enum rpc_code code, struct str text)
{
	struct rpc_fault why = { 0 };
	struct json_writer w = { .out = &(struct buf){ 0 } };

	rpc_fail(&why, 0, code, "%.*s", STR_ARGS(text));
	rpc_error(&w, id, &why);
	bridge_say(b, w.out);
}

/* A tool that was not called: a result that says so, which a model can act on. */
static void refusal_say(struct bridge *b, struct str id, bool current, struct str text)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };

	result_begin(&w, id, current ? REV_2026_07_28 : REV_2025_11_25, "complete");
	text_result_write(&w, text, true);
	rpc_end(&w);
	bridge_say(b, w.out);
}

void bridge_call_free(struct bridge_call *call)
{
	LIST_REMOVE(call, others);
	if (call->bridge->local) local_call_gone(call);
	transfer_free(call->transfer);
	sse_done(&call->sse);
	arena_done(&call->arena);
	mem_free(call);
}

/* A message of the server. */
static void message_pass(struct bridge_call *call, const struct json *message)
{
	struct bridge *b = call->bridge;
	const struct json *id = json_get(message, "id");
	struct buf out = { 0 };
	bool reply = id && id->type != JSON_NULL && !json_get(message, "method");

	if (reply && str_is(call->method, "initialize")) {
		const struct json *result = json_get(message, "result");

		buf_set(&b->session, transfer_header(call->transfer, "Mcp-Session-Id"));
		buf_set(&b->version, json_text_of(result, "protocolVersion"));
	}
	call->answered |= reply;
	if (call->greets) {
		if (reply) buf_clear(&b->greeting);
		return;
	}
	if (b->local && local_desk_said(call, message)) return;
	json_write(&out, message);
	bridge_say(b, &out);
}

static bool frame_pass(void *ctx, const struct sse_frame *frame)
{
	struct bridge_call *call = ctx;
	struct arena arena = { .max = MCP_LIST_MEMORY };
	const struct json *message;

	call->tries = 0;
	call->patience_until = 0;
	if (frame->data.len > 0 &&
		json_read(frame->data, &mcp_list_limits, &arena, &message, NULL) == OK)
		message_pass(call, message);
	arena_done(&arena);
	return !call->bridge->broken;
}

/* Looks up the server again, once no call to the old address is under way. */
static bool client_find(struct bridge *b, struct fault *why)
{
	for (const struct bridge_call *call = LIST_FIRST(&b->calls); call;
		call = LIST_NEXT(call, others))
		if (call->transfer) return true;
	if (b->lost) b->client = client_free(b->client);
	b->lost = false;
	if (!b->client) b->client = b->with.open(b->with.ctx, why);
	return b->client != NULL;
}

static void greeting_start(struct bridge *);

/* Must the server get the client's initialize before this message? */
static bool greeting_due(const struct bridge_call *call)
{
	return call->bridge->greeting.len > 0 && !call->greets && !call->own &&
	       call->revision.len == 0;
}

/* A lost stream of an older revision goes on where it stopped; all else goes whole. */
static bool call_go(struct bridge_call *call, struct fault *why)
{
	struct bridge *b = call->bridge;
	struct str after = buf_str(&call->sse.id);
	bool current = call->revision.len > 0;
	bool get = call->body.len == 0 || (!current && after.len > 0);
	const struct header headers[] = {
		{ "Accept: ", call->own ? STR("application/json")
			      : get	? STR("text/event-stream")
					: STR("application/json, text/event-stream") },
		{ "MCP-Protocol-Version: ",
			current ? call->revision : buf_str(&b->version) },
		{ "Mcp-Session-Id: ", current ? STR_NONE : buf_str(&b->session) },
		{ "Mcp-Method: ", current ? call->method : STR_NONE },
		{ "Mcp-Name: ", current ? call->subject : STR_NONE },
		{ "Parley-Transport: ", b->local       ? STR("local")
					: b->with.gate ? STR("stdio")
						       : STR_NONE },
		{ "Parley-Session: ", b->with.session },
		{ 0 },
	};
	struct api_call request = { .method = get ? "GET" : "POST",
		.path = call->path.len ? call->path : b->with.path,
		.body = get ? STR_NONE : call->body,
		/* Calls at the gateway are the same by what they say. */
		.key = get || b->with.gate ? STR_NONE : call->key,
		.after = get ? after : STR_NONE,
		.hold_ms = -1,
		.headers = headers };

	if (greeting_due(call)) {
		greeting_start(b);
		return fail(why, ERR_UNAVAILABLE, "it has just come back") == OK;
	}
	if (!client_find(b, why)) return false;
	sse_reset(&call->sse);
	call->transfer = transfer_start(b->client, &request, &call->sse);
	return call->transfer || fail(why, ERR_MEMORY, "out of memory") == OK;
}

/* The reply to initialize, server/discover, ping and tools/list, as one message: who we are and which
 * tools there are is built in, so that an agent that started before the server has them. *revision:
 * what the client speaks; initialize agrees on another. False: it takes the server. */
static bool away_reply(
	const struct rpc *rpc, enum revision *revision, bool strict, struct buf *out)
{
	bool greets = str_is(rpc->method, "initialize");
	bool discovers = str_is(rpc->method, "server/discover");
	bool lists = str_is(rpc->method, "tools/list");
	struct json_writer w = { .out = out };
	struct mcp_client client = { 0 };

	if (!greets && !discovers && !lists && !str_is(rpc->method, "ping")) return false;
	result_begin(&w, rpc->id, *revision, "complete");
	if (greets) {
		revision_greet(rpc->params, &client);
		*revision = client.revision;
		greeting_write(&w, client.revision, capabilities_write);
	}
	if (discovers) discovery_write(&w, 0, false, capabilities_write);
	if (lists) {
		jw_put_array(&w, "tools");
		tools_write(&w, own_tools, &(struct tools_for){ 0 }, *revision, strict);
		jw_array_end(&w);
		result_cached(&w, *revision, 0, false);
	}
	rpc_end(&w);
	return true;
}

static bool call_answer_away(struct bridge_call *call)
{
	struct bridge *b = call->bridge;
	enum revision revision = REV_2025_11_25;
	bool strict = str_find(b->with.path, STR("strict=true")) >= 0;
	const struct json *message;
	struct buf out = { 0 };
	struct rpc rpc;

	if (b->with.gate) return false;
	revision_read(buf_str(&b->version), &revision);
	if (call->revision.len) revision = REV_2026_07_28;
	if (json_read(call->body, NULL, &call->arena, &message, NULL) ||
		!rpc_read(message, &call->arena, &rpc) ||
		!away_reply(&rpc, &revision, strict, &out))
		return false;
	if (str_is(call->method, "initialize")) {
		buf_set(&b->greeting, call->body);
		buf_clear(&b->session);
		buf_clear(&b->version);
		buf_add_text(&b->version, revision_name(revision));
	}
	bridge_say(b, &out);
	return true;
}

static bool call_is_tool(const struct bridge_call *call)
{
	return call->id.len > 0 && str_is(call->method, "tools/call");
}

void bridge_call_fail(struct bridge_call *call, const struct fault *why)
{
	bool away = why->err == ERR_UNAVAILABLE;
	struct str text =
		!away ? str_of(why->detail)
		: call->bridge->local
			? arena_print(&call->arena,
				  "Not run: Parley's server is not reached (%s), and nobody can decide about this call. Call again later.",
				  why->detail)
			: arena_print(&call->arena,
				  "Parley's server is not reached (%s). Nothing was asked "
				  "by this call; what was asked before is kept there. Call "
				  "again later. A person starts it with: parley serve",
				  why->detail);

	if (call->greets || call->id.len == 0 || (away && call_answer_away(call)))
		;
	else if (away && call_is_tool(call))
		refusal_say(call->bridge, call->id, call->revision.len > 0, text);
	else
		bridge_error(call->bridge, call->id, RPC_NOT_REACHED, text);
	bridge_call_free(call);
}

/* The call waits until a server is there: report progress if the client asked for it. */
void bridge_call_away(struct bridge_call *call)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };

	call->patience_until = clock_mono_ms() + AWAY_MS;
	if (!call->progress.len) return;
	rpc_call(&w, "notifications/progress", STR_NONE);
	JW(&w, "'progressToken':%j,'progress':0,'message':%s", call->progress,
		STR("Parley's server is away. Waiting for it."));
	rpc_end(&w);
	bridge_say(call->bridge, w.out);
}

/* The server was not found: a tool waits for it; the rest is over. */
static void call_lost(struct bridge_call *call, const struct fault *why)
{
	if (!call_is_tool(call) || why->err != ERR_UNAVAILABLE) {
		bridge_call_fail(call, why);
		return;
	}
	bridge_call_away(call);
	call->pause_until = clock_mono_ms() + transfer_backoff_ms(++call->tries, NULL);
}

static void call_load(struct bridge_call *call, const struct json *message)
{
	const struct json *params = json_get(message, "params"),
			  *id = json_get(message, "id");
	const struct json *meta = json_get(params, "_meta");
	struct str method = json_text_of(message, "method");
	struct str revision =
		json_text_of(meta, "io.modelcontextprotocol/protocolVersion");
	struct str subject;

	call->body = json_keep(message, &call->arena);
	if (method.len > 0) call->id = rpc_id(id, &call->arena);
	call->progress = rpc_id(json_get(meta, "progressToken"), &call->arena);
	call->key = key_make(&call->arena);
	header_subject(method, params, &subject);
	call->method = header_encode(method, &call->arena);
	call->subject = header_encode(subject, &call->arena);
	call->revision = header_encode(revision, &call->arena);
}

struct bridge_call *bridge_call_new(struct bridge *b, const struct json *message)
{
	struct bridge_call *call = mem_alloc(sizeof *call);

	b->broken |= !call;
	if (!call) return NULL;
	call->bridge = b;
	call->sse =
		(struct sse){ .fn = frame_pass, .ctx = call, .most = 2 * MCP_LIST_BYTES };
	LIST_INSERT_HEAD(&b->calls, call, others);
	if (message) call_load(call, message);
	b->broken |= call->arena.failed;
	return call;
}

/* A message of the client goes to the desk. */
static void bridge_call_start(struct bridge *b, const struct json *message)
{
	struct bridge_call *call = bridge_call_new(b, message);
	struct fault why = { 0 };

	if (call && !call_go(call, &why)) call_lost(call, &why);
}

/* Once at a time; what waits for it tries again by itself. */
static void greeting_start(struct bridge *b)
{
	struct arena arena = { 0 };
	const struct json *message;
	struct bridge_call *call;
	struct fault why = { 0 };

	for (call = LIST_FIRST(&b->calls); call; call = LIST_NEXT(call, others))
		if (call->greets) return;
	call = json_read(buf_str(&b->greeting), NULL, &arena, &message, NULL) == OK
		       ? bridge_call_new(b, message)
		       : NULL;
	if (call) {
		call->greets = true;
		if (!call_go(call, &why)) bridge_call_free(call);
	}
	arena_done(&arena);
}

/* Whether to try again: what the server had received before it went away, while that is
 * worth waiting for; the stream, as long as there may be one. */
static bool call_insists(struct bridge_call *call, enum err err,
	const struct api_reply *r, int64_t retry_after_s)
{
	int64_t now = clock_mono_ms(), pause = transfer_backoff_ms(call->tries + 1, NULL);
	bool reached = r->connected || call->tries > 0 || call->sse.id.len > 0;
	bool listens = call->body.len == 0;

	if (err != OK && (!reply_passing(r) || err == ERR_MEMORY)) return false;
	if (call->greets) return false;
	/* With a server of our own nothing runs that we do not run. */
	if (call->bridge->with.gate && !call->bridge->local && !listens && r->connected &&
		!call->sse.id.len)
		return false;
	if (!listens && (call->id.len == 0 || call->answered)) return false;
	if (!listens && !reached && !call_is_tool(call)) return false;
	if (!reached && !listens) bridge_call_away(call);
	if (call->patience_until == 0)
		call->patience_until =
			now + (call->bridge->local && !call->run ? AWAY_MS : PATIENCE_MS);
	if (!listens && now > call->patience_until) return false;
	if (call->tries++ == 0 && call->sse.retry_ms > 0) pause = call->sse.retry_ms;
	if (retry_after_s * 1000 > pause) pause = retry_after_s * 1000;
	call->pause_until = now + pause;
	return true;
}

static void call_end(struct bridge_call *call)
{
	struct bridge *b = call->bridge;
	struct arena arena = { 0 };
	struct fault why = { 0 };
	struct api_reply r;
	enum err err = transfer_result(call->transfer, &arena, &r, &why);

	if (json_get(r.json, "jsonrpc") && !call->own) message_pass(call, r.json);
	call->transfer = transfer_free(call->transfer);
	b->lost |= r.status == 0 && !r.connected;
	if (call->own) {
		if (local_own_ended(call, err, &r)) bridge_call_free(call);
		arena_done(&arena);
		return;
	}
	/* Older revisions: the server may speak first, on a stream of its own. */
	bool listen = err == OK && !b->local && b->session.len > 0 &&
		      call->revision.len == 0 &&
		      (call->greets || str_is(call->method, "notifications/initialized"));
	if (call_insists(call, err, &r, why.retry_after_s))
		; /* goes on when its pause is over */
	else if (call->answered)
		bridge_call_free(call);
	else
		bridge_call_fail(call, &why);
	arena_done(&arena);
	if (listen) bridge_call_start(b, NULL);
}

/* The desk was not found. */
static void own_lost(struct bridge_call *call)
{
	const struct api_reply none = { 0 };

	if (local_own_ended(call, ERR_UNAVAILABLE, &none)) bridge_call_free(call);
}

/* Moves every call on. How long to sleep until the next has something to do. */
static int64_t legs_turn(struct bridge *b)
{
	int64_t now = clock_mono_ms(), sleep = 60000;
	struct fault why = { 0 };

	for (struct bridge_call *call = LIST_FIRST(&b->calls), *next; call; call = next) {
		next = LIST_NEXT(call, others);
		if (call->transfer && transfer_over(call->transfer)) {
			call_end(call);
			return 0; /* others may be gone with it */
		} else if (!call->transfer && now >= call->pause_until) {
			/* Not found: to be looked for again later. */
			if (call_go(call, &why))
				;
			else if (call->own) {
				own_lost(call);
				return 0;
			} else if (call_is_tool(call) && now > call->patience_until)
				bridge_call_fail(call, &why);
			else
				call->pause_until =
					now + transfer_backoff_ms(++call->tries, NULL);
			sleep = 0;
		} else if (!call->transfer && call->pause_until - now < sleep) {
			sleep = call->pause_until - now;
		}
	}
	return sleep;
}

/* Does a person have this one before them? */
static bool call_asks(const struct bridge_call *call)
{
	return !call->answered && str_is(call->method, "tools/call") &&
	       str_is(call->subject, "ask_user_question");
}

/* The hosted agent was told to stop: its question goes, and the dialog with it. */
static void question_withdraw(struct bridge *b)
{
	struct arena arena = { 0 };
	struct api_reply r;
	struct api_call list = { .method = "GET",
		.path = arena_print(
			&arena, "/v1/asks?session=%.*s", STR_ARGS(b->with.host)) };

	if (!b->client || client_call(b->client, &list, &arena, &r, NULL) != OK) {
		arena_done(&arena);
		return;
	}
	const struct json *asks = json_get(r.json, "items");
	for (uint32_t i = 0; json_is(asks, JSON_ARRAY) && i < asks->count; i++) {
		struct str id = json_text_of(&asks->items[i], "id");
		struct api_call request = { .method = "POST",
			.path = arena_print(&arena, "/v1/asks/%.*s/cancel", STR_ARGS(id)),
			.body = STR("{}"),
			.key = key_make(&arena) };

		client_call(b->client, &request, &arena, &r, NULL);
	}
	arena_done(&arena);
}

/* The server learns of it by the lost connection, those of older revisions by the
 * notification as well. */
static void cancel(struct bridge *b, const struct json *message)
{
	struct arena arena = { 0 };
	const struct json *wanted = json_get(json_get(message, "params"), "requestId");
	struct str id = rpc_id(wanted, &arena);
	struct bridge_call *call;

	for (call = LIST_FIRST(&b->calls); call; call = LIST_NEXT(call, others))
		if (call->id.len > 0 && str_eq(call->id, id)) break;
	bool asked = call && call_asks(call);
	if (call) bridge_call_free(call);
	if (asked && b->with.host.len > 0) question_withdraw(b);
	arena_done(&arena);
	if (b->session.len > 0) bridge_call_start(b, message);
}

/* ---- a hosted agent ---- */

static bool message_asks(const struct json *message)
{
	return str_is(json_text_of(message, "method"), "tools/call") &&
	       str_is(json_text_of(json_get(message, "params"), "name"),
		       "ask_user_question");
}

/* What a hosted agent asks belongs to its host's session; one question at a time. */
static void hosted_start(struct bridge *b, const struct json *message)
{
	const struct json *params = json_get(message, "params"), *whole = NULL;
	struct arena arena = { 0 };
	struct buf session = { 0 };

	for (const struct bridge_call *call = LIST_FIRST(&b->calls); call;
		call = LIST_NEXT(call, others))
		if (call_asks(call)) {
			refusal_say(b, rpc_id(json_get(message, "id"), &arena), false,
				STR("ask_user_question dialog already open"));
			arena_done(&arena);
			return;
		}
	json_write_str(&session, b->with.host);
	struct str inner = json_with(
		json_get(params, "arguments"), "session", buf_str(&session), &arena);
	inner = json_with(params, "arguments", inner, &arena);
	inner = json_with(message, "params", inner, &arena);
	buf_done(&session);
	if (json_read(inner, NULL, &arena, &whole, NULL) == OK)
		bridge_call_start(b, whole);
	arena_done(&arena);
}

static void message_take(struct bridge *b, const struct json *message)
{
	if (b->local && local_client_said(b->local, message))
		;
	else if (str_is(json_text_of(message, "method"), "notifications/cancelled"))
		cancel(b, message);
	else if (b->with.host.len > 0 && message_asks(message))
		hosted_start(b, message);
	else
		bridge_call_start(b, message);
}

static void line_take(struct bridge *b, struct str line)
{
	struct arena arena = { 0 };
	const struct json *json;
	struct fault why = { 0 };

	if (str_trim(line).len == 0) return;
	if (json_read(line, NULL, &arena, &json, &why) != OK)
		bridge_error(b, STR_NONE, RPC_PARSE_ERROR, str_of(why.detail));
	else if (json->type == JSON_ARRAY) /* 2025-03-26: several at once */
		for (uint32_t i = 0; i < json->count; i++)
			message_take(b, &json->items[i]);
	else
		message_take(b, json);
	arena_done(&arena);
}

/* False at the end of the input. */
static bool input_take(struct bridge *b)
{
	char bytes[16384];
	ssize_t n = read(b->with.in_fd, bytes, sizeof bytes);
	struct str rest = { bytes, n > 0 ? (size_t)n : 0 };

	if (n <= 0) return n < 0 && (errno == EINTR || errno == EAGAIN);
	while (rest.len > 0) {
		const char *end = memchr(rest.at, '\n', rest.len);
		size_t len = end ? (size_t)(end - rest.at) : rest.len;

		if (!b->skipping) buf_add(&b->line, str_first(rest, len));
		if (b->line.failed && !b->skipping)
			bridge_error(b, STR_NONE, RPC_PARSE_ERROR,
				STR("the message is too long"));
		b->skipping |= b->line.failed;
		rest = str_from(rest, len + (end != NULL));
		if (!end) break;
		if (!b->skipping) line_take(b, buf_str(&b->line));
		b->skipping = false;
		buf_clear(&b->line);
	}
	return true;
}

static enum stirred stir(struct bridge *b, int in_fd, int64_t wait_ms)
{
	struct pollfd fds[] = { { in_fd, POLLIN, 0 }, { b->with.stop_fd, POLLIN, 0 } };

	if (b->client) return client_stir(b->client, in_fd, wait_ms);
	poll(fds, 2, (int)wait_ms);
	return fds[1].revents	? STIRRED_STOP
	       : fds[0].revents ? STIRRED_INPUT
				: STIRRED_NET;
}

static bool replies_due(const struct bridge *b)
{
	for (const struct bridge_call *call = LIST_FIRST(&b->calls); call;
		call = LIST_NEXT(call, others))
		if (call->body.len > 0) return true;
	return false;
}

/* The client has something to say: is it heard? */
static bool input_waits(const struct bridge *b)
{
	struct pollfd fd = { b->with.in_fd, POLLIN, 0 };

	return !b->local || poll(&fd, 1, 0) != 0;
}

static enum bridged messages_carry(struct bridge *b)
{
	int64_t farewell = 0; /* monotonic: when the input has ended, the end of all */

	while (!b->broken) {
		int64_t sleep = legs_turn(b);
		int in_fd = b->local	   ? local_fd(b->local, farewell == 0)
			    : farewell > 0 ? -1
					   : b->with.in_fd;

		if (b->local && !local_turn(b->local)) return BRIDGED_SERVER_ENDED;
		if (b->local && local_sleep_ms(b->local) < sleep)
			sleep = local_sleep_ms(b->local);
		if (farewell > 0) {
			int64_t left = farewell - clock_mono_ms();

			if (left <= 0 ||
				!(replies_due(b) || (b->local && local_busy(b->local))))
				return BRIDGED_ENDED;
			if (left < sleep) sleep = left;
		}
		switch (stir(b, in_fd, sleep)) {
		case STIRRED_STOP: return BRIDGED_STOPPED;
		case STIRRED_INPUT:
			if (farewell == 0 && input_waits(b) && !input_take(b))
				farewell = clock_mono_ms() +
					   (b->local ? FAREWELL_MS / 2 : FAREWELL_MS);
			break;
		case STIRRED_NET: break;
		}
	}
	return BRIDGED_ENDED;
}

enum bridged bridge_run(const struct bridge_setup *setup, struct fault *why)
{
	struct bridge b = { .with = *setup, .line.max = LINE_BYTES };
	enum bridged end;

	if (setup->command) b.local = local_new(&b, why);
	end = setup->command && !b.local ? BRIDGED_SERVER_ENDED : messages_carry(&b);

	while (!LIST_EMPTY(&b.calls))
		bridge_call_free(LIST_FIRST(&b.calls));
	local_free(b.local);
	client_free(b.client);
	buf_done(&b.line);
	buf_done(&b.session);
	buf_done(&b.version);
	buf_done(&b.greeting);
	return end;
}
