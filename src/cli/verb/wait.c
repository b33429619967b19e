/* wait.c - parley wait. */
#include "cli/asking.h"
#include "cli/outcome.h"
#include "cli/verb/verbs.h"

static int wait_run(struct cli *cli)
{
	struct asking a = { .cli = cli };
	int status;

	asking_join(&a, cli_word(cli, 0));
	asking_wait(&a, false);
	status = outcome_tell(cli, a.ask);
	asking_done(&a);
	return status;
}

const struct command wait_verbs[] = {
	{ "wait", wait_run, "ID", 1, 1, json_flags, CLIENT, "0 1 2 3 4 5 6 124 130",
		"id=$(parley ask 'Ready?' --no-wait); …; parley wait $id" },
	{ 0 },
};
