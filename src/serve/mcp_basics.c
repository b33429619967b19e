/* mcp_basics.c - what a client asks before and beside calls: who we are, and the lists of
 * tools, prompts and resources, from the tables that the server was given. */
#include "base/keep.h"
#include "serve/mcp.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/json_pattern.h"

#include <stdio.h>

enum { TOOLS_MS = 60000, NEVER_MS = 3600000 };

/* ---- who we are ---- */

struct str mcp_session_header(struct request *r, const struct ticket_session *behind)
{
	struct mcp *m = mcp_of(r);
	struct arena *arena = &r->task.job.arena;
	struct ticket_session s = { .client = m->client,
		.agent = r->task.job.who.agent,
		.expires_ms =
			clock_now_ms() + (int64_t)MCP_SESSION_DAYS * 24 * 3600 * 1000,
		.server = behind->server,
		.behind = behind->behind,
		.speaks = behind->speaks };
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

	revision_greet(m->rpc.params, &m->client);
	greeting_write(mcp_result(r, "complete"), m->client.revision,
		mcp_offer(r)->capabilities);
	m->headers = mcp_session_header(r, &(struct ticket_session){ 0 });
	mcp_send(r);
}

void mcp_discover(struct request *r)
{
	discovery_write(
		mcp_result(r, "complete"), NEVER_MS, true, mcp_offer(r)->capabilities);
	mcp_send(r);
}

void mcp_ping(struct request *r)
{
	mcp_result(r, "complete");
	mcp_send(r);
}

void mcp_complete(struct request *r)
{
	mcp_offer(r)->complete(r);
}

/* ---- tools and prompts ---- */

static void list_end(struct request *r, int64_t ttl_ms, bool shared)
{
	struct mcp *m = mcp_of(r);

	jw_array_end(&m->w);
	result_cached(&m->w, m->client.revision, ttl_ms, shared);
	mcp_send(r);
}

static void tools_found(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct json_writer *w = mcp_result(r, "complete");

	m->tools.templates = r->task.context;
	jw_put_array(w, "tools");
	tools_write(w, mcp_offer(r)->tools, &m->tools, m->client.revision, r->strict);
	list_end(r, TOOLS_MS, false);
}

void mcp_tools_list(struct request *r)
{
	mcp_task(r);
	mcp_put(r, &use_mcp_tools, tools_found, NULL);
}

static void object_write(struct json_writer *w, const char *members)
{
	jw_object(w);
	jw_members(w, str_of(members));
	jw_object_end(w);
}

void mcp_prompts_list(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	jw_put_array(w, "prompts");
	for (const struct mcp_prompt *p = mcp_offer(r)->prompts; p->name; p++)
		object_write(w, p->members);
	list_end(r, NEVER_MS, true);
}

void mcp_prompts_get(struct request *r)
{
	const struct mcp_prompt *p = mcp_offer(r)->prompts;
	struct str name = json_text(mcp_param(r, "name"));

	while (p->name && !str_is(name, p->name))
		p++;
	if (!p->name)
		mcp_refuse_params(
			r, "there is no prompt %.*s", STR_ARGS(str_first(name, 64)));
	else if (mcp_param(r, "requestState"))
		mcp_form_retry(r);
	else
		p->get(r);
}

/* ---- resources ---- */

static size_t resources_len(const struct mcp_resource *all)
{
	size_t n = 0;

	while (all[n].prefix)
		n++;
	return n;
}

/* One kind after the other, page by page: the cursor's first letter says which. */
void mcp_resources_list(struct request *r)
{
	const struct mcp_resource *all = mcp_offer(r)->resources;
	struct str cursor = json_text(mcp_param(r, "cursor"));
	size_t kind = cursor.len ? (size_t)(unsigned char)cursor.at[0] - 'a' : 0;

	if (kind >= resources_len(all))
		mcp_refuse_params(r, "no cursor of this list");
	else
		all[kind].list(r, str_from(cursor, cursor.len ? 1 : 0));
}

void mcp_listed(struct request *r, const struct mcp_resource *kind, struct str next)
{
	const struct mcp_resource *all = mcp_offer(r)->resources;
	size_t i = (size_t)(kind - all);
	struct json_writer *w = &mcp_of(r)->w;
	struct arena *arena = &r->task.job.arena;

	jw_array_end(w);
	if (next.len)
		jw_put_str(w, "nextCursor",
			arena_print(arena, "%c%.*s", 'a' + (int)i, STR_ARGS(next)));
	else if (all[i + 1].prefix)
		jw_put_str(w, "nextCursor", arena_print(arena, "%c", 'a' + (int)i + 1));
	result_cached(w, mcp_of(r)->client.revision, 0, false);
	mcp_send(r);
}

void mcp_templates_list(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	jw_put_array(w, "resourceTemplates");
	for (const struct mcp_resource *k = mcp_offer(r)->resources; k->prefix; k++)
		if (k->template) object_write(w, k->template);
	list_end(r, NEVER_MS, true);
}

void mcp_refuse_uri(struct request *r, struct str uri)
{
	bool now = mcp_of(r)->client.revision >= REV_2026_07_28;
	struct rpc_fault why = { 0 };

	why.data = JSON_TEXT(&r->task.job.arena, "{'uri':%s}", uri);
	rpc_fail(&why, 200, now ? RPC_INVALID_PARAMS : RPC_NO_RESOURCE,
		"there is no such resource");
	mcp_refuse(r, &why);
}

void mcp_resources_read(struct request *r)
{
	struct str uri = json_text(mcp_param(r, "uri"));
	const struct mcp_resource *k = mcp_offer(r)->resources;

	while (k->prefix && !str_starts(uri, k->prefix))
		k++;
	if (k->prefix)
		k->read(r, str_from(uri, strlen(k->prefix)));
	else
		mcp_refuse_uri(r, uri);
}

/* ---- whose tokens are accepted: RFC 9728 ---- */

void route_resource(struct request *r)
{
	struct json_writer w = { .out = &r->task.job.out };
	bool whole = str_ends(http_request(r->x)->path, "/mcp");
	struct str url = arena_print(
		&r->task.job.arena, "%s%s", r->serve->url, whole ? "/mcp" : "");

	JW(&w, "{'resource':%s,'resource_name':'Parley','bearer_methods_supported':['header']}",
		url);
	request_send(r, 200, "application/json", STR(API_HEADERS), buf_str(w.out));
}
