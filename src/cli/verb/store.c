/* store.c - workspaces, backup, check, copy. */
#include "admin/copy.h"
#include "admin/inspect.h"
#include "base/utf8.h"
#include "cli/outcome.h"
#include "cli/resource.h"
#include "cli/verb/proof.h"
#include "cli/verb/verbs.h"
#include "text/safe_text.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- workspaces ---- */

static const struct table_column names[] = { { "cli.list.name", 0, "name" }, { 0 } };
static const struct resource workspaces = { "/v1/workspaces", .columns = names,
	.list = LIST_PAGE };

static int workspace_create_run(struct cli *cli)
{
	const struct json *reply = cli_call(cli, "POST", str_of(workspaces.path),
		BODY(cli, { "name", .text = cli_word(cli, 0) }));

	if (!as_json(cli)) administer_link_print(cli, reply);
	return reply_done(cli, reply);
}

/* ---- how far a long command has come, on the terminal's own line ---- */

enum { SIGNS = 40 };

struct progress_bar {
	progress_fn *draw; /* NULL when standard error is no terminal */
	const char *label; /* what is being done, in the person's language */
	int percent;	   /* the share that was drawn last; -1: none */
	size_t width;
};

/* Drawn again only when it has changed. */
static void bar_draw(void *ctx, int64_t done, int64_t all)
{
	struct progress_bar *bar = ctx;
	int percent = all > 0 ? (int)(done * 100 / all) : 100, filled;

	if (percent > 100) percent = 100;
	if (percent == bar->percent) return;
	bar->percent = percent;
	filled = percent * SIGNS / 100;
	fprintf(stderr, "\r%s [%.*s%*s] %3d %%", bar->label, filled,
		"########################################", SIGNS - filled, "", percent);
	fflush(stderr);
}

static struct progress_bar progress_bar(struct cli *cli, const char *label)
{
	struct str text = MSG(&cli->arena, label);

	return (struct progress_bar){ .draw = cli->term.err_tty ? bar_draw : NULL,
		.label = text.at,
		.percent = -1,
		.width = utf8_count(text) + SIGNS + 9 };
}

static void progress_bar_end(struct progress_bar *bar)
{
	if (bar->percent >= 0) fprintf(stderr, "\r%*s\r", (int)bar->width, "");
}

/* ---- backup, check, copy ---- */

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
	const struct json *f = NULL;
	int64_t more = json_get(report, "found")->integer;

	for (; json_each(json_get(report, "findings"), &f); more--) {
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

	count_print(cli, stdout, ok ? "cli.check.ok" : "cli.check.bad",
		json_get(report, ok ? "events" : "found")->integer);
	findings_say(cli, report);
	if (old > 0) count_print(cli, stdout, "cli.check.old", old);
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
	enum err e;
	bool ok;

	if (cli_has(cli, "export")) return export_check_run(cli);
	if (cli_has(cli, "key")) return CLI_USAGE(cli, "cli.check.key");
	e = inspect_check(store, bar.draw, &bar, &cli->arena, &text, &why);
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

static int copy_run(struct cli *cli)
{
	struct str from = cli_arg(cli, "from"), to = cli_arg(cli, "to");
	struct copy_report report;
	struct fault why = { 0 };
	struct progress_bar bar = progress_bar(cli, "cli.copy.progress");
	enum err e;

	if (!from.len || !to.len) return CLI_USAGE(cli, "cli.copy.two");
	if (inspect_missing(from))
		return CLI_USAGE(
			cli, "cli.copy.no_source", { "file", str_from(from, 7) });
	umask(0077); /* keys and hashes are in it */
	e = copy_store(from, to, bar.draw, &bar, &report, &why);
	progress_bar_end(&bar);
	if (e) return cli_fail(cli, &why);
	count_print(cli, stdout, report.there ? "cli.copy.there" : "cli.copy.done",
		report.rows);
	return EXIT_YES;
}

static const struct flag copy_flags[] = { { "from", "STORE" }, { "to", "STORE" }, { 0 } };

static const struct flag check_flags[] = { { "export", "FILE" }, { "key", "FILE" },
	{ "json" }, { 0 } };

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
	{ "check", check_run, "[FILE]", 0, 1, check_flags, STORE, "0 1 2 3",
		"parley check\n"
		"parley check parley-2026-11-17.db\n"
		"parley check --export parley-2026.ndjson --key keys.json" },
	{ "copy", copy_run, NULL, 0, 0, copy_flags, 0, "0 1 2 3",
		"parley copy --from sqlite:/var/lib/parley/parley.db \\\n"
		"      --to postgresql:///parley" },
	{ 0 },
};
