/* conformance.c - the server of MCP's conformance suite: Parley's own machinery, given the
 * tables of fixtures.json.
 *
 *	"result"   what the call gives; "$name" is an argument, "$input" what the client gave
 *	"notes"    notifications before it
 *	"request"  what is asked of the client on the stream, until 2025-11-25
 *	"rounds"   what is asked of it by results, since 2026-07-28: one object a round
 *	"task"     "seconds" it works (a text names an argument that says so); "required":
 *	           it never runs otherwise; "input": what it wants of the client meanwhile
 *	"error"    how its task fails, instead of a result
 *	"changes"  a list that the call changes
 *	"cut"      its stream ends before the result
 *
 * Whatever waits is an ask: its metadata says which fixture it is of and with which
 * arguments, its replies keep what the client gave so far, its deadline is when the work is
 * done. So tasks, forms, streams and waits are those that Parley's users meet. */
#include "base/keep.h"
#include "channel/channel.h"
#include "mcp/header.h"
#include "net/process.h"
#include "serve/mcp.h"
#include "server.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIST_MAX = 64, CUT_MS = 600000 };

static struct arena kept;
static const struct json *fixtures;
static struct tool tools[LIST_MAX];
static struct mcp_prompt prompts[LIST_MAX];

static const struct json *fixture_find(
	const char *list, const char *member, struct str name)
{
	const struct json *all = json_get(fixtures, list);

	for (uint32_t i = 0; i < all->count; i++)
		if (str_eq(json_text(
				   json_get(json_get(&all->items[i], "listed"), member)),
			    name))
			return &all->items[i];
	return NULL;
}

/* ---- texts with "$name" in them ---- */

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

static struct str members_of(const struct json *object, struct arena *arena)
{
	struct buf b = { 0 };
	struct str text;

	json_write(&b, object);
	text = buf_keep_done(&b, arena);
	return str_make(text.at + 1, text.len - 2);
}

/* The same, filled in. */
static struct str members_filled(
	const struct json *object, const struct json *values, struct arena *arena)
{
	struct buf text = { 0 }, filled = { 0 };

	json_write(&text, object);
	for (size_t i = 1; i + 1 < text.len; i++) {
		size_t len = 0;

		if (text.at[i] == '$')
			while (isalnum((unsigned char)text.at[i + 1 + len]))
				len++;
		if (len)
			value_add(&filled, values, str_make(text.at + i + 1, len));
		else
			buf_add_char(&filled, text.at[i]);
		i += len;
	}
	buf_done(&text);
	return buf_keep_done(&filled, arena);
}

static const struct json *with_input(
	const struct json *arguments, struct str input, struct arena *arena)
{
	uint32_t count = json_is(arguments, JSON_OBJECT) ? arguments->count : 0;
	struct json *all = ARENA_NEW(arena, struct json);
	struct json_member *members = ARENA_ARRAY(arena, struct json_member, count + 1);

	if (!all || !members) return NULL;
	for (uint32_t i = 0; i < count; i++)
		members[i] = arguments->members[i];
	members[count] = (struct json_member){ STR("input"),
		{ .type = JSON_STRING, .text = input } };
	*all = (struct json){
		.type = JSON_OBJECT, .count = count + 1, .members = members
	};
	return all;
}

static void result_send(struct request *r, const struct json *fixture, bool cached)
{
	struct json_writer *w = mcp_result(r, "complete");

	jw_members(w, members_filled(json_get(fixture, "result"),
			      mcp_param(r, "arguments"), &r->task.job.arena));
	if (cached) result_cached(w, mcp_of(r)->client.revision, 0, false);
	mcp_send(r);
}

/* ---- asks of fixtures ---- */

static const struct json *ask_metadata(const struct ask_json *ask)
{
	return json_get(ask->fixed, "metadata");
}

static const struct json *ask_fixture(const struct ask_json *ask)
{
	const struct json *of = ask_metadata(ask);
	const struct json *tool = json_get(of, "tool"), *prompt = json_get(of, "prompt");

	return tool	? fixture_find("tools", "name", json_text(tool))
	       : prompt ? fixture_find("prompts", "name", json_text(prompt))
			: NULL;
}

static const struct json *ask_replies(const struct ask_json *ask)
{
	static const struct json none = { .type = JSON_ARRAY };

	return ask->replies ? ask->replies : &none;
}

/* What the client gave: the answer, else what it gave last. */
static struct str ask_input(const struct ask_json *ask)
{
	const struct json *answers = json_get(ask->answer, "answers");
	const struct json *replies = ask_replies(ask);
	struct str text = json_text(json_get(json_get(answers, "q"), "text"));

	if (!text.len) text = json_text(json_get(answers, "q"));
	if (!text.len && replies->count)
		text = json_text(json_get(&replies->items[replies->count - 1], "text"));
	return text;
}

static void fixture_result(struct json_writer *w, const struct ask_json *ask,
	unsigned how, struct arena *arena)
{
	const struct json *f = ask_fixture(ask);
	const struct json *arguments = json_get(ask_metadata(ask), "arguments");

	if (f)
		jw_members(
			w, members_filled(json_get(f, "result"),
				   with_input(arguments, ask_input(ask), arena), arena));
	else
		mcp_own.result(w, ask, how, arena);
}

static struct str fixture_failed(const struct ask_json *ask, struct arena *arena)
{
	const struct json *error = json_get(ask_fixture(ask), "error");
	struct buf b = { 0 };

	if (error) json_write(&b, error);
	return buf_keep_done(&b, arena);
}

static void ask_body(struct request *r, const struct json *f, int64_t seconds)
{
	struct str name = json_text(json_get(json_get(f, "listed"), "name"));
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	jw_put_str(&w, "title", name);
	jw_put_raw(&w, "questions",
		STR("[{\"key\":\"q\",\"type\":\"text\",\"text\":\"?\"}]"));
	if (seconds) {
		char text[32];

		snprintf(text, sizeof text, "%llds", (long long)seconds);
		jw_put_text(&w, "timeout", text);
	}
	jw_put_object(&w, "metadata");
	jw_put_str(&w, mcp_of(r)->tool ? "tool" : "prompt", name);
	if (mcp_param(r, "arguments"))
		jw_put_json(&w, "arguments", mcp_param(r, "arguments"));
	jw_object_end(&w);
	jw_object_end(&w);
	mcp_task(r);
	mcp_body(r, buf_str(&b));
	buf_done(&b);
}

/* ---- what the client is asked ---- */

static unsigned ability_for(struct str method)
{
	return str_is(method, "elicitation/create")	  ? CAN_FORM | CAN_URL
	       : str_is(method, "sampling/createMessage") ? CAN_SAMPLE
							  : CAN_ROOTS;
}

static const struct json *round_of(const struct json *f, const struct ask_json *ask)
{
	const struct json *rounds = json_get(f, "rounds");
	uint32_t done = ask_replies(ask)->count;

	return rounds && done < rounds->count ? &rounds->items[done] : NULL;
}

static bool given_before(const struct ask_json *ask, struct str name, struct arena *arena)
{
	const struct json *replies = ask_replies(ask), *given;

	for (uint32_t i = 0; i < replies->count; i++)
		if (json_read(json_text(json_get(&replies->items[i], "text")), NULL,
			    arena, &given, NULL) == OK &&
			json_get_str(given, name))
			return true;
	return false;
}

static bool input_add(struct mcp_input *out, struct str name, const struct json *request,
	const struct json *arguments, unsigned can, struct arena *arena)
{
	struct str method = json_text(json_get(request, "method"));

	if (!(can & ability_for(method))) return false;
	*out = (struct mcp_input){ name, arena_copy(arena, method),
		members_filled(json_get(request, "params"), arguments, arena) };
	return true;
}

static size_t fixture_inputs(const struct ask_json *ask, const struct mcp_client *client,
	struct arena *arena, struct mcp_input out[MCP_INPUTS_MAX])
{
	const struct json *f = ask_fixture(ask), *round = round_of(f, ask);
	const struct json *arguments = json_get(ask_metadata(ask), "arguments");
	const struct json *wanted =
		round ? round : json_get(json_get(f, "task"), "input");
	size_t len = 0;

	if (!f) return mcp_own.inputs(ask, client, arena, out);
	if (client->revision < REV_2026_07_28)
		return json_get(f, "request") &&
		       input_add(out, STR("q"), json_get(f, "request"), arguments,
			       client->can, arena);
	for (uint32_t i = 0; wanted && i < wanted->count && len < MCP_INPUTS_MAX; i++)
		if (round || !given_before(ask, wanted->members[i].name, arena))
			len += input_add(&out[len], wanted->members[i].name,
				&wanted->members[i].value, arguments, client->can, arena);
	return len;
}

static bool has_all(const struct json *wanted, const struct json *given,
	const struct ask_json *ask, struct arena *arena)
{
	bool all = true;

	for (uint32_t i = 0; all && i < wanted->count; i++)
		all = json_is(json_get_str(given, wanted->members[i].name),
			      JSON_OBJECT) ||
		      (ask && given_before(ask, wanted->members[i].name, arena));
	return all;
}

static struct str given_body(const struct json *given, bool answer, struct arena *arena)
{
	struct buf text = { 0 }, b = { 0 };
	struct json_writer w = { .out = &b };

	json_write(&text, given);
	jw_object(&w);
	if (answer) jw_put_object(&w, "answers");
	jw_put_str(&w, answer ? "q" : "text", buf_str(&text));
	if (answer) jw_object_end(&w);
	jw_object_end(&w);
	buf_done(&text);
	return buf_keep_done(&b, arena);
}

static enum elicited fixture_given(const struct json *given, const struct ask_json *ask,
	struct arena *arena, struct str *body)
{
	const struct json *f = ask_fixture(ask), *round = round_of(f, ask);
	const struct json *rounds = json_get(f, "rounds"), *task = json_get(f, "task");
	const struct json *input = json_get(task, "input");
	bool last = !task && (!rounds || ask_replies(ask)->count + 1 == rounds->count);

	if (!f) return mcp_own.given(given, ask, arena, body);
	if (json_get(f, "request")) {
		*body = given_body(json_get(given, "q"), true, arena);
		return ELICITED_ANSWER;
	}
	if (round && !has_all(round, given, NULL, arena)) return ELICITED_AGAIN;
	if (!round && !json_is(given, JSON_OBJECT)) return ELICITED_AGAIN;
	if (!round) last = has_all(input, given, ask, arena);
	*body = given_body(given, last, arena);
	return last ? ELICITED_ANSWER : ELICITED_PART;
}

/* ---- calls ---- */

static void note_say(struct request *r, const struct json *note)
{
	struct mcp *m = mcp_of(r);
	const char *method =
		arena_copy(&r->task.job.arena, json_text(json_get(note, "method")));
	bool progress = strcmp(method, "notifications/progress") == 0;
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	if (progress ? !m->progress.len
		     : m->client.revision >= REV_2026_07_28 &&
				!json_get(mcp_param(r, "_meta"),
					"io.modelcontextprotocol/logLevel"))
		return;
	rpc_call(&w, method, STR_NONE);
	jw_members(&w, members_of(json_get(note, "params"), &r->task.job.arena));
	if (progress) jw_put_raw(&w, "progressToken", m->progress);
	rpc_end(&w);
	mcp_say(r, buf_keep_done(&b, &r->task.job.arena));
}

static void plain_call(struct request *r, const struct json *f)
{
	const struct json *notes = json_get(f, "notes");

	for (uint32_t i = 0; notes && i < notes->count; i++)
		note_say(r, &notes->items[i]);
	result_send(r, f, false);
}

static const struct json *called(struct request *r)
{
	return fixture_find("tools", "name", str_of(mcp_of(r)->tool->name));
}

static void plain_again(struct request *r)
{
	plain_call(r, called(r));
}

/* Tools change with a session's progress, prompts with an ask: events of the log. */
static void change_call(struct request *r, const struct json *f)
{
	bool tools_change = str_is(json_text(json_get(f, "changes")), "tools");

	ask_body(r, f, 1);
	if (tools_change) mcp_body(r, STR("{\"text\":\"changed\"}"));
	r->task.default_session = r->task.default_session_title = STR("conformance");
	mcp_put(r, tools_change ? &use_session_progress : &use_ask, plain_again, NULL);
}

/* The stream begins, and ends at once; its first event is to come back to. */
static void cut_asked(struct request *r)
{
	struct serve *s = r->serve;
	char *nonce = strndup(mcp_of(r)->nonce.at, mcp_of(r)->nonce.len);
	char *id = strndup(mcp_of(r)->rpc.id.at, mcp_of(r)->rpc.id.len);

	if (mcp_hold(r, r->task.ask, CUT_MS))
		mcp_forget(s, str_of(nonce), str_of(id));
	else
		mcp_become(r, 0);
	free(nonce);
	free(id);
}

static void cut_call(struct request *r, const struct json *f)
{
	ask_body(r, f, 1);
	r->task.default_session = r->task.default_session_title = STR("conformance");
	r->task.wants_record = true;
	mcp_put(r, &use_ask, cut_asked, NULL);
}

/* False: the client can give nothing of the first round. */
static bool can_begin(struct request *r, const struct json *rounds)
{
	const struct json *first = rounds ? &rounds->items[0] : NULL;
	bool any = !rounds;

	for (uint32_t i = 0; first && i < first->count; i++)
		any |= (mcp_of(r)->client.can &
			       ability_for(json_text(json_get(
				       &first->members[i].value, "method")))) != 0;
	return any;
}

static int64_t work_seconds(struct request *r, const struct json *task)
{
	const struct json *s = json_get(task, "seconds");

	if (json_is(s, JSON_STRING)) s = json_get_str(mcp_param(r, "arguments"), s->text);
	return json_get(task, "input")		  ? 0
	       : s && s->is_int && s->integer > 0 ? s->integer
						  : 1;
}

/* ---- arguments that headers repeat, since 2026-07-28 ---- */

static bool param_fits(struct request *r, struct str name, const struct json *value)
{
	struct arena *arena = &r->task.job.arena;
	char *line =
		arena_copy(arena, arena_print(arena, "mcp-param-%.*s", STR_ARGS(name)));
	struct str header, said;

	for (char *at = line; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	header = r->x ? str_trim(http_header(http_request(r->x), line)) : STR_NONE;
	if (!json_is(value, JSON_STRING)) return !header.len;
	return header.len && header_decode(header, arena, &said) &&
	       str_eq(said, value->text);
}

static bool params_fit(
	struct request *r, const struct json *f, const struct json *arguments)
{
	const struct json *all =
		json_get(json_get(json_get(f, "listed"), "inputSchema"), "properties");

	for (uint32_t i = 0; all && i < all->count; i++) {
		struct str name =
			json_text(json_get(&all->members[i].value, "x-mcp-header"));

		if (name.len && !param_fits(r, name,
					json_get_str(arguments, all->members[i].name)))
			return false;
	}
	return true;
}

/* ---- the tables ---- */

static void refuse(struct request *r, enum rpc_code code, const char *message)
{
	struct rpc_fault why = { 0 };

	if (mcp_enter_first(r, mcp_tools_call)) return;
	if (code == RPC_NO_CAPABILITY)
		why.data = STR("{\"requiredCapabilities\":{\"sampling\":{}}}");
	rpc_fail(&why, 400, code, "%s", message);
	mcp_refuse(r, &why);
}

static void fixture_call(
	struct request *r, const struct tool *tool, const struct json *arguments)
{
	const struct json *f = fixture_find("tools", "name", str_of(tool->name));
	const struct json *task = json_get(f, "task"), *rounds = json_get(f, "rounds");
	const struct json *request = json_get(f, "request");
	const struct mcp_client *client = &mcp_of(r)->client;
	bool now = client->revision >= REV_2026_07_28;
	bool tasks = now && task && (client->can & CAN_TASKS);

	if (!f) {
		mcp_own_call(r, tool, arguments);
	} else if (now && !params_fit(r, f, arguments)) {
		refuse(r, RPC_HEADER_MISMATCH, "an Mcp-Param header differs");
	} else if (now && !can_begin(r, rounds)) {
		refuse(r, RPC_NO_CAPABILITY, "the client cannot do that");
	} else if (now && json_get(task, "required") && !tasks) {
		if (!mcp_enter_first(r, mcp_tools_call)) mcp_task_known(r);
	} else if (tasks || (now && rounds) ||
		   (!now && request &&
			   (client->can & ability_for(json_text(
						  json_get(request, "method")))))) {
		ask_body(r, f, task ? work_seconds(r, task) : 0);
		mcp_ask(r, STR_NONE);
	} else if (json_get(f, "cut") && client->revision == REV_2025_11_25) {
		cut_call(r, f);
	} else if (json_get(f, "changes")) {
		change_call(r, f);
	} else if (!mcp_enter_first(r, mcp_tools_call)) {
		if (request)
			mcp_tool_error(r, STR("The client cannot do that."));
		else
			plain_call(r, f);
	}
}

static void prompt_get(struct request *r)
{
	const struct json *f =
		fixture_find("prompts", "name", json_text(mcp_param(r, "name")));

	if (json_get(f, "rounds")) {
		ask_body(r, f, 0);
		mcp_ask(r, STR_NONE);
	} else {
		result_send(r, f, false);
	}
}

static const struct mcp_resource resources[2];

static void resources_write(struct request *r, struct str cursor)
{
	const struct json *all = json_get(fixtures, "resources");
	struct json_writer *w = mcp_result(r, "complete");

	(void)cursor;
	jw_put_array(w, "resources");
	for (uint32_t i = 0; i < all->count; i++)
		jw_json(w, json_get(&all->items[i], "listed"));
	mcp_listed(r, resources, STR_NONE);
}

static void resource_read(struct request *r, struct str rest)
{
	struct str uri = json_text(mcp_param(r, "uri")), prefix = STR("template/");
	const struct json *f = fixture_find("resources", "uri", uri);
	const struct json *template = &json_get(fixtures, "templates")->items[0];
	struct json_member id = { .name = STR("id"), .value = { .type = JSON_STRING } };
	struct json values = { .type = JSON_OBJECT, .count = 1, .members = &id };
	struct json_writer *w;

	if (f) {
		result_send(r, f, true);
		return;
	}
	if (!str_starts(rest, prefix.at) || !str_ends(rest, "/data")) {
		mcp_refuse_uri(r, uri);
		return;
	}
	id.value.text =
		str_make(rest.at + prefix.len, rest.len - prefix.len - strlen("/data"));
	w = mcp_result(r, "complete");
	jw_members(w, members_filled(
			      json_get(template, "result"), &values, &r->task.job.arena));
	result_cached(w, mcp_of(r)->client.revision, 0, false);
	mcp_send(r);
}

static const struct mcp_resource resources[] = {
	{ "test://",
		"\"uriTemplate\":\"test://template/{id}/data\",\"name\":\"template\","
		"\"description\":\"Data of an id.\",\"mimeType\":\"application/json\"",
		resources_write, resource_read, NULL },
	{ 0 },
};

static void complete(struct request *r)
{
	struct json_writer *w = mcp_result(r, "complete");

	jw_put_raw(w, "completion",
		STR("{\"values\":[\"paris\",\"park\",\"party\"],\"total\":3,"
		    "\"hasMore\":false}"));
	mcp_send(r);
}

static void capabilities(struct json_writer *w, enum revision revision)
{
	jw_json(w, json_get(json_get(fixtures, "capabilities"),
			   revision >= REV_2026_07_28 ? "2026" : "2025"));
}

static const char *const tool_events[] = { "session.progress", NULL };
static const char *const prompt_events[] = { "ask.created", NULL };

static const struct mcp_change changes[] = {
	{ "toolsListChanged", "notifications/tools/list_changed", tool_events },
	{ "promptsListChanged", "notifications/prompts/list_changed", prompt_events },
	{ 0 },
};

static const struct mcp_method methods[] = {
	{ "resources/subscribe", REV_2025_03_26, REV_2025_11_25, mcp_ping },
	{ "resources/unsubscribe", REV_2025_03_26, REV_2025_11_25, mcp_ping },
	{ "logging/setLevel", REV_2025_03_26, REV_2025_11_25, mcp_ping },
	{ 0 },
};

static const struct mcp_offer offer = {
	.tools = tools,
	.prompts = prompts,
	.resources = resources,
	.changes = changes,
	.methods = methods,
	.poll_ms = 100,
	.capabilities = capabilities,
	.call = fixture_call,
	.complete = complete,
	.result = fixture_result,
	.failed = fixture_failed,
	.inputs = fixture_inputs,
	.given = fixture_given,
	.guest = "{\"role\":\"agent\",\"name\":\"conformance\",\"local\":true}",
};

/* ---- the program ---- */

static const char *text_of(struct str text)
{
	return arena_copy(&kept, text);
}

static bool tables_read(const char *path)
{
	static char text[1 << 17];
	FILE *f = fopen(path, "re");
	size_t len = f ? fread(text, 1, sizeof text, f) : 0, n = 0;
	const struct json *list;

	if (f) fclose(f);
	if (json_read(str_make(text, len), NULL, &kept, &fixtures, NULL)) return false;
	list = json_get(fixtures, "tools");
	for (const struct tool *t = own_tools; t->name; t++)
		tools[n++] = *t;
	for (uint32_t i = 0; i < list->count && n + 1 < LIST_MAX; i++) {
		const struct json *listed = json_get(&list->items[i], "listed");

		tools[n++] = (struct tool){ .name = text_of(
						    json_text(json_get(listed, "name"))),
			.members = text_of(members_of(listed, &kept)),
			/* What its task wants is asked for by the task. */
			.forms = !json_get(json_get(&list->items[i], "task"), "input") };
	}
	list = json_get(fixtures, "prompts");
	for (uint32_t i = 0; i < list->count; i++) {
		const struct json *listed = json_get(&list->items[i], "listed");

		prompts[i] =
			(struct mcp_prompt){ text_of(json_text(json_get(listed, "name"))),
				text_of(members_of(listed, &kept)), prompt_get };
	}
	return true;
}

static int conformance_run(struct cli *cli)
{
	return server_run(cli, &offer);
}

int main(int argc, char **argv)
{
	struct command extra[] = { serve_verbs[0], { 0 } };

	extra[0].run = conformance_run;
	process_main(argc, argv);
	if (!tables_read(FIXTURES)) {
		fprintf(stderr, "%s cannot be read\n", FIXTURES);
		return 1;
	}
	return cli_main(argc, argv,
		&(struct cli_above){ extra, serve_local_use, channels_doctor });
}
