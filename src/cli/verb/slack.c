/* slack.c - parley slack manifest: the app that Slack is to make for this server. */
#include "base/keep.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"

static void list_write(struct json_writer *w, const char *name, const char *words)
{
	struct str rest = str_of(words), one;

	jw_put_array(w, name);
	while (str_cut(&rest, ' ', &one))
		jw_str(w, one);
	jw_array_end(w);
}

/* `request_url`: empty for Socket Mode. */
static void manifest_write(struct json_writer *w, struct str request_url)
{
	jw_object(w);
	jw_put_object(w, "display_information");
	jw_put_text(w, "name", "Parley");
	jw_put_text(w, "description", "Questions and approvals of agents");
	jw_object_end(w);
	jw_put_object(w, "features");
	/* Without it people can write nothing to the app, so no reply in a thread either. */
	jw_put_object(w, "app_home");
	jw_put_bool(w, "home_tab_enabled", false);
	jw_put_bool(w, "messages_tab_enabled", true);
	jw_put_bool(w, "messages_tab_read_only_enabled", false);
	jw_object_end(w);
	jw_put_object(w, "bot_user");
	jw_put_text(w, "display_name", "Parley");
	jw_put_bool(w, "always_online", true);
	jw_object_end(w);
	jw_object_end(w);
	jw_put_object(w, "oauth_config");
	jw_put_object(w, "scopes");
	list_write(w, "bot",
		"chat:write chat:write.public channels:history groups:history im:history "
		"users:read users:read.email");
	jw_object_end(w);
	jw_object_end(w);
	jw_put_object(w, "settings");
	jw_put_object(w, "event_subscriptions");
	jw_put_some(w, "request_url", request_url);
	list_write(w, "bot_events", "message.channels message.groups message.im");
	jw_object_end(w);
	jw_put_object(w, "interactivity");
	jw_put_bool(w, "is_enabled", true);
	jw_put_some(w, "request_url", request_url);
	jw_object_end(w);
	jw_put_bool(w, "org_deploy_enabled", false);
	jw_put_bool(w, "socket_mode_enabled", !request_url.len);
	jw_put_bool(w, "token_rotation_enabled", false);
	jw_object_end(w);
	jw_object_end(w);
}

static int manifest_run(struct cli *cli)
{
	struct str url = cli->settings.url;
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	bool socket = cli_has(cli, "socket");
	const struct json *json;

	if (!socket && !str_starts(url, "https://"))
		return CLI_USAGE(cli, "cli.slack.url");
	manifest_write(
		&w, socket ? STR_NONE
			   : arena_print(&cli->arena, "%.*s/v1/in/slack", STR_ARGS(url)));
	if (json_read(buf_keep_done(&text, &cli->arena), NULL, &cli->arena, &json,
		    NULL) == OK)
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
