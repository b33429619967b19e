/* runs.c - parley runs, sessions, session delete, projects, usage: what agents do, where, and what it cost. */
#include "base/clock.h"
#include "base/id.h"
#include "cli/administer.h"
#include "cli/pick_client.h"
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

/* Each item of a list that a GET gives, by `print`; `none` says that there is none. */
static int list_print(struct cli *cli, struct str path, const char *none,
	void (*print)(struct cli *, const struct json *))
{
	struct fault why = { 0 };
	struct client *client = pick_client_inbox(cli, &why);
	const struct json *items;
	struct api_reply reply;
	int status;

	if (!client) return cli_fail(cli, &why);
	if (!pick_client_knows_person(cli)) {
		client_free(client);
		SAY("cli.run.login");
		return EXIT_NOT_ALLOWED;
	}
	status = cli_call(cli, client, "GET", path, STR_NONE, &reply, NULL);
	items = status ? NULL : json_get(reply.json, "items");
	if (!status && args_have(&cli->args, "json"))
		print_json(reply.json);
	else if (!status && !(items && items->count))
		SAY(none);
	else
		for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->count; i++)
			print(cli, &items->items[i]);
	client_free(client);
	return status;
}

static void run_print(struct cli *cli, const struct json *run)
{
	struct str agent = json_text(json_get(json_get(run, "agent"), "name"));

	printf("%.*s  %-9.*s  %-20.*s  %.*s\n", STR_ARGS(json_text(json_get(run, "id"))),
		STR_ARGS(json_text(json_get(run, "status"))),
		STR_ARGS(safe_line(&cli->arena, agent)), STR_ARGS(cost_of(cli, run)));
}

static int runs_run(struct cli *cli)
{
	static const char *const names[] = { "status", "session", "agent", NULL };

	return list_print(
		cli, flags_query(cli, "/v1/runs", names), "cli.runs.none", run_print);
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
	struct str status = json_text(json_get(session, "status"));
	struct str project = json_text(json_get(session, "project"));
	const char *mark = "-";

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_is(status, marks[i].status)) mark = marks[i].mark;
	printf("%s %.*s  %-20.*s  %-16.*s  %-9.*s  %.*s%s%.*s\n", mark,
		STR_ARGS(json_text(json_get(session, "id"))), STR_ARGS(status),
		STR_ARGS(safe_line(&cli->arena,
			json_text(json_get(json_get(session, "agent"), "name")))),
		STR_ARGS(cost_of(cli, session)),
		STR_ARGS(safe_line(&cli->arena, json_text(json_get(session, "title")))),
		project.len ? " · " : "", STR_ARGS(safe_line(&cli->arena, project)));
}

static int sessions_run(struct cli *cli)
{
	static const char *const names[] = { "status", "project", "limit", NULL };

	return list_print(cli, flags_query(cli, "/v1/sessions", names),
		"cli.sessions.none", session_print);
}

static const struct flag session_flags[] = {
	{ "status", "STATUS",
		"idle running waiting_for_input waiting_for_approval completed failed "
		"cancelled" },
	{ "project", "PROJECT" }, { "limit", "N" }, { "json" }, { 0 }
};

static int session_delete_run(struct cli *cli)
{
	struct str id = args_word(&cli->args, 0);
	struct fault why = { 0 };
	struct api_reply reply;
	struct client *client;
	struct buf path = { 0 };
	int status;

	if (!id_valid(id, "ses")) {
		SAY("cli.session.wrong", { "id", id });
		return EXIT_UNKNOWN_ID;
	}
	client = pick_client(cli, AS_PERSON, &why);
	if (!client) return cli_fail(cli, &why);
	buf_add_text(&path, "/v1/sessions/");
	url_add(&path, id);
	status = cli_call(cli, client, "DELETE", buf_str(&path), STR_NONE, &reply, NULL);
	if (!status) SAY("cli.session.deleted", { "id", id });
	buf_done(&path);
	client_free(client);
	return status;
}

static void project_print(struct cli *cli, const struct json *project)
{
	const struct json *sessions = json_get(project, "sessions");
	const struct json *pending = json_get(project, "pending");

	printf("%-32.*s  %6lld  %6lld  %.*s\n",
		STR_ARGS(safe_line(&cli->arena, json_text(json_get(project, "name")))),
		sessions ? (long long)sessions->integer : 0,
		pending ? (long long)pending->integer : 0,
		STR_ARGS(time_local(
			ask_time(project, "last_at"), clock_now_ms(), &cli->arena)));
}

static int projects_run(struct cli *cli)
{
	return list_print(cli, STR("/v1/projects"), "cli.projects.none", project_print);
}

static void usage_print(struct cli *cli, const struct json *sum)
{
	const struct json *usage = json_get(sum, "usage"), *runs = json_get(sum, "runs");
	const struct json *in = json_get(usage, "input"),
			  *out = json_get(usage, "output");

	printf("%-32.*s  %6lld  %12lld  %12lld  %.*s\n",
		STR_ARGS(safe_line(&cli->arena, json_text(json_get(sum, "key")))),
		runs ? (long long)runs->integer : 0, in ? (long long)in->integer : 0,
		out ? (long long)out->integer : 0, STR_ARGS(cost_of(cli, sum)));
}

static int usage_run(struct cli *cli)
{
	static const char *const names[] = { "by", "from", "to", NULL };

	return list_print(
		cli, flags_query(cli, "/v1/usage", names), "cli.usage.none", usage_print);
}

static const struct flag usage_flags[] = { { "by", "WHAT", "agent model session day" },
	{ "from", "TIME" }, { "to", "TIME" }, { "json" }, { 0 } };

const struct command runs_verbs[] = {
	{ "runs", runs_run, NULL, 0, 0, run_flags, SETTINGS_CLIENT, "0 2 3 4",
		"parley runs --status waiting" },
	{ "sessions", sessions_run, NULL, 0, 0, session_flags, SETTINGS_CLIENT, "0 2 3 4",
		"parley sessions --status running" },
	{ "session delete", session_delete_run, "SESSION", 1, 1, NULL, SETTINGS_CLIENT,
		"0 2 3 4 5", "parley session delete ses_01jc…" },
	{ "projects", projects_run, NULL, 0, 0, json_flags, SETTINGS_CLIENT, "0 2 3 4",
		"parley projects" },
	{ "usage", usage_run, NULL, 0, 0, usage_flags, SETTINGS_CLIENT, "0 2 3 4",
		"parley usage --by day" },
	{ 0 },
};
