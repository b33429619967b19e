/* runs.c - parley runs, sessions, session delete, projects, usage: what agents do, where, and
 * what it cost. */
#include "base/clock.h"
#include "base/id.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"
#include "tui/words.h"

#include <stdio.h>

static struct str cost_of(struct cli *cli, const struct json *what)
{
	const struct json *cost = json_get(what, "cost_usd");

	return json_is(cost, JSON_NUMBER)
		       ? arena_print(&cli->arena, "$%.*s", STR_ARGS(cost->text))
		       : STR("-");
}

static void run_print(struct cli *cli, const struct json *run)
{
	struct str agent = json_text_of(json_get(run, "agent"), "name");

	printf("%.*s  %-9.*s  %-20.*s  %.*s\n", STR_ARGS(json_text_of(run, "id")),
		STR_ARGS(json_text_of(run, "status")),
		STR_ARGS(safe_line(&cli->arena, agent)), STR_ARGS(cost_of(cli, run)));
}

static const struct flag run_flags[] = {
	{ "status", "STATUS", "queued running waiting completed failed cancelled" },
	{ "session", "SESSION" }, { "agent", "AGENT" }, { "json" }, { 0 }
};

static void session_print(struct cli *cli, const struct json *session)
{
	static const struct {
		const char *status, *mark;
	} marks[] = { { "running", "*" }, { "waiting_for_input", "!" },
		{ "waiting_for_approval", "!" }, { "failed", "x" },
		{ "completed", "=" } };
	struct str status = json_text_of(session, "status");
	struct str project = json_text_of(session, "project");
	const char *mark = "-";

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_is(status, marks[i].status)) mark = marks[i].mark;
	printf("%s %.*s  %-20.*s  %-16.*s  %-9.*s  %.*s%s%.*s\n", mark,
		STR_ARGS(json_text_of(session, "id")), STR_ARGS(status),
		STR_ARGS(safe_line(
			&cli->arena, json_text_of(json_get(session, "agent"), "name"))),
		STR_ARGS(cost_of(cli, session)),
		STR_ARGS(reply_text(cli, session, "title")), project.len ? " · " : "",
		STR_ARGS(safe_line(&cli->arena, project)));
}

static const struct flag session_flags[] = {
	{ "status", "STATUS",
		"idle running waiting_for_input waiting_for_approval completed failed "
		"cancelled" },
	{ "project", "PROJECT" }, { "limit", "N" }, { "json" }, { 0 }
};

static int session_delete_run(struct cli *cli)
{
	struct str id = cli_word(cli, 0);

	if (id_valid(id, "ses")) return resource_remove(cli);
	SAY("cli.session.wrong", { "id", id });
	return EXIT_UNKNOWN_ID;
}

static void project_print(struct cli *cli, const struct json *project)
{
	const struct json *sessions = json_get(project, "sessions");
	const struct json *pending = json_get(project, "pending");

	printf("%-32.*s  %6lld  %6lld  %.*s\n",
		STR_ARGS(reply_text(cli, project, "name")),
		sessions ? (long long)sessions->integer : 0,
		pending ? (long long)pending->integer : 0,
		STR_ARGS(time_local(
			ask_time(project, "last_at"), clock_now_ms(), &cli->arena)));
}

static void usage_print(struct cli *cli, const struct json *sum)
{
	const struct json *usage = json_get(sum, "usage"), *runs = json_get(sum, "runs");
	const struct json *in = json_get(usage, "input"),
			  *out = json_get(usage, "output");

	printf("%-32.*s  %6lld  %12lld  %12lld  %.*s\n",
		STR_ARGS(reply_text(cli, sum, "key")),
		runs ? (long long)runs->integer : 0, in ? (long long)in->integer : 0,
		out ? (long long)out->integer : 0, STR_ARGS(cost_of(cli, sum)));
}

static const struct flag usage_flags[] = { { "by", "WHAT", "agent model session day" },
	{ "from", "TIME" }, { "to", "TIME" }, { "json" }, { 0 } };

static const struct resource runs = { "/v1/runs", "status session agent", "cli.runs.none",
	.print = run_print, .list = LIST_PERSON };
static const struct resource sessions = { "/v1/sessions", "status project limit",
	"cli.sessions.none", .print = session_print, .removed = "cli.session.deleted",
	.list = LIST_PERSON };
static const struct resource projects = { "/v1/projects", NULL, "cli.projects.none",
	.print = project_print, .list = LIST_PERSON };
static const struct resource usages = { "/v1/usage", "by from to", "cli.usage.none",
	.print = usage_print, .list = LIST_PERSON };

const struct command runs_verbs[] = {
	{ "runs", resource_list, NULL, 0, 0, run_flags, CLIENT, "0 2 3 4",
		"parley runs --status waiting", .of = &runs },
	{ "sessions", resource_list, NULL, 0, 0, session_flags, CLIENT, "0 2 3 4",
		"parley sessions --status running", .of = &sessions },
	{ "session delete", session_delete_run, "SESSION", 1, 1, NULL, CLIENT,
		"0 2 3 4 5", "parley session delete ses_01jc…", .of = &sessions },
	{ "projects", resource_list, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley projects", .of = &projects },
	{ "usage", resource_list, NULL, 0, 0, usage_flags, CLIENT, "0 2 3 4",
		"parley usage --by day", .of = &usages },
	{ 0 },
};
