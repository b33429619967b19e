/* command_line.h - the commands in a line for a shell, as far as text alone shows them.
 *
 * Two views of one line, each wrong only on its safe side:
 * - for an allow, `parts`: the line cut at every separator, whether quoted or not. All
 *   must be allowed; a line with `unclear` cannot be.
 * - for a deny or an ask, `commands`: every reading in which a command might be run:
 *   with quotes minded and not, inside $(…), `…`, (…), {…} and <(…), also without its
 *   quotes, backslashes, assignments and path. One that fits suffices. */
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
/* Every line that fits this pattern is unclear: why. Else DOUBT_NONE. */
enum doubt command_pattern_doubt(struct str glob);

/* ---- single words and quotes of a shell's language; private to shell_text.c and command_line.c ---- */

/* Without quotes and backslashes, $'…' decoded, $IFS a blank, and each run of blanks one
 * space. Borrows the text when nothing changes. STR_NONE: nothing left, or no memory. */
struct str shell_plain(struct str, struct arena *);
/* With each byte of `set` made a blank, runs of blanks one space; STR_NONE: none of them
 * is in it, nothing is left, or no memory. */
struct str shell_without(struct str, const char *set, struct arena *);
/* Lines that end in a backslash joined with the next. */
struct str shell_join_lines(struct str, struct arena *);
/* Quotes, brackets or backticks: what makes cutting at every separator wrong. */
bool shell_has_groups(struct str);

struct str shell_first_word(struct str); /* up to the first blank */
struct str shell_file_name(struct str);	 /* behind the last slash */
/* The rest behind leading assignments (`X=1`) and words that only introduce a command:
 * then, do, !, … `assigned`: there were assignments. */
struct str shell_skip_words(struct str, bool *assigned);
/* Its first word runs a command that stands among the others: sudo, env, xargs, sh … */
bool shell_runs_words(struct str);

#endif
