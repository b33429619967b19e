/* show.c - parley show. */
#include <stdio.h>

#include "cli/card.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"
#include "tui/words.h"

/* What the server of a held call says of its tool, if that is for who asks. */
static const struct json *tool_read(struct cli *cli, const struct json *ask)
{
	struct str tool, server;

	if (!ask_held(ask, &tool, &server)) return NULL;
	return ask_tool(ask, cli_call_quiet(cli, cli->client,
				     arena_print(&cli->arena, "/v1/mcp-servers/%.*s",
					     STR_ARGS(server)),
				     NULL));
}

static void suggestion_print(
	struct cli *cli, const struct json *ask, const struct json *one)
{
	struct arena *arena = &cli->arena;
	const struct json *preferred = json_get(one, "preferred");
	struct json_member answer = { .name = json_text_of(one, "question"),
		.value = *json_get(one, "value") };
	struct json answers = { .type = JSON_OBJECT, .members = &answer, .count = 1 };
	struct str whose = json_text_of(preferred, "scope");

	whose = whose.len ? MSG(arena,
				    arena_print(
					    arena, "web.preferred.%.*s", STR_ARGS(whose))
					    .at,
				    { "project", reply_text(cli, preferred, "project") })
			  : MSG(arena, "web.suggested");
	printf("%.*s\n",
		STR_ARGS(MSG(arena, "web.colon", { "words", whose },
			{ "text", safe_line(arena,
					  answer_all_words(ask, &answers, arena)) })));
}

static void card_print(struct cli *cli, const struct json *ask, const struct json *told)
{
	const struct json *tool = tool_read(cli, ask);
	struct buf out = { 0 };
	enum lang lang = msg_lang();

	/* What goes into a pipe is read by programs, too: always the same words. */
	if (!cli->term.out_tty) msg_lang_set(LANG_EN);
	card_write(cli, ask, told, tool, &out);
	msg_lang_set(lang);
	if (out.len > 0) fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}

/* NULL: they are not for who asks. */
static void suggestions_print(
	struct cli *cli, const struct json *ask, const struct json *list)
{
	enum lang lang = msg_lang();

	if (!cli->term.out_tty) msg_lang_set(LANG_EN);
	for (const struct json *one = NULL; json_each(list, &one);)
		suggestion_print(cli, ask, one);
	msg_lang_set(lang);
}

static int show_run(struct cli *cli)
{
	struct str id = cli_word(cli, 0);
	const struct json *ask = cli_call_get(cli, ask_path(cli, id, ""));

	/* Who was told of it, if that is for who asks. */
	if (!as_json(cli))
		card_print(cli, ask,
			cli_call_quiet(cli, cli->client, ask_path(cli, id, "/deliveries"),
				NULL));
	if (!as_json(cli) && str_is(json_text_of(ask, "status"), "pending"))
		suggestions_print(cli, ask,
			cli_call_quiet(cli, cli->client,
				ask_path(cli, id, "/suggestions"), NULL));
	return reply_done(cli, ask);
}

const struct command show_verbs[] = {
	{ "show", show_run, "ID", 1, 1, json_flags, CLIENT, "0 2 3 4 5",
		"parley show ask_01jc…\n"
		"parley show --json ask_01jc… | jq .answer" },
	{ 0 },
};
