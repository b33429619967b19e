/* remote.c - what other MCP servers send: however the bytes are cut, the same is found; a list of tools is pinned,
 * kept and read again as it was; whatever is written is JSON. The first byte says where to cut. */
#include "mcp/remote.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void asked(void *ctx, const struct rpc *rpc)
{
	struct buf b = { 0 };
	struct arena arena = { 0 };
	const struct json *out;

	(void)ctx;
	remote_answer(&b, rpc, STR_NONE);
	assert(json_read(buf_str(&b), NULL, &arena, &out, NULL) == OK);
	arena_done(&arena);
	buf_done(&b);
}

static const struct json *reply_find(struct str bytes, size_t piece, struct arena *arena)
{
	struct remote_reader r = { .id = 1, .arena = arena, .asked = asked };

	for (; bytes.len; bytes = str_from(bytes, piece))
		remote_feed(&r, str_first(bytes, piece));
	remote_end(&r);
	remote_done(&r);
	return r.reply;
}

static void tools_pin(const struct json *tools, struct arena *arena)
{
	const struct json *at[64];
	struct mcp_listed l = { .tools = at, .first = true, .now_ms = 1 };
	struct mcp_pins none = { 0 }, pins, again, third;
	struct mcp_news news;

	for (uint32_t i = 0; json_is(tools, JSON_ARRAY) && i < tools->count && i < 64;
		i++)
		if (tools->items[i].type == JSON_OBJECT) at[l.len++] = &tools->items[i];
	if (!mcp_pins_renew(&none, &l, arena, &pins, &news)) return;
	assert(!news.added && !news.changed);
	assert(mcp_pins_read(mcp_pins_write(&pins, arena), arena, &again));
	assert(again.len == pins.len);
	l.first = false;
	assert(mcp_pins_renew(&again, &l, arena, &third, &news));
	assert(!news.added && !news.changed && !news.gone);
	for (size_t i = 0; i < third.len; i++) {
		struct buf b = { 0 };
		struct json_writer w = { .out = &b };
		const struct json *out;

		if (third.items[i].hidden || third.items[i].why.len)
			assert(!mcp_tool_on(&third.items[i]));
		mcp_tool_show(&w, &third.items[i], i % 2);
		assert(json_read(buf_str(&b), &mcp_list_limits, arena, &out, NULL) == OK);
		buf_done(&b);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	const struct json *one, *other;
	struct remote_said said;
	enum revision revision;
	struct str name, wants, wrong;
	bool failed;

	if (size < 1) return 0;
	struct str bytes = str_make((const char *)data + 1, size - 1);
	one = reply_find(bytes, bytes.len ? bytes.len : 1, &arena);
	other = reply_find(bytes, 1 + data[0] % 64, &arena);
	assert((one == NULL) == (other == NULL));
	if (one) {
		assert(json_equal(one, other));
		remote_said(one, &said);
		remote_revision(one, &revision, &name);
		if (said.result) remote_text(said.result, &arena, &failed);
		if (said.result && remote_inputs(said.result, &arena, &wants, &wrong) &&
			!wrong.len)
			assert(json_read(wants, NULL, &arena, &other, NULL) == OK);
		tools_pin(json_get(said.result, "tools"), &arena);
	}
	arena_done(&arena);
	return 0;
}
