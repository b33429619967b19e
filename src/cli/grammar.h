/* grammar.h - which command the words of a line mean: NOUN VERB, whatever way a person puts it. */
#ifndef CLI_GRAMMAR_H
#define CLI_GRAMMAR_H

#include "cli/cli.h"

/* `command` NULL: none. `used` counts the words that named it. `between` stood in front of the verb
 * ("team ops add ann") and is the first of its arguments; NULL: nothing did. */
struct grammar {
	const struct command *command;
	int used;
	char *between;
};

/* The words begin at argv[0]. Singular and plural are the same noun; a noun alone lists, with
 * another word it shows that one. */
struct grammar grammar_read(struct cli *, int argc, char **argv);
/* The noun as commands spell it: "agent" of "agents"; itself when there is no such noun. */
struct str grammar_noun(struct cli *, struct str word);
/* What a noun can do: "list, show, add"; empty: there is no such noun. */
struct str grammar_actions(struct cli *, struct str noun);
/* The command or action that the word is near to in spelling, and that is harmless; NULL: none.
 * `noun` empty: commands. */
const char *grammar_near(struct cli *, struct str noun, struct str word);

#endif
