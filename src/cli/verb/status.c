/* status.c - parley status, parley whoami: where one is, as whom, and what waits. */
#include <stdio.h>

#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "tui/words.h"

enum { COUNTED_MOST = 1000 };

/* "ada, admin, at http://…"; of a token its name as well. */
static struct str who_words(struct cli *cli, const struct json *me)
{
	struct fault why = { 0 };
	struct located at = { 0 };
	struct str role = json_text_of(me, "role");

	pick_client_locate(cli, AS_PERSON, &at, &why);
	return MSG(&cli->arena, "cli.whoami", { "name", reply_text(cli, me, "name") },
		{ "role", msg_named(&cli->arena, "cli.role", role) }, { "url", at.url });
}

static int whoami_run(struct cli *cli)
{
	const struct json *me = cli_call_get(cli, STR("/v1/me"));

	if (!as_json(cli)) printf("%.*s\n", STR_ARGS(who_words(cli, me)));
	return reply_done(cli, me);
}

/* ---- status ---- */

static size_t urgent_count(const struct json *asks)
{
	size_t n = 0;

	for (const struct json *ask = NULL; json_each(asks, &ask);)
		n += ask_risk(ask) >= RISK_HIGH;
	return n;
}

static struct str count_text(struct cli *cli, size_t n)
{
	return arena_print(&cli->arena, "%zu", n);
}

static int status_run(struct cli *cli)
{
	const struct json *me = cli_call_get(cli, STR("/v1/me"));
	struct json asks =
		cli_call_pages(cli, STR("/v1/asks?status=pending"), COUNTED_MOST).items;
	bool person = !str_is(json_text_of(me, "role"), "agent");
	size_t urgent = urgent_count(&asks);
	struct json stops = { .type = JSON_ARRAY }, runs = stops;

	if (person) {
		stops = cli_call_all(cli, STR("/v1/stops"));
		runs = cli_call_all(cli, STR("/v1/runs?status=running"));
	}
	if (as_json(cli)) {
		printf("%.*s\n",
			STR_ARGS(BODY(cli, { "me", .json = me },
				{ "pending", .number = count_text(cli, asks.count) },
				{ "urgent", .number = count_text(cli, urgent) },
				{ "running", .number = count_text(cli, runs.count) },
				{ "stops", .json = &stops })));
		return EXIT_YES;
	}
	printf("%.*s\n", STR_ARGS(who_words(cli, me)));
	count_print(cli, stdout, "cli.status.pending", (int64_t)asks.count);
	if (urgent) count_print(cli, stdout, "cli.status.urgent", (int64_t)urgent);
	if (person) count_print(cli, stdout, "cli.status.running", (int64_t)runs.count);
	if (stops.count)
		count_print(cli, stdout, "cli.status.paused", (int64_t)stops.count);
	return EXIT_YES;
}

const struct command status_verbs[] = {
	{ "status", status_run, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley status" },
	{ "whoami", whoami_run, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley whoami" },
	{ 0 },
};
