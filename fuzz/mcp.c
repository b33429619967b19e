/* mcp.c - messages, tickets and forms of MCP clients on the same bytes: nothing is taken
 * that was not signed, and whatever is written is JSON. The first byte is the revision;
 * then lines: a header each for version, method and name, a ticket, and the message. */
#include "dialect/dialect.h"
#include "mcp/elicit.h"
#include "mcp/result.h"
#include "mcp/ticket.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char fixed[] =
	"\"questions\":["
	"{\"key\":\"a\",\"type\":\"choice\",\"text\":\"A?\",\"other\":true,"
	"\"options\":[{\"id\":\"x\",\"label\":\"X\"}]},"
	"{\"key\":\"b\",\"type\":\"text\",\"text\":\"B?\"}]";

static void is_json(struct buf *b, struct arena *arena)
{
	const struct json *out;

	assert(!b->failed && json_read(buf_str(b), &ask_limits, arena, &out, NULL) == OK);
	buf_clear(b);
}

static void tickets(struct str text, struct arena *arena)
{
	static const enum ticket_kind kinds[] = { TICKET_EVENT, TICKET_STATE,
		TICKET_FORM };
	struct str key = STR("a key that no input knows");
	struct ticket_session session;
	struct ticket_call call;

	assert(!ticket_session_read(text, key, arena, &session));
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		assert(!ticket_call_read(text, key, kinds[i], arena, &call));
}

static void signs(const struct rpc *rpc, struct arena *arena)
{
	struct ticket_call in = { rpc->method, rpc->id, rpc->method, true, 1 }, out;
	struct buf b = { 0 };

	ticket_call_write(&b, STR("k"), TICKET_EVENT, &in);
	if (rpc->method.len + rpc->id.len < 500 &&
		ticket_call_read(buf_str(&b), STR("k"), TICKET_EVENT, arena, &out))
		assert(str_eq(in.ask, out.ask) && str_eq(in.id, out.id));
	buf_done(&b);
}

static void served(const struct rpc *rpc, const struct mcp_wire *wire,
	enum revision revision, struct arena *arena)
{
	struct mcp_client client = { revision, ~0U, STR_NONE };
	struct rpc_fault why = { 0 };
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct ask a = { .id = STR("ask_1"), .fixed = str_of(fixed) };
	const struct ask_view view = { .url = STR("http://h") };
	struct ask_json whole;
	struct str body = STR_NONE;

	if (revision_is_stateless(rpc, wire) &&
		!revision_check(rpc, wire, arena, &client, &why)) {
		rpc_error(&w, rpc->id, &why);
		is_json(&b, arena);
		w.more = false;
	}
	revision_greet(rpc->params, &client);
	assert(client.name.len <= CLIENT_NAME_MAX);
	assert(ask_json_read(&a, &view, arena, &whole, NULL) == OK);
	if (elicit_read(rpc->params, &whole, arena, &body) == ELICITED_ANSWER) {
		buf_add(&b, body);
		is_json(&b, arena);
	}
	result_begin(&w, rpc->id, revision, "complete");
	ask_result_write(
		&w, &whole, revision & 1 ? RESULT_RESUMED : RESULT_PROMPT, arena);
	rpc_end(&w);
	is_json(&b, arena);
	w.more = false;
	jw_object(&w);
	task_write(&w, &a, task_status(&a), revision, 1);
	jw_object_end(&w);
	is_json(&b, arena);
	buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_make((const char *)data, size), lines[4];
	struct arena arena = { 0 };
	const struct json *message;
	struct rpc rpc;

	if (size < 2) return 0;
	rest = str_from(rest, 1);
	for (size_t i = 0; i < 4; i++)
		if (!str_cut(&rest, '\n', &lines[i])) lines[i] = STR_NONE;
	tickets(lines[3], &arena);
	if (json_read(rest, NULL, &arena, &message, NULL) == OK &&
		rpc_read(message, &arena, &rpc)) {
		struct mcp_wire wire = { lines[0], lines[1], lines[2] };

		signs(&rpc, &arena);
		served(&rpc, &wire, (enum revision)(data[0] % REVISIONS), &arena);
	}
	arena_done(&arena);
	return 0;
}
