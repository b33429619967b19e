/* administer.c - administration works on the store, through the server's own socket, or at a
 * server elsewhere. */
#include "cli/administer.h"

#include <stdio.h>
#include <stdlib.h>

#include "admin/inspect.h"
#include "cli/cli_call.h"

const struct flag admin_flags[] = { { "workspace", "NAME" }, { "json" }, { 0 } };

static const char *env_of(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Without a store here, and with none named, the server that the environment names is
 * meant, with its token's rights. */
static bool elsewhere_meant(struct cli *cli)
{
	return env_of("PARLEY_URL") && env_of("PARLEY_TOKEN") && !cli_has(cli, "data") &&
	       !cli_has(cli, "store") && !cli_has(cli, "workspace") &&
	       !env_of("PARLEY_DATA") && !env_of("PARLEY_STORE") &&
	       inspect_missing(cli->settings.store);
}

/* The address people know the server under; empty when none runs. */
static struct str administer_url(struct cli *cli)
{
	struct server_info at;
	struct fault why = { 0 };

	if (elsewhere_meant(cli)) return str_of(env_of("PARLEY_URL"));
	return server_info_read(cli->settings.data, &cli->arena, &at, &why) == OK
		       ? at.url
		       : STR_NONE;
}

/* Where a server that is not running yet will be. */
static struct str administer_url_later(struct cli *cli)
{
	struct settings set = { 0 };
	struct str listen;

	if (settings_read(&cli->args, SETTINGS_SERVE, &cli->arena, &set, NULL))
		return STR_NONE;
	listen = str_trim(set.listen);
	if (set.url.len || str_starts(listen, "unix:")) return set.url;
	return arena_print(&cli->arena, "%s://%.*s", set.tls_cert.len ? "https" : "http",
		STR_ARGS(listen));
}

void administer_link_print(struct cli *cli, const struct json *user)
{
	struct str url = administer_url(cli);

	if (!url.len) {
		url = administer_url_later(cli);
		SAY("cli.user.link.later");
	}
	printf("%.*s%.*s\n", STR_ARGS(url), STR_ARGS(json_text_of(user, "login")));
}

static struct client *elsewhere_open(struct cli *cli, struct fault *why)
{
	return client_new(&(struct client_setup){ .url = administer_url(cli),
				  .token = str_of(env_of("PARLEY_TOKEN")),
				  .via = STR("cli"),
				  .lang = msg_lang() == LANG_FR ? STR("fr") : STR_NONE,
				  .stop_fd = cli->term.stop_fd },
		why);
}

void administer_open(struct cli *cli)
{
	struct str file = str_from(cli->settings.store, strlen("sqlite:"));
	bool fresh = inspect_missing(cli->settings.store);
	struct fault why = { 0 };

	if (elsewhere_meant(cli)) {
		cli->client = elsewhere_open(cli, &why);
		if (!cli->client) cli_fail_end(cli, &why);
		return;
	}
	if (env_of("PARLEY_URL"))
		SAY("cli.admin.not_url", { "folder", cli->settings.data });
	if (fresh && !(cli->command->what & MAKES_STORE))
		CLI_REFUSE(cli, "cli.admin.no_store", { "file", file });
	cli->admin = admin_open(cli->settings.store, cli->settings.data,
		cli_arg(cli, "workspace"), cli->command->what & SERVED, cli->above->use,
		&why);
	if (!cli->admin) cli_fail_end(cli, &why);
	if (fresh) SAY("cli.admin.made_store", { "file", file });
}
