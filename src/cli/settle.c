/* settle.c - sends an answer, a skip or a cancellation from the shell. */
#include "cli/settle.h"

#include <stdio.h>
#include <time.h>

#include "cli/outcome.h"
#include "tui/words.h"

enum { FETCH_MS = 200 };

static int settled_before(
	struct cli *cli, const struct json *ask, const struct fault *why)
{
	if (!ask) return cli_fail(cli, why);
	struct str name = json_text_of(json_get(ask, "answered_by"), "name");
	struct str words = answer_all_words(ask, json_get(ask, "answer"), &cli->arena);
	if (words.len > 0 && name.len > 0)
		SAY("cli.settled_before.answer", { "name", name }, { "answer", words });
	else
		SAY("cli.settled_before", { "story", outcome_story(ask, &cli->arena) });
	if (cli_has(cli, "json")) json_print(ask);
	return EXIT_NO;
}

/* Without a login we came as the agent, who never answers. Who brings a token came as whoever it
 * belongs to, and was told why not. */
static void login_hint(struct cli *cli)
{
	struct client *person;

	if (cli->settings.token.len > 0) return;
	person = pick_client_person(cli);
	if (!person) SAY("cli.answer.login");
	client_free(person);
}

/* An agent that waits has the answer a moment later: a person is told so. */
static const struct json *fetched_soon(
	struct cli *cli, struct str id, const struct json *ask)
{
	struct timespec moment = { .tv_nsec = FETCH_MS * 1000000L };
	const struct json *now;

	if (json_is(json_get(ask, "fetched_at"), JSON_STRING)) return ask;
	nanosleep(&moment, NULL);
	now = cli_call_quiet(cli, cli->client, ask_path(cli, id, ""), NULL);
	return now ? now : ask;
}

int settle(struct cli *cli, struct str id, const char *tail, struct str body)
{
	struct api_reply reply = { 0 };
	struct fault conflict = { 0 };
	int status = cli_call_open(cli);
	const struct json *ask;
	struct str rule;

	if (status == EXIT_YES)
		status = cli_call_by(cli, cli->client, "POST", ask_path(cli, id, tail),
			body, &reply, &conflict);
	ask = json_get(reply.json, "ask");
	if (conflict.err != OK) return settled_before(cli, ask, &conflict);
	if (status == EXIT_NOT_ALLOWED && strcmp(tail, "/cancel") != 0) login_hint(cli);
	if (status != EXIT_YES) return status;
	rule = json_text_of(reply.json, "rule");
	if (cli->term.err_tty) ask = fetched_soon(cli, id, ask);
	fprintf(stderr, "%.*s\n", STR_ARGS(ask_decided(ask, &cli->arena)));
	if (rule.len) SAY("cli.answer.rule", { "rule", rule });
	if (cli_has(cli, "json")) json_print(ask);
	return EXIT_YES;
}
