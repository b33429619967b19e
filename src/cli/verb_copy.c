/* verb_copy.c - moves everything from one store to another. */
#include "admin/copy.h"
#include "cli/verbs_admin.h"

#include <stdio.h>
#include <sys/stat.h>

enum { BAR = 40 };

/* The share that was drawn last. */
struct bar {
	int percent;
};

/* On the terminal's own line, when standard error is one. */
static void bar_draw(void *ctx, int64_t done, int64_t all)
{
	struct bar *bar = ctx;
	int percent = all > 0 ? (int)(done * 100 / all) : 100, filled;

	if (percent == bar->percent) return;
	bar->percent = percent;
	filled = percent * BAR / 100;
	fprintf(stderr, "\r[%.*s%*s] %3d %%", filled,
		"########################################", BAR - filled, "", percent);
	fflush(stderr);
}

static int copy_run(struct cli *cli)
{
	struct str from = args_get(&cli->args, "from"), to = args_get(&cli->args, "to");
	struct copy_report report;
	struct fault why = { 0 };
	struct bar bar = { -1 };
	bool tty = cli->term.err_tty;
	enum err e;

	if (!from.len || !to.len) return CLI_USAGE(cli, "cli.copy.two");
	umask(0077); /* keys and hashes are in it */
	e = store_copy(from, to, tty ? bar_draw : NULL, &bar, &report, &why);
	if (tty && bar.percent >= 0) fprintf(stderr, "\r%*s\r", BAR + 8, "");
	if (e) return cli_fail(cli, &why);
	printf("%s\n",
		msg_count(&cli->arena, report.there ? "cli.copy.there" : "cli.copy.done",
			report.rows)
			.at);
	return EXIT_YES;
}

static const struct flag flags[] = { { .name = "from", .value = "STORE" },
	{ .name = "to", .value = "STORE" }, { 0 } };
static const char *const examples[] = {
	"parley copy --from sqlite:/var/lib/parley/parley.db --to postgresql:///parley",
	NULL
};

const struct command verb_copy = {
	.name = "copy",
	.run = copy_run,
	.flags = flags,
	.exits = "0 1 2 3",
	.examples = examples,
};
