/* preference.c - parley preference list, set, remove: answers that are preferred. */
#include <stdio.h>

#include "base/keep.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "tui/words.h"

static struct str value_cell(struct cli *cli, const struct json *p)
{
	struct buf text = { 0 };
	const struct json *value = json_get(p, "value");

	if (json_is(value, JSON_STRING)) return reply_text(cli, p, "value");
	if (value) json_write(&text, value);
	return buf_keep_done(&text, &cli->arena);
}

static struct str scope_cell(struct cli *cli, const struct json *p)
{
	return MSG(&cli->arena,
		arena_print(&cli->arena, "web.preferred.%.*s",
			STR_ARGS(json_text_of(p, "scope")))
			.at,
		{ "project", reply_text(cli, p, "project") });
}

static const struct table_column columns[] = { { "cli.list.id", 31, "id",
						       .kind = CELL_ID },
	{ "cli.preference.scope", 24, .cell = scope_cell },
	{ "cli.preference.question", 32, "question" },
	{ "cli.preference.value", 0, .cell = value_cell }, { 0 } };

static const struct resource preferences = { "/v1/preferences", NULL,
	"cli.preference.none", columns };

/* The one of this question and whose it is; NULL: there is none. */
static const struct json *preference_of(
	struct cli *cli, const struct json *all, struct str scope)
{
	for (const struct json *p = NULL; json_each(all, &p);)
		if (str_eq(json_text_of(p, "scope"), scope) &&
			str_eq(json_text_of(p, "question"), cli_word(cli, 0)) &&
			str_eq(json_text_of(p, "project"), cli_arg(cli, "project")))
			return p;
	return NULL;
}

static int set_run(struct cli *cli)
{
	struct str said = cli_word(cli, 1), project = cli_arg(cli, "project");
	bool all = cli_has(cli, "all");
	struct json items = cli_call_all(cli, str_of(preferences.path));
	const struct json *value, *made,
		*was = preference_of(cli, &items,
			project.len ? STR("project")
			: all	    ? STR("workspace")
				    : STR("person"));

	/* true, 5 and {"selected": …} are what they say; all else is a text. */
	if (json_read(said, NULL, &cli->arena, &value, NULL)) value = NULL;
	if (was)
		made = cli_call(cli, "PATCH",
			resource_path(cli, &preferences, json_text_of(was, "id"), ""),
			BODY(cli, { "value", .json = value, .text = said },
				{ "version", .json = json_get(was, "version") }));
	else
		made = cli_call(cli, "POST", str_of(preferences.path),
			BODY(cli, { "question", cli_word(cli, 0) },
				{ "value", .json = value, .text = said },
				{ "project", project },
				{ "mine", .yes = !all && !project.len }));
	if (as_json(cli)) return reply_done(cli, made);
	printf("%.*s\n", STR_ARGS(json_text_of(made, "id")));
	return CLI_SAY(EXIT_YES, "cli.preference.set");
}

static const struct flag set_flags[] = { { "project", "NAME" }, { "all" }, { "json" },
	{ 0 } };

const struct command preference_verbs[] = {
	{ "preference list", resource_list, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley preference list", .of = &preferences },
	{ "preference set", set_run, "QUESTION ANSWER", 2, 2, set_flags, CLIENT,
		"0 1 2 3 4",
		"parley preference set env staging\n"
		"parley preference set --project shop 'Which region?' eu-west-1" },
	{ "preference remove", resource_remove, "PREFERENCE", 1, 1, json_flags, CLIENT,
		"0 2 3 4 5", "parley preference remove prf_01jc…", .of = &preferences },
	{ 0 },
};
