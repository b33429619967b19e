/* run.c - parley run: an agent of the server's works on a task, shown as it works; what it
 * asks is answered here. parley attach: the same from where a run or a session is. */
#include "base/id.h"
#include "cli/project.h"
#include "cli/resource.h"
#include "cli/verb/run_follow.h"
#include "cli/verb/verbs.h"

#include <stdio.h>
#include <unistd.h>

enum { TEXT_MAX = 400 * 1024 };

/* ---- what is to be done ---- */

/* The agent that was named, or the server's default. */
static struct str agent_choose(struct cli *cli)
{
	struct str asked = cli->args.words_len > 1 ? cli_word(cli, 0) : STR_NONE;
	struct json all = cli_call_all(cli, STR("/v1/agents"));
	struct str name, names = STR_NONE;

	for (const struct json *one = NULL; asked.len && json_each(&all, &one);) {
		name = json_text_of(one, "name");
		if (str_eq(name, asked) || str_eq(json_text_of(one, "id"), asked))
			return asked;
		names = arena_print(&cli->arena, "%.*s%s%.*s", STR_ARGS(names),
			names.len ? ", " : "", STR_ARGS(name));
	}
	if (asked.len && names.len)
		cli_end(cli, CLI_SAY(EXIT_UNKNOWN_ID, "cli.run.unknown",
				     { "agent", asked }, { "names", names }));
	for (const struct json *one = NULL; json_each(&all, &one);) {
		if (!json_is(json_get(one, "default"), JSON_TRUE)) continue;
		name = json_text_of(one, "name");
		if (!json_is(json_get(one, "runnable"), JSON_TRUE))
			cli_end(cli, CLI_SAY(EXIT_NO, "cli.run.not_runnable",
					     { "agent", name },
					     { "why", reply_text(cli, one, "why") }));
		return name;
	}
	cli_end(cli, CLI_SAY(EXIT_NO, "cli.run.no_agent"));
}

/* Its first message gives it its title. */
static struct str session_open(struct cli *cli)
{
	struct str session = cli_arg(cli, "session");

	if (session.len) return session;
	return json_text_of(cli_call(cli, "POST", STR("/v1/sessions"),
				    BODY(cli, { "agent", .text = agent_choose(cli) })),
		"id");
}

/* {"cost_usd"} of --max-cost; empty without it. */
static struct str limits_given(struct cli *cli)
{
	struct str cost = cli_arg(cli, "max-cost");
	const struct json *number = NULL;
	struct fault why = { 0 };

	if (!cost.at) return STR_NONE;
	if (json_read(cost, NULL, &cli->arena, &number, &why) ||
		!json_is(number, JSON_NUMBER))
		CLI_REFUSE(cli, "cli.run.cost", { "value", cost });
	return BODY(cli, { "cost_usd", .raw = cost });
}

/* The run that works on it. */
static struct str message_send(
	struct cli *cli, struct str session, struct str text, struct str limits)
{
	struct str lang = cli_arg(cli, "lang");
	bool known = str_is(lang, "en") || str_is(lang, "fr");
	const struct json *reply = cli_call(cli, "POST",
		path_with(cli, "/v1/sessions/", session, "/messages"),
		BODY(cli, { "content", .text = text },
			{ "lang", known ? lang : STR_NONE },
			{ "limits", .raw = limits }));

	return json_text_of(json_get(reply, "run"), "id");
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
	struct str text = cli_word(cli, cli->args.words_len - 1);
	struct run_follow f = { .cli = cli,
		.live = isatty(STDOUT_FILENO) && !as_json(cli) };
	struct str limits = limits_given(cli);

	if (cli_word_looks(cli, "run list")) return EXIT_USAGE;
	if (str_is(text, "-") && !stdin_read(TEXT_MAX, &cli->arena, &text))
		return CLI_USAGE(cli, "cli.run.no_text");
	if (!str_trim(text).len) return CLI_USAGE(cli, "cli.run.no_text");
	project_say_here(cli);
	term_watch(&cli->term);
	cli_call_open_person(cli);
	f.session = session_open(cli);
	f.run = message_send(cli, f.session, text, limits);
	if (cli_has(cli, "detach")) {
		printf("%.*s\n", STR_ARGS(f.run));
		return EXIT_YES;
	}
	f.client = cli->client;
	if (f.live) session_tell(cli, f.session);
	return run_follow(&f);
}

/* ---- attach ---- */

/* The run that is meant, with its session. */
static void work_find(struct cli *cli, struct str id, struct run_follow *f)
{
	const struct json *session, *asks, *run;

	f->session = id;
	if (id_valid(id, "run"))
		f->session = json_text_of(
			cli_call_get(cli, path_with(cli, "/v1/runs/", id, "")),
			"session");
	session = cli_call_get(cli, path_with(cli, "/v1/sessions/", f->session, ""));
	f->run = id_valid(id, "run") ? id : json_text_of(session, "run");
	if (!f->run.len)
		cli_end(cli, CLI_SAY(EXIT_NO, "cli.attach.no_run", { "id", id }));
	asks = json_get(session, "pending_asks");
	if (json_is(asks, JSON_ARRAY) && asks->count)
		f->ask = json_text_of(&asks->items[0], "id");
	run = cli_call_get(cli, path_with(cli, "/v1/runs/", f->run, ""));
	f->over = json_is(json_get(run, "ended_at"), JSON_STRING);
}

/* What was said so far, and up to which event that is. */
static void past_show(struct cli *cli, struct run_follow *f)
{
	const struct json *page = cli_call_get(
		cli, path_with(cli, "/v1/sessions/", f->session, "/messages?limit=50"));
	const struct json *as_of = json_get(page, "as_of");

	if (json_is(as_of, JSON_NUMBER)) f->after = as_of->text;
	if (f->live) run_follow_past(f, json_get(page, "items"));
}

static int attach_run(struct cli *cli)
{
	struct str id = cli_word(cli, 0);
	struct run_follow f = { .cli = cli,
		.live = isatty(STDOUT_FILENO) && !as_json(cli) };

	if (!id_valid(id, "run") && !id_valid(id, "ses"))
		return CLI_SAY(EXIT_UNKNOWN_ID, "cli.attach.wrong", { "id", id });
	term_watch(&cli->term);
	cli_call_open_inbox(cli);
	work_find(cli, id, &f);
	past_show(cli, &f);
	f.client = cli->client;
	return run_follow(&f);
}

static const struct flag flags[] = { { "session", "SESSION" }, { "project", "NAME" },
	{ "max-cost", "USD" }, { "detach" }, { "json" }, { 0 } };

const struct command run_verbs[] = {
	{ "run", run_run, "[AGENT] TEXT|-", 1, 2, flags, CLIENT, "0 1 2 3 4 5 6 124 130",
		"parley run 'Ask me two things, then write a haiku'\n"
		"git diff | parley run reviewer -" },
	{ "attach", attach_run, "RUN|SESSION", 1, 1, json_flags, CLIENT,
		"0 1 2 3 4 5 6 124 130", "parley attach ses_01jc…",
		.alias = "run show|session show" },
	{ 0 },
};
