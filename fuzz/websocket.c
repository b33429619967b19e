/* websocket.c - what a server of WebSockets says, fed in pieces: the reply to the upgrade, frames, and
 * the envelopes in them. */
#include "channel/slack/slack_payload.h"
#include "net/websocket_wire.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void text_take(void *ctx, struct str text)
{
	size_t *texts = ctx;
	struct arena arena = { 0 };
	struct slack_envelope e;
	struct slack_payload p;

	assert(text.len <= WEBSOCKET_TEXT_MAX);
	++*texts;
	if (slack_envelope_read(text, &arena, &e, NULL) == OK &&
		e.kind == ENVELOPE_CALL) {
		struct buf out = { 0 };
		const struct json *json;

		slack_payload_take(e.payload, &p);
		slack_envelope_acknowledge(&out, e.id, STR_NONE);
		assert(json_read(buf_str(&out), NULL, &arena, &json, NULL) == OK);
		assert(str_eq(json_text(json_get(json, "envelope_id")), e.id));
		buf_done(&out);
	}
	arena_done(&arena);
}

/* The first byte: whether the upgrade went well already, and how long the pieces are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t key[WEBSOCKET_KEY_SIZE] = { 0 };
	static const char upgraded[] =
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
		"Connection: Upgrade\r\n"
		"Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\r\n";
	struct websocket_wire *w =
		websocket_wire_new(STR("slack.example"), STR("/link"), key);
	size_t texts = 0, step = size && data[0] & 0x7f ? data[0] & 0x7f : size;

	if (!w) return 0;
	buf_clear(websocket_wire_out(w));
	if (size && data[0] & 0x80) {
		assert(websocket_wire_feed(w, str_of(upgraded), NULL, NULL, NULL) == OK);
		assert(websocket_wire_state(w) == WEBSOCKET_OPEN);
	}
	for (size_t at = 1; at < size; at += step) {
		size_t n = size - at < step ? size - at : step;

		websocket_wire_feed(
			w, str_make((const char *)data + at, n), text_take, &texts, NULL);
		if (websocket_wire_state(w) != WEBSOCKET_OPEN)
			assert(!websocket_wire_ping(w));
	}
	websocket_wire_close(w);
	websocket_wire_free(w);
	return 0;
}
