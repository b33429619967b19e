/* team.c - team: lists teams, and says who is in one, who leads, who is on call. */
#include "base/keep.h"
#include "cli/verb/users.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"

static struct str user_name(struct cli *cli, struct str id)
{
	const struct json *user = resource_find(&cli->beside, id);

	return safe_line(&cli->arena, user ? json_text_of(user, "name") : id);
}

static struct str on_call_cell(struct cli *cli, const struct json *team)
{
	struct str id = json_text_of(team, "on_call");

	return id.len ? user_name(cli, id) : STR("-");
}

/* "ana*, ben": a star for who leads. */
static struct str members_cell(struct cli *cli, const struct json *team)
{
	struct buf b = { .max = 65536 };

	for (const struct json *m = NULL; json_each(json_get(team, "members"), &m);) {
		if (b.len) buf_add_text(&b, ", ");
		buf_add(&b, user_name(cli, json_text_of(m, "user")));
		if (json_is(json_get(m, "lead"), JSON_TRUE)) buf_add_char(&b, '*');
	}
	return buf_keep_done(&b, &cli->arena);
}

static const struct table_column columns[] = { { "cli.list.name", 20, "name" },
	{ "cli.team.on_call", 16, .cell = on_call_cell },
	{ "cli.team.projects", 24, "projects", .kind = CELL_TEXTS },
	{ "cli.team.members", 0, .cell = members_cell }, { 0 } };

static const struct resource teams = { "/v1/teams", .none = "cli.team.none",
	.columns = columns };

static int team_shown(struct cli *cli, const struct json *team)
{
	struct json one = { .type = JSON_ARRAY, .count = 1 };

	if (as_json(cli)) return reply_done(cli, team);
	cli->beside = cli_call_all(cli, str_of(users.path));
	one.items = ARENA_NEW(&cli->arena, struct json);
	if (one.items) one.items[0] = *team;
	if (one.items) resource_print(cli, &teams, &one);
	warnings_say(cli, team);
	return EXIT_YES;
}

/* The members without this user, and with them again when `add`. A team that is not there yet is
 * made with this `name`. */
static struct str members_body(struct cli *cli, const struct json *team, struct str name,
	struct str user, bool add)
{
	struct buf b = { .max = 262144 };
	struct json_writer w = { .out = &b };

	jw_array(&w);
	for (const struct json *m = NULL; json_each(json_get(team, "members"), &m);)
		if (!str_eq(json_text_of(m, "user"), user)) jw_json(&w, m);
	if (add)
		jw_raw(&w,
			BODY(cli, { "user", user },
				{ "lead", .raw = request_bool(cli_has(cli, "lead")) }));
	jw_array_end(&w);
	return BODY(cli, { "name", team ? STR_NONE : name },
		{ "members", .raw = buf_keep_done(&b, &cli->arena) },
		{ "version", .json = json_get(team, "version") });
}

static int team_put(struct cli *cli, const struct json *team, struct str body)
{
	struct str path = team ? resource_path(cli, &teams, json_text_of(team, "id"), "")
			       : str_of(teams.path);

	return team_shown(cli, cli_call(cli, team ? "PATCH" : "POST", path, body));
}

static int team_change(struct cli *cli, const struct json *team, struct str name)
{
	struct str verb = cli_word(cli, 1), who = cli_word(cli, 2);
	struct str user = STR_NONE;
	bool add = str_is(verb, "add"), oncall = str_is(verb, "oncall"),
	     remove = str_is(verb, "remove"), delete = str_is(verb, "delete"),
	     projects = str_is(verb, "projects");

	if (!add && !oncall && !remove && !projects && !delete)
		return CLI_USAGE(cli, "cli.team.verb", { "verb", verb });
	if ((add || remove) && !who.len) return CLI_USAGE(cli, "cli.team.user");
	/* The first who is added makes the team. */
	if (!team && !add) return resource_unknown(cli, "team", name);
	if (delete) return resource_delete(cli, &teams, json_text_of(team, "id"));
	if (projects)
		return team_put(cli, team,
			BODY(cli, { "projects", .raw = who.len ? request_word_list(cli, 2)
							       : STR("[]") }));
	if (who.len) user = user_pick(cli, who);
	if (!oncall) return team_put(cli, team, members_body(cli, team, name, user, add));
	return team_put(cli, team,
		user.len ? BODY(cli, { "on_call", user }) : STR("{\"on_call\":null}"));
}

static int team_run(struct cli *cli)
{
	struct str name = cli_word(cli, 0);
	const struct json *team;
	struct json all;

	if (!name.len) {
		cli->beside = cli_call_all(cli, str_of(users.path));
		return resource_list(cli);
	}
	all = cli_call_all(cli, str_of(teams.path));
	team = resource_find(&all, name);
	if (cli_word(cli, 1).len) return team_change(cli, team, name);
	return team ? team_shown(cli, team) : resource_unknown(cli, "team", name);
}

static const struct flag team_flags[] = { { "lead" }, { "workspace", "NAME" }, { "json" },
	{ 0 } };

const struct command team_verbs[] = {
	{ "team", team_run,
		"[NAME [add USER|remove USER|oncall [USER]|projects [PATTERN…]|delete]]",
		0, WORDS_MANY, team_flags, STORE, "0 1 2 3 5",
		"parley team ops add ann --lead\n"
		"parley team ops projects 'web-*'\n"
		"parley team ops oncall ann",
		.of = &teams },
	{ 0 },
};
