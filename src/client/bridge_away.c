/* bridge_away.c - replies that need no server. */
#include "client/bridge_away.h"

#include "mcp/tools.h"

bool away_reply(
	const struct rpc *rpc, enum revision *revision, bool strict, struct buf *out)
{
	bool greets = str_is(rpc->method, "initialize");
	bool discovers = str_is(rpc->method, "server/discover");
	bool lists = str_is(rpc->method, "tools/list");
	struct json_writer w = { .out = out };
	struct mcp_client client = { 0 };

	if (!greets && !discovers && !lists && !str_is(rpc->method, "ping")) return false;
	result_begin(&w, rpc->id, *revision, "complete");
	if (greets) {
		revision_greet(rpc->params, &client);
		*revision = client.revision;
		greeting_write(&w, client.revision, capabilities_write);
	}
	if (discovers) discovery_write(&w, 0, false, capabilities_write);
	if (lists) {
		jw_put_array(&w, "tools");
		tools_write(&w, own_tools, STR_NONE, *revision, strict);
		jw_array_end(&w);
		result_cached(&w, *revision, 0, false);
	}
	rpc_end(&w);
	return true;
}
