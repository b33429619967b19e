/* mcp_fixtures.c - what MCP's conformance suite wants to find, from mcp/fixtures.json.
 *
 * Served to clients without a token, and only with `serve --conformance`. It touches
 * neither desk nor store; what it keeps (who waits for the client's word, who listens) it
 * keeps in memory, as nothing else here does. */
#include "serve/mcp.h"

#include "base/mem.h"
#include "mcp/header.h"

#include <ctype.h>
#include <stdio.h>

/* A call that waits for the client's answer to a request of ours. */
struct fixture_wait {
	struct fixture_wait *next;
	struct serve *serve;
	struct exchange *x;
	int64_t serial; /* the id of our request */
	size_t id_len;
	char texts[]; /* JSON-RPC's id of the call, then the tool's name */
};

struct fixture_listener {
	struct fixture_listener *next;
	struct serve *serve;
	struct exchange *x;
	bool tools, prompts;
	char id[]; /* the subscription's, as JSON */
};

static const struct json *fixture_list(struct request *r, const char *list)
{
	const struct json *all;

	return json_read(str_of(fixtures_text), NULL, &r->task.job.arena, &all, NULL)
		       ? NULL
		       : json_get(all, list);
}

const struct json *fixture_find(
	struct request *r, const char *list, const char *member, struct str name)
{
	const struct json *all = fixture_list(r, list);

	for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->count; i++)
		if (str_eq(json_text(
				   json_get(json_get(&all->items[i], "listed"), member)),
			    name))
			return &all->items[i];
	return NULL;
}

void fixture_capabilities(struct request *r, struct json_writer *w)
{
	bool now = mcp_of(r)->client.revision >= REV_2026_07_28;

	jw_json(w, json_get(fixture_list(r, "capabilities"), now ? "2026" : "2025"));
}

/* ---- results: texts with "$name" in them ---- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* What stands for a name, as it would stand in a JSON string. */
static void value_add(struct buf *out, const struct json *values, struct str name)
{
	struct buf text = { 0 }, quoted = { 0 };
	const struct json *value = json_get_str(values, name);

	if (json_is(value, JSON_STRING))
		buf_add(&text, value->text);
	else if (value)
		json_write(&text, value);
	json_write_str(&quoted, buf_str(&text));
	if (quoted.len > 2) buf_add(out, str_make(quoted.at + 1, quoted.len - 2));
	buf_done(&text);
	buf_done(&quoted);
}

/* The members of the object, filled in. */
static void members_fill(
	struct json_writer *w, const struct json *object, const struct json *values)
{
	struct buf text = { 0 }, filled = { 0 };

	json_write(&text, object);
	for (size_t i = 1; i + 1 < text.len; i++) {
		size_t len = 0;

		if (text.at[i] == '$')
			while (is_word(text.at[i + 1 + len]))
				len++;
		if (len)
			value_add(&filled, values, str_make(text.at + i + 1, len));
		else
			buf_add_char(&filled, text.at[i]);
		i += len;
	}
	jw_members(w, buf_str(&filled));
	buf_done(&text);
	buf_done(&filled);
}

/* {"input": …} beside the arguments. */
static const struct json *values_with(
	struct request *r, const struct json *arguments, const struct json *input)
{
	uint32_t count = json_is(arguments, JSON_OBJECT) ? arguments->count : 0;
	struct json *all = ARENA_NEW(&r->task.job.arena, struct json);
	struct json_member *members =
		ARENA_ARRAY(&r->task.job.arena, struct json_member, count + 1);

	if (!all || !members) return NULL;
	for (uint32_t i = 0; i < count; i++)
		members[i] = arguments->members[i];
	members[count] = (struct json_member){ STR("input"),
		input ? *input : (struct json){ .type = JSON_NULL } };
	*all = (struct json){
		.type = JSON_OBJECT, .count = count + 1, .members = members
	};
	return all;
}

void fixture_result_write(
	struct json_writer *w, struct request *r, const struct json *fixture)
{
	members_fill(w, json_get(fixture, "result"),
		values_with(
			r, mcp_param(r, "arguments"), mcp_param(r, "inputResponses")));
}

static void fixture_send(
	struct request *r, const struct json *fixture, struct str events, bool cached)
{
	struct mcp *m = mcp_of(r);
	struct json_writer *w = mcp_result(r, "complete");

	fixture_result_write(w, r, fixture);
	if (cached) result_cached(w, m->client.revision, 0, false);
	mcp_send_after(r, events);
}

/* ---- notifications before the result ---- */

static bool note_wanted(struct request *r, const struct json *note)
{
	struct mcp *m = mcp_of(r);

	if (str_is(json_text(json_get(note, "method")), "notifications/progress"))
		return m->progress.len;
	return m->client.revision < REV_2026_07_28 ||
	       json_get(mcp_param(r, "_meta"), "io.modelcontextprotocol/logLevel");
}

static void note_write(struct request *r, struct buf *out, const struct json *note)
{
	struct mcp *m = mcp_of(r);
	struct buf b = { 0 }, params = { 0 };
	struct json_writer w = { .out = &b };
	bool progress =
		str_is(json_text(json_get(note, "method")), "notifications/progress");

	if (!note_wanted(r, note)) return;
	json_write(&params, json_get(note, "params"));
	rpc_call(&w, progress ? "notifications/progress" : "notifications/message",
		STR_NONE);
	jw_members(&w, str_make(params.at + 1, params.len - 2));
	if (progress) {
		jw_key(&w, "progressToken");
		jw_raw(&w, m->progress);
	}
	rpc_call_end(&w);
	sse_write(out, STR_NONE, buf_str(&b));
	buf_done(&b);
	buf_done(&params);
}

/* ---- requests to the client, until 2025-11-25 ---- */

static unsigned ability_for(struct str method)
{
	return str_is(method, "elicitation/create")	  ? CAN_FORM | CAN_URL
	       : str_is(method, "sampling/createMessage") ? CAN_SAMPLE
							  : CAN_ROOTS;
}

static void wait_unlink(struct fixture_wait *wait)
{
	struct fixture_wait **at = &wait->serve->fixture_waits;

	while (*at != wait)
		at = &(*at)->next;
	*at = wait->next;
	mem_free(wait);
}

static void wait_gone(void *ctx)
{
	wait_unlink(ctx);
}

static struct fixture_wait *wait_new(struct request *r, struct str tool)
{
	static int64_t serial;
	struct str id = mcp_of(r)->rpc.id;
	struct fixture_wait *wait = mem_alloc(sizeof *wait + id.len + tool.len + 1);

	if (!wait) return NULL;
	wait->serve = r->serve;
	wait->x = r->x;
	wait->serial = ++serial;
	wait->id_len = id.len;
	memcpy(wait->texts, id.at, id.len);
	memcpy(wait->texts + id.len, tool.at, tool.len);
	wait->next = r->serve->fixture_waits;
	r->serve->fixture_waits = wait;
	return wait;
}

static void client_request(
	struct request *r, const struct json *fixture, const struct json *request)
{
	struct mcp *m = mcp_of(r);
	struct str method = json_text(json_get(request, "method"));
	struct buf b = { 0 }, events = { 0 };
	struct json_writer w = { .out = &b };
	struct fixture_wait *wait;
	char id[24];

	if (!(m->client.can & ability_for(method)) || !r->x) {
		text_result_write(mcp_result(r, "complete"),
			STR("The client cannot do that."), true);
		mcp_send(r);
		return;
	}
	wait = wait_new(r, json_text(json_get(json_get(fixture, "listed"), "name")));
	if (!wait) {
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	snprintf(id, sizeof id, "%lld", (long long)wait->serial);
	rpc_call(&w, arena_copy(&r->task.job.arena, method), str_of(id));
	members_fill(&w, json_get(request, "params"), mcp_param(r, "arguments"));
	rpc_call_end(&w);
	sse_write(&events, STR_NONE, buf_str(&b));
	http_on_gone(wait->x, wait_gone, wait);
	serve_count(r->serve, 200);
	http_begin(wait->x, 200, "text/event-stream", STR(API_HEADERS));
	http_write(wait->x, buf_str(&events));
	buf_done(&events);
	buf_done(&b);
	r->x = NULL;
	request_free(r);
}

/* The client's answer: ends the call that waits for it. */
static void client_answered(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct fixture_wait *wait = r->serve->fixture_waits;
	struct buf b = { 0 }, event = { 0 };
	struct json_writer w = { .out = &b };
	const struct json *fixture;
	struct exchange *x;
	int64_t serial = 0;

	str_to_int(m->rpc.id, 1, INT64_MAX, &serial);
	while (wait && wait->serial != serial)
		wait = wait->next;
	if (wait) {
		fixture = fixture_find(
			r, "tools", "name", str_of(wait->texts + wait->id_len));
		rpc_result(&w, str_make(wait->texts, wait->id_len));
		members_fill(&w, json_get(fixture, "result"),
			values_with(r, NULL, m->rpc.result));
		rpc_result_end(&w);
		sse_write(&event, STR_NONE, buf_str(&b));
		x = wait->x;
		http_on_gone(x, NULL, NULL);
		wait_unlink(wait);
		http_end_with(x, buf_str(&event));
	}
	buf_done(&event);
	buf_done(&b);
	mcp_accept(r);
}

/* ---- rounds of input, since 2026-07-28 ---- */

/* In which round is it? False: the state is not ours. */
static bool round_read(struct request *r, int64_t *round)
{
	const struct json *state = mcp_param(r, "requestState");
	struct ticket_call t;

	*round = 0;
	if (!state) return true;
	return ticket_call_read(json_text(state), serve_key(r->serve), TICKET_STATE,
		       &r->task.job.arena, &t) &&
	       str_is(t.ask, "fixture") && str_to_int(t.id, 0, 9, round);
}

static bool input_complete(const struct json *wanted, const struct json *given)
{
	bool all = json_is(given, JSON_OBJECT);

	for (uint32_t i = 0; all && i < wanted->count; i++)
		all = json_is(json_get_str(given, wanted->members[i].name), JSON_OBJECT);
	return all;
}

/* What the client can give of it. */
static bool round_write(struct json_writer *w, const struct json *wanted, unsigned can)
{
	bool any = false;

	jw_key(w, "inputRequests");
	jw_object(w);
	for (uint32_t i = 0; i < wanted->count; i++) {
		const struct json *request = &wanted->members[i].value;

		if (!(can & ability_for(json_text(json_get(request, "method")))))
			continue;
		jw_name(w, wanted->members[i].name);
		jw_json(w, request);
		any = true;
	}
	jw_object_end(w);
	return any;
}

static void round_ask(struct request *r, const struct json *wanted, int64_t round)
{
	struct mcp *m = mcp_of(r);
	struct json_writer *w = mcp_result(r, "input_required");
	struct buf state = { 0 };
	char number[24];
	struct ticket_call t = { .ask = STR("fixture") };
	struct rpc_fault why = {
		.data = STR("{\"requiredCapabilities\":{\"sampling\":{}}}")
	};

	if (!round_write(w, wanted, m->client.can)) {
		rpc_fail(&why, 400, RPC_NO_CAPABILITY, "the client cannot do that");
		mcp_refuse(r, &why);
		return;
	}
	snprintf(number, sizeof number, "%lld", (long long)round);
	t.id = str_of(number);
	ticket_call_write(&state, serve_key(r->serve), TICKET_STATE, &t);
	jw_key(w, "requestState");
	jw_str(w, buf_str(&state));
	buf_done(&state);
	mcp_send(r);
}

/* True: it is answered, by a question or an error. */
static bool round_run(struct request *r, const struct json *rounds)
{
	const struct json *given = mcp_param(r, "inputResponses");
	int64_t round;

	if (!rounds) return false;
	if (!round_read(r, &round) || round >= rounds->count) {
		mcp_refuse_params(r, "requestState is not one of ours");
		return true;
	}
	if (input_complete(&rounds->items[round], given)) round++;
	if (round >= rounds->count) return false;
	round_ask(r, &rounds->items[round], round);
	return true;
}

/* ---- who listens ---- */

static void listener_gone(void *ctx)
{
	struct fixture_listener *l = ctx, **at = &l->serve->fixture_listeners;

	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	mem_free(l);
}

static void listener_tell(
	struct fixture_listener *l, const char *method, struct str members)
{
	struct buf b = { 0 }, event = { 0 };
	struct json_writer w = { .out = &b };

	rpc_call(&w, method, STR_NONE);
	jw_key(&w, "_meta");
	jw_object(&w);
	jw_key(&w, meta_subscription);
	jw_raw(&w, str_of(l->id));
	jw_object_end(&w);
	jw_members(&w, members);
	rpc_call_end(&w);
	sse_write(&event, STR_NONE, buf_str(&b));
	http_write(l->x, buf_str(&event));
	buf_done(&event);
	buf_done(&b);
}

static void changes_tell(struct serve *s, struct str what)
{
	for (struct fixture_listener *l = s->fixture_listeners, *next; l; l = next) {
		next = l->next;
		if (l->tools && str_is(what, "tools"))
			listener_tell(l, "notifications/tools/list_changed", STR_NONE);
		if (l->prompts && str_is(what, "prompts"))
			listener_tell(l, "notifications/prompts/list_changed", STR_NONE);
	}
}

static void fixture_listen(struct request *r)
{
	const struct json *wanted = mcp_param(r, "notifications");
	struct str id = mcp_of(r)->rpc.id;
	struct fixture_listener *l = mem_alloc(sizeof *l + id.len + 1);

	if (!l || !r->x) {
		mem_free(l);
		request_refuse(r, ERR_MEMORY, "out of memory");
		return;
	}
	l->serve = r->serve;
	l->x = r->x;
	l->tools = json_is(json_get(wanted, "toolsListChanged"), JSON_TRUE);
	l->prompts = json_is(json_get(wanted, "promptsListChanged"), JSON_TRUE);
	memcpy(l->id, id.at, id.len);
	l->next = r->serve->fixture_listeners;
	r->serve->fixture_listeners = l;
	http_on_gone(l->x, listener_gone, l);
	serve_count(r->serve, 200);
	http_begin(l->x, 200, "text/event-stream", STR(API_HEADERS));
	listener_tell(l, "notifications/subscriptions/acknowledged",
		l->tools     ? STR("\"notifications\":{\"toolsListChanged\":true}")
		: l->prompts ? STR("\"notifications\":{\"promptsListChanged\":true}")
			     : STR("\"notifications\":{}"));
	r->x = NULL;
	request_free(r);
}

/* ---- arguments that headers repeat, since 2026-07-28 ---- */

static struct str param_header(struct request *r, struct str name)
{
	char *whole = arena_copy(&r->task.job.arena,
		arena_print(&r->task.job.arena, "mcp-param-%.*s", STR_ARGS(name)));

	for (char *at = whole; at && *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return r->x && whole ? str_trim(http_header(http_request(r->x), whole))
			     : STR_NONE;
}

static bool param_fits(struct request *r, struct str name, const struct json *value)
{
	struct str header = param_header(r, name), said;

	if (!json_is(value, JSON_STRING)) return !header.len;
	return header.len && header_decode(header, &r->task.job.arena, &said) &&
	       str_eq(said, value->text);
}

/* False: it was refused. */
static bool params_fit(struct request *r, const struct json *fixture)
{
	const struct json *listed = json_get(fixture, "listed");
	const struct json *all = json_get(json_get(listed, "inputSchema"), "properties");
	struct rpc_fault why = { 0 };

	if (mcp_of(r)->client.revision < REV_2026_07_28) return true;
	for (uint32_t i = 0; all && i < all->count; i++) {
		const struct json_member *p = &all->members[i];
		struct str name = json_text(json_get(&p->value, "x-mcp-header"));

		if (!name.len ||
			param_fits(r, name,
				json_get_str(mcp_param(r, "arguments"), p->name)))
			continue;
		rpc_fail(&why, 400, RPC_HEADER_MISMATCH,
			"the header Mcp-Param-%.*s is missing or differs from arguments",
			STR_ARGS(name));
		mcp_refuse(r, &why);
		return false;
	}
	return true;
}

/* ---- a stream that is cut before its result, in 2025-11-25 ---- */

/* True: it is answered, by an event to come back to and nothing else. */
static bool fixture_cut(struct request *r, const struct json *fixture)
{
	struct mcp *m = mcp_of(r);
	struct ticket_call t = { .ask = json_text(
					 json_get(json_get(fixture, "listed"), "name")),
		.id = m->rpc.id };
	struct buf id = { 0 }, event = { 0 };

	if (!json_get(fixture, "cut") || m->client.revision != REV_2025_11_25 || !r->x)
		return false;
	ticket_call_write(&id, serve_key(r->serve), TICKET_EVENT, &t);
	sse_first_write(&event, buf_str(&id), REV_2025_11_25);
	mcp_send_events(r, buf_str(&event));
	buf_done(&event);
	buf_done(&id);
	return true;
}

bool fixture_resume(struct request *r)
{
	struct mcp *m = mcp_of(r);
	const struct json *f;
	struct ticket_call t;

	if (!ticket_call_read(m->last_event, serve_key(r->serve), TICKET_EVENT,
		    &r->task.job.arena, &t))
		return false;
	f = fixture_find(r, "tools", "name", t.ask);
	if (!f) return false;
	m->rpc.id = t.id;
	fixture_send(r, f, STR(": resumed\n\n"), false);
	return true;
}

/* ---- the methods ---- */

static void list_send(struct request *r, const char *list, const char *key)
{
	struct mcp *m = mcp_of(r);
	const struct json *all = fixture_list(r, list);
	struct json_writer *w = mcp_result(r, "complete");

	jw_key(w, key);
	jw_array(w);
	if (strcmp(list, "tools") == 0)
		tools_write(w, STR_NONE, m->client.revision, false);
	for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->count; i++)
		jw_json(w, json_get(&all->items[i], "listed"));
	jw_array_end(w);
	result_cached(w, m->client.revision, 0, false);
	mcp_send(r);
}

static bool fixture_call(struct request *r)
{
	const struct json *f =
		fixture_find(r, "tools", "name", json_text(mcp_param(r, "name")));
	const struct json *notes = json_get(f, "notes"), *request;
	struct buf events = { 0 };

	if (!f) return false;
	if (!params_fit(r, f) || round_run(r, json_get(f, "rounds")) ||
		fixture_task_begin(r, f) || fixture_cut(r, f))
		return true;
	request = json_get(f, "request");
	if (request) {
		client_request(r, f, request);
		return true;
	}
	changes_tell(r->serve, json_text(json_get(f, "changes")));
	for (uint32_t i = 0; notes && i < notes->count; i++)
		note_write(r, &events, &notes->items[i]);
	fixture_send(r, f, buf_str(&events), false);
	buf_done(&events);
	return true;
}

static void fixture_prompt(struct request *r)
{
	struct str name = json_text(mcp_param(r, "name"));
	const struct json *f = fixture_find(r, "prompts", "name", name);

	if (!f)
		mcp_refuse_params(r, "there is no such prompt");
	else if (!round_run(r, json_get(f, "rounds")))
		fixture_send(r, f, STR_NONE, false);
}

static void fixture_read(struct request *r)
{
	struct str uri = json_text(mcp_param(r, "uri"));
	const struct json *f = fixture_find(r, "resources", "uri", uri);
	const struct json *t = fixture_list(r, "templates");
	struct json_member id = { .name = STR("id"), .value = { .type = JSON_STRING } };
	struct json values = { .type = JSON_OBJECT, .count = 1, .members = &id };
	struct json_writer *w;

	if (f) {
		fixture_send(r, f, STR_NONE, true);
		return;
	}
	if (!str_starts(uri, "test://template/") || !str_ends(uri, "/data")) {
		mcp_refuse_uri(r, uri);
		return;
	}
	id.value.text = str_make(uri.at + strlen("test://template/"),
		uri.len - strlen("test://template/") - strlen("/data"));
	w = mcp_result(r, "complete");
	members_fill(w, json_get(&t->items[0], "result"), &values);
	result_cached(w, mcp_of(r)->client.revision, 0, false);
	mcp_send(r);
}

static void fixture_complete(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	jw_key(w, "completion");
	jw_raw(w, STR("{\"values\":[\"paris\",\"park\",\"party\"],\"total\":3,"
		      "\"hasMore\":false}"));
	mcp_send(r);
}

bool mcp_fixture(struct request *r)
{
	struct mcp *m = mcp_of(r);
	struct str method = m->rpc.method;
	bool now = m->client.revision >= REV_2026_07_28;

	if (m->rpc.kind == RPC_RESPONSE)
		client_answered(r);
	else if (str_is(method, "tools/list"))
		list_send(r, "tools", "tools");
	else if (str_is(method, "tools/call"))
		return fixture_call(r);
	else if (str_is(method, "prompts/list"))
		list_send(r, "prompts", "prompts");
	else if (str_is(method, "prompts/get"))
		fixture_prompt(r);
	else if (str_is(method, "resources/list"))
		list_send(r, "resources", "resources");
	else if (str_is(method, "resources/templates/list"))
		list_send(r, "templates", "resourceTemplates");
	else if (str_is(method, "resources/read"))
		fixture_read(r);
	else if (str_is(method, "completion/complete"))
		fixture_complete(r);
	else if (now && str_is(method, "subscriptions/listen"))
		fixture_listen(r);
	else if (now && str_starts(method, "tasks/"))
		return fixture_task(r);
	else if (!now && (str_is(method, "resources/subscribe") ||
				 str_is(method, "resources/unsubscribe") ||
				 str_is(method, "logging/setLevel")))
		mcp_ping(r);
	else
		return false;
	return true;
}
