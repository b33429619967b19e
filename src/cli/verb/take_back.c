/* take_back.c - parley take-back: an approval that was not used yet. */
#include "cli/outcome.h"
#include "cli/pick_client.h"
#include "cli/verb/verbs.h"
#include "tui/words.h"

static int take_back_run(struct cli *cli)
{
	struct str id = args_word(&cli->args, 0);
	struct fault why = { 0 };
	struct client *client = pick_client(cli, AS_PERSON, &why);
	struct api_reply reply;
	int status;

	if (!client) return cli_fail(cli, &why);
	status = cli_call(cli, client, "POST", ask_path(cli, id, "/revoke"),
		reason_body(cli), &reply, NULL);
	client_free(client);
	if (status != EXIT_YES) return status;
	SAY("cli.take_back.done", { "title", ask_title(reply.json, &cli->arena) });
	if (args_have(&cli->args, "json")) json_print(reply.json);
	return EXIT_YES;
}

const struct command take_back_verbs[] = {
	{ "take-back", take_back_run, "ID", 1, 1, reason_flags, SETTINGS_CLIENT,
		"0 1 2 3 4 5", "parley take-back ask_01jc… --reason 'Wrong branch'",
		.alias = "undo" },
	{ 0 },
};
