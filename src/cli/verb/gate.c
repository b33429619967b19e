/* gate.c - parley gate: runs a command line after its approval. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/keep.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "cli/approval.h"
#include "cli/outcome.h"
#include "cli/project.h"
#include "cli/request.h"
#include "cli/verb/gate_env.h"
#include "cli/verb/program.h"
#include "cli/verb/verbs.h"
#include "text/problem_words.h"

enum { EXIT_CANNOT_RUN = 126, EXIT_NO_COMMAND = 127, TITLE_POINTS = 120 };

/* Invariant: a program runs only when its digest (command line, folder, path and content
 * of the program, variables that steer it) was approved, recomputed here, and used up at the
 * server, in this order, and the file is still what it was. */

static const struct json *operation_given(
	struct cli *cli, const char *cwd, struct str env, const struct program *program)
{
	return approval_operation(cli, "command", cli_word(cli, 0),
		BODY(cli, { "argv", .raw = request_word_list(cli, 0) },
			{ "cwd", .text = str_of(cwd) }, { "env", .raw = env },
			{ "program", .text = str_of(program->path) },
			{ "sha256", .text = str_of(program->sha256) }));
}

/* JSON is UTF-8: a word with other bytes would be shown, and approved, as another. */
static bool words_showable(const struct cli *cli, const char *cwd)
{
	for (size_t i = 0; i < cli->args.words_len; i++)
		if (!utf8_valid(str_of(cli->args.words[i]))) return false;
	return utf8_valid(str_of(cwd));
}

/* The command line in arguments {"argv": [text, …], "cwd": text, …}; NULL: cannot be
 * run. */
static char **argv_of(const struct json *arguments, struct arena *arena, char **cwd)
{
	static const char *const known[] = { "argv", "cwd", "env", "program", "sha256" };
	const struct json *argv = json_get(arguments, "argv"),
			  *dir = json_get(arguments, "cwd");
	uint32_t count = 0;
	char **out;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		count += json_get(arguments, known[i]) != NULL;
	if (!json_is(argv, JSON_ARRAY) || argv->count == 0 ||
		!json_is(dir, JSON_STRING) || arguments->count != count)
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

static void program_fail(struct fault *why)
{
	problem_translate(why, msg_lang());
	fprintf(stderr, "parley: %s\n", why->detail);
}

/* Checks that the approved file is unchanged. If the person edited the command, the program
 * is looked up here. */
static int program_check(struct cli *cli, const struct json *asked,
	const struct json *approved, char **argv, const char *cwd, struct program *now)
{
	struct str path = json_text_of(approved, "program");
	struct str sum = json_text_of(approved, "sha256");
	const struct json *before = json_get(asked, "argv");
	bool other = !str_is(json_text(&before->items[0]), argv[0]) || path.len == 0;
	struct fault why = { 0 };
	enum err e = other ? program_find(argv[0], cwd, &cli->arena, now, &why)
			   : program_open(arena_copy(&cli->arena, path), &cli->arena, now,
				     &why);

	if (e) {
		program_fail(&why);
		return e == ERR_NOT_FOUND ? EXIT_NO_COMMAND : EXIT_CANNOT_RUN;
	}
	if (other || str_is(sum, now->sha256)) return EXIT_YES;
	SAY("cli.gate.changed", { "path", path });
	program_close(now);
	return EXIT_NOT_ALLOWED;
}

static int run(struct approval *ap, const struct program *program, char **argv,
	const char *cwd, const struct json *env)
{
	struct asking *a = &ap->asking;
	const struct json *asked = json_get(ap->operation, "arguments");

	if (!gate_env_set(env, &a->cli->arena) ||
		!gate_env_trace(json_text_of(a->ask, "id"), &a->cli->arena))
		return CLI_SAY(EXIT_NOT_ALLOWED, "cli.gate.edited");
	/* We have stood in the folder since it was named: another may have its name by now. */
	if (!str_is(json_text_of(asked, "cwd"), cwd) && chdir(cwd) != 0) {
		fprintf(stderr, "parley: %s: %s\n", cwd, strerror(errno));
		return EXIT_CANNOT_RUN;
	}
	asking_done(a); /* the command must not inherit our sockets */
	fflush(stdout);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	program_exec(program, argv);
	int error = errno;
	SAY("cli.gate.cannot", { "command", str_of(argv[0]) },
		{ "why", str_of(strerror(error)) });
	return error == ENOENT ? EXIT_NO_COMMAND : EXIT_CANNOT_RUN;
}

static struct str argv_line(const struct json *argv, struct arena *arena)
{
	struct buf line = { .max = 1 << 20 };

	for (const struct json *item = NULL; json_each(argv, &item);)
		shell_word_add(&line, json_text(item));
	return buf_keep_done(&line, arena);
}

static void edited_tell(const struct json *arguments)
{
	struct arena arena = { 0 };

	SAY("cli.gate.runs_edited",
		{ "command", argv_line(json_get(arguments, "argv"), &arena) });
	arena_done(&arena);
}

/* `digest`: of the approval that is used up with it; NULL: the policy allows it. */
static int checked_run(
	struct approval *ap, const struct json *approved, const char *digest)
{
	struct cli *cli = ap->asking.cli;
	const struct json *asked = json_get(ap->operation, "arguments");
	struct program program = { .fd = -1 };
	char *cwd = NULL, **argv = argv_of(approved, &cli->arena, &cwd);
	int status;

	if (!argv) return CLI_SAY(EXIT_NOT_ALLOWED, "cli.gate.edited");
	status = program_check(cli, asked, approved, argv, cwd, &program);
	if (status == EXIT_YES && digest) status = approval_use(ap, digest);
	if (status == EXIT_YES && approved != asked) edited_tell(approved);
	if (status == EXIT_YES)
		status = run(ap, &program, argv, cwd, json_get(approved, "env"));
	program_close(&program);
	return status;
}

static int approved_run(struct approval *ap)
{
	const struct json *edited = approval_edited(ap->asking.ask);
	char digest[DIGEST_SIZE];

	if (!approval_digest(ap, digest))
		return CLI_SAY(EXIT_NOT_ALLOWED, "cli.digest.wrong");
	return checked_run(
		ap, edited ? edited : json_get(ap->operation, "arguments"), digest);
}

/* Rules and the policy's mode first; *decided: a person need not be asked. A mode that nobody has
 * set allows nothing. */
static int policy_run(struct approval *ap, bool *decided)
{
	struct cli *cli = ap->asking.cli;
	struct str session = asking_open(&ap->asking);
	const struct json *said = cli_call_with(cli, ap->asking.client, "POST",
		STR("/v1/decide"), decide_body(ap, session));
	struct str effect = json_text_of(said, "effect");

	*decided =
		!str_is(effect, "ask") && !json_is(json_get(said, "default"), JSON_TRUE);
	if (*decided && str_is(effect, "allow"))
		return checked_run(ap, json_get(ap->operation, "arguments"), NULL);
	if (!*decided) {
		ap->asking.client = client_free(ap->asking.client);
		return EXIT_YES;
	}
	SAY("cli.gate.denied", { "reason", json_text_of(said, "reason") });
	return json_is(json_get(said, "stop"), JSON_STRING) ? EXIT_NOT_ALLOWED : EXIT_NO;
}

/* What is asked for: the command line as it stands here. */
static void gate_prepare(struct approval *ap)
{
	struct cli *cli = ap->asking.cli;
	struct program program = { .fd = -1 };
	char *cwd = getcwd(NULL, 0);
	struct fault why = { 0 };
	bool readable;
	struct str env = gate_env(&cli->arena, &readable);

	if (!cwd || !readable || !words_showable(cli, cwd))
		CLI_REFUSE(cli, "cli.gate.bytes");
	if (program_find(cli->args.words[0], cwd, &cli->arena, &program, &why)) {
		program_fail(&why);
		cli_end(cli,
			why.err == ERR_NOT_FOUND ? EXIT_NO_COMMAND : EXIT_CANNOT_RUN);
	}
	ap->operation = operation_given(cli, cwd, env, &program);
	program_close(&program);
	free(cwd);
	project_say_here(cli);
	ap->asking.title = MSG(&cli->arena, "cli.gate.title",
		{ "command", utf8_first(argv_line(json_get(json_get(ap->operation,
								   "arguments"),
							  "argv"),
						&cli->arena),
				     TITLE_POINTS) });
}

static int gate_run(struct cli *cli)
{
	struct approval ap = { .asking = { .cli = cli, .stops = true } };
	bool decided = false;
	int status = EXIT_YES;

	gate_prepare(&ap);
	if (cli_has(cli, "policy")) status = policy_run(&ap, &decided);
	if (!decided) {
		approval_ask(&ap);
		asking_wait(&ap.asking, true);
		fprintf(stderr, "%.*s\n",
			STR_ARGS(outcome_story(ap.asking.ask, &cli->arena)));
		status = outcome_exit(ap.asking.ask);
		if (status == EXIT_YES) status = approved_run(&ap);
	}
	asking_done(&ap.asking);
	return status;
}

static const struct flag flags[] = { { "risk", "RISK", "low medium high critical" },
	{ "policy" }, { 0 } };

const struct command gate_verbs[] = {
	{ "gate", gate_run, "[--] COMMAND [ARGUMENT…]", 1, WORDS_MANY, flags,
		CLIENT | STOPS, "0 1 2 3 4 6 124 126 127 130",
		"parley gate --risk high -- make deploy\n"
		"parley gate --timeout 10m -- rm -r build\n"
		"parley gate --policy -- npm test",
		.also = asking_flags },
	{ 0 },
};
