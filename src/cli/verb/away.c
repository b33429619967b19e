/* away.c - parley away: says when one is away and who stands in, or that one is back. */
#include <stdio.h>

#include "base/clock.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "tui/words.h"

/* "3d", or a time. A number alone would be seconds, which nobody means. */
static struct str until_read(struct cli *cli, struct str word)
{
	char at[TIME_SIZE];
	int64_t ms;

	if (!str_to_int(word, 0, INT64_MAX, &ms) && duration_read(word, &ms) && ms > 0)
		ms += clock_now_ms();
	else if (!time_read(word, &ms))
		CLI_REFUSE(cli, "cli.away.until", { "value", word });
	time_write(ms, at);
	return arena_str(&cli->arena, str_of(at));
}

static struct str away_body(struct cli *cli, struct str word)
{
	struct str to = cli_arg(cli, "to"), until = until_read(cli, word);
	const struct json *user;
	struct json all;

	if (to.len && !str_starts(to, "usr_")) {
		all = cli_call_all(cli, STR("/v1/users"));
		user = resource_find(&all, to);
		if (!user) CLI_REFUSE(cli, "cli.away.nobody", { "name", to });
		to = json_text_of(user, "id");
	}
	return BODY(cli, { "until", until }, { "delegate", to },
		{ "note", cli_arg(cli, "note") });
}

static int away_say(struct cli *cli, const struct json *away)
{
	struct str delegate = json_text_of(away, "delegate"), name = STR_NONE;
	struct arena *arena = &cli->arena;
	struct json all;

	if (!json_is(away, JSON_OBJECT)) return puts(msg_text("cli.away.here")), EXIT_YES;
	if (delegate.len) {
		all = cli_call_all(cli, STR("/v1/users"));
		name = reply_text(cli, resource_find(&all, delegate), "name");
	}
	puts(MSG(arena, name.len ? "cli.away.to" : "cli.away.alone",
		{ "until", time_local(ask_time(away, "until"), clock_now_ms(), arena) },
		{ "name", name })
			.at);
	warnings_say(cli, away);
	return EXIT_YES;
}

static int away_run(struct cli *cli)
{
	struct str word = cli_word(cli, 0);
	bool back = str_is(word, "back"), set = word.len && !back;
	const struct json *away;

	cli_call_open(cli);
	away = cli_call(cli,
		back  ? "DELETE"
		: set ? "PUT"
		      : "GET",
		STR("/v1/me/away"), set ? away_body(cli, word) : STR_NONE);
	if (back || !json_is(away, JSON_OBJECT)) away = NULL;
	return as_json(cli) ? reply_done(cli, away) : away_say(cli, away);
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
