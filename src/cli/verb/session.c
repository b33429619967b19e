/* session.c - parley session delete. */
#include "base/id.h"
#include "cli/pick_client.h"
#include "cli/verb/verbs.h"

static int session_delete_run(struct cli *cli)
{
	struct str id = args_word(&cli->args, 0);
	struct fault why = { 0 };
	struct api_reply reply;
	struct client *client;
	struct buf path = { 0 };
	int status;

	if (!id_valid(id, "ses")) {
		SAY("cli.session.wrong", { "id", id });
		return EXIT_UNKNOWN_ID;
	}
	client = pick_client(cli, AS_PERSON, &why);
	if (!client) return cli_fail(cli, &why);
	buf_add_text(&path, "/v1/sessions/");
	url_add(&path, id);
	status = cli_call(cli, client, "DELETE", buf_str(&path), STR_NONE, &reply, NULL);
	if (!status) SAY("cli.session.deleted", { "id", id });
	buf_done(&path);
	client_free(client);
	return status;
}

static const char *const examples[] = { "parley session delete ses_01jc…", NULL };

const struct command verb_session_delete = {
	.name = "session delete",
	.run = session_delete_run,
	.words = "SESSION",
	.settings = SETTINGS_CLIENT,
	.exits = "0 2 3 4 5",
	.examples = examples,
};
