/* completion.c - parley completion. */
#include <stdio.h>

#include "cli/help.h"
#include "cli/verb/verbs.h"

static int completion_run(struct cli *cli)
{
	struct str shell = cli_word(cli, 0);
	struct buf out = { 0 };

	if (!completion_write(cli, shell, &out))
		return CLI_USAGE(cli, "cli.completion.shell", { "value", shell });
	fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
	return EXIT_YES;
}

const struct command completion_verbs[] = {
	{ "completion", completion_run, "bash|zsh|fish", 1, 1, NULL, 0, "0 2",
		"eval \"$(parley completion bash)\"\n"
		"parley completion fish > ~/.config/fish/completions/parley.fish" },
	{ 0 },
};
