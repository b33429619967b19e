/* away.c - parley away: says when one is away and who stands in, or that one is back. */
#include <stdio.h>

#include "base/clock.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "tui/words.h"

/* "3d", or a time. */
static int until_read(struct cli *cli, struct str word, char out[TIME_SIZE])
{
	int64_t ms;

	if (duration_read(word, &ms) && ms > 0)
		ms += clock_now_ms();
	else if (!time_read(word, &ms))
		return CLI_USAGE(cli, "cli.away.until", { "value", word });
	time_write(ms, out);
	return EXIT_YES;
}

static int away_body(struct cli *cli, struct str word, struct str *out)
{
	struct str to = cli_arg(cli, "to"), id = to;
	const struct json *user;
	char until[TIME_SIZE];
	struct json all;
	int status = until_read(cli, word, until);

	if (status == EXIT_YES && to.len && !str_starts(to, "usr_")) {
		status = cli_call_all(cli, STR("/v1/users"), &all);
		if (status != EXIT_YES) return status;
		user = resource_find(&all, to);
		if (!user) return CLI_USAGE(cli, "cli.away.nobody", { "name", to });
		id = json_text_of(user, "id");
	}
	*out = BODY(cli, { "until", str_of(until) }, { "delegate", id },
		{ "note", cli_arg(cli, "note") });
	return status;
}

static int away_say(struct cli *cli, const struct json *away)
{
	struct str delegate = json_text_of(away, "delegate"), name = STR_NONE;
	struct arena *arena = &cli->arena;
	struct json all;
	int64_t until = 0;
	int status;

	if (!json_is(away, JSON_OBJECT)) {
		printf("%s\n", msg_text("cli.away.here"));
		return EXIT_YES;
	}
	time_read(json_text_of(away, "until"), &until);
	if (delegate.len) {
		status = cli_call_all(cli, STR("/v1/users"), &all);
		if (status != EXIT_YES) return status;
		name = reply_text(cli, resource_find(&all, delegate), "name");
	}
	printf("%s\n", MSG(arena, name.len ? "cli.away.to" : "cli.away.alone",
			       { "until", time_local(until, clock_now_ms(), arena) },
			       { "name", name })
			       .at);
	warnings_say(cli, away);
	return EXIT_YES;
}

static int away_run(struct cli *cli)
{
	struct str word = cli_word(cli, 0), body = STR_NONE;
	bool back = str_is(word, "back");
	const char *method = back ? "DELETE" : word.len ? "PUT" : "GET";
	const struct json *away;
	int status = cli_call_open(cli);

	if (status == EXIT_YES && word.len && !back) status = away_body(cli, word, &body);
	if (status == EXIT_YES)
		status = cli_call(cli, method, STR("/v1/me/away"), body, &away);
	if (status != EXIT_YES) return status;
	if (back || !json_is(away, JSON_OBJECT)) away = NULL;
	return as_json(cli) ? reply_done(cli, status, away) : away_say(cli, away);
}

static const struct flag flags[] = { { "to", "USER" }, { "note", "TEXT" }, { "json" },
	{ 0 } };

const struct command away_verbs[] = {
	{ "away", away_run, "[UNTIL|back]", 0, 1, flags, CLIENT, "0 2 3 4",
		"parley away 3d --to ann\n"
		"parley away 2026-12-24T18:00:00Z\n"
		"parley away back" },
	{ 0 },
};
