/* subject.h - what a call of a tool is about: a command, a path, an address, a query; else
 * its arguments as JSON. Patterns in brackets are compared with it.
 * Prefixes: subject_, path_, host_. */
#ifndef CORE_SUBJECT_H
#define CORE_SUBJECT_H

#include "base/json.h"
#include "core/policy/command_line.h"

enum subject_kind {
	SUBJECT_TEXT, /* a query, an operation, JSON */
	SUBJECT_COMMAND,
	SUBJECT_PATH,
	SUBJECT_ADDRESS,
};

struct subject {
	enum subject_kind kind;
	bool known;	 /* false: the tool's arguments lack it, or it is no text */
	bool only_stops; /* a guess by a member's name: for deny and ask alone */
	/* So many behind this one may be meant as well: an allow has to fit each. `unclear`,
	 * `vague` and `line.parts` are those of all. */
	uint8_t others;
	enum doubt unclear; /* keeps every allow from fitting */
	enum doubt vague;   /* keeps those from fitting that look at the subject */
	struct str text;
	struct str normal; /* SUBJECT_PATH: normalised */
	struct str host;   /* SUBJECT_ADDRESS: see core/policy/host.h; may be empty */
	struct command_line line; /* SUBJECT_COMMAND */
};

enum { SUBJECTS_MAX = 8 };

/* The kind that calls of this tool have; false: it is not in the table, so the arguments
 * as JSON count. `name` is literal. */
bool subject_kind_of(struct str name, enum subject_kind *);
/* What this call is about, the surest first. `arguments` may be NULL. The number of them,
 * at least 1; 0: no memory. */
size_t subject_read(struct str name, const struct json *arguments, struct arena *,
	struct subject out[SUBJECTS_MAX]);
/* The same for the words of a command line, whatever its name. */
size_t subject_read_command(
	const struct json *argv, struct arena *, struct subject out[SUBJECTS_MAX]);

/* ---- paths, as text: nothing is looked up, and links are not followed ---- */

/* Without "//", "/./", "x/.." and a slash at the end; "." when nothing is left. `..` that
 * leads above the beginning of a relative path stays. STR_NONE: no memory. */
struct str path_normal(struct str path, struct arena *);
/* A part of it is `..` or begins with `~`: where it leads is not known from the text. */
enum doubt path_unclear(struct str path);

/* ---- hosts: `example.com` is that one, `*.example.com` those below it ---- */

/* In small letters; STR_NONE: there is none, or two readers may take it for different
 * ones: a user name, a backslash, letters that are not ASCII, a number in disguise. */
struct str host_of(struct str url, struct arena *);
bool host_pattern_valid(struct str pattern); /* in small letters */
bool host_fits(struct str pattern, struct str host);

#endif
