/* slack.c - parley slack manifest: the app that Slack is to make for this server. */
#include "cli/resource.h"
#include "cli/verb/verbs.h"

/* `request_url`: empty for Socket Mode. */
static struct str manifest_text(struct arena *arena, struct str request_url)
{
	struct str no = STR("false");
	struct str display = OBJECT(arena, { "name", STR("Parley") },
		{ "description", STR("Questions and approvals of agents") });
	/* Without it people can write nothing to the app, so no reply in a thread either. */
	struct str home = OBJECT(arena, { "home_tab_enabled", .raw = no },
		{ "messages_tab_enabled", .yes = true },
		{ "messages_tab_read_only_enabled", .raw = no });
	struct str bot = OBJECT(arena, { "display_name", STR("Parley") },
		{ "always_online", .yes = true });
	struct str scopes = OBJECT(arena,
		{ "bot", .list = STR("chat:write,chat:write.public,channels:history,"
				     "groups:history,im:history,"
				     "users:read,users:read.email") });
	struct str events = OBJECT(arena, { "request_url", request_url },
		{ "bot_events",
			.list = STR("message.channels,message.groups,message.im") });
	struct str buttons = OBJECT(
		arena, { "is_enabled", .yes = true }, { "request_url", request_url });
	struct str settings = OBJECT(arena, { "event_subscriptions", .raw = events },
		{ "interactivity", .raw = buttons }, { "org_deploy_enabled", .raw = no },
		{ "socket_mode_enabled", .raw = request_bool(!request_url.len) },
		{ "token_rotation_enabled", .raw = no });

	return OBJECT(arena, { "display_information", .raw = display },
		{ "features", .raw = OBJECT(arena, { "app_home", .raw = home },
				      { "bot_user", .raw = bot }) },
		{ "oauth_config", .raw = OBJECT(arena, { "scopes", .raw = scopes }) },
		{ "settings", .raw = settings });
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
