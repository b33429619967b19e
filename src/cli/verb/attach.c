/* attach.c - parley attach: a run or a session shown from where it is, as parley run does. */
#include "cli/resource.h"
#include "cli/verb/run_follow.h"
#include "cli/verb/verbs.h"

#include "base/id.h"

#include <unistd.h>

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

const struct command attach_verbs[] = {
	{ "attach", attach_run, "RUN|SESSION", 1, 1, json_flags, CLIENT,
		"0 1 2 3 4 5 6 124 130", "parley attach ses_01jc…" },
	{ 0 },
};
