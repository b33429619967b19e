/* local.c - a gateway's server on this side: a program beside us, between it and the client. What calls a tool or reads
 * something is decided at the desk first; everything else passes as it is. A call that was held is run here once the desk
 * has committed its start, and the desk is told what came of it. Prefixes: local_, own_, run_. */
#include "client/local_inner.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/mem.h"

enum {
	SENDS_MAX = 4 * REMOTE_MESSAGE_MAX,
	SENDS_FULL = REMOTE_MESSAGE_MAX, /* the client is not listened to meanwhile */
	LOOK_MS = 500,
	TELL_MS = 1000,
};

/* ---- to the server ---- */

static void local_fail(struct local_server *l, const char *words)
{
	if (!l->error[0]) snprintf(l->error, sizeof l->error, "%s", words);
	l->ended = true;
}

void local_send(struct local_server *l, struct str message)
{
	if (l->ended) return;
	buf_add(&l->sends, message);
	buf_add_char(&l->sends, '\n');
	if (l->sends.failed) local_fail(l, "it reads nothing");
}

static void sends_write(struct local_server *l)
{
	ssize_t n = 1;

	while (l->sends.len && n > 0 && l->process.input >= 0) {
		n = write(l->process.input, l->sends.at, l->sends.len);
		if (n > 0) {
			memmove(l->sends.at, l->sends.at + n, l->sends.len - (size_t)n);
			l->sends.len -= (size_t)n;
		}
	}
}

void local_id(struct local_server *l, char out[64])
{
	snprintf(out, 64, "\"%.20s-%lld\"", l->owner, (long long)++l->next_id);
}

/* ---- to the desk ---- */

struct bridge_call *own_start(struct local_server *l, enum bridge_own own,
	struct str path, struct str body, struct local_run *run)
{
	struct bridge_call *call = bridge_call_new(l->bridge, NULL);

	if (!call) return NULL;
	call->own = own;
	call->run = run;
	call->path = arena_str(&call->arena, path);
	call->body = arena_str(&call->arena, body);
	call->key = key_make(&call->arena);
	l->bridge->broken |= call->arena.failed;
	return call;
}

/* parley/METHOD with what is known of the run. */
void own_ask(struct local_server *l, enum bridge_own own, const char *method,
	struct local_run *run, struct str more)
{
	struct arena arena = { 0 };
	struct buf body = { .max = LOCAL_BYTES };
	struct json_writer w = { .out = &body };

	rpc_call(&w, method, STR("1"));
	JW(&w, "'owner':%s,'call':%?", str_of(l->owner),
		run ? str_of(run->call) : STR_NONE);
	jw_members(&w, more);
	rpc_end(&w);
	l->bridge->broken |= body.failed;
	own_start(l, own, STR_NONE, buf_str(&body), run);
	buf_done(&body);
	arena_done(&arena);
}

/* ---- what the desk says ---- */

bool local_desk_said(struct bridge_call *call, const struct json *message)
{
	struct local_server *l = call->bridge->local;
	const struct json *params = json_get(message, "params"),
			  *result = json_get(message, "result"),
			  *meta = json_get(result, "_meta");
	struct str id = json_text_of(json_get(meta, "parley/call"), "id");

	if (str_is(json_text_of(message, "method"), "notifications/parley/held")) {
		run_held(call, json_text_of(params, "call"), json_text_of(params, "ask"));
		return true;
	}
	if (call->run && id.len && str_is(id, call->run->call) &&
		(str_is(json_text_of(result, "resultType"), "task") ||
			json_get(result, "task")))
		call->run->task = true;
	if (!json_get(meta, "parley/run")) return false;
	local_send(l, call->body);
	l->owed++;
	return true;
}

static bool own_again(struct bridge_call *call)
{
	call->pause_until = clock_mono_ms() + transfer_backoff_ms(++call->tries, NULL);
	return false;
}

bool local_own_ended(struct bridge_call *call, enum err err, const struct api_reply *r)
{
	struct local_server *l = call->bridge->local;
	bool passing = err && (reply_passing(r) || r->status >= 500);

	if (call->own == OWN_ALIVE) return true;
	if (call->own == OWN_TOOLS && passing)
		return tools_away(l) ? own_again(call) : true;
	if (call->own == OWN_TOOLS) {
		tools_known(l, r);
		return true;
	}
	if (passing) return own_again(call);
	if (call->run && call->own != OWN_CANCEL) run_went_on(call->run, call->own, r);
	return true;
}

/* ---- what the client says ---- */

static void client_cancels(struct local_server *l, const struct json *message)
{
	struct arena arena = { 0 };
	struct str id =
		rpc_id(json_get(json_get(message, "params"), "requestId"), &arena);
	struct bridge_call *call;
	struct local_run *run;

	LIST_FOREACH(call, &l->bridge->calls, others)
	if (!call->own && call->id.len && str_eq(call->id, id)) break;
	run = call ? call->run : NULL;
	if (!call) {
		local_send(l, json_keep(message, &arena));
	} else if (run && run->state == RUN_RUNS) {
		local_send(l,
			JSON_TEXT(&arena,
				"{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':%j,'reason':%?}}",
				str_of(run->id),
				json_text_of(json_get(message, "params"), "reason")));
		run_end(run, "cancelled", NULL,
			STR("It was cancelled by the client while it ran."));
		bridge_call_free(call);
	} else {
		if (run)
			own_start(l, OWN_CANCEL,
				arena_print(&arena, "/v1/asks/%s/cancel", run->ask),
				STR("{\"reason\":\"the client cancelled it\"}"), NULL);
		bridge_call_free(call);
	}
	arena_done(&arena);
}

static void client_greets(
	struct local_server *l, const struct json *message, struct str id, bool session)
{
	buf_clear(&l->greeting);
	if (session) json_write(&l->greeting, message);
	buf_set(&l->greeting_id, id);
}

/* Of a held call, whose task is the desk's. */
static bool is_task(struct str method, const struct json *params)
{
	return str_starts(method, "tasks/") &&
	       str_starts(json_text_of(params, "taskId"), "call_");
}

bool local_client_said(struct local_server *l, const struct json *message)
{
	struct arena arena = { 0 };
	const struct json *params = json_get(message, "params");
	struct str method = json_text_of(message, "method");
	struct str id = rpc_id(json_get(message, "id"), &arena);
	bool decided = str_is(method, "tools/call") || str_is(method, "resources/read") ||
		       str_is(method, "prompts/get");

	if (id.len && (str_is(method, "tools/list") || (decided && tools_due(l)))) {
		tools_first(l, message);
		arena_done(&arena);
		return true;
	}
	if ((id.len && decided) || is_task(method, params)) {
		arena_done(&arena);
		return false;
	}
	if (str_is(method, "notifications/cancelled")) {
		client_cancels(l, message);
	} else {
		if (str_is(method, "initialize") || str_is(method, "server/discover"))
			client_greets(l, message, id, str_is(method, "initialize"));
		if (id.len && method.len) l->owed++;
		local_send(l, json_keep(message, &arena));
		/* It is listed when it is first started. */
		if (str_is(method, "notifications/initialized")) tools_read(l);
	}
	arena_done(&arena);
	return true;
}

/* ---- what the server says ---- */

/* The desk hears who the client is, in the revision that was agreed. */
static void greeting_agreed(struct local_server *l, struct str version)
{
	struct bridge *b = l->bridge;
	struct arena arena = { 0 };
	const struct json *message;
	struct buf quoted = { 0 };
	struct str text;

	buf_set(&l->revision, version);
	if (!version.len ||
		json_read(buf_str(&l->greeting), NULL, &arena, &message, NULL)) {
		arena_done(&arena);
		return;
	}
	json_write_str(&quoted, version);
	text = json_with(
		json_get(message, "params"), "protocolVersion", buf_str(&quoted), &arena);
	buf_done(&quoted);
	buf_set(&b->greeting, json_with(message, "params", text, &arena));
	buf_clear(&b->session);
	buf_set(&b->version, version);
	arena_done(&arena);
}

/* The reply to a client that asks who the server is, with what the desk adds: held calls can be tasks. */
static const struct json *ability_add(
	const struct json *message, struct str version, struct arena *arena)
{
	const struct json *result = json_get(message, "result"),
			  *can = json_get(result, "capabilities"), *whole = message;
	bool old = str_is(version, "2025-11-25");
	struct str text;

	if (!json_is(can, JSON_OBJECT) || (version.len && !old)) return message;
	if (old)
		text = JSON_TEXT(arena,
			"{'list':%j,'cancel':{},'requests':{'tools':{'call':{}}}}",
			json_get(json_get(can, "tasks"), "list") ? STR("{}") : STR_NONE);
	else
		text = json_with(json_get(can, "extensions"),
			"io.modelcontextprotocol/tasks", STR("{}"), arena);
	text = json_with(can, old ? "tasks" : "extensions", text, arena);
	text = json_with(result, "capabilities", text, arena);
	json_read(json_with(message, "result", text, arena), &mcp_list_limits, arena,
		&whole, NULL);
	return whole;
}

static void server_said(void *ctx, struct str line)
{
	struct local_server *l = ctx;
	struct arena arena = { .max = MCP_LIST_MEMORY };
	const struct json *message;
	struct local_run *run = NULL;
	struct buf out = { 0 };
	struct rpc rpc;

	if (json_read(line, &mcp_list_limits, &arena, &message, NULL) ||
		(message->type != JSON_ARRAY && !rpc_read(message, &arena, &rpc))) {
		l->lines.foreign++;
		arena_done(&arena);
		return;
	}
	if (message->type == JSON_ARRAY) rpc = (struct rpc){ .kind = RPC_NOTIFICATION };
	if (rpc.kind == RPC_RESPONSE) {
		LIST_FOREACH(run, &l->runs, others)
		if (run->state == RUN_RUNS && str_is(rpc.id, run->id)) break;
	}
	if (rpc.kind == RPC_RESPONSE && str_is(rpc.id, l->list_id)) {
		tools_page(l, message);
		arena_done(&arena);
		return;
	}
	if (rpc.kind == RPC_RESPONSE && l->owed) l->owed--;
	if (run) {
		run_replied(run, message);
	} else if (rpc.kind == RPC_RESPONSE &&
		   str_starts(rpc.id, arena_print(&arena, "\"%.20s-", l->owner).at)) {
		; /* of a call that was given up */
	} else {
		if (rpc.kind == RPC_RESPONSE && l->greeting_id.len &&
			str_eq(rpc.id, buf_str(&l->greeting_id))) {
			struct str version = json_text_of(rpc.result, "protocolVersion");

			if (l->greeting.len) greeting_agreed(l, version);
			message = ability_add(message, version, &arena);
			buf_clear(&l->greeting_id);
		}
		if (str_is(rpc.method, "notifications/tools/list_changed"))
			l->stale = true;
		json_write(&out, message);
		bridge_say(l->bridge, &out);
	}
	arena_done(&arena);
}

static void server_printed(void *ctx, struct str bytes)
{
	struct local_server *l = ctx;
	const char *wrong =
		l->ended ? NULL : mcp_lines_take(&l->lines, bytes, server_said, l);

	if (wrong) local_fail(l, wrong);
}

/* What it printed on standard error since. */
static void errors_pass(struct local_server *l)
{
	const struct process *p = &l->process;
	size_t new = p->printed - l->said;

	if (new > PROCESS_TAIL_MAX) new = PROCESS_TAIL_MAX;
	for (; p->tail && new; new --)
		fputc(p->tail[(p->printed - new) % PROCESS_TAIL_MAX], stderr);
	l->said = p->printed;
}

/* ---- from its start to its end ---- */

static void fd_watch(struct local_server *l, int fd, int op)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (fd >= 0 && epoll_ctl(l->epoll, op, fd, &event) < 0 && errno == EPERM)
		l->files = true;
}

struct local_server *local_new(struct bridge *b, struct fault *why)
{
	struct local_server *l = mem_alloc(sizeof *l);
	struct arena arena = { 0 };

	if (!l) {
		fail(why, ERR_MEMORY, "out of memory");
		return NULL;
	}
	*l = (struct local_server){ .bridge = b, .epoll = epoll_create1(EPOLL_CLOEXEC) };
	l->sends.max = SENDS_MAX;
	snprintf(l->owner, sizeof l->owner, "local:%.*s", STR_ARGS(key_make(&arena)));
	arena_done(&arena);
	l->started = !process_start(&l->process,
		&(struct process_setup){ .argv = b->with.command,
			.envp = environ,
			.talks = true,
			.take = server_printed,
			.ctx = l },
		why);
	if (!l->started) return local_free(l);
	fd_watch(l, l->process.handle, EPOLL_CTL_ADD);
	fd_watch(l, l->process.output, EPOLL_CTL_ADD);
	fd_watch(l, l->process.result, EPOLL_CTL_ADD);
	return l;
}

/* What was begun has an outcome that nobody knows. */
static void runs_leave(struct local_server *l)
{
	struct bridge *b = l->bridge;
	struct local_run *run;

	LIST_FOREACH(run, &l->runs, others)
	{
		struct arena arena = { 0 };
		struct api_reply r;
		const struct header headers[] = { { "Parley-Transport: ", STR("local") },
			{ 0 } };

		if (run->state == RUN_RUNS && b->client && !b->lost)
			client_call(b->client,
				&(struct api_call){ .method = "POST",
					.path = b->with.path,
					.headers = headers,
					.hold_ms = TELL_MS,
					.body = JSON_TEXT(&arena,
						"{'jsonrpc':'2.0','id':1,'method':'parley/end','params':{'owner':%s,'call':%s,'how':'unknown','text':'Its gateway ended'}}",
						str_of(l->owner), str_of(run->call)) },
				&arena, &r, NULL);
		arena_done(&arena);
	}
}

struct local_server *local_free(struct local_server *l)
{
	if (!l) return NULL;
	if (l->started) {
		process_done(&l->process);
		runs_leave(l);
	}
	while (!LIST_EMPTY(&l->runs))
		run_free(LIST_FIRST(&l->runs));
	close(l->epoll);
	buf_done(&l->lines.line);
	buf_done(&l->sends);
	buf_done(&l->meta);
	buf_done(&l->all);
	buf_done(&l->known);
	buf_done(&l->greeting);
	buf_done(&l->greeting_id);
	buf_done(&l->revision);
	mem_free(l);
	return NULL;
}

int local_fd(struct local_server *l, bool input)
{
	input &= l->sends.len < SENDS_FULL;
	if (input != l->listens)
		fd_watch(l, l->bridge->with.in_fd, input ? EPOLL_CTL_ADD : EPOLL_CTL_DEL);
	l->listens = input;
	return l->files && input ? l->bridge->with.in_fd : l->epoll;
}

static void ended_say(struct local_server *l)
{
	struct process_end end;

	if (!process_ended(&l->process, &end)) return;
	errors_pass(l);
	if (end.failure[0])
		local_fail(l, end.failure);
	else if (end.signal)
		snprintf(l->error, sizeof l->error, "it ended: signal %d", end.signal);
	else
		snprintf(l->error, sizeof l->error, "it ended: exit status %d", end.exit);
	l->ended = true;
}

bool local_turn(struct local_server *l)
{
	int64_t now = clock_mono_ms();
	const struct local_run *run;

	sends_write(l);
	process_look(&l->process);
	errors_pass(l);
	if (!l->ended) ended_say(l);
	if (l->tools == TOOLS_READING && now - l->began_ms >= MCP_LIST_MS)
		tools_tell(l, "its list takes longer than 30 s");
	if (l->stale && l->tools == TOOLS_KNOWN) tools_read(l);
	LIST_FOREACH(run, &l->runs, others)
	if (run->state == RUN_RUNS && now >= l->alive_ms) {
		l->alive_ms = now + LOCAL_ALIVE_MS;
		own_ask(l, OWN_ALIVE, "parley/alive", NULL, STR_NONE);
	}
	if (l->ended)
		fprintf(stderr, "parley: %s: %s\n", l->bridge->with.command[0], l->error);
	return !l->ended;
}

int64_t local_sleep_ms(const struct local_server *l)
{
	return l->sends.len ? 20 : LOOK_MS;
}

bool local_busy(const struct local_server *l)
{
	return l->owed > 0;
}
