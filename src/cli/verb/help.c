/* help.c - parley help, the texts of manual pages, parley completion. */
#include <stdio.h>

#include "cli/grammar.h"
#include "cli/help.h"
#include "cli/templates/templates.h"
#include "cli/verb/verbs.h"

static void man_print(struct cli *cli, const struct command *c)
{
	struct buf out = { 0 };

	help_fill(cli, c,
		c					  ? template_man_verb
		: str_is(cli_word(cli, 0), "parley.conf") ? template_man_settings
							  : template_man_overview,
		&out);
	fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}

/* The names of all verbs, a line each: what the build makes pages of. */
static void names_print(struct cli *cli)
{
	const struct command *c;

	for (size_t i = 0; (c = command_at(cli, i)); i++)
		puts(c->name);
}

static int help_run(struct cli *cli)
{
	struct str first = cli_word(cli, 0);
	bool man = cli_has(cli, "man");
	const struct command *c = command_find(cli, cli_words(cli));
	struct str noun = grammar_noun(cli, first);

	if (cli_has(cli, "names")) return names_print(cli), EXIT_YES;
	if (str_is(first, "all")) return help_print_all(cli);
	if (!c && cli->args.words_len == 2)
		c = grammar_read(cli, 2, cli->args.words).command;
	if (first.len > 0 && !c && help_group(cli, noun, stdout)) return EXIT_YES;
	if (first.len > 0 && !c && !(man && str_is(first, "parley.conf")))
		return CLI_USAGE(cli, "cli.verb.unknown", { "verb", first });
	if (!man) return help_print(cli, c, stdout);
	man_print(cli, c);
	return EXIT_YES;
}

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

static const struct flag flags[] = { { "man" }, { "names" }, { 0 } };

const struct command help_verbs[] = {
	{ "completion", completion_run, "bash|zsh|fish", 1, 1, NULL, 0, "0 2",
		"eval \"$(parley completion bash)\"\n"
		"parley completion fish > ~/.config/fish/completions/parley.fish" },
	{ "help", help_run, "[all|COMMAND]", 0, 2, flags, 0, "0 2",
		"parley help all\n"
		"parley help ask\n"
		"parley help --man ask | man -l -" },
	{ 0 },
};
