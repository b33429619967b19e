/* settings_file.h - the configuration file: INI, every key known, and two sections whose
 * keys are the operator's own: [resumers] and [verifiers]. */
#ifndef CLI_SETTINGS_FILE_H
#define CLI_SETTINGS_FILE_H

#include "base/arena.h"
#include "base/fault.h"

enum { SETTINGS_FILE_ROWS = 32, RESUMERS_MAX = 32 };

struct settings_file_value {
	struct str value; /* NUL-terminated; `at` is NULL: not in the file */
	const char *path;
	int line;
};

/* One of [resumers] or [verifiers]. */
struct settings_file_named {
	struct str name;
	struct settings_file_value command;
};

struct settings_file {
	struct settings_file_value values[SETTINGS_FILE_ROWS]; /* as `names` */
	struct settings_file_section {
		struct settings_file_named
			at[RESUMERS_MAX + 1]; /* the last stays empty */
		size_t len;
	} resumers, verifiers;
};

/* With a path, that file, which must be there; without, the system's and then the
 * person's file, whose values count more; either may be missing, or not ours to read.
 * `names` end with NULL. ERR_INVALID: why names file and line. */
enum err settings_file_load(const char *path, const char *const *names, struct arena *,
	struct settings_file *out, struct fault *why);

#endif
