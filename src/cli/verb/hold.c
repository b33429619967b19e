/* hold.c - parley hold list, add, lift: what nobody can delete. */
#include <stdio.h>

#include "cli/resource.h"
#include "cli/verb/verbs.h"

static const char *const kinds[] = { "project", "session", "agent", "user" };
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct str what_cell(struct cli *cli, const struct json *hold)
{
	for (size_t i = 0; i < KINDS; i++)
		if (json_text_of(hold, kinds[i]).len)
			return arena_print(&cli->arena, "%s %.*s", kinds[i],
				STR_ARGS(reply_text(cli, hold, kinds[i])));
	return STR("-");
}

static struct str hold_state_cell(struct cli *cli, const struct json *hold)
{
	return MSG(&cli->arena, json_is(json_get(hold, "lifted"), JSON_OBJECT)
					? "cli.hold.lifted"
					: "cli.hold.stands");
}

static const struct table_column columns[] = {
	{ "cli.list.id", 31, "id", .kind = CELL_ID },
	{ "cli.hold.what", 40, .cell = what_cell },
	{ "cli.hold.state", 10, .cell = hold_state_cell },
	{ "cli.list.by", 16, "made_by/name" }, { "cli.hold.reason", 0, "reason" }, { 0 }
};

static const struct resource holds = { "/v1/holds", NULL, "cli.hold.none", columns };

static int hold_add_run(struct cli *cli)
{
	const struct json *hold;
	size_t given = 0;

	for (size_t i = 0; i < KINDS; i++)
		given += cli_arg(cli, kinds[i]).len > 0;
	if (given != 1) return CLI_USAGE(cli, "cli.hold.one");
	hold = cli_call(cli, "POST", str_of(holds.path),
		BODY(cli, { "project", cli_arg(cli, "project") },
			{ "session", cli_arg(cli, "session") },
			{ "agent", cli_arg(cli, "agent") },
			{ "user", cli_arg(cli, "user") },
			{ "reason", .text = str_trim(cli_words(cli)) }));
	if (as_json(cli)) return reply_done(cli, hold);
	printf("%.*s\n", STR_ARGS(json_text_of(hold, "id")));
	return CLI_SAY(EXIT_YES, "cli.hold.made");
}

static const struct flag add_flags[] = { { "project", "NAME" }, { "session", "ID" },
	{ "agent", "NAME" }, { "user", "ID" }, { "json" }, { 0 } };

const struct command hold_verbs[] = {
	{ "hold list", resource_list, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley hold list", .of = &holds },
	{ "hold add", hold_add_run, "REASON…", 1, WORDS_MANY, add_flags, CLIENT,
		"0 2 3 4", "parley hold add --project shop 'Audit of 2026'" },
	{ "hold lift", resource_remove, "HOLD", 1, 1, json_flags, CLIENT, "0 1 2 3 4 5",
		"parley hold lift hld_01jc…", .of = &holds },
	{ 0 },
};
