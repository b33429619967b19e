/* team.c - team: lists teams, and says who is in one, who leads, who is on call. */
#include "cli/administer.h"
#include "cli/pick_client.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"

#include <stdio.h>

static struct str user_name(const struct json *const *users, size_t len, struct str id)
{
	for (size_t i = 0; i < len; i++)
		if (str_eq(json_text(json_get(users[i], "id")), id))
			return json_text(json_get(users[i], "name"));
	return id;
}

/* "ana*, ben": a star for who leads. */
static struct str member_names(struct cli *cli, const struct json *team,
	const struct json *const *users, size_t len)
{
	const struct json *members = json_get(team, "members");
	struct buf b = { .max = 65536 };
	struct str out;

	for (uint32_t i = 0; members && i < members->count; i++) {
		const struct json *m = &members->items[i];

		if (i) buf_add_text(&b, ", ");
		buf_add(&b, user_name(users, len, json_text(json_get(m, "user"))));
		if (json_is(json_get(m, "lead"), JSON_TRUE)) buf_add_char(&b, '*');
	}
	out = safe_line(&cli->arena, buf_str(&b));
	buf_done(&b);
	return out;
}

static int teams_print(struct cli *cli, const struct json *const *teams, size_t len)
{
	static const char *const heads[] = { "cli.list.name", "cli.team.on_call",
		"cli.team.projects", "cli.team.members" };
	static const int widths[] = { 20, 16, 24, 0 };
	const struct json **users;
	size_t users_len;
	int status = administer_list(cli, STR("/v1/users?limit=200"), &users, &users_len);

	for (size_t i = 0; !status && i < len; i++) {
		struct str on_call = json_text(json_get(teams[i], "on_call"));
		struct str cells[] = { json_text(json_get(teams[i], "name")),
			on_call.len ? safe_line(&cli->arena,
					      user_name(users, users_len, on_call))
				    : STR("-"),
			project_names(cli, teams[i]),
			member_names(cli, teams[i], users, users_len) };

		print_cells(cli, i == 0 ? heads : NULL, widths, cells, 4);
	}
	if (!status && !len) SAY("cli.team.none");
	return status;
}

static const struct json *team_find(
	const struct json *const *teams, size_t len, struct str name)
{
	for (size_t i = 0; i < len; i++)
		if (str_eq(json_text(json_get(teams[i], "name")), name) ||
			str_eq(json_text(json_get(teams[i], "id")), name))
			return teams[i];
	return NULL;
}

static int team_unknown(struct cli *cli, struct str name)
{
	struct fault why = { 0 };

	fail(&why, ERR_NOT_FOUND, "no team %.*s", STR_ARGS(str_first(name, 100)));
	return cli_fail(cli, &why);
}

/* The members without this user, and with them again when `add`. */
static struct str members_body(
	struct cli *cli, const struct json *team, struct str user, bool add, bool lead)
{
	const struct json *members = json_get(team, "members");
	struct buf b = { .max = 262144 };
	struct json_writer w = { .out = &b };
	struct str out;

	jw_object(&w);
	jw_put_array(&w, "members");
	for (uint32_t i = 0; members && i < members->count; i++)
		if (!str_eq(json_text(json_get(&members->items[i], "user")), user))
			jw_json(&w, &members->items[i]);
	if (add) {
		jw_object(&w);
		jw_put_str(&w, "user", user);
		jw_put_bool(&w, "lead", lead);
		jw_object_end(&w);
	}
	jw_array_end(&w);
	if (team) jw_put_json(&w, "version", json_get(team, "version"));
	jw_object_end(&w);
	out = arena_str(&cli->arena, buf_str(&b));
	buf_done(&b);
	return out;
}

static struct str projects_body(struct cli *cli)
{
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };
	struct str out, word;

	jw_object(&w);
	jw_put_array(&w, "projects");
	for (size_t i = 2; (word = args_word(&cli->args, i)).len; i++)
		jw_str(&w, word);
	jw_array_end(&w);
	jw_object_end(&w);
	out = arena_str(&cli->arena, buf_str(&b));
	buf_done(&b);
	return out;
}

static int team_done(struct cli *cli, int status, const struct json *reply)
{
	if (status) return status;
	if (!reply) return EXIT_YES;
	if (args_have(&cli->args, "json")) return print_json(reply), EXIT_YES;
	status = teams_print(cli, &reply, 1);
	warnings_say(cli, reply);
	return status;
}

/* The first who is added makes the team. */
static int team_new(struct cli *cli, struct str name, struct str user)
{
	const struct json *reply = NULL;
	struct str members =
		members_body(cli, NULL, user, true, args_have(&cli->args, "lead"));
	struct str body = arena_print(&cli->arena, "{\"name\":%.*s,%.*s",
		STR_ARGS(text_json(cli, name)), STR_ARGS(str_from(members, 1)));
	int status = administer(cli, "POST", STR("/v1/teams"), body, &reply);

	return team_done(cli, status, reply);
}

static int team_patch(struct cli *cli, const struct json *team, struct str body)
{
	const struct json *reply = NULL;
	int status = administer(cli, "PATCH",
		path_with(cli, "/v1/teams/", json_text(json_get(team, "id"))), body,
		&reply);

	return team_done(cli, status, reply);
}

static int team_delete(struct cli *cli, const struct json *team)
{
	const struct json *reply = NULL;

	return administer_done(cli,
		administer(cli, "DELETE",
			path_with(cli, "/v1/teams/", json_text(json_get(team, "id"))),
			STR_NONE, &reply),
		NULL);
}

static int team_change(struct cli *cli, const struct json *team, struct str name)
{
	struct str verb = args_word(&cli->args, 1), who = args_word(&cli->args, 2);
	struct str user = STR_NONE;
	bool add = str_is(verb, "add"), oncall = str_is(verb, "oncall");
	bool remove = str_is(verb, "remove");
	int status;

	if (!add && !oncall && !remove && !str_is(verb, "projects") &&
		!str_is(verb, "delete"))
		return CLI_USAGE(cli, "cli.team.verb", { "verb", verb });
	if ((add || remove) && !who.len) return CLI_USAGE(cli, "cli.team.user");
	if (!team && !add) return team_unknown(cli, name);
	if (str_is(verb, "delete")) return team_delete(cli, team);
	if (str_is(verb, "projects")) return team_patch(cli, team, projects_body(cli));
	status = who.len ? administer_user(cli, who, &user) : EXIT_YES;
	if (status) return status;
	if (!team) return team_new(cli, name, user);
	return team_patch(cli, team,
		oncall ? arena_print(&cli->arena, "{\"on_call\":%.*s}",
				 STR_ARGS(user.len ? text_json(cli, user) : STR("null")))
		       : members_body(
				 cli, team, user, add, args_have(&cli->args, "lead")));
}

static int team_run(struct cli *cli)
{
	struct str name = args_word(&cli->args, 0);
	const struct json *team, **teams;
	size_t len;
	int status = administer_list(cli, STR("/v1/teams?limit=200"), &teams, &len);

	if (status) return status;
	team = name.len ? team_find(teams, len, name) : NULL;
	if (args_word(&cli->args, 1).len) return team_change(cli, team, name);
	if (name.len && !team) return team_unknown(cli, name);
	if (team) return team_done(cli, EXIT_YES, team);
	if (args_have(&cli->args, "json")) return print_items(teams, len), EXIT_YES;
	return teams_print(cli, teams, len);
}

static const struct flag team_flags[] = { { "lead" }, { "workspace", "NAME" }, { "json" },
	{ 0 } };

const struct command team_verbs[] = {
	{ "team", team_run,
		"[NAME [add USER|remove USER|oncall [USER]|projects [PATTERN…]|delete]]",
		0, WORDS_MANY, team_flags, SETTINGS_STORE, "0 1 2 3 5",
		"parley team ops add ann --lead\n"
		"parley team ops projects 'web-*'\n"
		"parley team ops oncall ann" },
	{ 0 },
};
