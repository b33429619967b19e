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
static int agent_choose(struct cli *cli, struct str *out)
{
	const struct json *one;
	struct json all;
	int status;

	if (cli->args.words_len > 1) {
		*out = cli_word(cli, 0);
		return EXIT_YES;
	}
	status = cli_call_all(cli, STR("/v1/agents"), &all);
	if (status) return status;
	for (const struct json *item = NULL; json_each(&all, &item);) {
		one = item;
		if (!json_is(json_get(one, "default"), JSON_TRUE)) continue;
		*out = json_text_of(one, "name");
		if (json_is(json_get(one, "runnable"), JSON_TRUE)) return EXIT_YES;
		return CLI_SAY(EXIT_NO, "cli.run.not_runnable", { "agent", *out },
			{ "why", reply_text(cli, one, "why") });
	}
	return CLI_SAY(EXIT_NO, "cli.run.no_agent");
}

/* Its first message gives it its title. */
static int session_open(struct cli *cli, struct str *session)
{
	const struct json *reply;
	struct str agent;
	int status;

	*session = cli_arg(cli, "session");
	if (session->len) return EXIT_YES;
	status = agent_choose(cli, &agent);
	if (!status)
		status = cli_call(cli, "POST", STR("/v1/sessions"),
			BODY(cli, { "agent", .text = agent }), &reply);
	if (!status) *session = json_text_of(reply, "id");
	return status;
}

static int message_send(
	struct cli *cli, struct str session, struct str text, struct str *run)
{
	struct str lang = cli_arg(cli, "lang"), cost = cli_arg(cli, "max-cost");
	bool known = str_is(lang, "en") || str_is(lang, "fr");
	struct str limits = cost.len ? BODY(cli, { "cost_usd", .raw = cost }) : STR_NONE;
	const struct json *reply;
	int status = cli_call(cli, "POST",
		path_with(cli, "/v1/sessions/", session, "/messages"),
		BODY(cli, { "content", .text = text },
			{ "lang", known ? lang : STR_NONE }, { "limits", .raw = limits }),
		&reply);

	if (!status) *run = json_text_of(json_get(reply, "run"), "id");
	return status;
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
	int status;

	if (cli_word_looks(cli, "runs")) return EXIT_USAGE;
	if (str_is(text, "-") && !stdin_read(TEXT_MAX, &cli->arena, &text))
		return CLI_USAGE(cli, "cli.run.no_text");
	if (!str_trim(text).len) return CLI_USAGE(cli, "cli.run.no_text");
	status = project_say_here(cli);
	if (status) return status;
	term_watch(&cli->term);
	status = cli_call_open_person(cli);
	if (!status) status = session_open(cli, &f.session);
	if (!status) status = message_send(cli, f.session, text, &f.run);
	if (status) return status;
	if (cli_has(cli, "detach")) {
		printf("%.*s\n", STR_ARGS(f.run));
		return EXIT_YES;
	}
	f.client = cli->client;
	if (f.live) session_tell(cli, f.session);
	return run_follow(&f);
}

/* ---- attach ---- */

static int read_one(
	struct cli *cli, const char *path, struct str id, const struct json **out)
{
	return cli_call_get(cli, path_with(cli, path, id, ""), out);
}

/* The run that is meant, with its session. */
static int work_find(struct cli *cli, struct str id, struct run_follow *f)
{
	const struct json *session, *run, *asks, *ended;
	bool is_run = id_valid(id, "run");
	int status = EXIT_YES;

	f->session = id;
	if (is_run) {
		status = read_one(cli, "/v1/runs/", id, &run);
		if (status) return status;
		f->session = json_text_of(run, "session");
	}
	status = read_one(cli, "/v1/sessions/", f->session, &session);
	if (status) return status;
	f->run = is_run ? id : json_text_of(session, "run");
	if (!f->run.len) return CLI_SAY(EXIT_NO, "cli.attach.no_run", { "id", id });
	asks = json_get(session, "pending_asks");
	if (json_is(asks, JSON_ARRAY) && asks->count)
		f->ask = json_text_of(&asks->items[0], "id");
	status = read_one(cli, "/v1/runs/", f->run, &run);
	if (status) return status;
	ended = json_get(run, "ended_at");
	f->over = json_is(ended, JSON_STRING);
	return EXIT_YES;
}

/* What was said so far, and up to which event that is. */
static int past_show(struct cli *cli, struct run_follow *f)
{
	struct str path =
		path_with(cli, "/v1/sessions/", f->session, "/messages?limit=50");
	const struct json *page, *as_of;
	int status = cli_call_get(cli, path, &page);

	if (status) return status;
	as_of = json_get(page, "as_of");
	if (json_is(as_of, JSON_NUMBER)) f->after = as_of->text;
	if (f->live) run_follow_past(f, json_get(page, "items"));
	return EXIT_YES;
}

static int attach_run(struct cli *cli)
{
	struct str id = cli_word(cli, 0);
	struct run_follow f = { .cli = cli,
		.live = isatty(STDOUT_FILENO) && !as_json(cli) };
	int status;

	if (!id_valid(id, "run") && !id_valid(id, "ses"))
		return CLI_SAY(EXIT_UNKNOWN_ID, "cli.attach.wrong", { "id", id });
	term_watch(&cli->term);
	status = cli_call_open_inbox(cli);
	if (!status) status = work_find(cli, id, &f);
	if (!status) status = past_show(cli, &f);
	f.client = cli->client;
	return status ? status : run_follow(&f);
}

static const struct flag flags[] = { { "session", "SESSION" }, { "project", "NAME" },
	{ "max-cost", "USD" }, { "detach" }, { "json" }, { 0 } };

const struct command run_verbs[] = {
	{ "run", run_run, "[AGENT] TEXT|-", 1, 2, flags, CLIENT, "0 1 2 3 4 5 6 124 130",
		"parley run 'Ask me two things, then write a haiku'\n"
		"git diff | parley run reviewer -" },
	{ "attach", attach_run, "RUN|SESSION", 1, 1, json_flags, CLIENT,
		"0 1 2 3 4 5 6 124 130", "parley attach ses_01jc…" },
	{ 0 },
};
