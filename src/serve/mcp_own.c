/* mcp_own.c - what Parley offers over MCP: asks and sessions as resources, the prompt that
 * sets an agent going again, and asks as forms. Its tools are in mcp_call.c. */
#include "base/keep.h"
#include "serve/mcp.h"

#include "base/utf8.h"

enum { NAME_MAX_CHARS = 80, POLL_MS = 5000 };

/* ---- resources ---- */

static const struct mcp_resource resources[3];

static struct str item_name(const struct json *item)
{
	const struct json *questions = json_get(item, "questions");
	struct str title = json_text(json_get(item, "title"));

	if (!title.len && json_is(questions, JSON_ARRAY) && questions->count)
		title = json_text(json_get(&questions->items[0], "text"));
	if (!title.len) title = json_text(json_get(item, "id"));
	return utf8_first(title, NAME_MAX_CHARS);
}

static void item_write(struct json_writer *w, const char *prefix, const char *what,
	const struct json *item, struct arena *arena)
{
	struct str id = json_text(json_get(item, "id"));
	struct str status = json_text(json_get(item, "status"));

	jw_object(w);
	jw_put_str(w, "uri", arena_print(arena, "%s%.*s", prefix, STR_ARGS(id)));
	jw_put_str(w, "name", id);
	jw_put_str(w, "title", item_name(item));
	jw_put_str(w, "description",
		arena_print(arena, "%s (%.*s)", what, STR_ARGS(status)));
	jw_put_text(w, "mimeType", "application/json");
	jw_object_end(w);
}

static void listed(struct request *r, size_t kind, const char *what)
{
	const struct json *page = mcp_out(r), *items = json_get(page, "items");
	struct json_writer *w = mcp_result(r, "complete");

	jw_put_array(w, "resources");
	for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->count; i++)
		item_write(w, resources[kind].prefix, what, &items->items[i],
			&r->task.job.arena);
	mcp_listed(r, &resources[kind], json_text(json_get(page, "next_cursor")));
}

static void asks_listed(struct request *r)
{
	listed(r, 0, "A question and its answer");
}

static void sessions_listed(struct request *r)
{
	listed(r, 1, "A line of work and its open questions");
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

	jw_put_array(w, "contents");
	jw_object(w);
	jw_put_str(w, "uri", json_text(mcp_param(r, "uri")));
	jw_put_text(w, "mimeType", "application/json");
	jw_put_str(w, "text", buf_str(&r->task.job.out));
	jw_object_end(w);
	jw_array_end(w);
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
	struct str context = json_text(json_get(mcp_out(r), "context"));
	struct json_writer *w = mcp_result(r, "complete");

	jw_put_array(w, "messages");
	jw_object(w);
	jw_put_text(w, "role", "user");
	jw_put_object(w, "content");
	jw_put_text(w, "type", "text");
	jw_put_str(w, "text", context);
	jw_object_end(w);
	jw_object_end(w);
	jw_array_end(w);
	mcp_send(r);
}

static void resume_get(struct request *r)
{
	struct str session = json_text(json_get(mcp_param(r, "arguments"), "session"));

	if (!session.len) {
		mcp_refuse_params(r, "the prompt resume needs the argument session");
		return;
	}
	mcp_task(r)->id = session;
	mcp_put(r, &use_session_resume, resume_got, NULL);
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

static void completed(struct request *r)
{
	struct str start = json_text(json_get(mcp_param(r, "argument"), "value"));
	const struct json *items = json_get(mcp_out(r), "items");
	struct json_writer *w = mcp_result(r, "complete");

	jw_put_object(w, "completion");
	jw_put_array(w, "values");
	for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->count; i++) {
		struct str id = json_text(json_get(&items->items[i], "id"));

		if (str_eq(str_first(id, start.len), start)) jw_str(w, id);
	}
	jw_array_end(w);
	jw_object_end(w);
	mcp_send(r);
}

static void complete(struct request *r)
{
	struct str uri = json_text(json_get(mcp_param(r, "ref"), "uri"));

	mcp_page(r,
		str_starts(uri, resources[0].prefix) ? &use_ask_list : &use_session_list,
		NULL, 0, completed);
}

/* ---- asks as results and as forms ---- */

static size_t own_inputs(const struct json *ask, const struct mcp_client *client,
	struct arena *arena, struct mcp_input out[MCP_INPUTS_MAX])
{
	enum elicit_mode mode = elicit_mode(ask, client);
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	if (mode == ELICIT_NOT) return 0;
	elicit_write(&w, ask, mode, client->revision, arena);
	out[0] = (struct mcp_input){ STR("q"), "elicitation/create",
		buf_keep_done(&b, arena) };
	return 1;
}

static enum elicited own_given(const struct json *responses, const struct json *ask,
	struct arena *arena, struct str *body)
{
	return elicit_read(json_get(responses, "q"), ask, arena, body);
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
