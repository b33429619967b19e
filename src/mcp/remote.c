/* remote.c - messages of a client of MCP, and replies read as they come. */
#include "mcp/remote.h"

#include "base/json_pattern.h"
#include "base/keep.h"
#include "dialect/dialect.h"
#include "mcp/header.h"

#include <stdio.h>

#define PREFIX "io.modelcontextprotocol/"
#define US     "{'name':'parley','title':'Parley','version':'" PARLEY_VERSION "'}"

enum { FOREIGN_MAX = 100 };

/* ---- sent ---- */

static bool stateless(enum revision r)
{
	return r >= REV_2026_07_28;
}

static void meta_write(struct json_writer *w, const struct remote_call *c)
{
	if (c->raw || (!stateless(c->revision) && !c->progress && !c->meta.len)) return;
	jw_put_object(w, "_meta");
	if (stateless(c->revision)) {
		jw_put_text(w, PREFIX "protocolVersion", revision_name(c->revision));
		jw_key(w, PREFIX "clientInfo");
		JW(w, US);
		jw_key(w, PREFIX "clientCapabilities");
		jw_raw(w, c->can.len ? c->can : STR("{}"));
	}
	if (c->progress) jw_put_int(w, "progressToken", c->id);
	jw_members(w, c->meta);
	jw_object_end(w);
}

void remote_message(struct buf *out, const struct remote_call *c)
{
	struct json_writer w = { .out = out };
	struct str members = c->params;
	char id[32];

	snprintf(id, sizeof id, "%lld", (long long)c->id);
	if (members.len) members = str_make(members.at + 1, members.len - 2);
	rpc_call(&w, c->method,
		c->said_id.len ? c->said_id
		: c->id	       ? str_of(id)
			       : STR_NONE);
	meta_write(&w, c);
	jw_members(&w, members);
	rpc_end(&w);
}

struct str remote_greeting(enum revision revision, struct str can, struct arena *arena)
{
	return JSON_TEXT(arena,
		"{'protocolVersion':%s,'capabilities':%j,'clientInfo':" US "}",
		str_of(revision_name(revision)), can.len ? can : STR("{}"));
}

static bool param_text(const struct json *v, struct arena *arena, struct str *out)
{
	if (v->type == JSON_STRING)
		*out = header_encode(v->text, arena);
	else if (v->type == JSON_NUMBER)
		*out = v->text;
	else
		*out = json_bool(v->type == JSON_TRUE);
	return !arena->failed;
}

static void params_add(
	const struct remote_call *c, struct arena *arena, const char **out, size_t *len)
{
	struct mcp_param params[MCP_PARAMS_MAX];
	size_t n = mcp_tool_params(c->tool, c->arguments, params);
	struct str value;

	for (size_t i = 0; i < n; i++)
		if (param_text(params[i].value, arena, &value))
			out[(*len)++] = arena_print(arena, "Mcp-Param-%.*s: %.*s",
				STR_ARGS(params[i].header), STR_ARGS(value))
						.at;
}

const char **remote_headers(const struct remote_call *c, struct str session,
	const struct json *own, struct arena *arena)
{
	const struct json *params = NULL;
	const char **out = ARENA_ARRAY(
		arena, const char *, MCP_PARAMS_MAX + 8 + (own ? own->count : 0));
	struct str subject;
	size_t len = 0;

	if (!out) return NULL;
	out[len++] = "Content-Type: application/json";
	out[len++] = "Accept: application/json, text/event-stream";
	if (strcmp(c->method, "initialize") != 0)
		out[len++] = arena_print(
			arena, "MCP-Protocol-Version: %s", revision_name(c->revision))
				     .at;
	if (session.len)
		out[len++] =
			arena_print(arena, "Mcp-Session-Id: %.*s", STR_ARGS(session)).at;
	if (stateless(c->revision)) {
		out[len++] = arena_print(arena, "Mcp-Method: %s", c->method).at;
		if (c->params.len)
			json_read(c->params, &mcp_list_limits, arena, &params, NULL);
		if (header_subject(str_of(c->method), params, &subject))
			out[len++] = arena_print(arena, "Mcp-Name: %.*s",
				STR_ARGS(header_encode(subject, arena)))
					     .at;
		if (c->tool) params_add(c, arena, out, &len);
	}
	for (uint32_t i = 0; own && i < own->count; i++)
		out[len++] =
			arena_print(arena, "%.*s: %.*s", STR_ARGS(own->members[i].name),
				STR_ARGS(json_text(&own->members[i].value)))
				.at;
	return arena->failed ? NULL : out;
}

void remote_answer(struct buf *out, const struct rpc *asked, struct str answer)
{
	struct json_writer w = { .out = out };
	struct rpc_fault why = { 0 };

	if (answer.len || str_is(asked->method, "ping")) {
		rpc_result(&w, asked->id);
		if (answer.len) jw_members(&w, str_make(answer.at + 1, answer.len - 2));
		rpc_end(&w);
		return;
	}
	rpc_fail(&why, 200, RPC_NO_METHOD, "Parley does not offer this");
	rpc_error(&w, asked->id, &why);
}

/* ---- read ---- */

static int64_t percent_of(const struct json *done, const struct json *total)
{
	double all = json_is(total, JSON_NUMBER) ? json_real(total) : 0;
	double part = json_is(done, JSON_NUMBER) ? json_real(done) : -1;

	return all > 0 && part >= 0 && part <= all ? (int64_t)(part * 100 / all) : -1;
}

static void notification_take(struct remote_reader *r, const struct rpc *n)
{
	if (str_is(n->method, "notifications/tools/list_changed")) r->list_changed = true;
	if (str_is(n->method, "notifications/progress") && r->progressed)
		r->progressed(r->ctx, json_text_of(n->params, "message"),
			percent_of(json_get(n->params, "progress"),
				json_get(n->params, "total")));
}

/* True: it answers ours. */
static bool message_take(struct remote_reader *r, const struct json *m, struct str text)
{
	struct arena scratch = { 0 };
	struct rpc rpc;
	char id[32];
	bool answers = false;

	snprintf(id, sizeof id, "%lld", (long long)r->id);
	if (!rpc_read(m, &scratch, &rpc))
		r->foreign++;
	else if (rpc.kind != RPC_RESPONSE && r->other && r->other(r->ctx, &rpc, text))
		r->list_changed |= str_is(rpc.method, "notifications/tools/list_changed");
	else if (rpc.kind == RPC_NOTIFICATION)
		notification_take(r, &rpc);
	else if (rpc.kind == RPC_REQUEST && r->asked)
		r->asked(r->ctx, &rpc);
	else if (rpc.kind == RPC_RESPONSE)
		answers =
			r->said_id.len ? str_eq(rpc.id, r->said_id) : str_is(rpc.id, id);
	r->done = answers || r->foreign > FOREIGN_MAX;
	arena_done(&scratch);
	return answers;
}

void remote_take(struct remote_reader *r, struct str text)
{
	struct arena scratch = { .max = MCP_LIST_MEMORY };
	const struct json *m;
	struct str one, answer = STR_NONE;

	if (r->done) return;
	if (json_read(text, &mcp_list_limits, &scratch, &m, NULL)) {
		r->foreign++;
	} else if (m->type != JSON_ARRAY) {
		if (message_take(r, m, text)) answer = arena_str(r->arena, text);
	} else {
		/* 2025-03-26 had batches. */
		for (uint32_t i = 0; i < m->count && !r->done; i++) {
			one = json_keep(&m->items[i], &scratch);
			if (message_take(r, &m->items[i], one))
				answer = arena_str(r->arena, one);
		}
	}
	arena_done(&scratch);
	/* Not before: what was read of it is as large again. */
	if (answer.len && !json_read(answer, &mcp_list_limits, r->arena, &m, NULL))
		r->reply = m;
}

static bool frame_take(void *ctx, const struct sse_frame *f)
{
	struct remote_reader *r = ctx;

	if (f->data.len && str_is(f->type, "message")) remote_take(r, f->data);
	return !r->done;
}

/* A stream begins with the name of a field, a comment or an empty line. */
static void form_find(struct remote_reader *r, struct str bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		if (memchr(" \t\r\n", bytes.at[i], 4)) continue;
		r->form = bytes.at[i] == '{' || bytes.at[i] == '[' ? REMOTE_JSON
								   : REMOTE_STREAM;
		return;
	}
}

void remote_feed(struct remote_reader *r, struct str bytes)
{
	size_t max = r->max ? r->max : REMOTE_MESSAGE_MAX;

	r->bytes += bytes.len;
	if (r->form == REMOTE_UNKNOWN) form_find(r, bytes);
	if (r->done || r->form == REMOTE_UNKNOWN) return;
	if (r->form == REMOTE_STREAM) {
		r->sse.fn = frame_take;
		r->sse.ctx = r;
		r->sse.most = max;
		if (!sse_feed(&r->sse, bytes) && !r->done) r->over = r->done = true;
		return;
	}
	r->whole.max = max;
	buf_add(&r->whole, bytes);
	if (r->whole.failed) r->over = r->done = true;
}

void remote_end(struct remote_reader *r)
{
	if (r->form == REMOTE_JSON && !r->done) remote_take(r, buf_str(&r->whole));
}

void remote_done(struct remote_reader *r)
{
	sse_done(&r->sse);
	buf_done(&r->whole);
}

/* ---- what it says ---- */

void remote_said(const struct json *reply, struct remote_said *out)
{
	const struct json *error = json_get(reply, "error");

	*out = (struct remote_said){ .result = json_get(reply, "result"),
		.code = json_int_of(error, "code"),
		.message = json_text_of(error, "message") };
	if (!json_is(out->result, JSON_OBJECT)) out->result = NULL;
}

bool remote_revision(const struct json *reply, enum revision *out, struct str *said)
{
	const struct json *result = json_get(reply, "result");
	const struct json *data = json_get(json_get(reply, "error"), "data");
	const struct json *list = json_get(result, "supportedVersions"), *item = NULL;
	enum revision one;
	bool found = false;

	*said = json_text_of(result, "protocolVersion");
	if (said->len) return revision_read(*said, out);
	if (!list) list = json_get(data, "supported");
	while (json_each(list, &item)) {
		*said = json_text(item);
		if (!revision_read(*said, &one) || (found && one < *out)) continue;
		*out = one;
		found = true;
	}
	if (found) *said = str_of(revision_name(*out));
	return found;
}

/* ---- what it wants to know ---- */

enum { INPUTS_MAX = 20, STATE_MAX = 256 * 1024, INPUT_DEPTH = 48 };

bool remote_input(struct str method, const struct json *params, struct arena *arena,
	struct str *body, struct str *foreign, struct str *wrong)
{
	struct translated in;
	struct fault why = { 0 };

	if (!str_is(method, "elicitation/create")) {
		*wrong = arena_print(arena,
			"The server asked for %.*s, which is not offered",
			STR_ARGS(str_first(method, 60)));
		return false;
	}
	if (!json_is(params, JSON_OBJECT)) {
		*wrong = STR("The server asks, and does not say what");
		return false;
	}
	if (dialect_to_ask(
		    dialect_find(STR("elicitation")), params, false, arena, &in, &why)) {
		*wrong = arena_print(arena, "The server asked what cannot be asked: %s",
			why.items_len ? why.items[0].detail : why.detail);
		return false;
	}
	*body = json_keep(in.body, arena);
	*foreign = in.foreign;
	return true;
}

static bool input_write(struct json_writer *w, struct str key, const struct json *input,
	struct arena *arena, struct str *wrong)
{
	struct str body, foreign;

	if (!remote_input(json_text_of(input, "method"), json_get(input, "params"), arena,
		    &body, &foreign, wrong))
		return false;
	JW(w, "{'key':%s,'body':%j,'foreign':%j}", key, body, foreign);
	return true;
}

bool remote_inputs(const struct json *result, struct arena *arena, struct str *out,
	struct str *wrong)
{
	const struct json *inputs = json_get(result, "inputRequests");
	const struct json *state = json_get(result, "requestState");
	/* It is kept with the call, and read again within more. */
	const struct json_limits limits = { .depth = INPUT_DEPTH };
	struct buf b = { .max = CALL_RESULT_MAX };
	struct json_writer w = { .out = &b };
	const struct json *read;
	bool done = true;

	*out = *wrong = STR_NONE;
	if (!str_is(json_text_of(result, "resultType"), "input_required")) return false;
	if ((inputs && inputs->type != JSON_OBJECT) || json_text(state).len > STATE_MAX ||
		(inputs && inputs->count > INPUTS_MAX) || (!inputs && !state))
		*wrong = STR("The server asks for more than can be asked");
	if (wrong->len) return true;
	JW(&w, "{'state':%j,'asks':[", state ? json_keep(state, arena) : STR("null"));
	for (uint32_t i = 0; done && inputs && i < inputs->count; i++)
		done = input_write(&w, inputs->members[i].name, &inputs->members[i].value,
			arena, wrong);
	JW(&w, "]}");
	if (done && (b.failed || json_read(buf_str(&b), &limits, arena, &read, NULL)))
		*wrong = STR("The server asks for more than can be asked");
	*out = buf_keep_done(&b, arena);
	return true;
}

struct str remote_elicited(
	const struct ask *a, const struct ask_view *view, struct arena *arena)
{
	struct str reply = STR_NONE;
	struct ask_json whole;

	if (ask_json_read(a, view, arena, &whole, NULL) ||
		dialect_from_ask(dialect_find(STR("elicitation")), &whole, false, arena,
			&reply, NULL))
		return STR_NONE;
	return reply;
}

static void content_add(struct buf *out, const struct json *c)
{
	struct str type = json_text_of(c, "type");
	const struct json *resource = json_get(c, "resource");

	if (out->len) buf_add_text(out, "\n\n");
	if (str_is(type, "text"))
		buf_add(out, json_text_of(c, "text"));
	else if (str_is(type, "resource") && json_get(resource, "text"))
		buf_add(out, json_text_of(resource, "text"));
	else if (str_is(type, "resource") || str_is(type, "resource_link"))
		buf_print(out, "[%.*s]",
			STR_ARGS(str_first(
				json_text_of(resource ? resource : c, "uri"), 2000)));
	else
		buf_print(out, "[%.*s, %.*s]", STR_ARGS(str_first(type, 40)),
			STR_ARGS(str_first(json_text_of(c, "mimeType"), 100)));
}

struct str remote_text(const struct json *result, struct arena *arena, bool *failed)
{
	const struct json *content = json_get(result, "content"), *item = NULL;
	const struct json *structured = json_get(result, "structuredContent");
	struct str type = json_text_of(result, "resultType");
	struct buf b = { .max = 2 * REMOTE_MESSAGE_MAX };

	*failed = json_is(json_get(result, "isError"), JSON_TRUE);
	if (type.len && !str_is(type, "complete")) {
		*failed = true;
		return arena_print(arena,
			"The server answered with %.*s, which was not offered",
			STR_ARGS(str_first(type, 40)));
	}
	while (json_each(content, &item))
		content_add(&b, item);
	if (!b.len && structured) json_write(&b, structured);
	return buf_keep_done(&b, arena);
}
