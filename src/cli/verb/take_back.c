/* take_back.c - parley take-back: an approval that was not used yet. */
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "tui/words.h"

static int take_back_run(struct cli *cli)
{
	const struct json *ask;
	int status = cli_call(cli, "POST", ask_path(cli, cli_word(cli, 0), "/revoke"),
		request_reason(cli), &ask);

	if (status == EXIT_YES)
		SAY("cli.take_back.done", { "title", ask_title(ask, &cli->arena) });
	return reply_done(cli, status, ask);
}

const struct command take_back_verbs[] = {
	{ "take-back", take_back_run, "ID", 1, 1, reason_flags, CLIENT, "0 1 2 3 4 5",
		"parley take-back ask_01jc… --reason 'Wrong branch'", .alias = "undo" },
	{ 0 },
};
