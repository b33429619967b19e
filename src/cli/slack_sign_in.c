/* slack_sign_in.c - calls auth.test. */
#include "cli/slack_sign_in.h"

#include "base/json.h"
#include "net/fetch.h"

enum { SIGN_IN_MS = 10 * 1000, REPLY_MAX = 1 << 16 };

static bool sign_in_may_connect(void *ctx, const uint8_t bytes[16])
{
	(void)ctx, (void)bytes; /* the operator's own setting */
	return true;
}

static bool sign_in_take(void *ctx, int status, struct str bytes)
{
	struct buf *reply = ctx;

	(void)status;
	if (reply->len + bytes.len < REPLY_MAX) buf_add(reply, bytes);
	return true;
}

enum err slack_sign_in(const struct settings *set, struct arena *arena, struct str *team,
	struct fault *why)
{
	bool slash =
		set->slack_api.len && set->slack_api.at[set->slack_api.len - 1] == '/';
	const char *const headers[] = { "content-type: application/json",
		arena_print(
			arena, "authorization: Bearer %.*s", STR_ARGS(set->slack_token))
			.at,
		NULL };
	struct buf reply = { .max = REPLY_MAX };
	struct fetch_request request = { .url = arena_print(arena, "%.*s%sauth.test",
						 STR_ARGS(set->slack_api),
						 slash ? "" : "/")
							.at,
		.headers = headers,
		.body = STR("{}"),
		.timeout_ms = SIGN_IN_MS,
		.stop_fd = -1,
		.may_connect = sign_in_may_connect,
		.take = sign_in_take,
		.ctx = &reply };
	struct fetch_end end = { .how = FETCH_UNREACHABLE };
	struct fetcher *f = fetcher_new(why);
	const struct json *json = NULL;
	struct str error;

	if (!f) return why->err;
	fetcher_run(f, &request, &end);
	fetcher_free(f);
	json_read(arena_str(arena, buf_str(&reply)), NULL, arena, &json, NULL);
	buf_done(&reply);
	if (json_is(json_get(json, "ok"), JSON_TRUE)) {
		*team = json_text(json_get(json, "team"));
		return OK;
	}
	error = json_text(json_get(json, "error"));
	if (error.len) return fail(why, ERR_UNAVAILABLE, "%.*s", STR_ARGS(error));
	if (end.how == FETCH_WHOLE)
		return fail(why, ERR_UNAVAILABLE, "HTTP %d", end.status);
	return fail(why, ERR_UNAVAILABLE, "%s", end.error);
}
