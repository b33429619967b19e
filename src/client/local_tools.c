/* local_tools.c - the tools of a server on the gateway's own side: read from it, told to the desk, which says which of them
 * may be called. Prefix: tools_. */
#include "client/local_inner.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/json_pattern.h"

enum { TOOLS_LAST_MS = 60 * 1000 }; /* as clients are told */

static bool tools_wanted(const struct bridge_call *call)
{
	return call->pause_until == INT64_MAX;
}

static void list_answer(struct local_server *l, const struct bridge_call *call)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };
	bool current = call->revision.len > 0;

	rpc_result(&w, call->id);
	if (current) JW(&w, "'resultType':'complete'");
	jw_put_raw(&w, "tools", l->told ? buf_str(&l->known) : buf_str(&l->all));
	if (current) jw_put_int(&w, "ttlMs", TOOLS_LAST_MS);
	jw_put_text(&w, "cacheScope", "private");
	rpc_end(&w);
	bridge_say(l->bridge, w.out);
}

/* What waited for them goes on. */
static void tools_done(struct local_server *l, bool told)
{
	struct bridge_call *call, *next;

	l->tools = TOOLS_KNOWN;
	l->told = told;
	l->away = false;
	for (call = LIST_FIRST(&l->bridge->calls); call; call = next) {
		next = LIST_NEXT(call, others);
		if (!tools_wanted(call)) continue;
		call->pause_until = 0;
		call->patience_until = clock_mono_ms() + AWAY_MS;
		if (!str_is(call->method, "tools/list")) continue;
		list_answer(l, call);
		bridge_call_free(call);
	}
}

void tools_tell(struct local_server *l, const char *wrong)
{
	struct buf more = { .max = LOCAL_BYTES };
	struct json_writer w = { .out = &more };

	l->tools = TOOLS_TELLING;
	if (wrong) {
		buf_set(&l->all, STR("[]"));
		JW(&w, "'error':%s", str_of(wrong));
	} else {
		jw_array_end(&l->all_w);
		JW(&w, "'revision':%?,'truncated':%j,'tools':%j",
			l->meta.len ? STR("2026-07-28") : buf_str(&l->revision),
			json_bool(l->truncated), buf_str(&l->all));
	}
	own_ask(l, OWN_TOOLS, "parley/tools", NULL, buf_str(&more));
	buf_done(&more);
}

static void page_ask(struct local_server *l, struct str cursor)
{
	struct arena arena = { 0 };

	local_id(l, l->list_id);
	local_send(l,
		JSON_TEXT(&arena,
			"{'jsonrpc':'2.0','id':%j,'method':'tools/list','params':{'cursor':%?,'_meta':%j}}",
			str_of(l->list_id), cursor, buf_str(&l->meta)));
	arena_done(&arena);
}

void tools_read(struct local_server *l)
{
	if (l->tools == TOOLS_READING || l->tools == TOOLS_TELLING) return;
	if (l->tools == TOOLS_KNOWN && !l->stale && l->all.len &&
		clock_mono_ms() - l->read_ms < MCP_LIST_AGAIN_MS) {
		/* The desk was away: it is told what was read. */
		l->all.len--;
		l->all_w.more = l->count > 0;
		tools_tell(l, NULL);
		return;
	}
	l->tools = TOOLS_READING;
	l->stale = l->truncated = false;
	l->pages = 0;
	l->count = 0;
	l->began_ms = clock_mono_ms();
	buf_clear(&l->all);
	l->all_w = (struct json_writer){ .out = &l->all };
	jw_array(&l->all_w);
	page_ask(l, STR_NONE);
}

bool tools_due(const struct local_server *l)
{
	return l->tools != TOOLS_KNOWN || !l->told || l->stale ||
	       clock_mono_ms() - l->read_ms >= MCP_LIST_AGAIN_MS;
}

static const char *page_take(struct local_server *l, const struct json *result)
{
	const struct json *tools = json_get(result, "tools"), *item = NULL;

	if (!json_is(tools, JSON_ARRAY)) return "its list has no tools";
	while (json_each(tools, &item)) {
		if (l->count == MCP_TOOLS_MAX) {
			l->truncated = true;
			return NULL;
		}
		if (item->type != JSON_OBJECT)
			return "its list has something else than tools";
		jw_json(&l->all_w, item);
		l->count++;
		if (l->all.len > MCP_LIST_BYTES) return "its list is larger than 8 MiB";
	}
	return NULL;
}

void tools_page(struct local_server *l, const struct json *reply)
{
	struct remote_said said;
	const char *wrong = NULL;
	struct str cursor = STR_NONE;

	l->list_id[0] = '\0';
	if (l->tools != TOOLS_READING) return;
	l->read_ms = clock_mono_ms();
	remote_said(reply, &said);
	if (said.result) {
		wrong = page_take(l, said.result);
		cursor = json_text_of(said.result, "nextCursor");
	} else if (said.code != RPC_NO_METHOD) {
		wrong = "it refuses to list its tools";
	}
	if (!wrong && cursor.len && !l->truncated && ++l->pages == MCP_PAGES_MAX)
		wrong = "its list does not end: more than 100 pages";
	if (!wrong && cursor.len && !l->truncated)
		page_ask(l, cursor);
	else
		tools_tell(l, wrong);
}

/* Lists are answered all the same; calls wait for a while. True: the desk is told again. */
bool tools_away(struct local_server *l)
{
	int64_t now = clock_mono_ms();
	struct bridge_call *call, *next;
	struct fault why = { 0 };
	bool wait = false;

	fail(&why, ERR_UNAVAILABLE, "no connection");
	for (call = LIST_FIRST(&l->bridge->calls); call; call = next) {
		next = LIST_NEXT(call, others);
		if (!tools_wanted(call)) continue;
		if (str_is(call->method, "tools/list")) {
			list_answer(l, call);
			bridge_call_free(call);
			continue;
		}
		if (!call->patience_until) bridge_call_away(call);
		if (now >= call->patience_until)
			bridge_call_fail(call, &why);
		else
			wait = true;
	}
	l->away = wait;
	l->told = false;
	if (!wait) l->tools = TOOLS_KNOWN;
	return wait;
}

void tools_known(struct local_server *l, const struct api_reply *r)
{
	const struct json *tools = json_get(json_get(r->json, "result"), "tools");
	struct str wrong = json_text_of(json_get(r->json, "error"), "message");

	buf_clear(&l->known);
	if (tools)
		json_write(&l->known, tools);
	else
		buf_add_text(&l->known, "[]");
	if (wrong.len || r->status >= 400)
		fprintf(stderr, "parley: %.*s\n",
			STR_ARGS(wrong.len ? wrong : json_text_of(r->json, "detail")));
	tools_done(l, true);
}

void tools_first(struct local_server *l, const struct json *message)
{
	struct bridge_call *call = bridge_call_new(l->bridge, message);
	const struct json *meta = json_get(json_get(message, "params"), "_meta");

	if (!call) return;
	call->pause_until = INT64_MAX;
	if (call->revision.len) {
		static const char *const own[] = { "progressToken", NULL };

		buf_clear(&l->meta);
		json_write(&l->meta, json_without(meta, own, &call->arena));
	}
	/* What may be called is asked of the desk each time. */
	if (l->away)
		tools_away(l);
	else
		tools_read(l);
}
