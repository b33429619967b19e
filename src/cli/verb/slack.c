/* slack.c - parley slack manifest: the app that Slack is to make for this server. */
#include "base/json_pattern.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"

/* `request_url`: empty for Socket Mode. */
static struct str manifest_text(struct arena *arena, struct str request_url)
{
	return JSON_TEXT(arena,
		"{'display_information':{'name':'Parley',"
		"'description':'Questions and approvals of agents'},"
		/* Without messages people cannot reply in a thread either. */
		"'features':{'app_home':{'home_tab_enabled':false,"
		"'messages_tab_enabled':true,'messages_tab_read_only_enabled':false},"
		"'bot_user':{'display_name':'Parley','always_online':true}},"
		"'oauth_config':{'scopes':{'bot':['chat:write','chat:write.public',"
		"'channels:history','groups:history','im:history',"
		"'users:read','users:read.email']}},"
		"'settings':{'event_subscriptions':{'request_url':%?,"
		"'bot_events':['message.channels','message.groups','message.im']},"
		"'interactivity':{'is_enabled':true,'request_url':%?},"
		"'org_deploy_enabled':false,'socket_mode_enabled':%j,"
		"'token_rotation_enabled':false}}",
		request_url, request_url, json_bool(!request_url.len));
}

static int manifest_run(struct cli *cli)
{
	struct str url = cli->settings.url;
	bool socket = cli_has(cli, "socket");
	const struct json *json;

	if (!socket && !str_starts(url, "https://"))
		return CLI_USAGE(cli, "cli.slack.url");
	url = socket ? STR_NONE
		     : arena_print(&cli->arena, "%.*s/v1/in/slack", STR_ARGS(url));
	if (json_read(manifest_text(&cli->arena, url), NULL, &cli->arena, &json, NULL) ==
		OK)
		json_print_pretty(json);
	return EXIT_YES;
}

static const struct flag flags[] = { { "socket" }, { 0 } };

const struct command slack_verbs[] = {
	{ "slack manifest", manifest_run, NULL, 0, 0, flags, SERVER, "0 2",
		"parley slack manifest --socket\n"
		"parley slack manifest --url https://parley.example.org" },
	{ 0 },
};
