/* grammar.c - finds the command that words mean. Commands are spelled NOUN VERB in the singular; the
 * other ways are read here, so that no command knows of them. */
#include "cli/grammar.h"

enum { NEAR_MOST = 2 };

/* Words for one action. The first of these that the noun has is meant. */
static const char *const same_action[] = { "list ls", "remove delete rm end revoke",
	"add create new", "show get", "edit change update" };

/* They change the whole desk: nobody is led to them by a slip of the pen. */
static const char drastic[] = "pause resume stop go";

static const struct command *two_words(struct cli *cli, struct str noun, struct str verb)
{
	return command_find(cli,
		arena_print(&cli->arena, "%.*s %.*s", STR_ARGS(noun), STR_ARGS(verb)));
}

/* "NOUN VERB", or with another word for that action. */
static const struct command *action_find(
	struct cli *cli, struct str noun, struct str verb)
{
	const struct command *c = two_words(cli, noun, verb);

	for (size_t i = 0; !c && i < sizeof same_action / sizeof *same_action; i++) {
		struct str rest = str_of(same_action[i]), one;

		while (!c && args_among(same_action[i], verb) &&
			str_cut(&rest, ' ', &one))
			c = two_words(cli, noun, one);
	}
	return c;
}

static bool noun_known(struct cli *cli, struct str noun)
{
	const struct command *c;

	for (size_t i = 0; noun.len && (c = command_at(cli, i)); i++)
		if (str_eq(str_first(str_of(c->name), noun.len), noun) &&
			c->name[noun.len] == ' ')
			return true;
	return false;
}

struct str grammar_noun(struct cli *cli, struct str word)
{
	struct str singular = STR_NONE;

	if (str_ends(word, "ies"))
		singular = arena_print(
			&cli->arena, "%.*sy", STR_ARGS(str_first(word, word.len - 3)));
	else if (str_ends(word, "s"))
		singular = str_first(word, word.len - 1);
	return noun_known(cli, singular) ? singular : word;
}

static bool is_word(int argc, char **argv, int i)
{
	return i < argc && *argv[i] != '-';
}

/* Of a noun that is no command by itself. */
static struct grammar noun_read(struct cli *cli, struct str noun, int argc, char **argv)
{
	struct str second = str_of(is_word(argc, argv, 1) ? argv[1] : NULL);
	struct str third = str_of(second.len && is_word(argc, argv, 2) ? argv[2] : NULL);
	const struct command *c = NULL;

	if (second.len && (c = action_find(cli, noun, second)))
		return (struct grammar){ c, 2, NULL };
	if (second.len && third.len && (c = action_find(cli, noun, third)))
		return (struct grammar){ c, 3, argv[1] };
	if (third.len) return (struct grammar){ 0 };
	if (second.len) return (struct grammar){ two_words(cli, noun, STR("show")), 1 };
	if (argc > 1 && args_among("--help -h", str_of(argv[1])))
		return (struct grammar){ 0 };
	return (struct grammar){ two_words(cli, noun, STR("list")), 1 };
}

struct grammar grammar_read(struct cli *cli, int argc, char **argv)
{
	struct str first = str_of(argv[0]), noun = grammar_noun(cli, first);
	const struct command *c = NULL;

	if (is_word(argc, argv, 1)) c = two_words(cli, first, str_of(argv[1]));
	if (c) return (struct grammar){ c, 2, NULL };
	c = command_find(cli, first);
	if (c) return (struct grammar){ c, 1, NULL };
	return noun_known(cli, noun) ? noun_read(cli, noun, argc, argv)
				     : (struct grammar){ 0 };
}

const char *grammar_near(struct cli *cli, struct str noun, struct str word)
{
	size_t least = word.len > 3 ? NEAR_MOST + 1 : NEAR_MOST;
	const char *near = NULL;
	const struct command *c;

	for (size_t i = 0; (c = command_at(cli, i)); i++) {
		struct str rest = str_of(c->name), first;

		str_cut(&rest, ' ', &first);
		if (noun.len && !(rest.len && str_eq(first, noun))) continue;
		if (noun.len) first = rest;
		if (args_among(drastic, first) || edit_distance(word, first) >= least)
			continue;
		least = edit_distance(word, first);
		near = arena_copy(&cli->arena, first);
	}
	return near;
}

struct str grammar_actions(struct cli *cli, struct str noun)
{
	struct str actions = STR_NONE;
	const struct command *c;

	for (size_t i = 0; (c = command_at(cli, i)); i++) {
		struct str rest = str_of(c->name), first;

		str_cut(&rest, ' ', &first);
		if (!rest.len || !str_eq(first, noun)) continue;
		actions = arena_print(&cli->arena, "%.*s%s%.*s", STR_ARGS(actions),
			actions.len ? ", " : "", STR_ARGS(rest));
	}
	return actions;
}
