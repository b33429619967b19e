/* shell_text.h - single words and quotes of a shell's language, as text. Private to
 * core/command_line. */
#ifndef CORE_SHELL_TEXT_H
#define CORE_SHELL_TEXT_H

#include "base/arena.h"

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
