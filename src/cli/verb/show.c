/* show.c - parley show. */
#include <stdio.h>

#include "cli/card.h"
#include "cli/outcome.h"
#include "cli/pick_client.h"
#include "cli/verb/verbs.h"

static void card_print(
	struct cli *cli, const struct json *ask, const struct card_facts *facts)
{
	struct buf out = { 0 };
	enum lang lang = msg_lang();

	/* What goes into a pipe is read by programs, too: always the same words. */
	if (!cli->term.out_tty) msg_lang_set(LANG_EN);
	card_write(cli, ask, facts, &out);
	msg_lang_set(lang);
	if (out.len > 0) fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}

/* Who was told of it; NULL: that is not for who asks, or cannot be had. */
static const struct json *told_read(struct cli *cli, struct client *client)
{
	struct api_call call = { .method = "GET",
		.path = ask_path(cli, args_word(&cli->args, 0), "/deliveries") };
	struct api_reply reply;

	return client_call(client, &call, &cli->arena, &reply, NULL) == OK ? reply.json
									   : NULL;
}

static int show_run(struct cli *cli)
{
	struct fault why = { 0 };
	struct client *client = pick_client(cli, AS_PERSON, &why);
	struct api_reply reply;
	int status;

	if (!client) return cli_fail(cli, &why);
	status = cli_call(cli, client, "GET", ask_path(cli, args_word(&cli->args, 0), ""),
		STR_NONE, &reply, NULL);
	if (status == EXIT_YES && args_have(&cli->args, "json"))
		json_print(reply.json);
	else if (status == EXIT_YES)
		card_print(
			cli, reply.json, &(struct card_facts){ told_read(cli, client) });
	client_free(client);
	return status;
}

const struct command show_verbs[] = {
	{ "show", show_run, "ID", 1, 1, json_flags, SETTINGS_CLIENT, "0 2 3 4 5",
		"parley show ask_01jc…\n"
		"parley show --json ask_01jc… | jq .answer" },
	{ 0 },
};
