/* logout.c - parley logout. */
#include "cli/pick_client.h"
#include "cli/verb/verbs.h"

static int logout_run(struct cli *cli)
{
	struct login login = { 0 };
	struct fault why = { 0 };
	struct api_reply reply = { 0 };
	enum err err;

	if (login_read(&cli->arena, &login, &why) == ERR_NOT_FOUND)
		return CLI_SAY(EXIT_YES, "cli.logout.nobody");
	if (cli->settings.url_said && !str_eq(cli->settings.url, login.url))
		return CLI_SAY(
			EXIT_YES, "cli.logout.not_there", { "url", cli->settings.url });
	struct client_setup setup = {
		.url = login.url, .cookie = login.cookie, .via = STR("cli"), .stop_fd = -1
	};
	struct client *client = login.url.len > 0 ? client_new(&setup, &why) : NULL;
	struct api_call call = {
		.method = "POST", .path = STR("/v1/logout"), .body = STR("{}")
	};
	err = client ? client_call(client, &call, &cli->arena, &reply, &why)
		     : ERR_UNAVAILABLE;
	client_free(client);
	/* Here it is forgotten whatever the server says. */
	if (login_remove(&why) != OK) return cli_fail(cli, &why);
	if (err != OK && err != ERR_NO_TOKEN)
		return CLI_SAY(
			EXIT_NO_SERVER, "cli.logout.only_here", { "url", login.url });
	return CLI_SAY(EXIT_YES, "cli.logout.done", { "url", login.url });
}

const struct command logout_verbs[] = {
	{ "logout", logout_run, NULL, 0, 0, NULL, CLIENT, "0 2 3" },
	{ 0 },
};
