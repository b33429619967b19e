/* slack_payload.c - reads what Slack sends. */
#include "channel/slack/slack_payload.h"

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
