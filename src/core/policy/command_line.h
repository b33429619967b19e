/* command_line.h - the commands in a line for a shell, as far as text alone shows them.
 *
 * Two views of one line, each wrong only on its safe side:
 * - for an allow, `parts`: the line cut at every separator, whether quoted or not. All
 *   must be allowed; a line with `unclear` cannot be.
 * - for a deny or an ask, `commands`: every reading in which a command might be run, from
 *   every place where one may begin: as bash reads it, and with its quotes ignored; with
 *   and without redirections, substitutions, assignments and path. One that fits suffices. */
#ifndef CORE_COMMAND_LINE_H
#define CORE_COMMAND_LINE_H

#include "base/arena.h"

/* What keeps an allow from fitting. */
enum doubt {
	DOUBT_NONE,
	DOUBT_SUBSTITUTION, /* $(…), `…`, a variable, (…), {…} */
	DOUBT_REDIRECTION,  /* < or > */
	DOUBT_PARENT,	    /* .. */
	DOUBT_RELATIVE,	    /* a relative path, where an absolute one counts */
	DOUBT_HOME,	    /* ~ */
	DOUBT_CONTROL,	    /* a control character */
	DOUBT_COMMANDS,	    /* several commands in what must be one */
	DOUBT_DEPTH,	    /* nested too deeply to be taken apart */
	DOUBT_ABSENT,	    /* what the rule looks at is not there */
	DOUBT_TYPE,	    /* or is of another type */
	DOUBT_ADDRESS,	    /* an address that two readers may take for different hosts */
	DOUBT_MEMORY,
};

const char *doubt_name(
	enum doubt); /* "a redirection", …, for people; NULL for DOUBT_NONE */

/* One reading of a command. */
struct command_text {
	struct str text;
	/* It runs another command that is among its words (sudo, env, xargs, sh -c …), or
	 * begins with an assignment: a pattern may fit from any word on. */
	bool runs_words;
};

struct command_line {
	struct str *parts; /* trimmed, none empty */
	size_t parts_len;
	struct command_text *commands; /* the whole line is the first */
	size_t commands_len;
	enum doubt unclear; /* keeps an allow from fitting */
	bool too_deep;	    /* `commands` is not complete: everything may be in it */
};

/* Borrows `line`. False: no memory; the arena has failed. */
bool command_line_read(struct str line, struct arena *, struct command_line *out);
/* What allows the one must allow the other, too: adds its parts. */
void command_line_join(
	struct command_line *, const struct command_line *, struct arena *);
/* Every line that fits this pattern is unclear: why. Else DOUBT_NONE. */
enum doubt command_pattern_doubt(struct str glob);

#endif
