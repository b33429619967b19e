/* cancel.c - parley cancel. */
#include "base/id.h"
#include "cli/resource.h"
#include "cli/settle.h"
#include "cli/verb/verbs.h"

/* A run, or a session with all that runs in it. */
static int work_cancel(struct cli *cli, struct str id)
{
	const char *what = str_starts(id, "run_") ? "/v1/runs/" : "/v1/sessions/";
	const struct json *reply;
	int status = cli_call_open_inbox(cli);

	if (!status)
		status = cli_call(cli, "POST", path_with(cli, what, id, "/cancel"),
			request_reason(cli), &reply);
	if (!status && !as_json(cli)) SAY("cli.cancelled", { "id", id });
	return reply_done(cli, status, reply);
}

static int cancel_run(struct cli *cli)
{
	struct str id = cli_word(cli, 0);
	struct fault why = { 0 };

	if (id_valid(id, "run") || id_valid(id, "ses")) return work_cancel(cli, id);
	if (!id_valid(id, "ask"))
		return CLI_SAY(EXIT_UNKNOWN_ID, "cli.id.work", { "id", id });
	cli->client = pick_client_seeing(cli, id, &why);
	if (!cli->client) return cli_fail(cli, &why);
	return settle(cli, id, "/cancel", request_reason(cli));
}

const struct command cancel_verbs[] = {
	{ "cancel", cancel_run, "ASK|RUN|SESSION", 1, 1, reason_flags, CLIENT,
		"0 1 2 3 4 5", "parley cancel ask_01jc… --reason 'No longer needed'" },
	{ 0 },
};
