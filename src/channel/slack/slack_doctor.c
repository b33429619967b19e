/* slack_doctor.c - tries the tokens of the Slack app: auth.test, and apps.connections.open. */
#include "channel/slack/slack_in.h"

#include "channel/slack/slack_call.h"
#include "core/shared/settings.h"
#include "net/websocket.h"
#include "text/doctor.h"

enum { SIGN_IN_MS = 10 * 1000 };

/* The reply of a method that went well. */
static enum err method_try(const struct settings *set, const char *method,
	struct str token, struct arena *arena, const struct json **said,
	struct fault *why)
{
	const struct slack_call call = {
		.url = slack_method_url(set->slack_api, str_of(method), arena).at,
		.token = token,
		.body = STR("{}"),
		.timeout_ms = SIGN_IN_MS,
		.stop_fd = -1,
	};

	return slack_call(&call, arena, said, why);
}

/* The name of the Slack workspace, in the arena. */
static enum err slack_sign_in(const struct settings *set, struct arena *arena,
	struct str *team, struct fault *why)
{
	const struct json *json;
	enum err e = method_try(set, "auth.test", set->slack_token, arena, &json, why);

	if (!e) *team = json_text_of(json, "team");
	return e;
}

/* Opens the socket and closes it. */
static enum err slack_socket_try(
	const struct settings *set, struct arena *arena, struct fault *why)
{
	const struct json *json;
	struct websocket *ws = NULL;
	enum err e = method_try(
		set, "apps.connections.open", set->slack_app_token, arena, &json, why);

	if (!e)
		e = websocket_open(arena_copy(arena, json_text_of(json, "url")),
			SIGN_IN_MS, -1, &ws, why);
	websocket_free(ws);
	return e;
}

void slack_doctor(const struct settings *set, const struct doctor *d)
{
	struct str team = STR_NONE;
	struct fault why = { 0 };

	if (!set->slack_token.len) return;
	bool ok = slack_sign_in(set, d->arena, &team, &why) == OK;
	DOCTOR_WHETHER(d, ok, "cli.doctor.slack", "cli.doctor.bad_slack",
		{ "team", team }, { "detail", str_of(why.detail) });
	if (!set->slack_app_token.len) return;
	ok = slack_socket_try(set, d->arena, &why) == OK;
	DOCTOR_WHETHER(d, ok, "cli.doctor.slack_socket", "cli.doctor.bad_slack_socket",
		{ "detail", str_of(why.detail) });
}
