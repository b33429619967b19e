/* bridge_away.c - replies that need no server. */
#include "client/bridge_away.h"

#include "mcp/result.h"
#include "mcp/tools.h"

static struct str id_of(const struct json *message, struct arena *arena)
{
	return rpc_id(json_get(message, "id"), arena);
}

/* The revision that a message is of. */
static enum revision revision_of(const struct json *message, struct str version)
{
	const struct json *meta = json_get(json_get(message, "params"), "_meta");
	enum revision r = REV_2025_11_25;

	if (json_get(meta, "io.modelcontextprotocol/protocolVersion"))
		return REV_2026_07_28;
	revision_read(version, &r);
	return r;
}

static void initialize_write(struct json_writer *w, const struct json *message)
{
	struct mcp_client client = { 0 };

	revision_greet(json_get(message, "params"), &client);
	jw_put_text(w, "protocolVersion", revision_name(client.revision));
	jw_key(w, "capabilities");
	capabilities_write(w, client.revision);
	jw_key(w, "serverInfo");
	server_info_write(w);
	jw_put_text(w, "instructions", mcp_instructions);
}

static void discover_write(struct json_writer *w)
{
	jw_key(w, "supportedVersions");
	revisions_write(w);
	jw_key(w, "capabilities");
	capabilities_write(w, REV_2026_07_28);
	jw_put_text(w, "instructions", mcp_instructions);
	result_cached(w, REV_2026_07_28, 0, false);
}

bool away_reply(
	const struct json *message, struct str version, bool strict, struct buf *out)
{
	struct str method = json_text(json_get(message, "method"));
	enum revision revision = revision_of(message, version);
	struct json_writer w = { .out = out };
	struct arena arena = { 0 };
	struct str id = id_of(message, &arena);
	bool greets = str_is(method, "initialize"), lists = str_is(method, "tools/list");
	bool discovers = str_is(method, "server/discover");

	if (!id.len || (!greets && !lists && !discovers && !str_is(method, "ping"))) {
		arena_done(&arena);
		return false;
	}
	result_begin(&w, id, revision, "complete");
	if (greets) initialize_write(&w, message);
	if (discovers) discover_write(&w);
	if (lists) {
		jw_put_array(&w, "tools");
		tools_write(&w, own_tools, STR_NONE, revision, strict);
		jw_array_end(&w);
		result_cached(&w, revision, 0, false);
	}
	rpc_result_end(&w);
	arena_done(&arena);
	return true;
}

void away_tool_result(const struct json *message, struct str text, struct buf *out)
{
	struct json_writer w = { .out = out };
	struct arena arena = { 0 };

	result_begin(
		&w, id_of(message, &arena), revision_of(message, STR_NONE), "complete");
	text_result_write(&w, text, true);
	rpc_result_end(&w);
	arena_done(&arena);
}

bool away_progress(const struct json *message, struct buf *out)
{
	const struct json *meta = json_get(json_get(message, "params"), "_meta");
	const struct json *token = json_get(meta, "progressToken");
	struct json_writer w = { .out = out };

	if (!token) return false;
	rpc_call(&w, "notifications/progress", STR_NONE);
	jw_put_json(&w, "progressToken", token);
	jw_put_int(&w, "progress", 0);
	jw_put_text(&w, "message", "Parley's server is away. Waiting for it.");
	rpc_call_end(&w);
	return true;
}
