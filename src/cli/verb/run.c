/* run.c - parley run: an agent of the server's works on a task, shown as it works; what it
 * asks is answered here. parley attach: the same from where a run or a session is. */
#include "base/clock.h"
#include "base/id.h"
#include "cli/project.h"
#include "cli/resource.h"
#include "cli/text_file.h"
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

/* {"cost_usd", "time"} of --max-cost and --max-time; empty without them. */
static struct str limits_given(struct cli *cli)
{
	struct str cost = cli_arg(cli, "max-cost"), time = cli_arg(cli, "max-time");
	const struct json *number = NULL;
	struct fault why = { 0 };
	int64_t ms;

	if (cost.at && (json_read(cost, NULL, &cli->arena, &number, &why) ||
			       !json_is(number, JSON_NUMBER)))
		CLI_REFUSE(cli, "cli.run.cost", { "value", cost });
	if (time.at && (!duration_read(time, &ms) || !ms))
		CLI_REFUSE(cli, "cli.run.time", { "value", time });
	if (!cost.at && !time.at) return STR_NONE;
	return BODY(cli, { "cost_usd", .raw = cost }, { "time", time });
}

/* The JSON of the file that --schema names; empty without it. */
static struct str schema_given(struct cli *cli)
{
	struct str path = cli_arg(cli, "schema"), text = STR_NONE;
	const struct json *schema;
	struct fault why = { 0 };

	if (!path.at) return STR_NONE;
	if (text_file_read(path.at, false, &cli->arena, &text, &why) || !text.len)
		CLI_REFUSE(cli, "cli.run.schema.unread", { "value", path });
	if (json_read(text, NULL, &cli->arena, &schema, &why))
		CLI_REFUSE(cli, "cli.run.schema", { "value", path },
			{ "why", str_of(why.detail) });
	return text;
}

/* What --max-cost, --max-time and --schema ask for. */
struct work_terms {
	struct str limits, schema;
};

/* One request makes the session and its run: what is refused leaves nothing. */
static void work_send(struct cli *cli, struct run_follow *f, struct str text,
	const struct work_terms *terms)
{
	struct str lang = cli_arg(cli, "lang"), session = cli_arg(cli, "session"),
		   limits = terms->limits, stop = limits.len ? STR("stop") : STR_NONE;
	const struct json *reply;

	if (!str_is(lang, "en") && !str_is(lang, "fr")) lang = STR_NONE;
	if (session.len) {
		reply = cli_call(cli, "POST",
			path_with(cli, "/v1/sessions/", session, "/messages"),
			BODY(cli, { "content", .text = text }, { "lang", lang },
				{ "limits", .raw = limits }, { "on_limit", stop },
				{ "output_schema", .raw = terms->schema }));
		f->session = session;
		f->run = json_text_of(json_get(reply, "run"), "id");
		return;
	}
	reply = cli_call(cli, "POST", STR("/v1/sessions"),
		BODY(cli, { "agent", .text = agent_choose(cli) },
			{ "message", .text = text }, { "lang", lang },
			{ "limits", .raw = limits }, { "on_limit", stop },
			{ "output_schema", .raw = terms->schema }));
	f->session = json_text_of(reply, "id");
	f->run = json_text_of(reply, "run");
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
		.live = isatty(STDOUT_FILENO) && !as_json(cli),
		.no_wait = cli_has(cli, "no-wait") };
	const struct work_terms terms = { limits_given(cli), schema_given(cli) };

	if (cli_word_looks(cli, "run list")) return EXIT_USAGE;
	if (str_is(text, "-") && !stdin_read(TEXT_MAX, &cli->arena, &text))
		return CLI_USAGE(cli, "cli.run.no_text");
	if (!str_trim(text).len) return CLI_USAGE(cli, "cli.run.no_text");
	project_say_here(cli);
	term_watch(&cli->term);
	cli_call_open_person(cli);
	work_send(cli, &f, text, &terms);
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
static void past_find(struct cli *cli, struct run_follow *f)
{
	const struct json *page = cli_call_get(
		cli, path_with(cli, "/v1/sessions/", f->session, "/messages?limit=50"));
	const struct json *as_of = json_get(page, "as_of");

	if (json_is(as_of, JSON_NUMBER)) f->after = as_of->text;
	if (f->live) f->past = json_get(page, "items");
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
	past_find(cli, &f);
	f.client = cli->client;
	return run_follow(&f);
}

static const struct flag flags[] = { { "session", "SESSION" }, { "project", "NAME" },
	{ "max-cost", "USD" }, { "max-time", "TIME" }, { "schema", "FILE" }, { "detach" },
	{ "no-wait" }, { "json" }, { 0 } };

const struct command run_verbs[] = {
	{ "run", run_run, "[AGENT] TEXT|-", 1, 2, flags, CLIENT,
		"0 1 2 3 4 5 6 7 124 130",
		"parley run 'Ask me two things, then write a haiku'\n"
		"git diff | parley run reviewer -" },
	{ "attach", attach_run, "RUN|SESSION", 1, 1, json_flags, CLIENT,
		"0 1 2 3 4 5 6 124 130", "parley attach ses_01jc…",
		.alias = "run show|session show" },
	{ 0 },
};
