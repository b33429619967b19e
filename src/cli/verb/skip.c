/* skip.c - parley skip. */
#include "cli/settle.h"
#include "cli/verb/verbs.h"

static int skip_run(struct cli *cli)
{
	return settle(cli, cli_word(cli, 0), "/skip", request_reason(cli));
}

const struct command skip_verbs[] = {
	{ "skip", skip_run, "ID", 1, 1, reason_flags, CLIENT, "0 1 2 3 4 5",
		"parley skip ask_01jc… --reason 'Not mine to decide'" },
	{ 0 },
};
