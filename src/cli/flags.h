/* flags.h - the words behind a verb: options by tables, and what is left.
 *
 * --name value, --name=value, -x value, -xvalue; `_` may be written for `-` in a name.
 * `--` ends the options. A negative number is a word. Prefix: args_. */
#ifndef CLI_FLAGS_H
#define CLI_FLAGS_H

#include "base/arena.h"
#include "base/fault.h"

struct flag {
	const char *name;   /* "ask-rate"; NULL ends a table */
	const char *value;  /* what it takes, for the help: "SECONDS"; NULL: a switch */
	const char *values; /* the only words it takes, blanks between; NULL: any */
	char letter;	    /* 'c' for -c; 0: none */
	bool many;	    /* may be repeated; otherwise the last one counts */
	bool may_lack; /* a switch that also takes =value; with `values` also " value" */
	bool setting;  /* settings_read says what is wrong with its value */
};

struct given {
	const struct flag *flag;
	struct str value; /* NUL-terminated; of a bare switch STR("yes") */
};

/* Borrows from argv. */
struct args {
	struct given *given;
	size_t given_len;
	char **words; /* NULL-terminated */
	size_t words_len;
};

/* `tables` end with NULL. With `stop`, options end at the first word. ERR_INVALID: why is
 * a sentence for the person, with a suggestion where one is near. */
enum err args_read(int argc, char **argv, const struct flag *const *tables, bool stop,
	struct arena *, struct args *out, struct fault *why);

/* Is it this name, `_` for `-`? Is it one of these words, blanks between? */
bool args_name_is(struct str written, const char *name);
bool args_among(const char *words, struct str word);

bool args_have(const struct args *, const char *name);
/* The last value given; `at` is NULL when there is none. */
struct str args_get(const struct args *, const char *name);
/* All values of a repeated option: start with *i = 0; false at the end. */
bool args_next(const struct args *, const char *name, size_t *i, struct str *value);
struct str args_word(const struct args *, size_t i); /* `at` NULL: there is none */

/* How many single-letter edits make b of a, neighbours swapped counting as one. */
size_t edit_distance(struct str a, struct str b);
/* The nearer of best and candidate (each may be NULL), if near enough to what was
 * written. */
const char *nearer(struct str written, const char *best, const char *candidate);

#endif
