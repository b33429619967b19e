/* stop.c - parley pause, parley resume: stop everything that asks, say what is
 * stopped, and let it go on. */
#include <stdio.h>

#include "base/clock.h"
#include "base/keep.h"
#include "cli/outcome.h"
#include "cli/pick_client.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"
#include "tui/words.h"

/* All the words. */
static struct str stop_reason(struct cli *cli)
{
	struct str reason = args_word(&cli->args, 0);

	for (size_t i = 1; i < cli->args.words_len; i++)
		reason = arena_print(&cli->arena, "%.*s %.*s", STR_ARGS(reason),
			STR_ARGS(args_word(&cli->args, i)));
	return str_trim(reason);
}

/* What is given on the command line; EXIT_YES, or said. */
static int stop_body(struct cli *cli, struct str *out)
{
	struct str time = args_get(&cli->args, "for");
	struct buf body = { .max = 65536 };
	struct json_writer w = { .out = &body };
	char until[TIME_SIZE];
	int64_t ms = 0;

	if (time.at && (!duration_read(time, &ms) || ms <= 0))
		return CLI_USAGE(cli, "cli.timeout.wrong", { "value", time });
	if (ms) time_write(clock_now_ms() + ms, until);
	jw_object(&w);
	jw_put_object(&w, "match");
	jw_put_some(&w, "agent", args_get(&cli->args, "agent"));
	jw_put_some(&w, "project", args_get(&cli->args, "project"));
	jw_put_some(&w, "session", args_get(&cli->args, "session"));
	jw_object_end(&w);
	jw_put_str(&w, "reason", stop_reason(cli));
	if (ms) jw_put_some(&w, "until", str_of(until));
	jw_object_end(&w);
	*out = buf_keep_done(&body, &cli->arena);
	return EXIT_YES;
}

/* ---- list ---- */

/* "agent ci-*, project web", or everything. */
static struct str stop_what(struct cli *cli, const struct json *match)
{
	static const char *const names[] = { "agent", "project", "session" };
	static const char *const ids[] = { "cli.stop.agent", "cli.stop.project",
		"cli.stop.session" };
	struct buf what = { .max = 4096 };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct str name = json_text(json_get(match, names[i]));

		if (!name.len) continue;
		if (what.len) buf_add_text(&what, ", ");
		buf_add(&what, MSG(&cli->arena, ids[i],
				       { "name", safe_line(&cli->arena, name) }));
	}
	if (!what.len) buf_add_text(&what, msg_text("cli.stop.everything"));
	return buf_keep_done(&what, &cli->arena);
}

static void stop_print(struct cli *cli, const struct json *stop)
{
	struct str by = json_text(json_get(json_get(stop, "made_by"), "name"));
	struct str until = json_text(json_get(stop, "until"));
	int64_t ms = 0;

	printf("%.*s  %.*s  ", STR_ARGS(json_text(json_get(stop, "id"))),
		STR_ARGS(stop_what(cli, json_get(stop, "match"))));
	if (until.len && time_read(until, &ms))
		until = MSG(&cli->arena, "cli.stop.until",
			{ "at", time_local(ms, clock_now_ms(), &cli->arena) });
	else
		until = MSG(&cli->arena, "cli.stop.endless");
	printf("%.*s  %.*s  %.*s\n", STR_ARGS(until),
		STR_ARGS(MSG(&cli->arena, "cli.stop.by",
			{ "name", safe_line(&cli->arena, by) })),
		STR_ARGS(safe_line(&cli->arena, json_text(json_get(stop, "reason")))));
}

static int stops_read(struct cli *cli, struct client *client, struct api_reply *out)
{
	return cli_call(
		cli, client, "GET", STR("/v1/stops?limit=200"), STR_NONE, out, NULL);
}

static void stops_print(struct cli *cli, const struct json *items)
{
	for (uint32_t i = 0; items && i < items->count; i++)
		stop_print(cli, &items->items[i]);
}

/* Is it said what to stop, not only why? */
static bool stop_named(const struct cli *cli)
{
	static const char *const whats[] = { "agent", "project", "session", "for" };

	for (size_t i = 0; i < sizeof whats / sizeof *whats; i++)
		if (args_have(&cli->args, whats[i])) return true;
	return false;
}

/* "list" alone; with what to stop beside it, somebody means to stop it. */
static bool stop_lists(const struct cli *cli)
{
	return !stop_named(cli) && str_is(args_word(&cli->args, 0), "list");
}

static int stops_list(struct cli *cli)
{
	struct fault why = { 0 };
	struct client *client = pick_client(cli, AS_PERSON, &why);
	struct api_reply reply;
	const struct json *items;
	int status;

	if (!client) return cli_fail(cli, &why);
	status = stops_read(cli, client, &reply);
	client_free(client);
	if (status != EXIT_YES) return status;
	items = json_get(reply.json, "items");
	if (args_have(&cli->args, "json")) {
		json_print(reply.json);
	} else {
		stops_print(cli, items);
		if (!items || items->count == 0) SAY("cli.go.none");
	}
	return EXIT_YES;
}

/* ---- stop ---- */

/* One word alone is a slip of the pen, or a guess, more often than a reason to stop every
 * agent. Who may not stop anything hears that first. */
static int word_refuse(struct cli *cli, struct client *client)
{
	struct str word = args_word(&cli->args, 0);
	struct fault why = { 0 };
	struct api_reply me;
	struct str role;
	int status = cli_call(cli, client, "GET", STR("/v1/me"), STR_NONE, &me, NULL);

	if (status != EXIT_YES) return status;
	role = json_text(json_get(me.json, "role"));
	if (str_is(role, "agent")) {
		fail(&why, ERR_FORBIDDEN, "the role %.*s may not do this",
			STR_ARGS(role));
		return cli_fail(cli, &why);
	}
	return CLI_USAGE(cli, "cli.stop.word", { "word", word });
}

static int stop_run(struct cli *cli)
{
	struct fault why = { 0 };
	struct api_reply reply;
	struct client *client;
	struct str body, id;
	int status;

	if (stop_lists(cli)) return stops_list(cli);
	if (cli_word_looks(cli, "pause list")) return EXIT_USAGE;
	status = stop_body(cli, &body);
	if (status != EXIT_YES) return status;
	client = pick_client(cli, AS_PERSON, &why);
	if (!client) return cli_fail(cli, &why);
	if (!stop_named(cli) && str_find(stop_reason(cli), STR(" ")) < 0)
		status = word_refuse(cli, client);
	else
		status = cli_call(
			cli, client, "POST", STR("/v1/stops"), body, &reply, NULL);
	client_free(client);
	if (status != EXIT_YES) return status;
	id = json_text(json_get(reply.json, "id"));
	if (args_have(&cli->args, "json")) {
		json_print(reply.json);
		return EXIT_YES;
	}
	printf("%.*s\n", STR_ARGS(id));
	SAY("cli.stop.set", { "id", id });
	return EXIT_YES;
}

static const struct flag stop_flags[] = { { "agent", "NAME" }, { "project", "NAME" },
	{ "session", "ID" }, { "for", "TIME" }, { "json" }, { 0 } };

/* ---- go ---- */

/* The only one there is. Empty: there is none, or they were listed to choose from. */
static int stop_only(struct cli *cli, struct client *client, struct str *out)
{
	struct api_reply reply;
	const struct json *items;
	int status = stops_read(cli, client, &reply);

	if (status != EXIT_YES) return status;
	items = json_get(reply.json, "items");
	if (!items || items->count == 0) {
		SAY("cli.go.none");
		return EXIT_YES;
	}
	if (items->count == 1) *out = json_text(json_get(&items->items[0], "id"));
	if (items->count == 1) return EXIT_YES;
	stops_print(cli, items);
	return CLI_USAGE(cli, "cli.go.several");
}

static int go_run(struct cli *cli)
{
	struct fault why = { 0 };
	struct client *client = pick_client(cli, AS_PERSON, &why);
	struct str id = args_word(&cli->args, 0);
	struct buf path = { .max = 1024 };
	struct api_reply reply;
	int status = EXIT_YES;

	if (!client) return cli_fail(cli, &why);
	if (!id.len) status = stop_only(cli, client, &id);
	if (status == EXIT_YES && id.len) {
		buf_add(&path, STR("/v1/stops/"));
		url_add(&path, id);
		status = cli_call(cli, client, "DELETE",
			buf_keep_done(&path, &cli->arena), STR_NONE, &reply, NULL);
		if (status == EXIT_YES) SAY("cli.go.done", { "id", id });
	}
	client_free(client);
	return status;
}

const struct command stop_verbs[] = {
	{ "pause", stop_run, "REASON…|list", 1, WORDS_MANY, stop_flags, SETTINGS_CLIENT,
		"0 2 3 4",
		"parley pause 'Production is down'\n"
		"parley pause --agent 'ci-*' --for 30m 'Wrong branch'\n"
		"parley pause list",
		.alias = "stop" },
	{ "resume", go_run, "[ID]", 0, 1, NULL, SETTINGS_CLIENT, "0 1 2 3 4 5",
		"parley resume", .alias = "go" },
	{ 0 },
};
