/* resumer.h - a command line that the operator configured, of [resumers] or [channels], and what
 * its placeholders stand for. It is split into words once; a placeholder is filled inside one
 * word, and no shell ever sees it. */
#ifndef CORE_RESUMER_H
#define CORE_RESUMER_H

#include "base/arena.h"
#include "base/fault.h"

enum { RESUMER_NAME_MAX = 100, RESUMER_WORDS_MAX = 100 };

/* A line of [resumers], [verifiers] or [channels], and where it stands; a verifier may be an address
 * instead. */
struct named_command {
	struct str name, command;
	const char *path;
	int line;
};

/* Words are parted by blanks; '…' and "…" hold blanks, a backslash outside of '…' takes
 * the next character as it is. */
struct resumer {
	struct str words[RESUMER_WORDS_MAX];
	size_t len;
};

/* What the command is for, and so which placeholders it may have. */
enum command_use { COMMAND_RESUMES = 1, COMMAND_TELLS = 2, COMMAND_IS_TOOL = 4 };

/* What a session, or a message, brings. */
struct resumer_values {
	struct str external_id, session, context, ask, url;
	struct str title, text, purpose, user;
};

bool resumer_name_valid(struct str); /* letters, digits, '.', '_', '-' */
/* ERR_INVALID: an open quote, no word, too many, an unknown placeholder, or one in the
 * name of the program. Words live in the arena. */
enum err resumer_read(struct str line, enum command_use, struct arena *,
	struct resumer *out, struct fault *why);
/* Is the context, or the text, one of its words? Else it is on standard input. */
bool resumer_wants_text(const struct resumer *);
/* NULL-ended and NUL-terminated, in the arena. ERR_INVALID: a value would be read as an
 * option, because it begins a word and begins with '-'. */
enum err resumer_fill(const struct resumer *, const struct resumer_values *,
	struct arena *, char ***argv, struct fault *why);

#endif
