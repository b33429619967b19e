/* cancel.c - parley cancel. */
#include "base/id.h"
#include "cli/settle.h"
#include "cli/verb/verbs.h"

#include <stdio.h>

/* A run, or a session with all that runs in it. */
static int work_cancel(struct cli *cli, struct str id)
{
	const char *what = str_starts(id, "run_") ? "runs" : "sessions";
	struct fault why = { 0 };
	struct client *client = pick_client_inbox(cli, &why);
	struct api_reply reply;
	struct buf path = { 0 };
	int status;

	if (!client) return cli_fail(cli, &why);
	buf_print(&path, "/v1/%s/", what);
	url_add(&path, id);
	buf_add_text(&path, "/cancel");
	status = cli_call(
		cli, client, "POST", buf_str(&path), reason_body(cli), &reply, NULL);
	if (!status && args_have(&cli->args, "json"))
		printf("%.*s\n", STR_ARGS(reply.body));
	else if (!status)
		SAY("cli.cancelled", { "id", id });
	buf_done(&path);
	client_free(client);
	return status;
}

static int cancel_run(struct cli *cli)
{
	struct str id = args_word(&cli->args, 0);
	struct fault why = { 0 };
	struct client *client;
	int status;

	if (id_valid(id, "run") || id_valid(id, "ses")) return work_cancel(cli, id);
	if (!id_valid(id, "ask")) {
		SAY("cli.id.work", { "id", id });
		return EXIT_UNKNOWN_ID;
	}
	client = pick_client_seeing(cli, id, &why);
	if (!client) return cli_fail(cli, &why);
	status = settle(cli, client, id, "/cancel", reason_body(cli));
	client_free(client);
	return status;
}

const struct command cancel_verbs[] = {
	{ "cancel", cancel_run, "ASK|RUN|SESSION", 1, 1, reason_flags, SETTINGS_CLIENT,
		"0 1 2 3 4 5", "parley cancel ask_01jc… --reason 'No longer needed'" },
	{ 0 },
};
