/* shell_text.h - text of a shell's language written anew. Private to core/command_line.
 * Prefix: shell_ */
#ifndef CORE_SHELL_TEXT_H
#define CORE_SHELL_TEXT_H

#include "base/arena.h"

/* What is written is never longer than what it is made from. */
struct shell_text {
	char *out; /* NULL: only counted */
	size_t len;
	char last;
	bool exact;   /* blanks stay as they are; else each run of them is one space */
	bool changed; /* a blank was changed */
};

static inline bool shell_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline void shell_text_add(struct shell_text *t, char c)
{
	if (shell_is_blank(c) && !t->exact) {
		if (t->len == 0 || t->last == ' ') return;
		t->changed |= c != ' ';
		c = ' ';
	}
	if (t->out) t->out[t->len] = c;
	t->last = c;
	t->len++;
}

/* Of $'…', from behind its opening quote at `i`; where the closing one is. */
size_t shell_escapes_add(struct shell_text *, struct str, size_t i);
/* $IFS or ${IFS} at `i`, written as a blank; how long it is. 0: it is something else. */
size_t shell_ifs_add(struct shell_text *, struct str, size_t i);

/* Without quotes and backslashes wherever they stand, $'…' decoded, $IFS a blank, lines that
 * end in a backslash joined, each run of blanks one space. Borrows the text when nothing
 * changes. STR_NONE: nothing left, or no memory. */
struct str shell_plain(struct str, struct arena *);
/* Lines that end in a backslash joined with the next; `comments_end`: but for those with a
 * comment. Borrows the text when there are none. */
struct str shell_joined(struct str, bool comments_end, struct arena *);
/* With `{`, `,` and `}` made blanks, each run of blanks one space; STR_NONE: nothing is left,
 * or no memory. */
struct str shell_braces(struct str, struct arena *);

#endif
