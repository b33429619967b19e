/* local_run.c - calls that the desk holds for a server on the gateway's own side: waited for, begun once the desk has
 * committed their start, and told to the desk when they have ended. Prefixes: run_, local_. */
#include "client/local_inner.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/json_pattern.h"
#include "base/mem.h"

static void own_drop(struct local_run *run, enum bridge_own own)
{
	struct bridge_call *call, *next;

	for (call = LIST_FIRST(&run->local->bridge->calls); call; call = next) {
		next = LIST_NEXT(call, others);
		if (call->run == run && call->own == own) {
			call->run = NULL;
			bridge_call_free(call);
		}
	}
}

void run_free(struct local_run *run)
{
	struct bridge_call *call;

	LIST_FOREACH(call, &run->local->bridge->calls, others)
	if (call->run == run) call->run = NULL;
	LIST_REMOVE(run, others);
	buf_done(&run->message);
	mem_free(run);
}

static void run_wait(struct local_run *run)
{
	struct arena arena = { 0 };

	own_start(run->local, OWN_WAIT,
		arena_print(&arena, "/v1/asks/%s?wait=25", run->ask), STR_NONE, run);
	arena_done(&arena);
}

void run_held(struct bridge_call *call, struct str id, struct str ask)
{
	struct local_server *l = call->bridge->local;
	struct local_run *run;

	LIST_FOREACH(run, &l->runs, others)
	if (str_is(id, run->call)) break;
	if (!run && (run = mem_alloc(sizeof *run))) {
		*run = (struct local_run){ .local = l };
		snprintf(run->call, sizeof run->call, "%.*s", STR_ARGS(id));
		snprintf(run->ask, sizeof run->ask, "%.*s", STR_ARGS(ask));
		buf_set(&run->message, call->body);
		LIST_INSERT_HEAD(&l->runs, run, others);
		run_wait(run);
	}
	call->run = run;
	l->bridge->broken |= !run;
}

void local_call_gone(struct bridge_call *call)
{
	struct local_run *run = call->run;
	const struct bridge_call *other;

	if (!run || call->own || run->state != RUN_WAITS || run->task) return;
	LIST_FOREACH(other, &call->bridge->calls, others)
	if (other->run == run && !other->own) return;
	/* Nothing runs without a caller. */
	own_drop(run, OWN_WAIT);
	run_free(run);
}

void run_end(struct local_run *run, const char *how, const struct json *result,
	struct str text)
{
	struct buf more = { .max = LOCAL_BYTES };
	struct json_writer w = { .out = &more };

	run->state = RUN_ENDS;
	jw_put_text(&w, "how", how);
	if (result) jw_put_json(&w, "result", result);
	jw_put_some(&w, "text", text);
	if (more.len > CALL_RESULT_MAX + 100 || more.failed) {
		buf_clear(&more);
		w = (struct json_writer){ .out = &more };
		JW(&w, "'how':'failed','text':%s",
			STR("It ran; its result is larger than 1 MiB and was not kept."));
	}
	own_ask(run->local, OWN_END, "parley/end", run, buf_str(&more));
	buf_done(&more);
}

/* The client's own message, with the arguments as they were approved. */
static void run_begin(struct local_run *run, const struct json *arguments)
{
	static const char *const ours[] = { "task", "requestState", "inputResponses",
		NULL };
	struct local_server *l = run->local;
	struct arena arena = { 0 };
	const struct json *message, *params;
	struct buf text = { .max = LOCAL_BYTES };
	struct json_writer w = { .out = &text };

	local_id(l, run->id);
	if (json_read(buf_str(&run->message), &mcp_list_limits, &arena, &message, NULL)) {
		run_end(run, "failed", NULL, STR("out of memory"));
		arena_done(&arena);
		return;
	}
	params = json_without(json_get(message, "params"), ours, &arena);
	JW(&w, "{'jsonrpc':'2.0','id':%j,'method':'tools/call','params':%j}",
		str_of(run->id),
		json_with(params, "arguments", json_keep(arguments, &arena), &arena));
	run->state = RUN_RUNS;
	l->alive_ms = clock_mono_ms() + LOCAL_ALIVE_MS;
	local_send(l, buf_str(&text));
	buf_done(&text);
	l->owed++;
	arena_done(&arena);
}

void run_replied(struct local_run *run, const struct json *reply)
{
	struct remote_said said;
	struct arena arena = { 0 };

	remote_said(reply, &said);
	if (json_is(said.result, JSON_OBJECT))
		run_end(run, "done", said.result, STR_NONE);
	else
		run_end(run, "failed", NULL,
			arena_print(&arena, "The server refused it: %.*s (%lld)",
				STR_ARGS(str_first(said.message, 2000)),
				(long long)said.code));
	arena_done(&arena);
}

void run_went_on(struct local_run *run, enum bridge_own own, const struct api_reply *r)
{
	const struct json *result = json_get(r->json, "result"),
			  *started = json_get(result, "started"),
			  *arguments = json_get(result, "arguments");

	if (own == OWN_WAIT && r->status < 400 &&
		str_is(json_text_of(r->json, "status"), "pending"))
		run_wait(run);
	else if (own == OWN_WAIT && r->status < 400) {
		run->state = RUN_STARTS;
		own_ask(run->local, OWN_START, "parley/start", run, STR_NONE);
	} else if (own == OWN_START && started && started->type == JSON_TRUE && arguments)
		run_begin(run, arguments);
	else
		run_free(run);
}
