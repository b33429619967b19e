/* inbox.c - parley inbox. */
#include "tui/inbox.h"
#include "cli/pick_client.h"
#include "cli/verb/verbs.h"
#include "client/locate.h"

static const struct flag flags[] = { { "no-open" }, { "bell" }, { "notify" }, { "mouse" },
	{ "theme", "THEME", "auto dark light" }, { 0 } };

/* dark, light, or as the terminal says. */
static enum theme theme_read(struct str said)
{
	return str_is(said, "dark")    ? THEME_DARK
	       : str_is(said, "light") ? THEME_LIGHT
				       : THEME_AUTO;
}

static int inbox_verb(struct cli *cli)
{
	const struct args *args = &cli->args;
	const char *drafts = config_path(&cli->arena, "drafts");
	struct inbox_setup setup = {
		.screen = { .color = cli->settings.color != COLOR_NEVER,
			.mouse = args_have(args, "mouse"),
			.theme = theme_read(args_get(args, "theme")) },
		.opens = !args_have(args, "no-open"),
		.bell = args_have(args, "bell"),
		.notify = args_have(args, "notify"),
		.drafts = str_of(drafts),
	};
	struct fault why = { 0 };
	enum err err;

	term_watch(&cli->term);
	setup.client = pick_client_inbox(cli, &why);
	if (!setup.client) return cli_fail(cli, &why);
	err = inbox_run(&setup, &why);
	client_free(setup.client);
	return err == OK ? EXIT_YES : cli_fail(cli, &why);
}

const struct command inbox_verbs[] = {
	{ "inbox", inbox_verb, NULL, 0, 0, flags, CLIENT, "0 2 3 4",
		"parley inbox\n"
		"parley inbox --bell --notify" },
	{ 0 },
};
