/* text_file.h - small files that settings and options name: a prompt, a key, a password, rules. */
#ifndef CLI_TEXT_FILE_H
#define CLI_TEXT_FILE_H

#include "base/arena.h"
#include "base/fault.h"

/* The file's text in the arena, of "-" what stands on standard input; empty with errno when it cannot be read. `secret`: ERR_INVALID
 * when others than its owner may read it. */
enum err text_file_read(const char *path, bool secret, struct arena *, struct str *out,
	struct fault *why);

#endif
