/* run.c - parley run: an agent of the server's works on a task, shown as it works; what it
 * asks is answered here. */
#include "cli/project.h"
#include "cli/verb/run_follow.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"

#include <stdio.h>
#include <unistd.h>

enum { TEXT_MAX = 400 * 1024 };

/* ---- what is to be done ---- */

/* The agent that was named, or the server's default. */
static int agent_choose(struct cli *cli, struct client *client, struct str *out)
{
	struct api_reply reply;
	const struct json *items, *one;
	int status;

	if (cli->args.words_len > 1) {
		*out = args_word(&cli->args, 0);
		return EXIT_YES;
	}
	status = cli_call(
		cli, client, "GET", STR("/v1/agents?limit=200"), STR_NONE, &reply, NULL);
	if (status) return status;
	items = json_get(reply.json, "items");
	for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->count; i++) {
		one = &items->items[i];
		if (!json_is(json_get(one, "default"), JSON_TRUE)) continue;
		*out = json_text(json_get(one, "name"));
		if (json_is(json_get(one, "runnable"), JSON_TRUE)) return EXIT_YES;
		SAY("cli.run.not_runnable", { "agent", *out },
			{ "why", safe_line(
					 &cli->arena, json_text(json_get(one, "why"))) });
		return EXIT_NO;
	}
	SAY("cli.run.no_agent");
	return EXIT_NO;
}

/* Its first message gives it its title. */
static int session_open(struct cli *cli, struct client *client, struct str *session)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct api_reply reply;
	struct str agent;
	int status;

	*session = args_get(&cli->args, "session");
	if (session->len) return EXIT_YES;
	status = agent_choose(cli, client, &agent);
	if (status) return status;
	jw_object(&w);
	jw_put_str(&w, "agent", agent);
	jw_object_end(&w);
	status = cli_call(
		cli, client, "POST", STR("/v1/sessions"), buf_str(&b), &reply, NULL);
	buf_done(&b);
	if (status) return status;
	*session = json_text(json_get(reply.json, "id"));
	return EXIT_YES;
}

static int message_send(struct cli *cli, struct client *client, struct str session,
	struct str text, struct str *run)
{
	struct str lang = args_get(&cli->args, "lang"),
		   cost = args_get(&cli->args, "max-cost");
	struct buf b = { 0 }, path = { 0 };
	struct json_writer w = { .out = &b };
	struct api_reply reply;
	int status;

	buf_add_text(&path, "/v1/sessions/");
	url_add(&path, session);
	buf_add_text(&path, "/messages");
	jw_object(&w);
	jw_put_str(&w, "content", text);
	if (str_is(lang, "en") || str_is(lang, "fr")) jw_put_str(&w, "lang", lang);
	if (cost.len) {
		jw_put_object(&w, "limits");
		jw_put_raw(&w, "cost_usd", cost);
		jw_object_end(&w);
	}
	jw_object_end(&w);
	status = cli_call(cli, client, "POST", buf_str(&path), buf_str(&b), &reply, NULL);
	buf_done(&b);
	buf_done(&path);
	if (status) return status;
	*run = json_text(json_get(json_get(reply.json, "run"), "id"));
	return EXIT_YES;
}

/* Where people find it. */
static void session_tell(struct cli *cli, struct str session)
{
	struct located at;
	struct fault why = { 0 };

	if (pick_client_locate(cli, AS_PERSON, &at, &why) || !str_starts(at.url, "http"))
		return;
	fprintf(stderr, "%s%.*s  %.*s/sessions/%.*s%s\n",
		tint_on(TINT_DIM, cli->term.err_color), STR_ARGS(session),
		STR_ARGS(at.url), STR_ARGS(session), tint_off(cli->term.err_color));
}

static int run_run(struct cli *cli)
{
	struct str text = args_word(&cli->args, cli->args.words_len - 1), session;
	bool json = args_have(&cli->args, "json");
	struct run_follow f = { .cli = cli, .live = isatty(STDOUT_FILENO) && !json };
	struct fault why = { 0 };
	struct client *client;
	int status;

	if (cli_word_looks(cli, "runs")) return EXIT_USAGE;
	if (str_is(text, "-") && !stdin_read(TEXT_MAX, &cli->arena, &text))
		return CLI_USAGE(cli, "cli.run.no_text");
	if (!str_trim(text).len) return CLI_USAGE(cli, "cli.run.no_text");
	status = project_say_here(cli);
	if (status) return status;
	term_watch(&cli->term);
	client = pick_client_inbox(cli, &why);
	if (!client) return cli_fail(cli, &why);
	if (!pick_client_knows_person(cli)) {
		client_free(client);
		SAY("cli.run.login");
		return EXIT_NOT_ALLOWED;
	}
	status = session_open(cli, client, &session);
	if (!status) status = message_send(cli, client, session, text, &f.run);
	if (!status && args_have(&cli->args, "detach")) {
		printf("%.*s\n", STR_ARGS(f.run));
	} else if (!status) {
		f.client = client;
		f.session = session;
		if (f.live) session_tell(cli, session);
		status = run_follow(&f);
	}
	client_free(client);
	return status;
}

static const struct flag flags[] = { { "session", "SESSION" }, { "project", "NAME" },
	{ "max-cost", "USD" }, { "detach" }, { "json" }, { 0 } };

const struct command run_verbs[] = {
	{ "run", run_run, "[AGENT] TEXT|-", 1, 2, flags, SETTINGS_CLIENT,
		"0 1 2 3 4 5 6 124 130",
		"parley run 'Ask me two things, then write a haiku'\n"
		"git diff | parley run reviewer -" },
	{ 0 },
};
