/* program.h - a command line of the operator, run for a delivery: a resumer, a verifier, a command that
 * tells somebody. */
#ifndef CHANNEL_PROGRAM_H
#define CHANNEL_PROGRAM_H

#include "channel/inner.h"

/* What every program sees of our environment. */
void program_env_open(struct notify *);
/* The lines of a channel in words, which are its state then; empty for a verifier that is an address. */
enum err program_lines(struct notify *, enum delivery_kind, const struct named_command *,
	size_t len, struct fault *why);
/* What a program of a delivery sees of the environment, and of us. */
char **program_env(struct claimed *);
/* The same with other words of ours. */
struct program_var {
	const char *name;
	struct str value;
};
char **program_env_of(struct claimed *, const struct program_var *, size_t len);
/* Starts it, with these values in its words and `input` to read. */
enum err program_run(struct claimed *, const struct resumer *,
	const struct resumer_values *, char **env, struct str input, int64_t limit_ms,
	struct fault *why);
/* One of them by its name; NULL: there is none. */
const struct resumer *program_named(const struct resumer *, const struct named_command *,
	size_t len, struct str name);
/* Looks after it: how many descriptors it sleeps on. When it has ended, 0, *end and what is wrong with
 * how it ended; `late` is said of one whose time was up. What it said last is the outcome's output. */
size_t program_watch(struct claimed *, struct pollfd fds[CHANNEL_FDS], const char *late,
	struct process_end *end, struct str *error);

#endif
