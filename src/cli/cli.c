/* cli.c - finds the verb, reads its options and settings, runs it; says what failed. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "admin/inspect.h"
#include "base/build.h"
#include "base/clock.h"
#include "base/id.h"
#include "cli/cli_call.h"
#include "cli/grammar.h"
#include "cli/help.h"
#include "cli/id_start.h"
#include "cli/refusal.h"
#include "cli/verb/verbs.h"
#include "text/problem_words.h"
#include "text/safe_text.h"

/* NULL: the rows of layers above. */
static const struct command *const verbs[] = { ask_verbs, approve_verbs, gate_verbs,
	wait_verbs, show_verbs, list_verbs, answer_verbs, settle_verbs, handle_verbs,
	status_verbs, proof_verbs, export_verbs, insights_verbs, hold_verbs,
	preference_verbs, mandate_verbs, stop_verbs, rule_verbs, rule_file_verbs,
	policy_verbs, away_verbs, contact_verbs, route_verbs, slack_verbs, runs_verbs,
	run_verbs, watch_verbs, inbox_verbs, host_verbs, mcp_verbs, connect_verbs,
	hook_verbs, login_verbs, doctor_verbs, help_verbs, NULL, token_verbs, user_verbs,
	team_verbs, template_verbs, workspace_verbs, agents_verbs, providers_verbs,
	tools_verbs, mcp_servers_verbs, delivery_verbs, mail_in_verbs, store_verbs,
	alerts_verbs };

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

static bool alias_is(const struct command *c, struct str name)
{
	struct str rest = str_of(c->alias), one;

	while (str_cut(&rest, '|', &one))
		if (str_eq(one, name)) return true;
	return false;
}

const struct command *command_find(const struct cli *cli, struct str name)
{
	const struct command *c;

	for (size_t i = 0; (c = command_at(cli, i)); i++)
		if (str_is(name, c->name) || alias_is(c, name)) return c;
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
	{ ERR_HELD, EXIT_NO, NULL },
	{ ERR_NO_KEY, EXIT_NO_SERVER, NULL },
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
	if (why->err == ERR_NO_TOKEN &&
		str_is(str_of(english->detail), "a token is required"))
		id = "cli.fail.not_logged_in";
	/* Administration and the server name the file or address in their own words. */
	if (why->err == ERR_UNAVAILABLE && cli->command &&
		(cli->admin || !(cli->command->what & SETTINGS_CLIENT)))
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

/* In "team ops frob" it is the third word that is wrong, in "token frob" the second. */
static int action_unknown(struct cli *cli, struct str noun, int argc, char **argv)
{
	bool named =
		command_find(cli, arena_print(&cli->arena, "%.*s show", STR_ARGS(noun)));
	struct str verb = str_of(argv[1]);
	const char *near = grammar_near(cli, noun, verb);

	if (!near && named && argc > 2) {
		verb = str_of(argv[2]);
		near = grammar_near(cli, noun, verb);
	}
	if (near)
		return CLI_USAGE(cli, "cli.action.near", { "verb", verb },
			{ "noun", noun }, { "near", str_of(near) });
	return CLI_USAGE(cli, "cli.action", { "verb", verb },
		{ "actions", grammar_actions(cli, noun) });
}

/* The words begin at argv[0]. */
static int verb_unknown(struct cli *cli, int argc, char **argv)
{
	struct str name = str_of(argv[0]), noun = grammar_noun(cli, name);
	bool help = argc > 1 && args_among("--help -h", str_of(argv[1]));
	const char *near;

	if (argc > 1 && *argv[1] != '-' && grammar_actions(cli, noun).len)
		return action_unknown(cli, noun, argc, argv);
	if (help_group(cli, noun, help ? stdout : stderr))
		return help ? EXIT_YES : EXIT_USAGE;
	near = grammar_near(cli, STR_NONE, name);
	return near ? CLI_USAGE(cli, "cli.verb.unknown.near", { "verb", name },
			      { "near", str_of(near) })
		    : CLI_USAGE(cli, "cli.verb.unknown", { "verb", name });
}

/* Below 0: too few words; above: too many. */
static int words_misfit(const struct cli *cli)
{
	const struct command *c = cli->command;
	size_t n = cli->args.words_len;

	return n < c->words_min ? -1 : c->words_max != WORDS_MANY && n > c->words_max;
}

/* Ids of asks at the start of its words, each an id or ID@DIGEST, in full. False: the first is
 * none. */
static bool ids_complete(struct cli *cli)
{
	for (size_t i = 0; i < cli->args.words_len; i++) {
		struct str word = cli_word(cli, i), rest = word, id;

		str_cut(&rest, '@', &id);
		if (id_start_is(id, "ask")) {
			struct str whole = id_start_complete(cli, id);

			cli->args.words[i] = arena_copy(&cli->arena,
				arena_print(&cli->arena, "%.*s%s%.*s", STR_ARGS(whole),
					rest.len ? "@" : "", STR_ARGS(rest)));
			id = whole;
		}
		if (!id_valid(id, "ask")) return i > 0;
	}
	return true;
}

/* Words as the row describes them: "ID…", "RUN|SESSION". */
static int words_complete(struct cli *cli)
{
	static const char *const kinds[] = { "ASK", "RUN", "SESSION", "RULE", "[STOP" };
	const struct command *c = cli->command;
	struct str words = str_of(c->words), first = cli_word(cli, 0);
	bool asks = str_starts(words, "ID") || str_starts(words, "[ID");
	bool named = false;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		named |= str_starts(words, kinds[i]);
	if (!(c->what & SETTINGS_CLIENT) || !first.len) return EXIT_YES;
	if (asks && !ids_complete(cli)) {
		fprintf(stderr, "parley: %s\n",
			MSG(&cli->arena, "cli.id.wrong", { "id", first }).at);
		return EXIT_UNKNOWN_ID;
	}
	if (named && id_start_is(first, NULL))
		cli->args.words[0] =
			arena_copy(&cli->arena, id_start_complete(cli, first));
	cli_call_close(cli); /* the command opens its own way */
	return EXIT_YES;
}

static int command_run(struct cli *cli, int argc, char **argv)
{
	const struct command *c = cli->command;
	static const struct flag none[] = { { 0 } };
	unsigned groups = c->what | SETTINGS_ALL;
	const struct flag *tables[] = { c->flags ? c->flags : none,
		c->also ? c->also : none, c->takes ? c->takes->flags : none,
		c->takes ? c->takes->also : none, settings_flags(groups, &cli->arena),
		help_flags, NULL };
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
	if (words_complete(cli)) return EXIT_UNKNOWN_ID;
	return c->run(cli);
}

/* Where the command's words begin: "parley --lang fr list" is "parley list --lang fr". */
static int verb_at(int argc, char **argv)
{
	static const char *const valued[] = { "--lang", "--color", "--config", "--url",
		"--token", "--data" };
	int verb = 1;

	while (verb < argc && argv[verb][0] == '-' && argv[verb][1]) {
		for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
			if (strcmp(argv[verb], valued[i]) == 0 && verb + 1 < argc) {
				verb++;
				break;
			}
		verb++;
	}
	return verb;
}

/* What stood before the verb, in front of what stands behind it. */
static int arguments_run(
	struct cli *cli, const struct grammar *found, int verb, int argc, char **argv)
{
	char **out = ARENA_ARRAY(&cli->arena, char *, (size_t)argc + 1);
	int n = 0;

	if (!out) return cli_fail(cli, &(struct fault){ .err = ERR_MEMORY });
	if (found->between) out[n++] = found->between;
	for (int i = 1; i < verb; i++)
		out[n++] = argv[i];
	for (int i = verb + found->used; i < argc; i++)
		out[n++] = argv[i];
	cli->command = found->command;
	cli->called = str_of(argv[verb]);
	return command_run(cli, n, out);
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
		printf("parley %s (commit %s, schema %lld)\n", PARLEY_VERSION,
			build_commit, (long long)inspect_schema());
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

/* The language is known before anything is refused, wherever it stands. */
static void lang_find(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--lang") == 0 && strcmp(argv[i + 1], "fr") == 0)
			msg_lang_set(LANG_FR);
		else if (strcmp(argv[i], "--lang") == 0 && strcmp(argv[i + 1], "en") == 0)
			msg_lang_set(LANG_EN);
}

int cli_main(int argc, char **argv, const struct cli_above *above)
{
	struct cli cli = { .above = above };
	struct grammar found = { 0 };
	int status, verb = verb_at(argc, argv);

	stdio_open(&cli);
	clock_init();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	msg_lang_set(msg_lang_guess());
	lang_find(argc, argv);
	if (verb < argc) found = grammar_read(&cli, argc - verb, argv + verb);
	if (found.command)
		status = arguments_run(&cli, &found, verb, argc, argv);
	else if (argc < 2 || verb > 1 || strcmp(argv[1], "version") == 0)
		status = bare_run(&cli, argc, argv);
	else
		status = verb_unknown(&cli, argc - 1, argv + 1);
	return verb_ended(&cli, status);
}
