/* verb_gate.c - parley gate: runs a command line after its approval. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/approval.h"
#include "cli/outcome.h"
#include "cli/verbs.h"
#include "text/keep.h"

enum { EXIT_CANNOT_RUN = 126, EXIT_NO_COMMAND = 127 };

/* Invariant: execvp is reached only with an argv whose digest was approved, recomputed
 * here, and used up at the server, in this order. */

static int operation_make(struct cli *cli, const char *cwd, const struct json **out)
{
	struct buf text = { .max = 1 << 20 };
	struct json_writer w = { .out = &text };
	struct fault why = { 0 };

	jw_object(&w);
	jw_key(&w, "type");
	jw_text(&w, "command");
	jw_key(&w, "name");
	jw_text(&w, cli->args.words[0]);
	jw_key(&w, "arguments");
	jw_object(&w);
	jw_key(&w, "argv");
	jw_array(&w);
	for (size_t i = 0; i < cli->args.words_len; i++)
		jw_text(&w, cli->args.words[i]);
	jw_array_end(&w);
	jw_key(&w, "cwd");
	jw_text(&w, cwd);
	jw_object_end(&w);
	jw_object_end(&w);
	struct str kept = buf_keep(&text, &cli->arena);
	if (!kept.at) return CLI_USAGE(cli, "cli.too_long");
	return json_read(kept, NULL, &cli->arena, out, &why) == OK ? EXIT_YES
								   : cli_fail(cli, &why);
}

/* JSON is UTF-8: a word with other bytes would be shown, and approved, as another. */
static bool words_showable(const struct cli *cli, const char *cwd)
{
	for (size_t i = 0; i < cli->args.words_len; i++)
		if (!utf8_valid(str_of(cli->args.words[i]))) return false;
	return utf8_valid(str_of(cwd));
}

/* The command line in arguments {"argv": [text, …], "cwd": text}; NULL: cannot be run. */
static char **argv_of(const struct json *arguments, struct arena *arena, char **cwd)
{
	const struct json *argv = json_get(arguments, "argv"),
			  *dir = json_get(arguments, "cwd");
	char **out;

	if (!json_is(argv, JSON_ARRAY) || argv->count == 0 ||
		!json_is(dir, JSON_STRING) || arguments->count != 2)
		return NULL;
	out = ARENA_ARRAY(arena, char *, argv->count + 1);
	for (uint32_t i = 0; out && i < argv->count; i++) {
		if (!json_is(&argv->items[i], JSON_STRING)) return NULL;
		out[i] = arena_copy(arena, argv->items[i].text);
		if (!out[i]) return NULL;
	}
	*cwd = arena_copy(arena, dir->text);
	return out && *out[0] && *cwd ? out : NULL;
}

static int run(struct approval *ap, char **argv, const char *cwd)
{
	struct asking *a = &ap->asking;

	if (chdir(cwd) != 0) {
		fprintf(stderr, "parley: %s: %s\n", cwd, strerror(errno));
		return EXIT_CANNOT_RUN;
	}
	asking_done(a); /* its sockets are not the command's */
	fflush(stdout);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	int error = errno;
	SAY("cli.gate.cannot", { "command", str_of(argv[0]) },
		{ "why", str_of(strerror(error)) });
	return error == ENOENT ? EXIT_NO_COMMAND : EXIT_CANNOT_RUN;
}

static void edited_tell(const struct json *arguments)
{
	struct buf line = { .max = 1 << 20 };

	json_write(&line, json_get(arguments, "argv"));
	SAY("cli.gate.runs_edited", { "command", buf_str(&line) });
	buf_done(&line);
}

static int approved_run(struct approval *ap)
{
	struct cli *cli = ap->asking.cli;
	const struct json *edited = approval_edited(ap->asking.ask);
	char digest[DIGEST_SIZE], *cwd = NULL, **argv;
	int status;

	if (!approval_digest(ap, digest)) {
		SAY("cli.digest.wrong");
		return EXIT_NOT_ALLOWED;
	}
	argv = argv_of(edited ? edited : json_get(ap->operation, "arguments"),
		&cli->arena, &cwd);
	if (!argv) {
		SAY("cli.gate.edited");
		return EXIT_NOT_ALLOWED;
	}
	status = approval_use(ap, digest);
	if (status == EXIT_YES && edited) edited_tell(edited);
	return status == EXIT_YES ? run(ap, argv, cwd) : status;
}

static int gate_run(struct cli *cli)
{
	struct approval ap = { .asking.cli = cli };
	char *cwd = getcwd(NULL, 0);
	int status;

	if (!cwd || !words_showable(cli, cwd))
		status = CLI_USAGE(cli, "cli.gate.bytes");
	else
		status = operation_make(cli, cwd, &ap.operation);
	free(cwd);
	if (status == EXIT_YES) status = approval_ask(&ap);
	if (status == EXIT_YES) status = asking_wait(&ap.asking, true);
	if (status == EXIT_YES) {
		struct str story = outcome_story(ap.asking.ask, &cli->arena);

		fprintf(stderr, "%.*s\n", STR_ARGS(story));
		status = outcome_exit(ap.asking.ask);
		if (status == EXIT_YES) status = approved_run(&ap);
	}
	asking_done(&ap.asking);
	return status;
}

static const struct flag flags[] = {
	{ .name = "risk", .value = "RISK", .values = "low medium high critical" }, { 0 }
};

static const char *const examples[] = {
	"parley gate --risk high -- make deploy",
	"parley gate --timeout 10m -- rm -r build",
	NULL,
};

const struct command verb_gate = {
	.name = "gate",
	.run = gate_run,
	.words = "[--] COMMAND [ARGUMENT…]",
	.words_min = 1,
	.words_max = WORDS_MANY,
	.flags = flags,
	.also = asking_flags,
	.settings = SETTINGS_CLIENT,
	.exits = "0 1 2 3 4 6 124 126 127 130",
	.examples = examples,
	.stop = true,
};
