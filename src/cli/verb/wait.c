/* wait.c - parley wait. */
#include "cli/asking.h"
#include "cli/outcome.h"
#include "cli/verb/verbs.h"

static int wait_run(struct cli *cli)
{
	struct asking a = { .cli = cli };
	int status = asking_join(&a, args_word(&cli->args, 0));

	if (status == EXIT_YES) status = asking_wait(&a, false);
	if (status == EXIT_YES) status = outcome_tell(cli, a.ask);
	asking_done(&a);
	return status;
}

static const struct flag flags[] = { { .name = "json" }, { 0 } };

static const char *const examples[] = {
	"id=$(parley ask 'Ready?' --no-wait); …; parley wait $id",
	NULL,
};

const struct command verb_wait = {
	.name = "wait",
	.run = wait_run,
	.words = "ID",
	.flags = flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 1 2 3 4 5 6 124 130",
	.examples = examples,
};
