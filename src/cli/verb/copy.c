/* copy.c - moves everything from one store to another. */
#include "admin/copy.h"
#include "admin/inspect.h"
#include "cli/progress_bar.h"
#include "cli/verb/verbs.h"

#include <stdio.h>
#include <sys/stat.h>

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
	printf("%s\n",
		msg_count(&cli->arena, report.there ? "cli.copy.there" : "cli.copy.done",
			report.rows)
			.at);
	return EXIT_YES;
}

static const struct flag flags[] = { { "from", "STORE" }, { "to", "STORE" }, { 0 } };
const struct command copy_verbs[] = {
	{ "copy", copy_run, NULL, 0, 0, flags, 0, "0 1 2 3",
		"parley copy --from sqlite:/var/lib/parley/parley.db \\\n"
		"      --to postgresql:///parley" },
	{ 0 },
};
