/* cli.c - finds the verb, reads its options and settings, runs it; says what failed. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "cli/cli_call.h"
#include "cli/help.h"
#include "cli/refusal.h"
#include "cli/verb/verbs.h"
#include "text/problem_words.h"
#include "text/safe_text.h"

/* NULL: the rows of layers above. */
static const struct command *const verbs[] = { ask_verbs, approve_verbs, gate_verbs,
	wait_verbs, show_verbs, list_verbs, answer_verbs, settle_verbs, stop_verbs,
	rule_verbs, rule_file_verbs, policy_verbs, away_verbs, contact_verbs, route_verbs,
	slack_verbs, run_verbs, runs_verbs, watch_verbs, inbox_verbs, host_verbs,
	mcp_verbs, connect_verbs, hook_verbs, login_verbs, doctor_verbs, help_verbs, NULL,
	token_verbs, user_verbs, team_verbs, template_verbs, workspace_verbs,
	agents_verbs, providers_verbs, delivery_verbs, mail_in_verbs, store_verbs };

static const struct flag help_flags[] = { { "help", .letter = 'h' }, { 0 } };
const struct flag json_flags[] = { { "json" }, { 0 } };
const struct flag reason_flags[] = { { "reason", "TEXT" }, { "json" }, { 0 } };

const struct command *command_at(const struct cli *cli, size_t i)
{
	for (size_t n = 0; n < sizeof verbs / sizeof *verbs; n++) {
		const struct command *c = verbs[n];

		if (!c && cli->above) c = cli->above->verbs;
		for (; c && c->name; c++)
			if (i-- == 0) return c;
	}
	return NULL;
}

const struct command *command_find(const struct cli *cli, struct str name)
{
	const struct command *c;

	for (size_t i = 0; (c = command_at(cli, i)); i++)
		if (str_is(name, c->name) || (c->alias && str_is(name, c->alias)))
			return c;
	return NULL;
}

int cli_usage(const struct cli *cli, struct str what)
{
	struct str verb = cli->command ? str_of(cli->command->name) : STR_NONE;

	fprintf(stderr, "parley: %.*s\n", STR_ARGS(what));
	SAY(verb.len > 0 ? "cli.see_help" : "cli.see_help.all", { "verb", verb });
	return EXIT_USAGE;
}

struct str cli_words(struct cli *cli)
{
	struct str all = cli_word(cli, 0);

	for (size_t i = 1; i < cli->args.words_len; i++)
		all = arena_print(
			&cli->arena, "%.*s %s", STR_ARGS(all), cli->args.words[i]);
	return all;
}

bool cli_word_looks(struct cli *cli, const char *list)
{
	static const char *const looks[] = { "list", "ls", "show", "status", "help" };
	struct str word = cli_word(cli, 0);

	for (size_t i = 0; cli->args.words_len == 1 && i < sizeof looks / sizeof *looks;
		i++)
		if (str_is(word, looks[i])) {
			CLI_USAGE(cli, "cli.words.looks", { "word", word },
				{ "list", str_of(list) });
			return true;
		}
	return false;
}

/* Errors whose own words are too bare for a person get a sentence of the catalogue. */
static const struct {
	enum err err;
	int exit;
	const char *message; /* NULL: the fault's own words */
} failures[] = {
	{ ERR_NO_TOKEN, EXIT_NOT_ALLOWED, "cli.fail.no_token" },
	{ ERR_FORBIDDEN, EXIT_NOT_ALLOWED, NULL },
	{ ERR_NOT_FOUND, EXIT_UNKNOWN_ID, NULL },
	{ ERR_CONFLICT, EXIT_NO, NULL },
	{ ERR_UNAVAILABLE, EXIT_NO_SERVER, "cli.fail.unavailable" },
	{ ERR_CHANNEL_OFF, EXIT_NO_SERVER, NULL },
	{ ERR_UNKNOWN, EXIT_NO_SERVER, "cli.fail.unknown" },
	{ ERR_RATE, EXIT_NO_SERVER, NULL },
	{ ERR_MEMORY, EXIT_NO_SERVER, NULL },
	{ ERR_BUSY, EXIT_NO_SERVER, NULL },
	{ ERR_INTERNAL, EXIT_NO_SERVER, NULL },
};

int cli_fail(const struct cli *cli, const struct fault *english)
{
	const char *id = NULL;
	int status = EXIT_USAGE;
	struct arena arena = { 0 };
	struct fault said = *english, *why = &said;

	problem_translate(&said, msg_lang());

	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		if (failures[i].err == why->err) {
			id = failures[i].message;
			status = failures[i].exit;
		}
	/* Administration and the server name the file or address in their own words. */
	if (why->err == ERR_UNAVAILABLE && cli->command &&
		!(cli->command->what & SETTINGS_CLIENT))
		id = NULL;
	struct str own = str_of(why->detail);
	struct str detail =
		id ? MSG(&arena, id, { "detail", own }) : safe_line(&arena, own);

	if (why->items_len > 0)
		refusal_say(cli, why);
	else
		fprintf(stderr, "parley: %.*s\n", STR_ARGS(detail));
	arena_done(&arena);
	return status;
}

static int verb_unknown(struct cli *cli, int argc, char **argv)
{
	struct str name = str_of(argv[1]), next = str_of(argc > 2 ? argv[2] : "");
	bool help = str_is(next, "--help") || str_is(next, "-h");
	const char *near = NULL;
	const struct command *c;

	if (help_group(cli, name, help ? stdout : stderr))
		return help ? EXIT_YES : EXIT_USAGE;
	for (size_t i = 0; (c = command_at(cli, i)); i++) {
		struct str rest = str_of(c->name), word = rest;

		str_cut(&rest, ' ', &word);
		near = nearer(name, near, arena_copy(&cli->arena, word));
	}
	return near ? CLI_USAGE(cli, "cli.verb.unknown.near", { "verb", name },
			      { "near", str_of(near) })
		    : CLI_USAGE(cli, "cli.verb.unknown", { "verb", name });
}

/* The longer name wins: "token create" before "token". *used counts its words. */
static const struct command *command_pick(
	struct cli *cli, int argc, char **argv, int *used)
{
	const struct command *c = NULL;

	*used = 2;
	if (argc > 2)
		c = command_find(
			cli, arena_print(&cli->arena, "%s %s", argv[1], argv[2]));
	if (c) return *used = 3, c;
	return command_find(cli, str_of(argv[1]));
}

/* Below 0: too few words; above: too many. */
static int words_misfit(const struct cli *cli)
{
	const struct command *c = cli->command;
	size_t n = cli->args.words_len;

	return n < c->words_min ? -1 : c->words_max != WORDS_MANY && n > c->words_max;
}

/* The first word is an ask's id, or ID@DIGEST. */
static bool id_given(const struct cli *cli)
{
	struct str rest = cli_word(cli, 0), id = rest;

	str_cut(&rest, '@', &id);
	return id_valid(id, "ask");
}

static int command_run(struct cli *cli, int argc, char **argv)
{
	const struct command *c = cli->command;
	static const struct flag none[] = { { 0 } };
	unsigned groups = c->what | SETTINGS_ALL;
	const struct flag *tables[] = { c->flags ? c->flags : none,
		c->also ? c->also : none, settings_flags(groups, &cli->arena), help_flags,
		NULL };
	struct fault why = { 0 };
	enum err err = args_read(
		argc, argv, tables, c->what & STOPS, &cli->arena, &cli->args, &why);

	if (err != OK) return cli_usage(cli, str_of(why.detail));
	err = settings_read(&cli->args, groups, &cli->arena, &cli->settings, &why);
	if (err == OK) msg_lang_set(cli->settings.lang);
	if (cli_has(cli, "help")) {
		term_setup(&cli->term, cli->settings.color);
		return help_print(cli, c, stdout);
	}
	if (err != OK) return cli_fail(cli, &why);
	if (words_misfit(cli))
		return CLI_USAGE(cli,
			!c->words		? "cli.words.none"
			: words_misfit(cli) < 0 ? "cli.words"
						: "cli.words.many",
			{ "verb", str_of(c->name) }, { "words", str_of(c->words) });
	term_setup(&cli->term, cli->settings.color);
	if (c->words && str_starts(str_of(c->words), "ID") &&
		(c->what & SETTINGS_CLIENT) && !id_given(cli)) {
		fprintf(stderr, "parley: %s\n",
			MSG(&cli->arena, "cli.id.wrong", { "id", cli_word(cli, 0) }).at);
		return EXIT_UNKNOWN_ID;
	}
	return c->run(cli);
}

/* "parley --lang fr list" is "parley list --lang fr". */
static char **options_behind(struct cli *cli, int argc, char **argv)
{
	static const char *const valued[] = { "--lang", "--color", "--config", "--url",
		"--token", "--data" };
	char **out = ARENA_ARRAY(&cli->arena, char *, (size_t)argc + 1);
	int verb = 1, n = 1, used;

	while (verb < argc && argv[verb][0] == '-' && argv[verb][1]) {
		for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
			if (strcmp(argv[verb], valued[i]) == 0 && verb + 1 < argc) {
				verb++;
				break;
			}
		verb++;
	}
	if (!out || verb == 1 || verb >= argc ||
		!command_pick(cli, argc - verb + 1, argv + verb - 1, &used))
		return argv;
	out[0] = argv[0];
	for (int i = verb; i < verb + used - 1; i++)
		out[n++] = argv[i];
	for (int i = 1; i < verb; i++)
		out[n++] = argv[i];
	for (int i = verb + used - 1; i < argc; i++)
		out[n++] = argv[i];
	return out;
}

/* Without a verb: --version, --help, or nothing; --lang and the like beside them. */
static int bare_run(struct cli *cli, int argc, char **argv)
{
	static const struct flag flags[] = { { "help", .letter = 'h' },
		{ "version", .letter = 'v' }, { "Version", .letter = 'V' }, { 0 } };
	const struct flag *tables[] = { flags, settings_flags(SETTINGS_ALL, &cli->arena),
		NULL };
	struct fault why = { 0 };
	bool version = argc > 1 && strcmp(argv[1], "version") == 0;

	if (args_read(argc - 1, argv + 1, tables, false, &cli->arena, &cli->args, &why))
		return cli_usage(cli, str_of(why.detail));
	if (settings_read(&cli->args, SETTINGS_ALL, &cli->arena, &cli->settings, &why) ==
		OK)
		msg_lang_set(cli->settings.lang);
	if (version || cli_has(cli, "version") || cli_has(cli, "Version")) {
		puts("parley " PARLEY_VERSION);
		return EXIT_YES;
	}
	term_setup(&cli->term, cli->settings.color);
	help_print(cli, NULL, cli_has(cli, "help") ? stdout : stderr);
	return cli_has(cli, "help") ? EXIT_YES : EXIT_USAGE;
}

/* Whoever closed a standard stream gets /dev/null there, not the next file we open. */
static void stdio_open(struct cli *cli)
{
	cli->stdout_closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) return;
}

/* Has the reader of our pipe gone? Then it had enough, which is no failure. */
static bool reader_gone(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

/* What is left to do when a verb has ended. */
static int verb_ended(struct cli *cli, int status)
{
	cli_call_close(cli);
	errno = 0;
	bool failed = fflush(stdout) != 0 || ferror(stdout);
	if (failed && !reader_gone()) {
		SAY("cli.stdout", { "why", str_of(strerror(errno ? errno : EIO)) });
		if (status == EXIT_YES) status = EXIT_NO_SERVER;
	}
	arena_done(&cli->arena);
	return status;
}

void cli_end(struct cli *cli, int status)
{
	exit(verb_ended(cli, status));
}

void cli_fail_end(struct cli *cli, const struct fault *why)
{
	cli_end(cli, cli_fail(cli, why));
}

int cli_main(int argc, char **argv, const struct cli_above *above)
{
	struct cli cli = { .above = above };
	int used, status;

	stdio_open(&cli);
	clock_init();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	msg_lang_set(msg_lang_guess());
	argv = options_behind(&cli, argc, argv);
	if (argc < 2 || argv[1][0] == '-' || strcmp(argv[1], "version") == 0) {
		status = bare_run(&cli, argc, argv);
	} else if ((cli.command = command_pick(&cli, argc, argv, &used))) {
		status = command_run(&cli, argc - used, argv + used);
	} else {
		status = verb_unknown(&cli, argc, argv);
	}
	return verb_ended(&cli, status);
}
