/* slack_payload.c - reads what Slack sends. */
#include "channel/slack/slack_payload.h"

#include "base/hash.h"
#include "base/json_pattern.h"
#include "core/shared/body.h"
#include "net/http.h"

static bool form_payload(struct str body, struct arena *arena, struct str *out)
{
	struct str pair;

	while (str_cut(&body, '&', &pair))
		if (str_starts(pair, "payload="))
			return http_decode(
				str_from(pair, strlen("payload=")), true, arena, out);
	return false;
}

struct str slack_shown_at(struct str channel, struct str ts, struct arena *arena)
{
	return JSON_TEXT(arena, "{'channel':%s,'ts':%s}", channel, ts);
}

static struct str at(const struct json *json, const char *name, const char *inner)
{
	return json_text_of(json_get(json, name), inner);
}

static void slack_button_take(const struct json *json, struct slack_payload *p)
{
	const struct json *actions = json_get(json, "actions");
	const struct json *first = json_is(actions, JSON_ARRAY) && actions->count
					   ? &actions->items[0]
					   : NULL;

	p->kind = SLACK_PRESSED;
	p->value = json_text_of(first, "value");
	p->once = json_text_of(first, "action_ts");
	p->response_url = json_text_of(json, "response_url");
	p->trigger = json_text_of(json, "trigger_id");
	p->channel = at(json, "channel", "id");
	p->ts = at(json, "message", "ts");
	/* The link, say. */
	if (!p->value.len) p->kind = SLACK_OTHER;
}

static void form_take(const struct json *json, struct slack_payload *p)
{
	const struct json *view = json_get(json, "view");

	p->kind = SLACK_SUBMITTED;
	p->metadata = json_text_of(view, "private_metadata");
	p->values = json_get(json_get(view, "state"), "values");
	p->once = json_text_of(view, "hash");
}

/* A person's own words in a thread: no bot's, no edit. */
static void event_take(const struct json *json, struct slack_payload *p)
{
	const struct json *event = json_get(json, "event");

	if (!str_is(json_text_of(event, "type"), "message") ||
		json_get(event, "subtype") || json_get(event, "bot_id"))
		return;
	p->user = json_text_of(event, "user");
	p->channel = json_text_of(event, "channel");
	p->ts = json_text_of(event, "thread_ts");
	p->text = json_text_of(event, "text");
	p->once = json_text_of(event, "ts");
	if (!p->user.len || !p->text.len) return;
	if (p->ts.len)
		p->kind = SLACK_SAID;
	else if (str_is(json_text_of(event, "channel_type"), "im"))
		p->kind = SLACK_GREETED;
}

void slack_payload_take(const struct json *json, struct slack_payload *out)
{
	struct slack_payload p = { 0 };
	struct str type = json_text_of(json, "type");

	p.team = at(json, "team", "id");
	if (!p.team.len) p.team = json_text_of(json, "team_id");
	p.user = at(json, "user", "id");
	if (str_is(type, "url_verification")) {
		p.challenge = json_text_of(json, "challenge");
		p.kind = SLACK_VERIFY;
	} else if (str_is(type, "block_actions")) {
		slack_button_take(json, &p);
	} else if (str_is(type, "view_submission")) {
		form_take(json, &p);
	} else if (str_is(type, "event_callback")) {
		event_take(json, &p);
	}
	*out = p;
}

enum err slack_payload_read(struct str body, struct arena *arena,
	struct slack_payload *out, struct fault *why)
{
	const struct json *json;
	struct str text = body;
	enum err e;

	if (!str_starts(body, "{") && !form_payload(body, arena, &text))
		return fail(why, ERR_BAD_REQUEST,
			"JSON, or a form with a payload, is needed");
	e = json_read(text, NULL, arena, &json, why);
	if (!e) slack_payload_take(json, out);
	return e;
}

/* ---- over Socket Mode ---- */

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

/* ---- by HTTP ---- */

/* HMAC-SHA256 over "v0:TIME:BODY". */
bool slack_signed(struct str secret, struct str timestamp, struct str signature,
	struct str body, int64_t now_s)
{
	struct buf text = { 0 };
	uint8_t mac[SHA256_SIZE];
	char expected[3 + SHA256_HEX_SIZE] = "v0=";
	int64_t at_s;
	bool ok;

	if (!secret.len || !str_to_int(timestamp, 0, INT64_MAX / 2, &at_s) ||
		at_s < now_s - SLACK_SKEW_S || at_s > now_s + SLACK_SKEW_S)
		return false;
	buf_add_text(&text, "v0:");
	buf_add(&text, timestamp);
	buf_add_char(&text, ':');
	buf_add(&text, body);
	hmac_sha256(secret, buf_str(&text), mac);
	hex_write(mac, sizeof mac, expected + 3);
	ok = !text.failed && same_secret(str_of(expected), signature);
	buf_done(&text);
	return ok;
}
