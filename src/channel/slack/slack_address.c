/* slack_address.c - where Slack is. */
#include "channel/slack/slack_address.h"

#include "base/url_text.h"

struct str slack_method_url(struct str api, const char *method, struct arena *arena)
{
	bool slash = api.len && api.at[api.len - 1] == '/';

	return arena_print(arena, "%.*s%s%s", STR_ARGS(api), slash ? "" : "/", method);
}

bool slack_response_url_valid(struct str url, struct str api)
{
	struct str from = url_origin(url);

	for (size_t i = 0; i < url.len; i++)
		if ((unsigned char)url.at[i] <= ' ' || url.at[i] == '@') return false;
	return from.len < url.len &&
	       (str_is(from, "https://hooks.slack.com") || str_eq(from, url_origin(api)));
}
