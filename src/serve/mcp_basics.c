/* mcp_basics.c - what a client asks before and beside calls: who we are, what there is to
 * read (asks and sessions as resources) and the prompt that sets an agent going again. */
#include "serve/mcp.h"

#include "base/clock.h"

#include "base/id.h"
#include "base/utf8.h"
#include "core/body.h"

#include <stdio.h>

enum { NAME_MAX_CHARS = 80, SOON_MS = 60000, NEVER_MS = 3600000 };

/* ---- who we are ---- */

static void capabilities_put(
	struct request *r, struct json_writer *w, enum revision revision)
{
	jw_key(w, "capabilities");
	if (mcp_of(r)->fixtures)
		fixture_capabilities(r, w);
	else
		capabilities_write(w, revision);
}

static struct str session_header(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct arena *arena = &r->task.job.arena;
	struct ticket_session s = { .client = m->client,
		.agent = r->task.job.who.agent,
		.expires_ms =
			clock_now_ms() + (int64_t)MCP_SESSION_DAYS * 24 * 3600 * 1000 };
	struct buf b = { .max = 4096 };
	struct str out;
	char nonce[24];

	snprintf(nonce, sizeof nonce, "%016llx", (unsigned long long)random_u64(NULL));
	s.nonce = str_of(nonce);
	ticket_session_write(&b, serve_key(r->serve), &s);
	out = arena_print(arena, "Mcp-Session-Id: %.*s\r\n", STR_ARGS(buf_str(&b)));
	buf_done(&b);
	return out;
}

void mcp_initialize(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct json_writer *w;

	revision_greet(m->rpc.params, &m->client);
	w = mcp_result(r, "complete");
	jw_key(w, "protocolVersion");
	jw_text(w, revision_name(m->client.revision));
	capabilities_put(r, w, m->client.revision);
	jw_key(w, "serverInfo");
	server_info_write(w);
	jw_key(w, "instructions");
	jw_text(w, mcp_instructions);
	m->headers = session_header(r);
	mcp_send(r);
}

void mcp_discover(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	jw_key(w, "supportedVersions");
	revisions_write(w);
	capabilities_put(r, w, REV_2026_07_28);
	jw_key(w, "instructions");
	jw_text(w, mcp_instructions);
	result_cached(w, REV_2026_07_28, NEVER_MS, true);
	mcp_send(r);
}

void mcp_ping(struct request *r)
{
	mcp_result(r, "complete");
	mcp_send(r);
}

/* ---- resources ---- */

static const struct {
	const char *prefix;
	const struct use *list, *get;
	const char *what;
} kinds[] = {
	{ "parley://asks/", &use_ask_list, &use_ask_get, "A question and its answer" },
	{ "parley://sessions/", &use_session_list, &use_session_get,
		"A line of work and its open questions" },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static struct str item_name(const struct json *item)
{
	const struct json *questions = json_get(item, "questions");
	struct str title = json_text(json_get(item, "title"));

	if (!title.len && json_is(questions, JSON_ARRAY) && questions->count)
		title = json_text(json_get(&questions->items[0], "text"));
	if (!title.len) title = json_text(json_get(item, "id"));
	return utf8_first(title, NAME_MAX_CHARS);
}

static void item_write(
	struct json_writer *w, size_t kind, const struct json *item, struct arena *arena)
{
	struct str id = json_text(json_get(item, "id"));
	struct str status = json_text(json_get(item, "status"));

	jw_object(w);
	jw_key(w, "uri");
	jw_str(w, arena_print(arena, "%s%.*s", kinds[kind].prefix, STR_ARGS(id)));
	jw_key(w, "name");
	jw_str(w, id);
	jw_key(w, "title");
	jw_str(w, item_name(item));
	jw_key(w, "description");
	jw_str(w, arena_print(arena, "%s (%.*s)", kinds[kind].what, STR_ARGS(status)));
	jw_key(w, "mimeType");
	jw_text(w, "application/json");
	jw_object_end(w);
}

/* Open asks first, page by page, then sessions: the cursor's first letter says where. */
static void next_write(struct json_writer *w, size_t kind, const struct json *cursor,
	struct arena *arena)
{
	struct str text = json_text(cursor);

	if (!text.len && kind + 1 == KINDS) return;
	jw_key(w, "nextCursor");
	if (text.len)
		jw_str(w, arena_print(arena, "%c%.*s", 'a' + (int)kind, STR_ARGS(text)));
	else
		jw_str(w, arena_print(arena, "%c", 'a' + (int)kind + 1));
}

static void resources_listed(struct request *r)
{
	struct mcp *m = mcp_of(r);
	size_t kind = m->at;
	const struct json *page, *items;
	struct json_writer *w;

	if (r->task.job.err) {
		mcp_trouble(r);
		return;
	}
	page = mcp_out(r);
	items = json_get(page, "items");
	w = mcp_result(r, "complete");
	jw_key(w, "resources");
	jw_array(w);
	for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->count; i++)
		item_write(w, kind, &items->items[i], &r->task.job.arena);
	jw_array_end(w);
	next_write(w, kind, json_get(page, "next_cursor"), &r->task.job.arena);
	result_cached(w, m->client.revision, 0, false);
	mcp_send(r);
}

void mcp_resources_list(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct str cursor = json_text(mcp_param(r, "cursor"));
	struct task *t;

	m->at = cursor.len ? (size_t)(unsigned char)cursor.at[0] - 'a' : 0;
	if (m->at >= KINDS) {
		mcp_refuse_params(r, "no cursor of this list");
		return;
	}
	t = mcp_task(r);
	if (cursor.len > 1) {
		t->params = ARENA_NEW(&t->job.arena, struct param);
		if (t->params)
			t->params[t->params_len++] =
				(struct param){ STR("cursor"), str_from(cursor, 1) };
	}
	request_put(r, kinds[m->at].list, resources_listed);
}

void mcp_templates_list(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	jw_key(w, "resourceTemplates");
	jw_array(w);
	for (size_t i = 0; i < KINDS; i++) {
		char uri[64];

		snprintf(uri, sizeof uri, "%s{id}", kinds[i].prefix);
		jw_object(w);
		jw_key(w, "uriTemplate");
		jw_text(w, uri);
		jw_key(w, "name");
		jw_text(w, i ? "session" : "ask");
		jw_key(w, "description");
		jw_text(w, kinds[i].what);
		jw_key(w, "mimeType");
		jw_text(w, "application/json");
		jw_object_end(w);
	}
	jw_array_end(w);
	result_cached(w, mcp_of(r)->client.revision, NEVER_MS, true);
	mcp_send(r);
}

void mcp_refuse_uri(struct request *r, struct str uri)
{
	struct rpc_fault why = { 0 };
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	jw_key(&w, "uri");
	jw_str(&w, uri);
	jw_object_end(&w);
	why.data = buf_keep_done(&b, &r->task.job.arena);
	rpc_fail(&why, 200,
		mcp_of(r)->client.revision >= REV_2026_07_28 ? RPC_INVALID_PARAMS
							     : RPC_NO_RESOURCE,
		"there is no such resource");
	mcp_refuse(r, &why);
}

static void resource_got(struct request *r)
{
	struct str uri = json_text(mcp_param(r, "uri"));
	struct json_writer *w;

	if (r->task.job.err == ERR_NOT_FOUND) {
		mcp_refuse_uri(r, uri);
		return;
	}
	if (r->task.job.err) {
		mcp_trouble(r);
		return;
	}
	w = mcp_result(r, "complete");
	jw_key(w, "contents");
	jw_array(w);
	jw_object(w);
	jw_key(w, "uri");
	jw_str(w, uri);
	jw_key(w, "mimeType");
	jw_text(w, "application/json");
	jw_key(w, "text");
	jw_str(w, buf_str(&r->task.job.out));
	jw_object_end(w);
	jw_array_end(w);
	result_cached(w, mcp_of(r)->client.revision, 0, false);
	mcp_send(r);
}

void mcp_resources_read(struct request *r)
{
	struct str uri = json_text(mcp_param(r, "uri"));

	for (size_t i = 0; i < KINDS; i++) {
		if (!str_starts(uri, kinds[i].prefix)) continue;
		mcp_task(r)->id = str_from(uri, strlen(kinds[i].prefix));
		request_put(r, kinds[i].get, resource_got);
		return;
	}
	mcp_refuse_uri(r, uri);
}

/* ---- prompts ---- */

void mcp_prompts_list(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	jw_key(w, "prompts");
	jw_raw(w, STR("[{\"name\":\"resume\",\"title\":\"Go on with a session\","
		      "\"description\":\"What was asked in a session and what was "
		      "answered, for an agent that goes on with its work.\","
		      "\"arguments\":[{\"name\":\"session\","
		      "\"description\":\"The session's id: ses_…\","
		      "\"required\":true}]}]"));
	result_cached(w, mcp_of(r)->client.revision, NEVER_MS, true);
	mcp_send(r);
}

static void resume_got(struct request *r)
{
	struct str context;
	struct json_writer *w;

	if (r->task.job.err) {
		mcp_trouble(r);
		return;
	}
	context = json_text(json_get(mcp_out(r), "context"));
	w = mcp_result(r, "complete");
	jw_key(w, "messages");
	jw_array(w);
	jw_object(w);
	jw_key(w, "role");
	jw_text(w, "user");
	jw_key(w, "content");
	jw_object(w);
	jw_key(w, "type");
	jw_text(w, "text");
	jw_key(w, "text");
	jw_str(w, context);
	jw_object_end(w);
	jw_object_end(w);
	jw_array_end(w);
	mcp_send(r);
}

void mcp_prompts_get(struct request *r)
{
	struct str name = json_text(mcp_param(r, "name"));
	struct str session = json_text(json_get(mcp_param(r, "arguments"), "session"));

	if (!str_is(name, "resume")) {
		mcp_refuse_params(
			r, "there is no prompt %.*s", STR_ARGS(str_first(name, 64)));
		return;
	}
	if (!session.len) {
		mcp_refuse_params(r, "the prompt resume needs the argument session");
		return;
	}
	mcp_task(r)->id = session;
	request_put(r, &use_session_resume, resume_got);
}

/* ---- completion: the ids of sessions and open asks ---- */

static void completed(struct request *r)
{
	struct str start = json_text(json_get(mcp_param(r, "argument"), "value"));
	const struct json *items;
	struct json_writer *w;

	if (r->task.job.err) {
		mcp_trouble(r);
		return;
	}
	items = json_get(mcp_out(r), "items");
	w = mcp_result(r, "complete");
	jw_key(w, "completion");
	jw_object(w);
	jw_key(w, "values");
	jw_array(w);
	for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->count; i++) {
		struct str id = json_text(json_get(&items->items[i], "id"));

		if (str_eq(str_first(id, start.len), start)) jw_str(w, id);
	}
	jw_array_end(w);
	jw_object_end(w);
	mcp_send(r);
}

void mcp_complete(struct request *r)
{
	struct str uri = json_text(json_get(mcp_param(r, "ref"), "uri"));

	mcp_task(r);
	request_put(r, kinds[str_starts(uri, kinds[0].prefix) ? 0 : 1].list, completed);
}

/* ---- whose tokens are accepted: RFC 9728 ---- */

void route_resource(struct request *r)
{
	struct exchange *x = r->x;
	struct buf b = { .max = 8192 };
	struct json_writer w = { .out = &b };
	bool whole = str_ends(http_request(x)->path, "/mcp");
	struct str url = arena_print(
		&r->task.job.arena, "%s%s", r->serve->url, whole ? "/mcp" : "");

	jw_object(&w);
	jw_key(&w, "resource");
	jw_str(&w, url);
	jw_key(&w, "resource_name");
	jw_text(&w, "Parley");
	jw_key(&w, "bearer_methods_supported");
	jw_raw(&w, STR("[\"header\"]"));
	jw_object_end(&w);
	http_on_gone(x, NULL, NULL);
	serve_count(r->serve, 200);
	http_reply(x, 200, "application/json", STR(API_HEADERS), buf_str(&b));
	buf_done(&b);
	request_free(r);
}
