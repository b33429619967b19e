/* settings_file.h - the configuration file: INI without sections, every key known. */
#ifndef CLI_SETTINGS_FILE_H
#define CLI_SETTINGS_FILE_H

#include "base/arena.h"
#include "base/fault.h"

enum { SETTINGS_FILE_ROWS = 32 };

struct settings_file_value {
	struct str value; /* NUL-terminated; `at` is NULL: not in the file */
	const char *path;
	int line;
};

struct settings_file {
	struct settings_file_value values[SETTINGS_FILE_ROWS]; /* as `names` */
};

/* With a path, that file, which must be there; without, the system's and then the
 * person's file, whose values count more; either may be missing, or not ours to read.
 * `names` end with NULL. ERR_INVALID: why names file and line. */
enum err settings_file_load(const char *path, const char *const *names, struct arena *,
	struct settings_file *out, struct fault *why);

#endif
