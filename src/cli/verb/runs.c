/* runs.c - run list, session list, session remove, project list, usage: what agents do, where,
 * and what it cost. */
#include "base/id.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"

#include <stdio.h>

static const struct table_column run_columns[] = { { "cli.list.id", 0, "id",
							   .kind = CELL_ID },
	{ "cli.list.status", 9, "status", .words = "cli.run.status" },
	{ "cli.list.agent", 20, "agent/name" },
	{ "cli.list.cost", 0, "cost_usd", .kind = CELL_COST }, { 0 } };

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
	static const struct table_column cost = { "cli.list.cost", 0, "cost_usd",
		.kind = CELL_COST };
	struct str status = json_text_of(session, "status");
	struct str project = json_text_of(session, "project");
	const char *mark = "-";

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_is(status, marks[i].status)) mark = marks[i].mark;
	printf("%s %.*s  %-20.*s  %-16.*s  %-9.*s  %.*s%s%.*s\n", mark,
		STR_ARGS(json_text_of(session, "id")), STR_ARGS(status),
		STR_ARGS(safe_line(
			&cli->arena, json_text_of(json_get(session, "agent"), "name"))),
		STR_ARGS(table_cell(cli, &cost, session)),
		STR_ARGS(reply_text(cli, session, "title")), project.len ? " · " : "",
		STR_ARGS(safe_line(&cli->arena, project)));
}

/* "Release · web": with its project. */
static struct str work_cell(struct cli *cli, const struct json *session)
{
	struct str project = reply_text(cli, session, "project");

	return arena_print(&cli->arena, "%.*s%s%.*s",
		STR_ARGS(reply_text(cli, session, "title")), project.len ? " · " : "",
		STR_ARGS(project));
}

static const struct table_column session_columns[] = { { "cli.list.id", 0, "id",
							       .kind = CELL_ID },
	{ "cli.list.status", 0, "status", .words = "cli.session.status" },
	{ "cli.list.agent", 0, "agent/name" },
	{ "cli.list.cost", 0, "cost_usd", .kind = CELL_COST },
	{ "cli.list.title", 0, .cell = work_cell }, { 0 } };

static const struct flag session_flags[] = {
	{ "status", "STATUS",
		"idle running waiting_for_input waiting_for_approval completed failed "
		"cancelled" },
	{ "project", "PROJECT" }, { "limit", "N" }, { "json" }, { 0 }
};

static struct str session_find(struct cli *cli, struct str who)
{
	if (!id_valid(who, "ses"))
		cli_end(cli,
			CLI_SAY(EXIT_UNKNOWN_ID, "cli.session.wrong", { "id", who }));
	return who;
}

static const struct table_column project_columns[] = { { "cli.list.name", 32, "name" },
	{ "cli.project.sessions", -6, "sessions", .kind = CELL_COUNT },
	{ "cli.project.waiting", -6, "pending", .kind = CELL_COUNT },
	{ "cli.list.used", 0, "last_at", .kind = CELL_TIME }, { 0 } };

static const struct table_column usage_columns[] = { { "cli.usage.by", 32, "key" },
	{ "cli.usage.runs", -6, "runs", .kind = CELL_COUNT },
	{ "cli.usage.input", -12, "usage/input", .kind = CELL_COUNT },
	{ "cli.usage.output", -12, "usage/output", .kind = CELL_COUNT },
	{ "cli.list.cost", 0, "cost_usd", .kind = CELL_COST }, { 0 } };

static const struct flag usage_flags[] = { { "by", "WHAT", "agent model session day" },
	{ "from", "TIME" }, { "to", "TIME" }, { "workspace", "NAME" }, { "json" },
	{ 0 } };

static const struct resource runs = { "/v1/runs", "status session agent", "cli.runs.none",
	.columns = run_columns, .list = LIST_PERSON };
static const struct resource sessions = { "/v1/sessions", "status project",
	"cli.sessions.none", session_columns, session_print,
	.removed = "cli.session.deleted", .find = session_find, .list = LIST_SOME };
static const struct resource projects = { "/v1/projects", NULL, "cli.projects.none",
	.columns = project_columns, .list = LIST_PERSON };
static const struct resource usages = { "/v1/usage", "by from to", "cli.usage.none",
	.columns = usage_columns, .list = LIST_PAGE };

const struct command runs_verbs[] = {
	{ "run list", resource_list, NULL, 0, 0, run_flags, CLIENT, "0 2 3 4",
		"parley run list --status waiting", .of = &runs },
	{ "session list", resource_list, NULL, 0, 0, session_flags, CLIENT, "0 2 3 4",
		"parley session list --status running", .of = &sessions },
	{ "session remove", resource_remove, "SESSION", 1, 1, json_flags, CLIENT,
		"0 2 3 4 5", "parley session remove ses_01jc…", .of = &sessions },
	{ "project list", resource_list, NULL, 0, 0, json_flags, CLIENT, "0 2 3 4",
		"parley project list", .of = &projects },
	{ "usage", resource_list, NULL, 0, 0, usage_flags, EITHER | SERVED, "0 2 3 4",
		"parley usage --by day", .of = &usages },
	{ 0 },
};
