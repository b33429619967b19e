/* slack_envelope.c - reads the messages of Socket Mode. */
#include "channel/slack/slack_envelope.h"

#include "base/json_pattern.h"
#include "core/shared/body.h"

enum { ID_MAX = 200 };

enum err slack_envelope_read(struct str text, struct arena *arena,
	struct slack_envelope *out, struct fault *why)
{
	struct slack_envelope e = { 0 };
	const struct json *json, *payload;
	enum err err = json_read(text, NULL, arena, &json, why);
	struct str type;

	if (err) return err;
	type = json_text_of(json, "type");
	e.id = json_text_of(json, "envelope_id");
	payload = json_get(json, "payload");
	if (str_is(type, "hello")) {
		e.kind = ENVELOPE_HELLO;
	} else if (str_is(type, "disconnect")) {
		e.kind = ENVELOPE_GOODBYE;
		e.reason = json_text_of(json, "reason");
	} else if (e.id.len && e.id.len <= ID_MAX) {
		e.kind = ENVELOPE_CALL;
		e.payload = json_is(payload, JSON_OBJECT) ? payload : NULL;
	}
	*out = e;
	return OK;
}

void slack_envelope_acknowledge(struct buf *out, struct str id, struct str reply)
{
	JW(&(struct json_writer){ .out = out }, "{'envelope_id':%s,'payload':%j}", id,
		reply);
}
