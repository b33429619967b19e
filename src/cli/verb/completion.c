/* completion.c - parley completion. */
#include <stdio.h>

#include "cli/help.h"
#include "cli/verb/verbs.h"

static int completion_run(struct cli *cli)
{
	struct str shell = args_word(&cli->args, 0);
	struct buf out = { 0 };

	if (!completion_write(cli, shell, &out))
		return CLI_USAGE(cli, "cli.completion.shell", { "value", shell });
	fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
	return EXIT_YES;
}

static const char *const examples[] = {
	"eval \"$(parley completion bash)\"",
	"parley completion fish > ~/.config/fish/completions/parley.fish",
	NULL,
};

const struct command verb_completion = {
	.name = "completion",
	.run = completion_run,
	.words = "bash|zsh|fish",
	.exits = "0 2",
	.examples = examples,
};
