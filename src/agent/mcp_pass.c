/* mcp_pass.c - messages of an agent's client passed on to an MCP server. Prefixes: pass_, mcp_link_. */
#include "agent/mcp_link_inner.h"

#include "agent/mcp_program.h"
#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/keep.h"

#include <poll.h>
#include <stdio.h>

/* False: it could not be begun, and r->wrong says why. */
static bool pass_open(struct mcp_link *l, struct relay *r)
{
	if (r->known && !l->access->command.len) {
		l->revision = r->revision;
		snprintf(l->session, sizeof l->session, "%s", r->session);
		return true;
	}
	r->known = link_open(l, r->kind == RELAY_GREET, &r->found);
	r->revision = l->revision;
	r->greeted = l->greeted;
	snprintf(r->session, sizeof r->session, "%s", l->session);
	r->wrong = r->found.error;
	return r->known;
}

/* Of a client of the other family: what _meta says of that family is left out; the rest goes beside ours. */
static void pass_params(struct mcp_link *l, const struct relay *r, struct remote_call *c)
{
	static const char *const meta[] = { "_meta", NULL };
	const struct json *params = NULL, *own;
	struct buf more = { .max = REMOTE_MESSAGE_MAX };
	struct json_writer w = { .out = &more };

	c->params = r->params;
	c->raw = (l->revision >= REV_2026_07_28) == (r->client >= REV_2026_07_28);
	if (c->raw || !r->params.len ||
		json_read(r->params, &mcp_list_limits, l->arena, &params, NULL))
		return;
	own = json_get(params, "_meta");
	for (uint32_t i = 0; json_is(own, JSON_OBJECT) && i < own->count; i++) {
		if (str_starts(own->members[i].name, "io.modelcontextprotocol/"))
			continue;
		jw_name(&w, own->members[i].name);
		jw_json(&w, &own->members[i].value);
	}
	c->params = json_keep(json_without(params, meta, l->arena), l->arena);
	c->meta = buf_keep_done(&more, l->arena);
}

/* As a task, where the server has no other way and the client does not know of it. */
static struct str with_task(struct str params, struct arena *arena)
{
	const struct json *read;

	if (json_read(params, &mcp_list_limits, arena, &read, NULL)) return params;
	return json_with(read, "task", STR("{}"), arena);
}

enum { ASKED_MAX = 10 };

static bool wants_input(const struct mcp_answer *a)
{
	return a->how == ANSWER_SAID &&
	       str_is(json_text_of(a->said.result, "resultType"), "input_required");
}

/* The params once more, with what the client said. False: it was not to be had. */
static bool pass_asked(struct mcp_link *l, struct relay *r, const struct json *result,
	struct remote_call *c)
{
	static const char *const names[] = { "inputResponses", "requestState", NULL };
	const struct json *inputs = json_get(result, "inputRequests");
	const struct json *state = json_get(result, "requestState"), *params;
	struct json_writer w = { .out = &(struct buf){ .max = REMOTE_MESSAGE_MAX } };
	struct str answer, kept = STR("{}");
	bool done = true;

	if (!json_read(c->params, &mcp_list_limits, l->arena, &params, NULL))
		kept = json_keep(json_without(params, names, l->arena), l->arena);
	jw_object(&w);
	jw_members(&w, str_make(kept.at + 1, kept.len - 2));
	jw_put_object(&w, "inputResponses");
	for (uint32_t i = 0; done && json_is(inputs, JSON_OBJECT) && i < inputs->count;
		i++) {
		const struct json *one = &inputs->members[i].value;

		done = r->ask(
			r, json_text_of(one, "method"), json_get(one, "params"), &answer);
		jw_name(&w, inputs->members[i].name);
		jw_raw(&w, done ? answer : STR("{}"));
	}
	jw_object_end(&w);
	if (state) jw_put_json(&w, "requestState", state);
	jw_object_end(&w);
	c->params = buf_keep_done(w.out, l->arena);
	return done && c->params.len;
}

static void pass_request(struct mcp_link *l, struct relay *r)
{
	struct remote_call c = { .method = arena_copy(l->arena, r->method),
		.said_id = r->id,
		.tool = r->access->said,
		.arguments = r->arguments };
	struct mcp_answer a;
	int64_t began = clock_mono_ms();
	bool waits; /* for a task of the server's, in place of the client */

	pass_params(l, r, &c);
	waits = r->may_send || !c.raw;
	if (waits && r->access->said && link_wants_task(l))
		c.params = with_task(c.params, l->arena);
	l->passes = true;
	link_call(l, &c, r->timeout_ms, &a);
	if (waits) link_await(l, &a, r->timeout_ms);
	for (int i = 0; i < ASKED_MAX && waits && r->ask && wants_input(&a) &&
			pass_asked(l, r, a.said.result, &c);
		i++) {
		link_call(l, &c, r->timeout_ms, &a);
		link_await(l, &a, r->timeout_ms);
	}
	l->passes = false;
	/* Since 2026-07-28 the end of a request over HTTP says so. */
	if (a.end.sent && a.how != ANSWER_SAID &&
		(l->revision < REV_2026_07_28 || l->program))
		link_note(l, "notifications/cancelled",
			JSON_TEXT(l->arena, "{'requestId':%j}",
				c.said_id.len ? c.said_id
					      : arena_print(l->arena, "%lld",
							(long long)l->id)));
	r->took_ms = clock_mono_ms() - began;
	r->reply = a.how == ANSWER_SAID ? a.reply : NULL;
	r->said = a.said;
	r->wrong = a.wrong;
	r->status = a.end.status;
	r->sent = a.end.sent;
	r->over = a.over;
	r->unknown =
		a.how != ANSWER_SAID && a.end.sent && !a.over &&
		(a.end.how != FETCH_WHOLE || a.end.status >= 500 || a.end.status == 200);
	r->list_changed = l->list_changed;
}

/* A notification, or the answer to a request of the server's. */
static void pass_note(struct mcp_link *l, struct relay *r)
{
	struct remote_call c = { .revision = l->revision,
		.method = r->body.len ? "response" : arena_copy(l->arena, r->method) };
	struct buf body = { 0 };

	/* The ids of requests at a program are ours. */
	if (l->program && str_is(r->method, "notifications/cancelled")) return;
	pass_params(l, r, &c);
	if (r->body.len)
		buf_add(&body, r->body);
	else
		remote_message(&body, &c);
	link_post(l, &c, buf_str(&body), NULL, l->fetcher);
	buf_done(&body);
}

enum { LISTEN_PAUSE_MS = 1000, LISTEN_PAUSE_MOST_MS = 30 * 1000 };

/* What the server says on the stream of its session, until nobody listens any more; on a new one where one ends. */
static void pass_listen(struct mcp_link *l)
{
	const struct remote_call c = { .revision = l->revision, .method = "GET" };
	struct remote_reader reader = { .arena = l->arena,
		.said_id = STR("\"none\""),
		.ctx = l,
		.max = (size_t)l->access->result_max };
	struct pollfd stop = { .fd = l->stop_fd, .events = POLLIN };
	struct fetch_end end = { .how = FETCH_WHOLE };

	l->passes = true;
	while (end.how != FETCH_STOPPED && !reader.over) {
		int64_t pause =
			reader.sse.retry_ms ? reader.sse.retry_ms : LISTEN_PAUSE_MS;

		link_stream(l, &c, &reader, &end);
		if (end.how != FETCH_STOPPED && end.status != 200 &&
			end.how != FETCH_UNREACHABLE)
			break; /* it has none, or the session is over */
		if (end.how == FETCH_UNREACHABLE || pause > LISTEN_PAUSE_MOST_MS)
			pause = LISTEN_PAUSE_MOST_MS;
		if (poll(&stop, 1, (int)pause) > 0) break;
	}
	remote_done(&reader);
}

void mcp_link_pass(struct fetcher *fetcher, struct relay *r)
{
	struct mcp_link l = { .fetcher = fetcher,
		.access = r->access,
		.stop_fd = r->stop_fd,
		.arena = &r->arena,
		.relay = r };

	r->wrong = r->access->wrong;
	if (r->wrong.len || (r->kind == RELAY_END && r->access->command.len)) return;
	r->wrong = STR("its address cannot be read");
	if (!link_begin(&l)) return;
	if (r->kind == RELAY_END) {
		r->known = pass_open(&l, r);
		link_end(&l);
		return;
	}
	l.until_ms = r->known ? 0 : clock_mono_ms() + MCP_LIST_MS;
	if (r->kind == RELAY_LISTEN && l.access->command.len) return;
	if (pass_open(&l, r) && r->kind == RELAY_PASS) {
		l.until_ms = 0;
		if (r->id.len)
			pass_request(&l, r);
		else
			pass_note(&l, r);
	}
	if (r->kind == RELAY_LISTEN && r->known && !l.program) pass_listen(&l);
	if (l.program) mcp_program_give(l.program);
	fetcher_free(l.aside);
}
