/* program.h - which file a command name means, and that it is still the same one. */
#ifndef CLI_VERB_PROGRAM_H
#define CLI_VERB_PROGRAM_H

#include "base/arena.h"
#include "base/fault.h"
#include "base/hash.h"

struct program {
	const char *path; /* absolute */
	int fd;		  /* open for reading; -1: none */
	bool script;	  /* starts with #!: its interpreter opens it by its path */
	char sha256[SHA256_HEX_SIZE]; /* of its content */
};

/* Looks `name` up as execvp would, opens it and reads it. ERR_NOT_FOUND: there is none;
 * ERR_FORBIDDEN: it cannot be run or read. */
enum err program_find(const char *name, const char *cwd, struct arena *, struct program *,
	struct fault *);
/* The file at `path` is (still) the one with this content; it is open then. */
enum err program_open(const char *path, struct arena *, struct program *, struct fault *);
void program_close(struct program *);
/* Runs exactly the file that is open. Returns only on failure, with errno. */
void program_exec(const struct program *, char **argv);

#endif
