/* process.h - programs that run beside us: started, looked at, never waited for.
 *
 * 1. A program and all it starts are one tree. The tree ends when the program does, at its time
 *    limit, and with us, however we end.
 * 2. Of what it prints the last PROCESS_TAIL_MAX bytes are kept, and no more is held anywhere:
 *    a program that prints faster than it is read waits.
 * 3. An isolated program has a mount, process and user namespace of its own: what `hidden` names
 *    is not there for it, and it can neither see nor trace processes outside its tree.
 *
 * Between us and the program stands a supervisor: this executable, started again (supervise.c).
 * Call process_main first in main. Start processes on a thread that lives as long as they may:
 * they end with it. */
#ifndef NET_PROCESS_H
#define NET_PROCESS_H

#include "base/arena.h"
#include "base/fault.h"

#include <sys/types.h>

enum { PROCESS_TAIL_MAX = 64 * 1024, PROCESS_HIDDEN_MAX = 16 };

/* Something that an isolated program does not find. */
struct process_hidden {
	const char *path; /* absolute; a folder seems empty, a file too; absent is fine */
	const char *const
		*kept; /* names in a folder that are there all the same; or NULL */
};

struct process_setup {
	char *const *argv;
	char *const *envp;
	struct str input; /* what it reads on standard input */
	bool talks;	  /* instead, it reads what is written to process.input */
	/* Gets what it prints on standard output, piece by piece; the tail is of standard error then. NULL: the
	 * tail is of both. */
	void (*take)(void *ctx, struct str bytes);
	void *ctx;
	int64_t limit_ms; /* how long it may run; 0: as long as it likes */
	bool isolated;
	const struct process_hidden *hidden;
	size_t hidden_len; /* at most PROCESS_HIDDEN_MAX */
};

struct process {
	pid_t pid;  /* of its supervisor; 0: none */
	int handle; /* readable once it has ended */
	int output; /* readable when it printed something */
	int result; /* the same of what is taken; -1: nothing is */
	void (*take)(void *ctx, struct str bytes);
	void *ctx;
	int input;  /* of one that talks, not blocking; else -1 */
	int report; /* why it could not be started */
	char *tail; /* a ring of PROCESS_TAIL_MAX */
	size_t printed;
	int64_t limit_ms, kill_ms; /* monotonic; 0: none */
	bool limited;		   /* ended because of its limit */
};

struct process_end {
	int exit;	   /* -1: a signal ended it, or it never began */
	int signal;	   /* 0: none did */
	bool limited;	   /* its time was up */
	char failure[200]; /* why it never began; or "" */
};

/* First in main: when this is a supervisor, does its work and does not return. */
void process_main(int argc, char **argv);

enum err process_start(struct process *, const struct process_setup *, struct fault *why);
/* Reads what it printed and watches its limit: call it when output stirs, and now and then. */
void process_look(struct process *);
bool process_ended(struct process *, struct process_end *out);	 /* and is reaped then */
struct str process_tail(const struct process *, struct arena *); /* the last it printed */
/* Ends the whole tree and waits for that. */
void process_done(struct process *);

/* What a program needs to find its way. Our own settings and secrets are not for it. */
#define PROCESS_ENV "PATH,HOME,USER,LOGNAME,SHELL,LANG,LC_ALL,TZ,TMPDIR"
/* Of our environment those of these names, by commas, that are set; `env` has room for `most`. */
void process_env_add(
	struct str names, char **env, size_t *len, size_t most, struct arena *);

/* Can programs be isolated here? ERR_UNAVAILABLE: no, and why. */
enum err process_can_isolate(struct fault *why);
/* Is there such a program, in PATH where its name has no slash? With our own rights. */
bool process_found(struct str name, struct arena *);

#endif
