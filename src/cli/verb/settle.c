/* settle.c - parley skip, cancel, take-back, and how an answer is sent. */
#include "cli/verb/settle.h"

#include <stdio.h>
#include <time.h>

#include "base/id.h"
#include "cli/outcome.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
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
	int status;
	const struct json *ask;
	struct str rule;

	cli_call_open(cli);
	status = cli_call_by(cli, cli->client, "POST", ask_path(cli, id, tail), body,
		&reply, &conflict);
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

/* ---- commands ---- */

static int skip_run(struct cli *cli)
{
	return settle(cli, cli_word(cli, 0), "/skip", request_reason(cli));
}

/* A run, or a session with all that runs in it. */
static int work_cancel(struct cli *cli, struct str id)
{
	const char *what = str_starts(id, "run_") ? "/v1/runs/" : "/v1/sessions/";
	const struct json *reply;

	cli_call_open_inbox(cli);
	reply = cli_call(
		cli, "POST", path_with(cli, what, id, "/cancel"), request_reason(cli));
	if (!as_json(cli)) SAY("cli.cancelled", { "id", id });
	return reply_done(cli, reply);
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

static int take_back_run(struct cli *cli)
{
	const struct json *ask = cli_call(cli, "POST",
		ask_path(cli, cli_word(cli, 0), "/revoke"), request_reason(cli));

	SAY("cli.take_back.done", { "title", ask_title(ask, &cli->arena) });
	return reply_done(cli, ask);
}

const struct command settle_verbs[] = {
	{ "skip", skip_run, "ID", 1, 1, reason_flags, CLIENT, "0 1 2 3 4 5",
		"parley skip ask_01jc… --reason 'Not mine to decide'" },
	{ "cancel", cancel_run, "ASK|RUN|SESSION", 1, 1, reason_flags, CLIENT,
		"0 1 2 3 4 5", "parley cancel ask_01jc… --reason 'No longer needed'" },
	{ "take-back", take_back_run, "ID", 1, 1, reason_flags, CLIENT, "0 1 2 3 4 5",
		"parley take-back ask_01jc… --reason 'Wrong branch'", .alias = "undo" },
	{ 0 },
};
