/* team.c - team list, show, add, remove, oncall, projects: who is in a team, who leads, who is on
 * call. */
#include "base/json_pattern.h"
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
		jw_raw(&w, BODY(cli, { "user", user },
				   { "lead", .raw = json_bool(cli_has(cli, "lead")) }));
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

/* ---- commands ---- */

static const struct json *team_find(struct cli *cli)
{
	struct json all = cli_call_all(cli, str_of(teams.path));

	return resource_find(&all, cli_word(cli, 0));
}

static const struct json *team_named(struct cli *cli)
{
	const struct json *team = team_find(cli);

	if (!team) cli_end(cli, resource_unknown(cli, "team", cli_word(cli, 0)));
	return team;
}

static int list_run(struct cli *cli)
{
	cli->beside = cli_call_all(cli, str_of(users.path));
	return resource_list(cli);
}

static int show_run(struct cli *cli)
{
	return team_shown(cli, team_named(cli));
}

/* The first who is added makes the team. */
static int add_run(struct cli *cli)
{
	const struct json *team = team_find(cli);

	return team_put(cli, team,
		members_body(cli, team, cli_word(cli, 0),
			user_pick(cli, cli_word(cli, 1)), true));
}

static int remove_run(struct cli *cli)
{
	const struct json *team = team_named(cli);
	struct str who = cli_word(cli, 1);

	if (!who.len) return resource_delete(cli, &teams, json_text_of(team, "id"));
	return team_put(
		cli, team, members_body(cli, team, STR_NONE, user_pick(cli, who), false));
}

static int oncall_run(struct cli *cli)
{
	const struct json *team = team_named(cli);
	struct str who = cli_word(cli, 1);

	return team_put(cli, team,
		who.len ? BODY(cli, { "on_call", user_pick(cli, who) })
			: STR("{\"on_call\":null}"));
}

static int projects_run(struct cli *cli)
{
	return team_put(cli, team_named(cli),
		BODY(cli, { "projects", .raw = request_word_list(cli, 1) }));
}

static const struct flag lead_flags[] = { { "lead" }, { 0 } };

const struct command team_verbs[] = {
	{ "team list", list_run, NULL, 0, 0, admin_flags, STORE, "0 2 3",
		"parley team list", .of = &teams },
	{ "team show", show_run, "TEAM", 1, 1, admin_flags, STORE, "0 2 3 5",
		"parley team show ops" },
	{ "team add", add_run, "TEAM USER", 2, 2, lead_flags, STORE, "0 1 2 3 5",
		"parley team add ops ann --lead", .also = admin_flags },
	{ "team remove", remove_run, "TEAM [USER]", 1, 2, admin_flags, STORE, "0 1 2 3 5",
		"parley team remove ops ann\n"
		"parley team remove ops" },
	{ "team oncall", oncall_run, "TEAM [USER]", 1, 2, admin_flags, STORE, "0 1 2 3 5",
		"parley team oncall ops ann" },
	{ "team projects", projects_run, "TEAM [PATTERN…]", 1, WORDS_MANY, admin_flags,
		STORE, "0 1 2 3 5", "parley team projects ops 'web-*'" },
	{ 0 },
};
