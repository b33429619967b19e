/* verb_cancel.c - parley cancel. */
#include "cli/settle.h"
#include "cli/verbs.h"

static int cancel_run(struct cli *cli)
{
	struct str id = args_word(&cli->args, 0);
	struct fault why = { 0 };
	struct client *client = reach_seeing(cli, id, &why);
	int status;

	if (!client) return cli_fail(cli, &why);
	status = settle(cli, client, id, "/cancel", reason_body(cli));
	client_free(client);
	return status;
}

static const struct flag flags[] = { { .name = "reason", .value = "TEXT" },
	{ .name = "json" }, { 0 } };

static const char *const examples[] = {
	"parley cancel ask_01jc… --reason 'No longer needed'",
	NULL,
};

const struct command verb_cancel = {
	.name = "cancel",
	.run = cancel_run,
	.words = "ID",
	.words_min = 1,
	.words_max = 1,
	.flags = flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 1 2 3 4 5",
	.examples = examples,
};
