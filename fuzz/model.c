/* model.c - replies of model providers: however the bytes are cut, the same message comes out,
 * its content and what is kept of it are JSON, and it can be sent back. The first byte says
 * which wire and where to cut, the second the status. */
#include "model/model.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void reply_tell(struct buf *told, const struct model_reply *r)
{
	buf_print(told, "%d %d %d %zu %lld %lld|", r->trouble, r->retry, r->stop,
		r->calls, (long long)r->cost, (long long)r->retry_after_ms);
	buf_print(told, "%lld %lld %lld %lld %lld %lld|", (long long)r->usage.input,
		(long long)r->usage.cache_read, (long long)r->usage.cache_write,
		(long long)r->usage.cache_write_1h, (long long)r->usage.output,
		(long long)r->usage.reasoning);
	buf_add_text(told, r->message);
	buf_add(told, r->content);
	buf_add(told, r->kept);
}

/* What was said goes back over every wire, as JSON. */
static void send_back(const struct model_reply *r)
{
	const struct model_message message = { .role = MODEL_ASSISTANT,
		.content = r->content,
		.kept = r->kept,
		.kept_model = STR("m") };
	const struct model_request request = {
		.model = STR("m"), .messages = &message, .messages_len = 1
	};

	for (int wire = 0; wire < WIRES; wire++) {
		struct arena arena = { 0 };
		struct buf body = { 0 };
		const struct json *json;

		assert(model_request_write(
			       &body, (enum model_wire)wire, &request, NULL) == OK);
		assert(json_read(buf_str(&body), &(struct json_limits){ .depth = 200 },
			       &arena, &json, NULL) == OK);
		arena_done(&arena);
		buf_done(&body);
	}
}

static void reply_read(enum model_wire wire, int status, struct str bytes, size_t piece,
	struct buf *told)
{
	struct model_reader *reader = model_reader_new(
		&(struct model_setup){ .wire = wire, .unique = STR("u") });
	struct model_end end = { .status = status, .whole = true, .retry_after_ms = -1 };
	struct model_reply reply;
	struct arena arena = { 0 };
	const struct json *json;

	for (; bytes.len > 0; bytes = str_from(bytes, piece))
		model_reader_feed(reader, status, str_first(bytes, piece));
	model_reader_end(reader, &end, &reply);
	reply_tell(told, &reply);
	assert(json_read(reply.content, &(struct json_limits){ .depth = 200 }, &arena,
		       &json, NULL) == OK &&
		json->type == JSON_ARRAY);
	assert(!reply.kept.len || json_read(reply.kept, NULL, &arena, &json, NULL) == OK);
	send_back(&reply);
	arena_done(&arena);
	model_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int statuses[] = { 200, 200, 200, 200, 400, 401, 429, 500, 529, 0 };
	struct buf whole = { 0 }, pieces = { 0 };
	enum model_wire wire;
	struct str bytes;
	int status;

	if (size < 2) return 0;
	wire = (enum model_wire)(data[0] % WIRES);
	status = statuses[data[1] % (sizeof statuses / sizeof *statuses)];
	bytes = str_make((const char *)data + 2, size - 2);
	reply_read(wire, status, bytes, bytes.len ? bytes.len : 1, &whole);
	reply_read(wire, status, bytes, data[0] / WIRES % 11 + 1, &pieces);
	assert(str_eq(buf_str(&whole), buf_str(&pieces)));
	buf_done(&whole);
	buf_done(&pieces);
	return 0;
}
