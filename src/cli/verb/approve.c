/* approve.c - parley request, which asks for an approval; parley approve and reject, which decide on
 * one. */
#include <stdio.h>

#include "base/keep.h"
#include "cli/approval.h"
#include "cli/outcome.h"
#include "cli/project.h"
#include "cli/resource.h"
#include "cli/verb/answer_many.h"
#include "cli/verb/verbs.h"
#include "core/proof/receipt.h"

static const struct json *operation_given(struct cli *cli)
{
	struct buf text = { .max = 1 << 20 };
	struct json_writer w = { .out = &text };
	struct str pair;

	jw_object(&w);
	for (size_t i = 0; args_next(&cli->args, "arg", &i, &pair);)
		if (!request_pair(&w, pair, &cli->arena))
			CLI_REFUSE(cli, "cli.arg.wrong", { "value", pair });
	jw_object_end(&w);
	return approval_operation(
		cli, "tool", cli_arg(cli, "tool"), buf_keep_done(&text, &cli->arena));
}

static struct str diff_read(struct cli *cli)
{
	struct str path = cli_arg(cli, "diff");

	return path.len ? resource_file(cli, path) : STR_NONE;
}

/* Whoever asked for one thing must not take the approval of another for it. */
static int verdict(struct cli *cli, const struct json *ask)
{
	if (!approval_edited(ask) || cli_has(cli, "json")) return outcome_tell(cli, ask);
	return CLI_SAY(EXIT_NO, "cli.approve.edited");
}

/* Uses it for a target, and prints the proof alone: whoever reads it gets that or nothing. */
static int proof_print(struct approval *ap)
{
	char digest[DIGEST_SIZE];
	int status = outcome_exit(ap->asking.ask);

	if (!approval_digest(ap, digest))
		return CLI_SAY(status ? status : EXIT_NOT_ALLOWED, "cli.approve.not_for",
			{ "name", ap->target });
	if (approval_edited(ap->asking.ask))
		return CLI_SAY(EXIT_NO, "cli.approve.edited");
	status = approval_use(ap, digest);
	if (status == EXIT_YES) printf("%.*s\n", STR_ARGS(ap->token));
	return status;
}

static int request_approval_run(struct cli *cli)
{
	struct approval ap = { .asking = { .cli = cli, .stops = true },
		.target = cli_arg(cli, "for") };
	int status = EXIT_YES;

	if (cli_arg(cli, "tool").len == 0) return CLI_USAGE(cli, "cli.approve.tool");
	/* Before a person is asked for nothing. */
	if (cli_has(cli, "for") && !approval_token_for(ap.target))
		return CLI_USAGE(cli, "cli.approve.for");
	project_say(cli, NULL);
	ap.operation = operation_given(cli);
	ap.diff = diff_read(cli);
	approval_ask(&ap);
	if (!asking_leaves(&ap.asking)) {
		asking_wait(&ap.asking, true);
		status = ap.target.len ? proof_print(&ap) : verdict(cli, ap.asking.ask);
	}
	asking_done(&ap.asking);
	return status;
}

static const struct flag flags[] = { { "tool", "NAME" },
	{ "arg", "KEY=VALUE", .many = true }, { "diff", "FILE" },
	{ "risk", "RISK", "low medium high critical" }, { "for", "NAME" }, { "no-wait" },
	{ "json" }, { 0 } };

/* With ids it approves. With options alone it asks, as it did before there was `request`. */
static int approve_run(struct cli *cli)
{
	size_t ids = cli->args.words_len;

	if (ids) return answer_decide(cli, ids, true);
	if (!cli->args.given_len) return CLI_USAGE(cli, "cli.approve.what");
	return request_approval_run(cli);
}

static int reject_run(struct cli *cli)
{
	return answer_decide(cli, cli->args.words_len, false);
}

static const struct flag approve_flags[] = { { "reason", "TEXT" }, { "for", "TIME" },
	{ "pattern", "PATTERN" }, { "open" }, { "yes" }, { "json" }, { 0 } };
static const struct flag reject_flags[] = { { "reason", "TEXT" }, { "yes" }, { "json" },
	{ 0 } };

const struct command approve_verbs[] = {
	{ "request", request_approval_run, NULL, 0, 0, flags, CLIENT,
		"0 1 2 3 4 6 124 130",
		"parley request --tool deploy --arg env=prod --arg replicas=3 --risk high\n"
		"parley request --tool edit --arg file=main.c --diff main.diff --timeout 1h\n"
		"parley request --tool deploy --arg env=prod --for deploy.example.org",
		.also = asking_flags },
	{ "approve", approve_run, "[ID…]", 0, WORDS_MANY, approve_flags, CLIENT,
		"0 1 2 3 4 5 6 124 130",
		"parley approve ask_01jc…\n"
		"parley approve ask_01jc… --for 1h --pattern 'Bash(npm test *)'\n"
		"parley approve ask_01jc…@3f2a91c04d5e6b7a --yes",
		.takes = &approve_verbs[0] },
	{ "reject", reject_run, "ID…", 1, WORDS_MANY, reject_flags, CLIENT, "0 1 2 3 4 5",
		"parley reject ask_01jc… --reason 'Not on a Friday'" },
	{ 0 },
};
