/* away.c - parley away: says when one is away and who stands in, or that one is back. */
#include <stdio.h>

#include "base/clock.h"
#include "cli/administer.h"
#include "cli/pick_client.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"
#include "tui/words.h"

static struct str user_member(
	const struct json *users, const char *by, struct str value, const char *member)
{
	for (uint32_t i = 0; users && i < users->count; i++)
		if (str_eq(json_text(json_get(&users->items[i], by)), value))
			return json_text(json_get(&users->items[i], member));
	return STR_NONE;
}

static int users_read(struct cli *cli, struct client *client, const struct json **out)
{
	struct api_reply reply;
	int status = cli_call(
		cli, client, "GET", STR("/v1/users?limit=200"), STR_NONE, &reply, NULL);

	if (status == EXIT_YES) *out = json_get(reply.json, "items");
	return status;
}

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

static int away_body(
	struct cli *cli, struct client *client, struct str word, struct str *out)
{
	struct str to = args_get(&cli->args, "to"), note = args_get(&cli->args, "note");
	struct buf body = { .max = 65536 };
	struct json_writer w = { .out = &body };
	const struct json *users = NULL;
	struct str id = to;
	char until[TIME_SIZE];
	int status = until_read(cli, word, until);

	if (status != EXIT_YES) return status;
	if (to.len && !str_starts(to, "usr_")) {
		status = users_read(cli, client, &users);
		if (status != EXIT_YES) return status;
		id = user_member(users, "name", to, "id");
		if (!id.len) return CLI_USAGE(cli, "cli.away.nobody", { "name", to });
	}
	jw_object(&w);
	jw_put_text(&w, "until", until);
	jw_put_some(&w, "delegate", id);
	jw_put_some(&w, "note", note);
	jw_object_end(&w);
	*out = arena_str(&cli->arena, buf_str(&body));
	buf_done(&body);
	return EXIT_YES;
}

static int away_say(struct cli *cli, struct client *client, const struct json *away)
{
	struct str delegate = json_text(json_get(away, "delegate")), name = STR_NONE;
	struct arena *arena = &cli->arena;
	const struct json *users = NULL;
	int64_t until = 0;
	int status;

	if (args_have(&cli->args, "json")) {
		print_json(json_is(away, JSON_OBJECT) ? away : NULL);
		return EXIT_YES;
	}
	if (!json_is(away, JSON_OBJECT)) {
		printf("%s\n", msg_text("cli.away.here"));
		return EXIT_YES;
	}
	time_read(json_text(json_get(away, "until")), &until);
	if (delegate.len) {
		status = users_read(cli, client, &users);
		if (status != EXIT_YES) return status;
		name = safe_line(arena, user_member(users, "id", delegate, "name"));
	}
	printf("%s\n",
		name.len ? MSG(arena, "cli.away.to",
				   { "until", time_local(until, clock_now_ms(), arena) },
				   { "name", name })
				   .at
			 : MSG(arena, "cli.away.alone",
				   { "until", time_local(until, clock_now_ms(), arena) })
				   .at);
	warnings_say(cli, away);
	return EXIT_YES;
}

static int away_run(struct cli *cli)
{
	struct fault why = { 0 };
	struct client *client = pick_client(cli, AS_PERSON, &why);
	struct str word = args_word(&cli->args, 0), body = STR_NONE;
	bool back = str_is(word, "back");
	struct api_reply reply;
	int status = EXIT_YES;

	if (!client) return cli_fail(cli, &why);
	if (word.len && !back) status = away_body(cli, client, word, &body);
	if (status == EXIT_YES)
		status = cli_call(cli, client,
			back	   ? "DELETE"
			: word.len ? "PUT"
				   : "GET",
			STR("/v1/me/away"), body, &reply, NULL);
	if (status == EXIT_YES) status = away_say(cli, client, back ? NULL : reply.json);
	client_free(client);
	return status;
}

static const struct flag flags[] = { { "to", "USER" }, { "note", "TEXT" }, { "json" },
	{ 0 } };

const struct command away_verbs[] = {
	{ "away", away_run, "[UNTIL|back]", 0, 1, flags, SETTINGS_CLIENT, "0 2 3 4",
		"parley away 3d --to ann\n"
		"parley away 2026-12-24T18:00:00Z\n"
		"parley away back" },
	{ 0 },
};
