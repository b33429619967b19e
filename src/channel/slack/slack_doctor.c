/* slack_doctor.c - tries the tokens of the Slack app: auth.test, and apps.connections.open. */
#include "channel/slack/slack_in.h"

#include "base/json.h"
#include "channel/slack/slack_address.h"
#include "core/shared/settings.h"
#include "net/connect_to.h"
#include "net/fetch.h"
#include "net/websocket.h"
#include "text/doctor.h"

enum { SIGN_IN_MS = 10 * 1000, SIGN_IN_BYTES = 1 << 16 };

static bool sign_in_take(void *ctx, int status, struct str bytes)
{
	struct buf *reply = ctx;

	(void)status;
	if (reply->len + bytes.len < SIGN_IN_BYTES) buf_add(reply, bytes);
	return true;
}

/* The reply of a method that went well. */
static enum err slack_call(const struct settings *set, const char *method,
	struct str token, struct arena *arena, const struct json **out, struct fault *why)
{
	const char *const headers[] = { "content-type: application/json",
		arena_print(arena, "authorization: Bearer %.*s", STR_ARGS(token)).at,
		NULL };
	struct buf reply = { .max = SIGN_IN_BYTES };
	struct fetch_request request = {
		.url = slack_method_url(set->slack_api, method, arena).at,
		.headers = headers,
		.body = STR("{}"),
		.timeout_ms = SIGN_IN_MS,
		.stop_fd = -1,
		.may_connect = connect_to_any,
		.take = sign_in_take,
		.ctx = &reply
	};
	struct fetch_end end = { .how = FETCH_UNREACHABLE };
	struct fetcher *f = fetcher_new(why);
	const struct json *json = NULL;
	struct str error;

	if (!f) return why->err;
	fetcher_run(f, &request, &end);
	fetcher_free(f);
	json_read(arena_str(arena, buf_str(&reply)), NULL, arena, &json, NULL);
	buf_done(&reply);
	*out = json;
	if (json_is(json_get(json, "ok"), JSON_TRUE)) return OK;
	error = json_text_of(json, "error");
	if (error.len) return fail(why, ERR_UNAVAILABLE, "%.*s", STR_ARGS(error));
	if (end.how == FETCH_WHOLE)
		return fail(why, ERR_UNAVAILABLE, "HTTP %d", end.status);
	return fail(why, ERR_UNAVAILABLE, "%s", end.error);
}

/* The name of the Slack workspace, in the arena. */
static enum err slack_sign_in(const struct settings *set, struct arena *arena,
	struct str *team, struct fault *why)
{
	const struct json *json;
	enum err e = slack_call(set, "auth.test", set->slack_token, arena, &json, why);

	if (!e) *team = json_text_of(json, "team");
	return e;
}

/* Opens the socket and closes it. */
static enum err slack_socket_try(
	const struct settings *set, struct arena *arena, struct fault *why)
{
	const struct json *json;
	struct websocket *ws = NULL;
	enum err e = slack_call(
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
