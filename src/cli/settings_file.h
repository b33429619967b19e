/* settings_file.h - the configuration file: INI, every key known; sections whose keys are the
 * operator's own, [resumers], [verifiers] and [channels]; and sections with a name,
 * [provider NAME] and [agent NAME]. A value goes on in lines that begin with a blank. */
#ifndef CLI_SETTINGS_FILE_H
#define CLI_SETTINGS_FILE_H

#include "base/arena.h"
#include "base/fault.h"
#include "core/delivery/resumer.h"

enum { SETTINGS_FILE_ROWS = 64, RESUMERS_MAX = 32, SECTIONS_MAX = 200 };

struct settings_file_value {
	struct str value; /* NUL-terminated; `at` is NULL: not in the file */
	const char *path;
	int line;
};

/* A line of a named section: the lines of one section in the order of the file. */
struct settings_line {
	struct settings_line *next;
	struct str key;
	struct settings_file_value value; /* lines joined by line ends */
};

struct settings_section {
	struct settings_section *next;
	struct str kind, name; /* "agent", "coder" */
	struct settings_line *first;
	const char *path;
	int line;
};

struct settings_file {
	struct settings_section *sections; /* as they came; in the arena */
	size_t sections_len;
	struct settings_file_value values[SETTINGS_FILE_ROWS]; /* as `names` */
	struct settings_file_section {
		struct named_command at[RESUMERS_MAX + 1]; /* the last stays empty */
		size_t len;
	} resumers, verifiers, channels;
};

/* With a path, that file, which must be there; without, the system's and then the
 * person's file, whose values count more; either may be missing, or not ours to read.
 * `names` end with NULL. ERR_INVALID: why names file and line. */
enum err settings_file_load(const char *path, const char *const *names, struct arena *,
	struct settings_file *out, struct fault *why);

#endif
