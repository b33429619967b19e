/* skip.c - parley skip. */
#include "cli/settle.h"
#include "cli/verb/verbs.h"

static int skip_run(struct cli *cli)
{
	struct fault why = { 0 };
	struct client *client = pick_client(cli, AS_PERSON, &why);
	int status;

	if (!client) return cli_fail(cli, &why);
	status = settle(cli, client, args_word(&cli->args, 0), "/skip", reason_body(cli));
	client_free(client);
	return status;
}

static const struct flag flags[] = { { .name = "reason", .value = "TEXT" },
	{ .name = "json" }, { 0 } };

static const char *const examples[] = {
	"parley skip ask_01jc… --reason 'Not mine to decide'",
	NULL,
};

const struct command verb_skip = {
	.name = "skip",
	.run = skip_run,
	.words = "ID",
	.flags = flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 1 2 3 4 5",
	.examples = examples,
};
