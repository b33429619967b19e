/* mcp_own.c - what Parley offers over MCP: asks and sessions as resources, the prompt that
 * sets an agent going again, and asks as forms. Its tools are in mcp_call.c. */
#include "base/json_pattern.h"
#include "base/keep.h"
#include "serve/mcp.h"

#include "base/utf8.h"
#include "core/session/session.h"

enum { NAME_MAX_CHARS = 80, POLL_MS = 5000 };

/* ---- resources ---- */

static const struct mcp_resource resources[3];

static void item_write(struct request *r, const char *prefix, const char *what,
	struct str id, struct str title, struct str status)
{
	struct json_writer *w = &mcp_of(r)->w;
	struct arena *arena = &r->task.job.arena;

	JW(w, "{'uri':%s,'name':%s,'title':%s,'description':%s,'mimeType':'application/json'}",
		arena_print(arena, "%s%.*s", prefix, STR_ARGS(id)), id,
		utf8_first(title.len ? title : id, NAME_MAX_CHARS),
		arena_print(arena, "%s (%.*s)", what, STR_ARGS(status)));
}

/* Its title, or its first question. */
static struct str ask_title(const struct ask_json *whole)
{
	struct str title = json_text_of(whole->fixed, "title");

	if (title.len || !whole->questions || !whole->questions->count) return title;
	return json_text_of(&whole->questions->items[0], "text");
}

static void asks_listed(struct request *r)
{
	struct ask_json whole;

	jw_put_array(mcp_result(r, "complete"), "resources");
	for (const struct kept_ask *k = r->task.found; k; k = k->next)
		if (ask_json_read(&k->ask, &k->view, &r->task.job.arena, &whole, NULL) ==
			OK)
			item_write(r, resources[0].prefix, "A question and its answer",
				k->ask.id, ask_title(&whole),
				str_of(ask_status_name(k->ask.status)));
	mcp_listed(r, &resources[0], r->task.next_cursor);
}

static void sessions_listed(struct request *r)
{
	jw_put_array(mcp_result(r, "complete"), "resources");
	for (size_t i = 0; i < r->task.sessions_len; i++) {
		const struct session *s = &r->task.sessions[i];

		item_write(r, resources[1].prefix,
			"A line of work and its open questions", s->id, s->title,
			str_of(session_status_name(s->status)));
	}
	mcp_listed(r, &resources[1], r->task.next_cursor);
}

static void asks_list(struct request *r, struct str cursor)
{
	mcp_page(r, &use_ask_list, &(struct param){ STR("cursor"), cursor }, 1,
		asks_listed);
}

static void sessions_list(struct request *r, struct str cursor)
{
	mcp_page(r, &use_session_list, &(struct param){ STR("cursor"), cursor }, 1,
		sessions_listed);
}

static void resource_got(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	JW(w, "'contents':[{'uri':%s,'mimeType':'application/json','text':%s}]",
		json_text(mcp_param(r, "uri")), buf_str(&r->task.job.out));
	result_cached(w, mcp_of(r)->client.revision, 0, false);
	mcp_send(r);
}

static void resource_missing(struct request *r)
{
	if (r->task.job.err == ERR_NOT_FOUND)
		mcp_refuse_uri(r, json_text(mcp_param(r, "uri")));
	else
		mcp_trouble(r);
}

static void ask_read(struct request *r, struct str id)
{
	mcp_task(r)->id = id;
	mcp_put(r, &use_ask_get, resource_got, resource_missing);
}

static void session_read(struct request *r, struct str id)
{
	mcp_task(r)->id = id;
	mcp_put(r, &use_session_get, resource_got, resource_missing);
}

static struct str ask_changed(const struct event *e)
{
	return e->ask;
}

static struct str session_changed(const struct event *e)
{
	return e->session;
}

#define TEMPLATE(prefix, name, what)                                                     \
	"\"uriTemplate\":\"" prefix "{id}\",\"name\":\"" name                            \
	"\",\"description\":\"" what "\",\"mimeType\":\"application/json\""

static const struct mcp_resource resources[] = {
	{ "parley://asks/",
		TEMPLATE("parley://asks/", "ask", "A question and its answer"), asks_list,
		ask_read, ask_changed },
	{ "parley://sessions/",
		TEMPLATE("parley://sessions/", "session",
			"A line of work and its open questions"),
		sessions_list, session_read, session_changed },
	{ 0 },
};

/* Does the list of open asks and of sessions change with it? */
static const char *const list_events[] = { "ask.created", "ask.answered", "ask.skipped",
	"ask.expired", "ask.cancelled", "session.created", "session.deleted", NULL };

static const struct mcp_change changes[] = {
	{ "resourcesListChanged", "notifications/resources/list_changed", list_events },
	{ 0 },
};

/* ---- the prompt ---- */

static void resume_got(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	JW(w, "'messages':[{'role':'user','content':{'type':'text','text':%s}}]",
		r->task.context);
	mcp_send(r);
}

static void resume_get(struct request *r)
{
	struct str session = json_text_of(mcp_param(r, "arguments"), "session");

	if (!session.len) {
		mcp_refuse_params(r, "the prompt resume needs the argument session");
		return;
	}
	mcp_do(r, &use_session_resume, session, STR_NONE, resume_got, NULL);
}

static const struct mcp_prompt prompts[] = {
	{ "resume",
		"\"name\":\"resume\",\"title\":\"Go on with a session\","
		"\"description\":\"What was asked in a session and what was answered, for "
		"an agent that goes on with its work.\",\"arguments\":[{\"name\":"
		"\"session\",\"description\":\"The session's id: ses_…\","
		"\"required\":true}]",
		resume_get },
	{ 0 },
};

/* ---- completion: the ids of sessions and open asks ---- */

static void id_complete(struct json_writer *w, struct str id, struct str start)
{
	if (str_eq(str_first(id, start.len), start)) jw_str(w, id);
}

static void completed(struct request *r)
{
	struct str start = json_text_of(mcp_param(r, "argument"), "value");
	struct json_writer *w = mcp_result(r, "complete");

	JW(w, "'completion':{'values':[");
	for (const struct kept_ask *k = r->task.found; k; k = k->next)
		id_complete(w, k->ask.id, start);
	for (size_t i = 0; i < r->task.sessions_len; i++)
		id_complete(w, r->task.sessions[i].id, start);
	JW(w, "]}");
	mcp_send(r);
}

static void complete(struct request *r)
{
	struct str uri = json_text_of(mcp_param(r, "ref"), "uri");

	mcp_page(r,
		str_starts(uri, resources[0].prefix) ? &use_ask_list : &use_session_list,
		NULL, 0, completed);
}

/* ---- asks as results and as forms ---- */

static size_t own_inputs(const struct ask_json *whole, const struct mcp_client *client,
	struct arena *arena, struct mcp_input out[MCP_INPUTS_MAX])
{
	enum elicit_mode mode = elicit_mode(whole, client);
	struct json_writer w = { .out = &(struct buf){ 0 } };

	if (mode == ELICIT_NOT) return 0;
	elicit_write(&w, whole, mode, client->revision, arena);
	out[0] = (struct mcp_input){ STR("q"), "elicitation/create",
		buf_keep_done(w.out, arena) };
	return 1;
}

static enum elicited own_given(const struct json *responses, const struct ask_json *whole,
	struct arena *arena, struct str *body)
{
	return elicit_read(json_get(responses, "q"), whole, arena, body);
}

static const struct mcp_method no_methods[] = { { 0 } };

const struct mcp_offer mcp_own = {
	.tools = own_tools,
	.prompts = prompts,
	.resources = resources,
	.changes = changes,
	.methods = no_methods,
	.poll_ms = POLL_MS,
	.capabilities = capabilities_write,
	.call = mcp_own_call,
	.complete = complete,
	.result = ask_result_write,
	.inputs = own_inputs,
	.given = own_given,
};
