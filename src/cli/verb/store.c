/* store.c - workspaces, backup, check. */
#include "admin/inspect.h"
#include "cli/outcome.h"
#include "cli/progress_bar.h"
#include "cli/resource.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const struct table_column names[] = { { "", 0, "name" }, { 0 } };
static const struct resource workspaces = { "/v1/workspaces", .columns = names,
	.list = LIST_PAGE };

static int workspace_create_run(struct cli *cli)
{
	const struct json *reply;
	int status = cli_call(cli, "POST", str_of(workspaces.path),
		BODY(cli, { "name", .text = cli_word(cli, 0) }), &reply);

	if (!status && !as_json(cli)) administer_link_print(cli, reply);
	return reply_done(cli, status, reply);
}

/* Both read the store by themselves, with or without a server at it. */
static int backup_run(struct cli *cli)
{
	struct str file = cli_word(cli, 0);
	struct progress_bar bar = progress_bar(cli, "cli.backup.progress");
	struct fault why = { 0 };
	enum err e;

	if (faccessat(AT_FDCWD, arena_copy(&cli->arena, file), F_OK,
		    AT_SYMLINK_NOFOLLOW) == 0)
		return CLI_USAGE(cli, "cli.backup.exists", { "file", file });
	if (inspect_missing(cli->settings.store))
		return CLI_USAGE(cli, "cli.admin.no_store",
			{ "file", str_from(cli->settings.store, 7) });
	e = inspect_backup(cli->settings.store, file, bar.draw, &bar, &why);
	progress_bar_end(&bar);
	if (e == ERR_CONFLICT)
		return CLI_USAGE(cli, "cli.backup.exists", { "file", file });
	if (!e && as_json(cli))
		printf("%.*s\n", STR_ARGS(BODY(cli, { "file", file })));
	else if (!e && isatty(STDERR_FILENO)) /* cron would send it by mail */
		SAY("cli.backup.done", { "file", file });
	if (!e) return EXIT_YES;
	cli_fail(cli, &why);
	return e == ERR_INVALID ? EXIT_USAGE : EXIT_NO;
}

static void findings_say(struct cli *cli, const struct json *report)
{
	const struct json *list = json_get(report, "findings");
	int64_t more = json_get(report, "found")->integer;

	for (uint32_t i = 0; list && i < list->count; i++, more--) {
		const struct json *f = &list->items[i];
		struct str workspace = json_text_of(f, "workspace");
		struct str line = arena_print(&cli->arena, "%.*s%s%.*s: %.*s",
			STR_ARGS(workspace), workspace.len ? ": " : "",
			STR_ARGS(json_text_of(f, "record")),
			STR_ARGS(json_text_of(f, "what")));

		printf("  %.*s\n", STR_ARGS(safe_line(&cli->arena, line)));
	}
	if (more > 0) printf("  %s\n", msg_count(&cli->arena, "cli.check.more", more).at);
}

static void report_say(struct cli *cli, const struct json *report, bool ok)
{
	int64_t old = json_get(report, "not_compared")->integer;

	if (ok)
		printf("%s\n", msg_count(&cli->arena, "cli.check.ok",
				       json_get(report, "events")->integer)
				       .at);
	else
		printf("%s\n", msg_count(&cli->arena, "cli.check.bad",
				       json_get(report, "found")->integer)
				       .at);
	findings_say(cli, report);
	if (old > 0) printf("%s\n", msg_count(&cli->arena, "cli.check.old", old).at);
}

static int check_run(struct cli *cli)
{
	struct progress_bar bar = progress_bar(cli, "cli.check.progress");
	const struct json *report = NULL;
	struct fault why = { 0 };
	struct str text = STR_NONE, file = cli_word(cli, 0);
	struct str store =
		file.len ? arena_print(&cli->arena, "sqlite:%.*s", STR_ARGS(file))
			 : cli->settings.store;
	enum err e = inspect_check(store, bar.draw, &bar, &cli->arena, &text, &why);
	bool ok;

	progress_bar_end(&bar);
	if (!e) e = json_read(text, NULL, &cli->arena, &report, &why);
	if (e) {
		cli_fail(cli, &why);
		return e != ERR_MEMORY && str_starts(store, "sqlite:") ? EXIT_NO
								       : EXIT_NO_SERVER;
	}
	ok = json_is(json_get(report, "ok"), JSON_TRUE);
	if (as_json(cli))
		json_print(report);
	else
		report_say(cli, report, ok);
	return ok ? EXIT_YES : EXIT_NO;
}

const struct command workspace_verbs[] = {
	{ "workspace create", workspace_create_run, "NAME", 1, 1, json_flags,
		STORE | MAKES_STORE, "0 1 2 3", "parley workspace create acme" },
	{ "workspace list", resource_list, NULL, 0, 0, json_flags, STORE, "0 2 3",
		"parley workspace list", .of = &workspaces },
	{ 0 },
};

const struct command store_verbs[] = {
	{ "backup", backup_run, "FILE", 1, 1, json_flags, STORE, "0 1 2",
		"parley backup parley-$(date +%F).db" },
	{ "check", check_run, "[FILE]", 0, 1, json_flags, STORE, "0 1 2 3",
		"parley check\n"
		"parley check parley-2026-11-17.db" },
	{ 0 },
};
