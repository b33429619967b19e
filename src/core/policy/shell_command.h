/* shell_command.h - one command of a shell's language, read as bash reads it. Private to
 * core/command_line. Prefix: shell_ */
#ifndef CORE_SHELL_COMMAND_H
#define CORE_SHELL_COMMAND_H

#include "base/str.h"

/* What becomes of redirections, substitutions and blanks. */
enum shell_form {
	SHELL_WITHOUT_SUBSTITUTIONS, /* `2>x r$()m $y` is `rm` */
	SHELL_WITHOUT_REDIRECTIONS,  /* `2>x rm $y` is `rm $y` */
	SHELL_REDIRECTED_WORDS,	     /* `cat <x` is `cat x` */
	SHELL_WITH_REDIRECTIONS,     /* `cat <x` */
	SHELL_WITH_BLANKS,	     /* the same, and no blank is changed */
};

enum { SHELL_STARTS_MAX = 32 };

/* Its words without quotes and backslashes, `$'…'` decoded, $IFS a blank, each run of
 * blanks one space. Substitutions stay as they are written. */
struct shell_command {
	size_t end;	 /* how much of the text was read */
	size_t len;	 /* of the words */
	bool changed;	 /* they differ from what was read */
	bool redirected; /* it has redirections */
	bool too_deep;	 /* it was not read to its end: anything may be in it */
	/* Words that may name the program which is run: the first, and those behind
	 * assignments, substitutions and words like `then`. */
	struct shell_start {
		size_t at, len;
		bool shifted; /* assignments or redirections stand before it */
	} starts[SHELL_STARTS_MAX];
	size_t starts_len;
};

/* Reads up to what ends the command: ; & | ( ) # or a line end outside of quotes. `out`
 * has room for as much as `text` has; NULL: only lengths are told. */
void shell_command_read(
	struct str text, enum shell_form, char *out, struct shell_command *);

#endif
