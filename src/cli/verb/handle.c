/* handle.c - parley reply, claim, assign, snooze, extend, open: what people do with an ask besides
 * answering it. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "tui/words.h"

/* POSTs to the ask, and says what was done in this message: {title}, {agent} and {what}. */
static int handled(struct cli *cli, const char *tail, struct str body, const char *id,
	struct str what)
{
	const struct json *ask =
		cli_call(cli, "POST", ask_path(cli, cli_word(cli, 0), tail), body);

	SAY(id, { "title", ask_title(ask, &cli->arena) },
		{ "agent", ask_agent(ask, &cli->arena) }, { "what", what });
	return reply_done(cli, ask);
}

/* The words behind the id, a blank between. */
static struct str words_behind(struct cli *cli)
{
	struct str all = cli_words(cli);

	return str_from(all, cli_word(cli, 0).len + 1);
}

static int reply_run(struct cli *cli)
{
	return handled(cli, "/replies", BODY(cli, { "text", .text = words_behind(cli) }),
		"cli.handle.replied", STR_NONE);
}

static int claim_run(struct cli *cli)
{
	return handled(cli, "/claim", STR("{}"), "cli.handle.claimed", STR_NONE);
}

/* ---- assign ---- */

/* The id of a user or a team of this name; "me" is whoever asks. */
static struct str person_find(struct cli *cli, const struct json *users,
	const struct json *teams, struct str who)
{
	const struct json *one = resource_find(users, who);

	if (str_is(who, "me"))
		one = json_get(cli_call_get(cli, STR("/v1/me")), "user");
	else if (!one)
		one = resource_find(teams, who);
	if (!json_is(one, JSON_OBJECT)) cli_end(cli, resource_unknown(cli, "user", who));
	return json_text_of(one, "id");
}

static int assign_run(struct cli *cli)
{
	struct json users = cli_call_all(cli, STR("/v1/users"));
	struct json teams = cli_call_all(cli, STR("/v1/teams"));
	struct buf list = { .max = 65536 };
	struct json_writer w = { .out = &list };

	jw_array(&w);
	for (size_t i = 1; i < cli->args.words_len; i++)
		if (!str_is(cli_word(cli, i), "nobody"))
			jw_str(&w, person_find(cli, &users, &teams, cli_word(cli, i)));
	jw_array_end(&w);
	return handled(cli, "/assign",
		BODY(cli, { "assignees", .raw = buf_keep_done(&list, &cli->arena) }),
		"cli.handle.assigned", words_behind(cli));
}

/* ---- time ---- */

static int64_t span_given(struct cli *cli)
{
	struct str word = cli_word(cli, 1);
	int64_t ms = 0;

	if (!duration_read(word, &ms) || ms <= 0)
		CLI_REFUSE(cli, "cli.handle.time", { "value", word });
	return ms;
}

static int snooze_run(struct cli *cli)
{
	int64_t now_ms = clock_now_ms(), until_ms;
	char until[TIME_SIZE];

	if (str_is(cli_word(cli, 1), "off"))
		return handled(cli, "/mark", STR("{\"snoozed_until\":null}"),
			"cli.handle.back", STR_NONE);
	until_ms = now_ms + span_given(cli);
	time_write(until_ms, until);
	return handled(cli, "/mark", BODY(cli, { "snoozed_until", str_of(until) }),
		"cli.handle.snoozed", time_local(until_ms, now_ms, &cli->arena));
}

static int extend_run(struct cli *cli)
{
	struct str span = cli_word(cli, 1);

	if (str_is(span, "never"))
		return handled(cli, "/extend", STR("{\"timeout\":null}"),
			"cli.handle.endless", STR_NONE);
	span_given(cli);
	return handled(cli, "/extend", BODY(cli, { "timeout", span }),
		"cli.handle.extended", span);
}

/* ---- open ---- */

/* In the person's browser, if there is one. */
static void browser_open(const char *url)
{
	pid_t child = fork();

	if (child == 0) {
		execlp("xdg-open", "xdg-open", url, (char *)NULL);
		_exit(127);
	}
	if (child > 0) waitpid(child, NULL, 0);
}

static int open_run(struct cli *cli)
{
	const struct json *ask = cli_call_get(cli, ask_path(cli, cli_word(cli, 0), ""));
	struct str url = json_text_of(ask, "url");

	if (as_json(cli)) return reply_done(cli, ask);
	printf("%.*s\n", STR_ARGS(url));
	fflush(stdout);
	if (cli->term.out_tty) browser_open(arena_copy(&cli->arena, url));
	return EXIT_YES;
}

const struct command handle_verbs[] = {
	{ "reply", reply_run, "ID TEXT…", 2, WORDS_MANY, json_flags, CLIENT,
		"0 1 2 3 4 5", "parley reply ask_01jc… 'Which branch?'" },
	{ "claim", claim_run, "ID", 1, 1, json_flags, CLIENT, "0 1 2 3 4 5",
		"parley claim ask_01jc…" },
	{ "assign", assign_run, "ID WHO…", 2, WORDS_MANY, json_flags, CLIENT,
		"0 1 2 3 4 5",
		"parley assign ask_01jc… ann ops\n"
		"parley assign ask_01jc… me\n"
		"parley assign ask_01jc… nobody" },
	{ "snooze", snooze_run, "ID TIME|off", 2, 2, json_flags, CLIENT, "0 1 2 3 4 5",
		"parley snooze ask_01jc… 2h" },
	{ "extend", extend_run, "ID TIME|never", 2, 2, json_flags, CLIENT, "0 1 2 3 4 5",
		"parley extend ask_01jc… 30m" },
	{ "open", open_run, "ID", 1, 1, json_flags, CLIENT, "0 2 3 4 5",
		"parley open ask_01jc…" },
	{ 0 },
};
