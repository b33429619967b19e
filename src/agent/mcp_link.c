/* mcp_link.c - a client of MCP over HTTP: which family a server speaks, the list of its tools, and calls. A call is
 * sent once: what was sent and not answered is unknown. */
#include "agent/mcp_link_inner.h"

#include "agent/mcp_program.h"
#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/keep.h"
#include "core/shared/trace.h"

#include <stdio.h>

enum { DISCOVER_MS = 5 * 1000, PAUSE_MS = 200, SUBSCRIBED_MS = 24 * 3600 * 1000 };

static bool link_may_connect(void *ctx, const uint8_t bytes[16])
{
	struct mcp_link *l = ctx;
	struct address to;

	memcpy(to.bytes, bytes, sizeof to.bytes);
	return model_reach_allows(l->access->reach, &l->url, &to);
}

static bool link_take(void *ctx, int status, struct str bytes)
{
	struct mcp_link *l = ctx;
	bool alive;

	(void)status;
	remote_feed(l->reading, bytes);
	alive = l->alive;
	l->alive = false;
	return alive;
}

static bool nothing_take(void *ctx, int status, struct str bytes)
{
	(void)ctx, (void)status, (void)bytes;
	return true;
}

static void link_progressed(void *ctx, struct str text, int64_t percent)
{
	struct mcp_link *l = ctx;
	int64_t now = clock_mono_ms();

	l->alive = true;
	if (!l->call || !l->call->progressed || now - l->told_ms < PAUSE_MS) return;
	l->told_ms = now;
	l->call->progressed(l->call->ctx, text, percent);
}

/* How long a request may take: one that may show signs of life longer than without. */
struct link_times {
	int64_t timeout_ms, idle_ms; /* 0: no such bound */
};

static struct link_times link_times(
	const struct mcp_link *l, const struct remote_call *c, int64_t ms)
{
	bool lasts = l->passes && l->relay->lasts, lives = c->progress || l->passes;
	int64_t left, idle = lives && !lasts ? ms : 0;

	if (lives) ms = lasts ? SUBSCRIBED_MS : PROGRESS_MS;
	left = l->until_ms ? l->until_ms - clock_mono_ms() : ms;
	return (struct link_times){ left < 1 ? 1 : left < ms ? left : ms, idle };
}

static bool link_may_send(void *ctx)
{
	struct mcp_link *l = ctx;

	return l->relay ? l->relay->may_send(l->relay) : l->call->starts(l->call->ctx);
}

/* Is there a word to wait for before this request is sent? */
static bool link_waits(const struct mcp_link *l, const struct remote_call *c)
{
	if (l->relay) return l->passes && l->relay->may_send;
	return c->progress && l->call && l->call->starts;
}

/* Several callers share a program: their tokens for progress are the ids of their requests there. */
static struct str token_ours(struct mcp_link *l, struct str text)
{
	const struct json *params, *meta;
	char id[32];

	l->token = STR_NONE;
	if (!text.len || json_read(text, &mcp_list_limits, l->arena, &params, NULL))
		return text;
	meta = json_get(params, "_meta");
	l->token = rpc_id(json_get(meta, "progressToken"), l->arena);
	if (!l->token.len) return text;
	snprintf(id, sizeof id, "%lld", (long long)l->id);
	return json_with(params, "_meta",
		json_with(meta, "progressToken", str_of(id), l->arena), l->arena);
}

static struct str token_theirs(
	const struct mcp_link *l, const struct rpc *rpc, struct arena *arena)
{
	return JSON_TEXT(arena,
		"{'jsonrpc':'2.0','method':'notifications/progress','params':%j}",
		json_with(rpc->params, "progressToken", l->token, arena));
}

static bool link_other(void *ctx, const struct rpc *rpc, struct str message)
{
	struct mcp_link *l = ctx;
	struct arena scratch = { 0 };
	struct str theirs = STR_NONE;
	bool taken;

	l->alive = true;
	if (l->token.len && str_is(rpc->method, "notifications/progress"))
		theirs = token_theirs(l, rpc, &scratch);
	if (theirs.len) message = theirs;
	taken = l->relay->other && l->relay->other(l->relay, rpc, message);
	arena_done(&scratch);
	return taken;
}

/* Told, with no answer to wait for. */
void link_post(struct mcp_link *l, const struct remote_call *c, struct str body,
	const char *method, struct fetcher *f)
{
	struct fetch_end end;
	struct str ignored;
	const char **headers =
		remote_headers(c, str_of(l->session), l->headers, l->arena);

	if (l->program) {
		mcp_program_run(l->program, &(struct program_request){ .message = body },
			l->arena, &ignored);
		return;
	}
	if (!headers || !f) return;
	fetcher_run(f,
		&(struct fetch_request){ .url = arena_copy(l->arena, l->access->url),
			.headers = headers,
			.get = method != NULL,
			.method = method,
			.body = body,
			.timeout_ms = NOTE_MS,
			.stop_fd = -1,
			.may_connect = link_may_connect,
			.take = nothing_take,
			.ctx = l },
		&end);
}

void link_note(struct mcp_link *l, const char *method, struct str params)
{
	const struct remote_call c = {
		.revision = l->revision, .method = method, .params = params
	};
	struct buf body = { 0 };

	remote_message(&body, &c);
	link_post(l, &c, buf_str(&body), NULL, l->fetcher);
	buf_done(&body);
}

/* A request of the server's, on the stream that is being read. */
static void link_asked(void *ctx, const struct rpc *asked)
{
	struct mcp_link *l = ctx;
	const struct remote_call c = { .revision = l->revision, .method = "response" };
	struct buf body = { 0 };
	struct str answer = STR_NONE;

	if (l->relay && l->relay->ask && l->passes &&
		!l->relay->ask(l->relay, asked->method, asked->params, &answer))
		answer = STR_NONE;
	if (l->call && l->call->asks)
		l->call->asks(
			l->call->ctx, asked->method, asked->params, l->arena, &answer);
	l->alive = true;
	if (!l->aside && !l->program) l->aside = fetcher_new(NULL);
	remote_answer(&body, asked, answer);
	link_post(l, &c, buf_str(&body), NULL, l->aside);
	buf_done(&body);
}

static struct str none_words(
	const struct fetch_end *end, const struct remote_reader *r, struct arena *arena)
{
	size_t max = r->max ? r->max : REMOTE_MESSAGE_MAX;

	if (r->over && max % (1024 * 1024))
		return arena_print(arena, "what it sends is larger than %zu bytes", max);
	if (r->over)
		return arena_print(
			arena, "what it sends is larger than %zu MiB", max >> 20);
	if (end->how != FETCH_WHOLE) return arena_str(arena, str_of(end->error));
	if (end->location[0])
		return arena_print(arena, "HTTP %d: it redirects to %s; use that address",
			end->status, end->location);
	if (end->status == 401 || end->status == 403)
		return arena_print(
			arena, "HTTP %d: it wants other credentials", end->status);
	if (end->status != 200) return arena_print(arena, "HTTP %d", end->status);
	return STR("its reply is no message of MCP, nested too deep, or has more than "
		   "400,000 values");
}

static void link_fetch(struct mcp_link *l, const struct remote_call *c,
	struct remote_reader *r, struct str body, int64_t timeout_ms,
	struct mcp_answer *out)
{
	const char **headers =
		remote_headers(c, str_of(l->session), l->headers, l->arena);
	struct link_times times = link_times(l, c, timeout_ms);
	const struct fetch_request request = {
		.url = arena_copy(l->arena, l->access->url),
		.headers = headers,
		/* A connection that gives out is not to cost an approval. */
		.fresh = c->tool && link_waits(l, c),
		.once = c->tool != NULL,
		.body = body,
		.timeout_ms = times.timeout_ms,
		.idle_ms = times.idle_ms,
		.stop_fd = l->stop_fd,
		.may_connect = link_may_connect,
		.may_send = link_waits(l, c) ? link_may_send : NULL,
		.take = link_take,
		.enough = &r->done,
		.ctx = l,
	};

	if (!headers) return;
	fetcher_run(l->fetcher, &request, &out->end);
	link_resume(l, r, &request, &out->end);
	remote_end(r);
	out->wrong = none_words(&out->end, r, l->arena);
}

void link_stream(struct mcp_link *l, const struct remote_call *c, struct remote_reader *r,
	struct fetch_end *end)
{
	const char **headers =
		remote_headers(c, str_of(l->session), l->headers, l->arena);
	struct str event = buf_str(&r->sse.id);

	*end = (struct fetch_end){ .how = FETCH_STOPPED };
	if (headers && event.len) headers = link_headers_from(headers, event, l->arena);
	if (!headers) return;
	r->other = link_other;
	l->reading = r;
	sse_reset(&r->sse);
	fetcher_run(l->fetcher,
		&(struct fetch_request){ .url = arena_copy(l->arena, l->access->url),
			.headers = headers,
			.get = true,
			.fresh = true,
			.timeout_ms = SUBSCRIBED_MS,
			.stop_fd = l->stop_fd,
			.may_connect = link_may_connect,
			.take = link_take,
			.enough = &r->done,
			.ctx = l },
		end);
	l->reading = NULL;
}

/* The same of a program, as if it had been a fetch. */
static void link_talk(struct mcp_link *l, const struct remote_call *c,
	struct remote_reader *r, struct str body, int64_t timeout_ms,
	struct mcp_answer *out)
{
	static const enum fetch_ending ends[] = { [PROGRAM_ANSWERED] = FETCH_WHOLE,
		[PROGRAM_ENDED] = FETCH_CUT,
		[PROGRAM_LATE] = FETCH_TIMEOUT,
		[PROGRAM_STOPPED] = FETCH_STOPPED };
	struct link_times times;

	l->alive = false;
	out->end.how = FETCH_UNREACHABLE;
	if (link_waits(l, c) && !link_may_send(l)) return;
	times = link_times(l, c, timeout_ms);
	out->end.how = ends[mcp_program_run(l->program,
		&(struct program_request){ .message = body,
			.reads = r,
			.timeout_ms = times.timeout_ms,
			.idle_ms = times.idle_ms,
			.alive = &l->alive,
			.stop_fd = l->stop_fd },
		l->arena, &out->wrong)];
	out->end.sent = true;
	out->end.status = r->reply ? 200 : 0;
}

/* What is said of the client: of ours, or of one of the other family. */
static struct str link_can(const struct mcp_link *l)
{
	struct json_writer w = { .out = &(struct buf){ .max = 4096 } };
	unsigned can = l->relay ? l->relay->can : CAN_FORM | CAN_URL;

	JW(&w, "{");
	if (can & (CAN_FORM | CAN_URL))
		JW(&w, "'elicitation':{'form':%j,'url':%j}",
			can & CAN_FORM ? STR("{}") : STR_NONE,
			can & CAN_URL ? STR("{}") : STR_NONE);
	JW(&w, "'extensions':{'io.modelcontextprotocol/tasks':{}}}");
	return buf_keep_done(w.out, l->arena);
}

void link_call(struct mcp_link *l, struct remote_call *c, int64_t timeout_ms,
	struct mcp_answer *out)
{
	struct remote_reader r = { .arena = l->arena,
		.asked = link_asked,
		.progressed = link_progressed,
		.ctx = l };
	struct buf body = { 0 };

	l->id = l->program ? mcp_program_next_id(l->program) : l->id + 1;
	c->revision = l->revision;
	c->can = link_can(l);
	c->id = r.id = l->id;
	/* A program's ids are ours: several callers share it. */
	if (l->program) c->said_id = STR_NONE;
	if (l->program && l->passes) c->params = token_ours(l, c->params);
	r.said_id = c->said_id;
	if (l->passes) r.other = link_other;
	if (l->relay) r.max = (size_t)l->access->result_max;
	remote_message(&body, c);
	*out = (struct mcp_answer){ .how = ANSWER_NONE, .wrong = STR("out of memory") };
	l->reading = &r;
	if (!body.failed)
		(l->program ? link_talk : link_fetch)(
			l, c, &r, buf_str(&body), timeout_ms, out);
	out->reply = r.reply;
	out->over = r.over;
	out->bytes = r.bytes;
	if (out->end.how == FETCH_STOPPED) out->how = ANSWER_STOPPED;
	if (r.reply) {
		out->how = ANSWER_SAID;
		remote_said(r.reply, &out->said);
	}
	l->list_changed |= r.list_changed;
	l->reading = NULL;
	buf_done(&body);
	remote_done(&r);
}

/* ---- which family it speaks ---- */

static bool link_refused(const struct mcp_answer *a)
{
	return a->end.how == FETCH_WHOLE &&
	       (a->end.status == 401 || a->end.status == 403);
}

/* The same until 2025-11-25. */
static struct str greeting_can(const struct mcp_link *l)
{
	unsigned can = l->relay ? l->relay->can : CAN_FORM | CAN_URL;

	if (!(can & (CAN_FORM | CAN_URL))) return STR_NONE;
	return JSON_TEXT(l->arena, "{'elicitation':{'form':%j,'url':%j}}",
		can & CAN_FORM ? STR("{}") : STR_NONE,
		can & CAN_URL ? STR("{}") : STR_NONE);
}

static bool link_greet(struct mcp_link *l, struct mcp_found *out)
{
	struct remote_call c = { .method = "initialize" };
	struct mcp_answer a;
	struct str said;

	l->revision = REV_2025_11_25;
	c.params = l->relay && l->relay->greeting.len
			   ? l->relay->greeting
			   : remote_greeting(l->revision, greeting_can(l), l->arena);
	link_call(l, &c, MCP_LIST_MS, &a);
	l->greeted = a.said.result;
	out->status = link_refused(&a) ? MCP_UNAUTHORIZED : MCP_FAILED;
	out->error = a.wrong;
	if (a.how != ANSWER_SAID) {
		if (a.end.how == FETCH_WHOLE &&
			(a.end.status == 404 || a.end.status == 405))
			out->error = arena_print(l->arena,
				"HTTP %d: nothing here speaks Streamable HTTP; servers that "
				"speak only HTTP+SSE (2024-11-05) are not supported",
				a.end.status);
		return false;
	}
	if (!a.said.result) {
		out->error = arena_print(l->arena, "it refuses to begin: %.*s",
			STR_ARGS(str_first(a.said.message, 300)));
		return false;
	}
	if (!remote_revision(a.reply, &l->revision, &said) ||
		l->revision == REV_2026_07_28) {
		out->error = arena_print(l->arena,
			"it speaks MCP %.*s, which is not supported",
			STR_ARGS(str_first(said, 40)));
		return false;
	}
	snprintf(l->session, sizeof l->session, "%s", a.end.session);
	link_note(l, "notifications/initialized", STR_NONE);
	return true;
}

/* True: it is of the newer family. */
static bool link_discover(struct mcp_link *l, struct mcp_answer *a)
{
	struct remote_call c = { .method = "server/discover" };
	enum revision best;
	struct str said;

	l->revision = REV_2026_07_28;
	/* An older program may leave what it does not know without an answer. */
	link_call(l, &c, l->program ? DISCOVER_MS : MCP_LIST_MS, a);
	l->greeted = a->said.result;
	return a->how == ANSWER_SAID && a->said.result &&
	       remote_revision(a->reply, &best, &said) && best == REV_2026_07_28;
}

static bool link_find(struct mcp_link *l, struct mcp_found *out)
{
	struct mcp_answer a;

	if (link_discover(l, &a)) return true;
	out->status = link_refused(&a) ? MCP_UNAUTHORIZED : MCP_FAILED;
	out->error = a.wrong;
	if (a.how != ANSWER_SAID && !(l->program && a.end.how == FETCH_TIMEOUT) &&
		(a.end.how != FETCH_WHOLE || link_refused(&a) || a.end.location[0] ||
			a.end.status >= 500))
		return false;
	return link_greet(l, out);
}

/* The family of the client, or else the one that it spoke last, is tried first. */
static bool link_agree(struct mcp_link *l, struct mcp_found *out)
{
	bool older = l->relay && l->relay->greeting.len;

	if (older || (revision_read(l->access->revision, &l->revision) &&
			     l->revision != REV_2026_07_28)) {
		if (link_greet(l, out)) return true;
		if (out->status == MCP_UNAUTHORIZED) return false;
	}
	return link_find(l, out);
}

/* What was agreed with a program holds as long as it runs. */
static bool program_open(struct mcp_link *l, struct mcp_found *out)
{
	struct str greeted;
	bool done = true;

	if (!l->program) l->program = mcp_program_take(l->access, l->arena, &out->error);
	if (!l->program) return false;
	if (!mcp_program_begin(l->program, l->arena, &l->revision, &greeted)) {
		done = link_agree(l, out);
		mcp_program_begun(l->program, done, l->revision,
			l->greeted ? json_keep(l->greeted, l->arena) : STR_NONE);
	} else if (greeted.len) {
		json_read(greeted, &mcp_list_limits, l->arena, &l->greeted, NULL);
	}
	/* Its clients have no sessions; that they speak as it does is known by this. */
	snprintf(l->session, sizeof l->session, "program");
	return done;
}

/* `lists`: what it speaks is asked for anew. False: *out says why. */
bool link_open(struct mcp_link *l, bool lists, struct mcp_found *out)
{
	*out = (struct mcp_found){ .status = MCP_FAILED, .error = l->access->wrong };
	if (out->error.len) return false;
	if (l->access->command.len) return program_open(l, out);
	/* Since then each request says all there is to know. */
	if (!lists && revision_read(l->access->revision, &l->revision) &&
		l->revision == REV_2026_07_28)
		return true;
	return link_agree(l, out);
}

/* ---- the list of its tools ---- */

struct tools_found {
	struct buf all;
	struct json_writer w;
	size_t len;
	size_t bytes; /* that came for it */
};

static const char *page_take(
	const struct json *result, struct tools_found *t, bool *truncated)
{
	const struct json *tools = json_get(result, "tools"), *item = NULL;

	if (!json_is(tools, JSON_ARRAY)) return "its list has no tools";
	while (json_each(tools, &item)) {
		if (t->len == MCP_TOOLS_MAX) {
			*truncated = true;
			return NULL;
		}
		if (item->type != JSON_OBJECT)
			return "its list has something else than tools";
		jw_json(&t->w, item);
		t->len++;
		if (t->all.len > MCP_LIST_BYTES || t->all.failed)
			return "its list is larger than 8 MiB";
	}
	return NULL;
}

static bool link_list(struct mcp_link *l, struct mcp_found *out)
{
	struct tools_found t = { .all = { .max = 2 * MCP_LIST_BYTES } };
	struct str cursor = STR_NONE;
	const char *wrong = NULL;
	struct mcp_answer a = { 0 };

	t.w.out = &t.all;
	jw_array(&t.w);
	out->revision = str_of(revision_name(l->revision));
	for (int page = 0; !wrong; page++) {
		struct remote_call c = { .method = "tools/list" };

		if (page == MCP_PAGES_MAX) {
			wrong = "its list does not end: more than 100 pages";
			break;
		}
		if (cursor.len) c.params = JSON_TEXT(l->arena, "{'cursor':%s}", cursor);
		link_call(l, &c, MCP_LIST_MS, &a);
		t.bytes += a.bytes;
		if (a.how == ANSWER_SAID && t.bytes > MCP_LIST_BYTES)
			wrong = "its list is larger than 8 MiB";
		if (a.how != ANSWER_SAID || wrong) break;
		/* Without tools it is a server of resources or prompts. */
		if (!a.said.result && a.said.code == RPC_NO_METHOD) break;
		if (!a.said.result) {
			wrong = arena_print(l->arena,
				"it refuses to list its tools: %.*s",
				STR_ARGS(str_first(a.said.message, 300)))
					.at;
			break;
		}
		wrong = page_take(a.said.result, &t, &out->truncated);
		cursor = json_text_of(a.said.result, "nextCursor");
		if (!cursor.len || out->truncated) break;
	}
	jw_array_end(&t.w);
	if (!wrong && a.how != ANSWER_SAID)
		wrong = l->until_ms && clock_mono_ms() >= l->until_ms
				? "its list takes longer than 30 s"
				: a.wrong.at;
	out->status = !wrong		 ? MCP_READY
		      : link_refused(&a) ? MCP_UNAUTHORIZED
					 : MCP_FAILED;
	out->error = str_of(wrong);
	out->tools = buf_keep_done(&t.all, l->arena);
	return !wrong;
}

/* ---- a call ---- */

/* What was sent is not sent again: who reads it may have done it. */
static enum own_call_end call_ended(
	struct mcp_link *l, const struct mcp_answer *a, struct tool_outcome *out)
{
	const struct fetch_end *end = &a->end;

	out->failed = true;
	out->status = end->status;
	out->list_changed = l->list_changed;
	if (a->how == ANSWER_STOPPED) return OWN_CALL_STOPPED;
	if (a->how == ANSWER_SAID && a->said.result && l->call &&
		remote_inputs(a->said.result, l->arena, &out->wants, &out->text)) {
		if (out->text.len) out->wants = STR_NONE;
	} else if (a->how == ANSWER_SAID && a->said.result) {
		out->text = remote_text(a->said.result, l->arena, &out->failed);
		out->text = tool_result_cut(out->text, l->arena);
	} else if (a->how == ANSWER_SAID)
		out->text = arena_print(l->arena, "The server refused it: %.*s (%lld)",
			STR_ARGS(str_first(a->said.message, 2000)),
			(long long)a->said.code);
	else if (a->over)
		out->text =
			STR("It ran; its result is larger than 8 MiB and was cut off");
	else if (end->sent &&
		 (end->how != FETCH_WHOLE || end->status >= 500 || end->status == 200)) {
		out->text = STR("No answer came");
		return OWN_CALL_UNKNOWN;
	} else
		out->text =
			arena_print(l->arena, "It did not run: %.*s", STR_ARGS(a->wrong));
	return OWN_CALL_DONE;
}

/* It does not speak the revision any more that it was known by, and did nothing. */
static bool link_outdated(const struct mcp_link *l, const struct mcp_answer *a)
{
	return l->revision == REV_2026_07_28 && !l->program && !a->said.result &&
	       (a->said.code == RPC_NO_VERSION ||
		       (a->end.how == FETCH_WHOLE && a->end.status == 400));
}

static enum own_call_end link_tool(
	struct mcp_link *l, const struct json *arguments, struct tool_outcome *out)
{
	const struct mcp_access *a = l->access;
	struct remote_call c = { .method = "tools/call",
		.progress = true,
		.tool = a->said,
		.arguments = arguments };
	const struct tool_access *of = l->call ? l->call->access : NULL;
	struct mcp_answer answer;
	struct mcp_found found;
	struct trace_on trace;
	char id[32];

	if (of) {
		trace = trace_pass(of->trace, of->call, l->arena);
		c.meta = trace_members(&trace, l->arena);
	}
	c.params = arena_print(l->arena, "{\"name\":%.*s,\"arguments\":%.*s%s%s%.*s}",
		STR_ARGS(JSON_TEXT(l->arena, "%s", a->tool)),
		STR_ARGS(json_keep(arguments, l->arena)),
		link_wants_task(l) ? ",\"task\":{}" : "",
		l->call && l->call->more.len ? "," : "",
		STR_ARGS(l->call ? l->call->more : STR_NONE));
	link_call(l, &c, a->timeout_ms, &answer);
	if (link_outdated(l, &answer) && link_find(l, &found))
		link_call(l, &c, a->timeout_ms, &answer);
	link_await(l, &answer, a->timeout_ms);
	snprintf(id, sizeof id, "%lld", (long long)l->id);
	/* Since 2026-07-28 the end of a request over HTTP says so. */
	if (answer.end.sent && answer.how != ANSWER_SAID &&
		(l->revision < REV_2026_07_28 || l->program))
		link_note(l, "notifications/cancelled",
			JSON_TEXT(l->arena, "{'requestId':%j}", str_of(id)));
	return call_ended(l, &answer, out);
}

/* ---- from its beginning to its end ---- */

bool link_begin(struct mcp_link *l)
{
	const struct mcp_access *a = l->access;

	if (a->headers.len) json_read(a->headers, NULL, l->arena, &l->headers, NULL);
	return l->fetcher &&
	       (a->command.len || a->wrong.len || url_split(a->url, &l->url));
}

void link_end(struct mcp_link *l)
{
	const struct remote_call c = { .revision = l->revision, .method = "DELETE" };

	if (l->program)
		mcp_program_give(l->program);
	else if (l->session[0] && l->revision < REV_2026_07_28)
		link_post(l, &c, STR_NONE, "DELETE", l->fetcher);
	fetcher_free(l->aside);
}

bool mcp_link_list(struct fetcher *f, int stop_fd, const struct mcp_access *a,
	struct arena *arena, struct mcp_found *out)
{
	struct mcp_link l = { .fetcher = f,
		.access = a,
		.stop_fd = stop_fd,
		.until_ms = clock_mono_ms() + MCP_LIST_MS,
		.arena = arena };

	if (!link_begin(&l)) return false;
	if (link_open(&l, true, out)) link_list(&l, out);
	link_end(&l);
	return !arena->failed;
}

enum own_call_end mcp_link_run(struct fetcher *f, int stop_fd,
	const struct mcp_call *call, struct arena *arena, struct tool_outcome *out)
{
	const struct tool_access *t = call->access;
	struct mcp_link l = { .fetcher = f,
		.access = t->mcp,
		.call = call,
		.stop_fd = stop_fd,
		.arena = arena };
	int most = own_tool_class(&t->tool) == CLASS_REPEAT ? OWN_TOOL_TRIES : 1;
	enum own_call_end end = OWN_CALL_DONE;
	int64_t began = clock_mono_ms();
	struct mcp_found found;

	*out = (struct tool_outcome){ .failed = true, .text = STR("out of memory") };
	if (!link_begin(&l)) return OWN_CALL_DONE;
	for (int tries = 1; tries <= most; tries++) {
		if (link_open(&l, false, &found))
			end = link_tool(&l, call->arguments, out);
		else
			out->text = arena_print(
				arena, "It did not run: %.*s", STR_ARGS(found.error));
		if (end != OWN_CALL_UNKNOWN) break;
		/* Another is started. */
		if (l.program) mcp_program_give(l.program);
		l.program = NULL;
	}
	/* What may be run again needs nobody to decide about it. */
	if (end == OWN_CALL_UNKNOWN && most > 1) end = OWN_CALL_DONE;
	link_end(&l);
	out->took_ms = clock_mono_ms() - began;
	return end;
}

bool mcp_link_try(const struct mcp_access *a, const struct json *call,
	struct arena *arena, struct mcp_found *out)
{
	struct mcp_link l = { .fetcher = fetcher_new(NULL),
		.access = a,
		.stop_fd = -1,
		.until_ms = clock_mono_ms() + MCP_LIST_MS,
		.arena = arena };
	static const struct json none = { .type = JSON_OBJECT };
	const struct json *arguments = json_get(call, "arguments");
	int64_t began;
	bool done = link_begin(&l);

	if (done && link_open(&l, true, out) && link_list(&l, out) && call && a->said) {
		l.until_ms = 0;
		began = clock_mono_ms();
		link_tool(&l, arguments ? arguments : &none, &out->came);
		out->came.took_ms = clock_mono_ms() - began;
		out->called = true;
	}
	if (done) link_end(&l);
	fetcher_free(l.fetcher);
	return done && !arena->failed;
}
