/* user.c - user create, list, login, password, remove, disable, enable. */
#include <stdio.h>
#include <unistd.h>

#include "cli/verb/users.h"
#include "cli/verb/verbs.h"

static struct str status_cell(struct cli *cli, const struct json *user)
{
	bool off = json_is(json_get(user, "disabled"), JSON_TRUE);

	if (!cli->term.out_tty) return off ? STR("disabled") : STR("active");
	return MSG(&cli->arena, off ? "cli.user.disabled" : "cli.user.active");
}

static const struct table_column columns[] = { { "cli.list.id", 30, "id",
						       .kind = CELL_ID },
	{ "cli.list.role", 6, "role", .words = "cli.role" },
	{ "cli.list.status", 8, .cell = status_cell }, { "cli.list.name", 0, "name" },
	{ 0 } };

const struct resource users = { "/v1/users", .columns = columns, .find = user_pick };

struct str user_pick(struct cli *cli, struct str who)
{
	return json_text_of(resource_pick(cli, &users, "user", who), "id");
}

static int create_run(struct cli *cli)
{
	struct str role = cli_arg(cli, "role"), name = cli_arg(cli, "name");
	const struct json *user;

	if (!name.len) name = cli_word(cli, 0);
	if (!name.len) return CLI_USAGE(cli, "cli.user.needs");
	user = cli_call(cli, "POST", str_of(users.path),
		BODY(cli, { "name", name }, { "role", role.len ? role : STR("member") }));
	if (!as_json(cli)) administer_link_print(cli, user);
	return reply_done(cli, user);
}

/* From the terminal, twice and unseen; else the first line of stdin. NULL: it is there, else what
 * to say. */
static const char *password_read(struct cli *cli, struct str *out)
{
	char line[1024];
	struct str again;
	int tty;

	if (!isatty(0)) {
		*out = fgets(line, sizeof line, stdin)
			       ? arena_str(&cli->arena, str_trim(str_of(line)))
			       : STR_NONE;
		return out->len ? NULL : "cli.user.password.none";
	}
	tty = tty_open();
	tty_write(tty, MSG(&cli->arena, "cli.user.password"));
	if (!tty_line(&cli->term, tty, false, &cli->arena, out) || !out->len)
		return "cli.user.password.none";
	tty_write(tty, MSG(&cli->arena, "cli.user.password.again"));
	if (!tty_line(&cli->term, tty, false, &cli->arena, &again) ||
		!str_eq(*out, again))
		return "web.you.password.differ";
	return NULL;
}

static int password_run(struct cli *cli)
{
	struct str password;
	const char *wrong = password_read(cli, &password);

	if (wrong) return CLI_USAGE(cli, wrong);
	return reply_done(cli,
		cli_call(cli, "PATCH", resource_path(cli, &users, resource_id(cli), ""),
			BODY(cli, { "password", password })));
}

static const struct cli_request login = { "PATCH", "", .fixed = "{\"login\":true}",
	.shows = administer_link_print };
static const struct cli_request disable = { "PATCH", "", .fixed = "{\"disabled\":true}" };
static const struct cli_request enable = { "PATCH", "", .fixed = "{\"disabled\":false}" };

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
	{ "user login", request_run, "NAME", 1, 1, admin_flags, STORE, "0 2 3 5",
		"parley user login owner", .of = &users, .does = &login },
	{ "user password", password_run, "NAME", 1, 1, admin_flags, STORE, "0 2 3 5",
		"parley user password ann", .of = &users },
	{ "user remove", resource_remove, "NAME", 1, 1, admin_flags, STORE, "0 1 2 3 5",
		"parley user remove ann", .of = &users },
	{ "user disable", request_run, "NAME", 1, 1, admin_flags, STORE, "0 1 2 3 5",
		"parley user disable ann", .of = &users, .does = &disable },
	{ "user enable", request_run, "NAME", 1, 1, admin_flags, STORE, "0 1 2 3 5",
		"parley user enable ann", .of = &users, .does = &enable },
	{ 0 },
};
