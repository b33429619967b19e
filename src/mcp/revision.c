/* revision.c - the table of MCP revisions; checks what a request says of its own. */
#include "mcp/revision.h"

#include "base/json_pattern.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/body.h"
#include "mcp/header.h"

#define PREFIX "io.modelcontextprotocol/"

const char meta_tasks[] = PREFIX "tasks";
const char meta_subscription[] = PREFIX "subscriptionId";

static const char *const names[REVISIONS] = {
	[REV_2025_03_26] = "2025-03-26",
	[REV_2025_06_18] = "2025-06-18",
	[REV_2025_11_25] = "2025-11-25",
	[REV_2026_07_28] = "2026-07-28",
};

ENUM_NAMES(revision, names)

void revisions_write(struct json_writer *w)
{
	jw_array(w);
	for (int i = REVISIONS; i-- > 0;)
		jw_text(w, names[i]);
	jw_array_end(w);
}

/* ---- what a client tells ---- */

static unsigned abilities(const struct json *capabilities)
{
	const struct json *elicits = json_get(capabilities, "elicitation");
	unsigned can = 0;

	/* Without a mode named, a form is meant. */
	if (json_get(elicits, "form") || (elicits && !json_get(elicits, "url")))
		can |= CAN_FORM;
	if (json_get(elicits, "url")) can |= CAN_URL;
	if (json_get(json_get(capabilities, "extensions"), meta_tasks)) can |= CAN_TASKS;
	if (json_get(capabilities, "sampling")) can |= CAN_SAMPLE;
	if (json_get(capabilities, "roots")) can |= CAN_ROOTS;
	return can;
}

/* It becomes part of a session's external id and its title: one line, or none. */
static struct str client_name(const struct json *info)
{
	struct str name = json_text_of(info, "name");
	size_t n = CLIENT_NAME_MAX;

	if (!text_one_line(name)) return STR_NONE;
	while (utf8_first(name, n).len > CLIENT_NAME_MAX)
		n--;
	return utf8_first(name, n);
}

void revision_greet(const struct json *params, struct mcp_client *out)
{
	out->revision = REV_2025_11_25;
	revision_read(json_text_of(params, "protocolVersion"), &out->revision);
	if (out->revision == REV_2026_07_28) out->revision = REV_2025_11_25;
	out->can = abilities(json_get(params, "capabilities"));
	out->name = client_name(json_get(params, "clientInfo"));
}

bool revision_is_stateless(const struct rpc *rpc, const struct mcp_wire *wire)
{
	return json_get(json_get(rpc->params, "_meta"), PREFIX "protocolVersion") ||
	       str_is(wire->version, names[REV_2026_07_28]) ||
	       str_is(rpc->method, "server/discover");
}

/* ---- the headers of a stateless request ---- */

static bool name_fits(const struct rpc *rpc, struct str header, struct arena *arena)
{
	struct str subject, value;

	return !header_subject(rpc->method, rpc->params, &subject) ||
	       (header.len && header_decode(header, arena, &value) &&
		       str_eq(value, subject));
}

static bool headers_fit(const struct rpc *rpc, const struct mcp_wire *wire,
	struct str version, struct arena *arena, struct rpc_fault *why)
{
	if (!str_eq(wire->version, version))
		return rpc_fail(why, 400, RPC_HEADER_MISMATCH,
			"the header MCP-Protocol-Version is missing or differs from _meta");
	if (!str_eq(wire->method, rpc->method))
		return rpc_fail(why, 400, RPC_HEADER_MISMATCH,
			"the header Mcp-Method is missing or differs from the method");
	if (!name_fits(rpc, wire->name, arena))
		return rpc_fail(why, 400, RPC_HEADER_MISMATCH,
			"the header Mcp-Name is missing or differs from params");
	return true;
}

static struct str versions_data(struct str requested, struct arena *arena)
{
	struct json_writer w = { .out = &(struct buf){ .max = 4096 } };

	JW(&w, "{'supported':");
	revisions_write(&w);
	JW(&w, "'requested':%s}", utf8_first(requested, 100));
	return buf_keep_done(w.out, arena);
}

bool revision_check(const struct rpc *rpc, const struct mcp_wire *wire,
	struct arena *arena, struct mcp_client *out, struct rpc_fault *why)
{
	const struct json *meta = json_get(rpc->params, "_meta");
	const struct json *version = json_get(meta, PREFIX "protocolVersion");
	const struct json *can = json_get(meta, PREFIX "clientCapabilities");

	out->revision = REV_2026_07_28;
	if (!json_is(version, JSON_STRING) || !json_is(can, JSON_OBJECT))
		return rpc_fail(why, 400, RPC_INVALID_PARAMS,
			"_meta needs " PREFIX "protocolVersion and " PREFIX
			"clientCapabilities");
	if (!headers_fit(rpc, wire, version->text, arena, why)) return false;
	if (!str_is(version->text, names[REV_2026_07_28])) {
		why->data = versions_data(version->text, arena);
		return rpc_fail(why, 400, RPC_NO_VERSION, "unsupported protocol version");
	}
	out->can = abilities(can);
	out->name = client_name(json_get(meta, PREFIX "clientInfo"));
	return true;
}

/* ---- results ---- */

#define SERVER_INFO "{'name':'parley','title':'Parley','version':'" PARLEY_VERSION "'}"

void result_begin(
	struct json_writer *w, struct str id, enum revision revision, const char *type)
{
	rpc_result(w, id);
	if (revision < REV_2026_07_28) return;
	JW(w, "'resultType':%s,'_meta':{'" PREFIX "serverInfo':" SERVER_INFO "}",
		str_of(type));
}

void result_cached(
	struct json_writer *w, enum revision revision, int64_t ttl_ms, bool shared)
{
	if (revision < REV_2026_07_28) return;
	jw_put_int(w, "ttlMs", ttl_ms);
	jw_put_text(w, "cacheScope", shared ? "public" : "private");
}

/* ---- who we are ---- */

/* For the model, about all tools together. */
static const char instructions[] =
	"Parley is where you ask the people you work for. Ask with ask_user_question when "
	"a decision is theirs, ask before risky steps with request_approval, and put all "
	"you need to know into one call. An answer may take days: a result with status "
	"\"pending\" is not an answer and not a consent; keep its ask_id and come back "
	"with get_answer, or end your turn if the result says so.";

void capabilities_write(struct json_writer *w, enum revision revision)
{
	JW(w, "{'tools':{},'prompts':{},'completions':{},'resources':{'subscribe':%j,'listChanged':true}",
		revision >= REV_2026_07_28 ? STR("true") : STR_NONE);
	if (revision >= REV_2026_07_28)
		JW(w, "'extensions':{'io.modelcontextprotocol/tasks':{}}");
	else if (revision == REV_2025_11_25)
		JW(w, "'tasks':{'list':{},'cancel':{},'requests':{'tools':{'call':{}}}}");
	jw_object_end(w);
}

void greeting_write(struct json_writer *w, enum revision revision, capabilities_fn *can)
{
	jw_put_text(w, "protocolVersion", names[revision]);
	jw_key(w, "capabilities");
	can(w, revision);
	JW(w, "'serverInfo':" SERVER_INFO ",'instructions':%s", str_of(instructions));
}

void discovery_write(
	struct json_writer *w, int64_t ttl_ms, bool shared, capabilities_fn *can)
{
	jw_key(w, "supportedVersions");
	revisions_write(w);
	jw_key(w, "capabilities");
	can(w, REV_2026_07_28);
	jw_put_text(w, "instructions", instructions);
	result_cached(w, REV_2026_07_28, ttl_ms, shared);
}
