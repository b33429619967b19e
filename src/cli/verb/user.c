/* user.c - user create, list, login, password, remove. */
#include "cli/administer.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"

#include <stdio.h>
#include <unistd.h>

/* A login link, on a line of its own; without a running server the part that is known. */
static void print_login(struct cli *cli, const struct json *user)
{
	struct str path = json_text(json_get(user, "login"));

	printf("%.*s%.*s\n", STR_ARGS(administer_url(cli)), STR_ARGS(path));
}

static int create_run(struct cli *cli)
{
	struct str role = args_get(&cli->args, "role"),
		   name = args_get(&cli->args, "name");
	const struct json *reply = NULL;

	if (!name.len) name = args_word(&cli->args, 0);
	if (!name.len) return CLI_USAGE(cli, "cli.user.needs");
	struct str body = arena_print(&cli->arena, "{\"name\":%.*s,\"role\":%.*s}",
		STR_ARGS(text_json(cli, name)),
		STR_ARGS(text_json(cli, role.len ? role : STR("member"))));
	int status = administer(cli, "POST", STR("/v1/users"), body, &reply);

	if (status) return status;
	if (args_have(&cli->args, "json"))
		print_json(reply);
	else
		print_login(cli, reply);
	return EXIT_YES;
}

static int list_run(struct cli *cli)
{
	static const char *const heads[] = { "cli.list.id", "cli.list.role",
		"cli.list.status", "cli.list.name" };
	static const int widths[] = { 30, 6, 8, 0 };
	const struct json **users;
	size_t len;
	int status = administer_list(cli, STR("/v1/users?limit=200"), &users, &len);

	if (status) return status;
	if (args_have(&cli->args, "json")) return print_items(users, len), EXIT_YES;
	for (size_t i = 0; i < len; i++) {
		struct str cells[] = { json_text(json_get(users[i], "id")),
			json_text(json_get(users[i], "role")),
			json_is(json_get(users[i], "disabled"), JSON_TRUE)
				? STR("disabled")
				: STR("-"),
			safe_line(&cli->arena, json_text(json_get(users[i], "name"))) };

		print_cells(cli, i == 0 ? heads : NULL, widths, cells, 4);
	}
	return EXIT_YES;
}

static int user_patch(struct cli *cli, struct str body, const struct json **reply)
{
	struct str id;
	int status = administer_user(cli, args_word(&cli->args, 0), &id);

	return status ? status
		      : administer(cli, "PATCH", path_with(cli, "/v1/users/", id), body,
				reply);
}

static int login_run(struct cli *cli)
{
	const struct json *reply = NULL;
	int status = user_patch(cli, STR("{\"login\":true}"), &reply);

	if (status) return status;
	if (args_have(&cli->args, "json"))
		print_json(reply);
	else
		print_login(cli, reply);
	return EXIT_YES;
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

static int password_run(struct cli *cli)
{
	const struct json *reply = NULL;
	struct str password;
	int status;

	if (!password_read(cli, &password))
		return CLI_USAGE(cli, "web.you.password.differ");
	status = user_patch(cli,
		arena_print(&cli->arena, "{\"password\":%.*s}",
			STR_ARGS(text_json(cli, password))),
		&reply);
	return administer_done(cli, status, reply);
}

static int disable_run(struct cli *cli)
{
	const struct json *reply = NULL;
	int status = user_patch(cli, STR("{\"disabled\":true}"), &reply);

	return administer_done(cli, status, reply);
}

static int enable_run(struct cli *cli)
{
	const struct json *reply = NULL;
	int status = user_patch(cli, STR("{\"disabled\":false}"), &reply);

	return administer_done(cli, status, reply);
}

static int remove_run(struct cli *cli)
{
	const struct json *reply = NULL;
	struct str id;
	int status = administer_user(cli, args_word(&cli->args, 0), &id);

	if (!status)
		status = administer(cli, "DELETE", path_with(cli, "/v1/users/", id),
			STR_NONE, &reply);
	return administer_done(cli, status, reply);
}

static const struct flag create_flags[] = {
	{ "role", "ROLE", "member admin viewer owner" },
	{ "name", "NAME" },
	{ "workspace", "NAME" },
	{ "json" },
	{ 0 },
};

const struct command user_verbs[] = {
	{ "user create", create_run, "NAME", 0, 1, create_flags,
		SETTINGS_STORE | COMMAND_MAKES_STORE, "0 1 2 3",
		"parley user create ann --role admin" },
	{ "user list", list_run, NULL, 0, 0, admin_flags, SETTINGS_STORE, "0 2 3",
		"parley user list" },
	{ "user login", login_run, "NAME", 1, 1, admin_flags, SETTINGS_STORE, "0 2 3 5",
		"parley user login owner" },
	{ "user password", password_run, "NAME", 1, 1, admin_flags, SETTINGS_STORE,
		"0 2 3 5", "parley user password ann" },
	{ "user remove", remove_run, "NAME", 1, 1, admin_flags, SETTINGS_STORE,
		"0 1 2 3 5", "parley user remove ann" },
	{ "user disable", disable_run, "NAME", 1, 1, admin_flags, SETTINGS_STORE,
		"0 1 2 3 5", "parley user disable ann" },
	{ "user enable", enable_run, "NAME", 1, 1, admin_flags, SETTINGS_STORE,
		"0 1 2 3 5", "parley user enable ann" },
	{ 0 },
};
