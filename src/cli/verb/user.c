/* user.c - user create, list, login, password, remove, disable, enable. */
#include <stdio.h>
#include <unistd.h>

#include "cli/resource.h"
#include "cli/verb/users.h"
#include "cli/verb/verbs.h"

static struct str status_cell(struct cli *cli, const struct json *user)
{
	(void)cli;
	return json_is(json_get(user, "disabled"), JSON_TRUE) ? STR("disabled")
							      : STR("-");
}

static const struct table_column columns[] = { { "cli.list.id", 30, "id" },
	{ "cli.list.role", 6, "role" }, { "cli.list.status", 8, .cell = status_cell },
	{ "cli.list.name", 0, "name" }, { 0 } };

const struct resource users = { "/v1/users", .columns = columns };

int user_pick(struct cli *cli, struct str who, struct str *id)
{
	const struct json *user;
	int status = resource_pick(cli, &users, "user", who, &user);

	if (!status) *id = json_text_of(user, "id");
	return status;
}

/* A login link, on a line of its own; without a running server the part that is known. */
static int login_print(struct cli *cli, int status, const struct json *user)
{
	if (!status && !as_json(cli))
		printf("%.*s%.*s\n", STR_ARGS(administer_url(cli)),
			STR_ARGS(json_text_of(user, "login")));
	return reply_done(cli, status, user);
}

static int create_run(struct cli *cli)
{
	struct str role = cli_arg(cli, "role"), name = cli_arg(cli, "name");
	const struct json *user;
	int status;

	if (!name.len) name = cli_word(cli, 0);
	if (!name.len) return CLI_USAGE(cli, "cli.user.needs");
	status = cli_call(cli, "POST", STR("/v1/users"),
		BODY(cli, { "name", name }, { "role", role.len ? role : STR("member") }),
		&user);
	return login_print(cli, status, user);
}

static int user_patch(struct cli *cli, struct str body, const struct json **user)
{
	struct str id;
	int status = user_pick(cli, cli_word(cli, 0), &id);

	return status ? status
		      : cli_call(cli, "PATCH", resource_path(cli, &users, id, ""), body,
				user);
}

static int login_run(struct cli *cli)
{
	const struct json *user;
	int status = user_patch(cli, STR("{\"login\":true}"), &user);

	return login_print(cli, status, user);
}

/* From the terminal, twice and unseen; else the first line of stdin. */
static bool password_read(struct cli *cli, struct str *out)
{
	char line[1024];
	struct str again;
	int tty;

	if (!isatty(0)) {
		if (!fgets(line, sizeof line, stdin)) return false;
		*out = arena_str(&cli->arena, str_trim(str_of(line)));
		return out->len > 0;
	}
	tty = tty_open();
	tty_write(tty, MSG(&cli->arena, "cli.user.password"));
	if (!tty_line(&cli->term, tty, false, &cli->arena, out)) return false;
	tty_write(tty, MSG(&cli->arena, "cli.user.password.again"));
	if (!tty_line(&cli->term, tty, false, &cli->arena, &again)) return false;
	return out->len > 0 && str_eq(*out, again);
}

static int change_run(struct cli *cli, struct str body)
{
	const struct json *user;
	int status = user_patch(cli, body, &user);

	return reply_done(cli, status, user);
}

static int password_run(struct cli *cli)
{
	struct str password;

	if (!password_read(cli, &password))
		return CLI_USAGE(cli, "web.you.password.differ");
	return change_run(cli, BODY(cli, { "password", password }));
}

static int disable_run(struct cli *cli)
{
	return change_run(cli, STR("{\"disabled\":true}"));
}

static int enable_run(struct cli *cli)
{
	return change_run(cli, STR("{\"disabled\":false}"));
}

static int remove_run(struct cli *cli)
{
	struct str id;
	int status = user_pick(cli, cli_word(cli, 0), &id);

	return status ? status : resource_delete(cli, &users, id);
}

static const struct flag create_flags[] = {
	{ "role", "ROLE", "member admin viewer owner" },
	{ "name", "NAME" },
	{ "workspace", "NAME" },
	{ "json" },
	{ 0 },
};

const struct command user_verbs[] = {
	{ "user create", create_run, "NAME", 0, 1, create_flags, STORE | MAKES_STORE,
		"0 1 2 3", "parley user create ann --role admin" },
	{ "user list", resource_list, NULL, 0, 0, admin_flags, STORE, "0 2 3",
		"parley user list", .of = &users },
	{ "user login", login_run, "NAME", 1, 1, admin_flags, STORE, "0 2 3 5",
		"parley user login owner" },
	{ "user password", password_run, "NAME", 1, 1, admin_flags, STORE, "0 2 3 5",
		"parley user password ann" },
	{ "user remove", remove_run, "NAME", 1, 1, admin_flags, STORE, "0 1 2 3 5",
		"parley user remove ann" },
	{ "user disable", disable_run, "NAME", 1, 1, admin_flags, STORE, "0 1 2 3 5",
		"parley user disable ann" },
	{ "user enable", enable_run, "NAME", 1, 1, admin_flags, STORE, "0 1 2 3 5",
		"parley user enable ann" },
	{ 0 },
};
